/**
 * Runs the test suites of well-known libraries in sessions, a file in each, and writes what came of it into
 * docs/measured/LIBRARY_SUITES.md: beside what a native CPython makes of it, where `--native COMMAND` names one that has
 * the same versions of the libraries. Other arguments: libraries to try, instead of all, which writes nothing.
 */

import { parseArgs } from "node:util";
import * as z from "zod";
import { TestServer } from "../tests/support/harness.ts";
import { wholeStdout } from "./whole_output.ts";
import { libraryTests } from "./assets/library_tests.ts";
import { writeMeasured } from "./measured.ts";
import { sourceCommand } from "./source_command.ts";

const RUNNER = new URL("library_runner.py", import.meta.url);
/** The longest file takes half a minute on a quiet machine. */
const PATIENCE_MS = 300_000;
const JOBS = navigator.hardwareConcurrency;
const MOUNTED = "/data/tests";

interface Library {
  readonly name: string;
  /** What is imported of it. */
  readonly module: string;
  readonly tests: string;
  /** What a session has to install before. */
  readonly requirements: readonly string[];
}

const LIBRARIES: readonly Library[] = [
  { name: "attrs", module: "attr", tests: "attrs/tests", requirements: ["hypothesis", "cloudpickle"] },
  { name: "click", module: "click", tests: "click/tests", requirements: ["click==8.5.1"] },
  { name: "jinja2", module: "jinja2", tests: "jinja2/tests", requirements: ["trio"] },
  { name: "pytest", module: "pytest", tests: "pytest/testing", requirements: ["hypothesis"] },
  { name: "requests", module: "requests", tests: "requests/tests", requirements: ["pytest-mock"] },
  { name: "rich", module: "rich", tests: "rich/tests", requirements: ["attrs"] },
  { name: "sympy (core)", module: "sympy", tests: "sympy/tests", requirements: [] },
];

const tally = z.object({
  passed: z.array(z.string()),
  failed: z.int(),
  skipped: z.int(),
  causes: z.array(z.string()),
  cause: z.nullable(z.string()),
});
type Tally = z.infer<typeof tally>;

const nothing = (cause: string): Tally => ({ passed: [], failed: 0, skipped: 0, causes: [], cause });

/** What the runner said last. */
function tallyIn(stdout: string, otherwise: () => string): Tally {
  try {
    return tally.parse(JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? ""));
  } catch {
    return nothing(otherwise());
  }
}

/** Runs the files of a library, each in a Python of its own, which the session's shell starts. */
class LibrarySession implements AsyncDisposable {
  readonly #session_id: string;

  constructor(readonly server: TestServer, readonly library: Library) {
    this.#session_id = library.module;
  }

  /** Leaves the runner and what it wants in the session. */
  async prepare(runner: string): Promise<void> {
    const { requirements } = this.library;
    await this.#call("create_session", {});
    const written = await this.#call("write_file", { path: "runner.py", content: runner });
    const installed = requirements.length > 0 && await this.#call("install_package", { requirements });
    const error = written.error ?? (installed && installed.error);
    if (error) throw new Error(error.message);
  }

  async run(file: string): Promise<Tally> {
    const { module, tests } = this.library;
    const reply = await this.#call("execute_command", {
      command: `python3 runner.py ${module} ${MOUNTED}/${tests}/${file}`,
      timeout: PATIENCE_MS / 1000,
    });
    const { error, exit_code } = reply;
    return tallyIn(await wholeStdout(this.server, reply), () => error?.message ?? `exit code ${exit_code}`);
  }

  async #call(name: string, args: Record<string, unknown>): Promise<Reply> {
    const { structuredContent } = await this.server.client.callTool({
      name,
      arguments: { ...args, session_id: this.#session_id },
    }, { timeout: 2 * PATIENCE_MS });
    return structuredContent as Reply;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#call("destroy_session", {});
  }
}

/** What is used of a tool's reply. */
interface Reply {
  readonly exit_code?: number;
  readonly error?: { readonly message: string } | null;
}

async function natively(command: string, { module }: Library, path: string): Promise<Tally> {
  const { stdout, code } = await new Deno.Command("timeout", {
    args: [String(PATIENCE_MS / 1000), command, RUNNER.pathname, module, path],
    cwd: "/",
    stdin: "null",
    stderr: "null",
  }).output();
  return tallyIn(new TextDecoder().decode(stdout), () => `exit code ${code}`);
}

/** What pytest collects by itself, and those of its own which it collects since its configuration says so. */
const TEST_FILE = /(^|\/)test_[^/]*\.py$|_test\.py$|^python\/[^/_]*\.py$/;

/** Below a directory, at any depth. */
function testFiles(directory: string, below = ""): string[] {
  return [...Deno.readDirSync(`${directory}/${below}`)].flatMap(({ name, isDirectory }) => {
    const path = `${below}${name}`;
    if (isDirectory) return testFiles(directory, `${path}/`);
    return TEST_FILE.test(path) ? [path] : [];
  }).sort();
}

interface Row {
  readonly library: Library;
  readonly file: string;
  readonly here: Tally;
  readonly there: Tally | undefined;
}

/** Of what passes natively, what passes here. */
const both = ({ here, there }: Row) => {
  const expected = new Set(there?.passed);
  return here.passed.filter((name) => expected.has(name)).length;
};

const sum = (rows: readonly Row[], count: (row: Row) => number) =>
  rows.reduce((total, row) => total + count(row), 0);

const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll(/\s+/g, " ").slice(0, 140);

function line(label: string, rows: readonly Row[], note: string): string {
  const counts = [
    sum(rows, ({ there }) => there?.passed.length ?? 0),
    sum(rows, both),
    sum(rows, ({ here }) => here.passed.length),
    sum(rows, ({ here }) => here.failed),
    sum(rows, ({ here }) => here.skipped),
  ];
  return `| ${label} | ${counts.join(" | ")} | ${note} |`;
}

/** Why a file falls short of what it does natively. */
function shortcoming(row: Row): string {
  const { here, there } = row;
  if (there && both(row) === there.passed.length) return "";
  const native = new Set(there?.causes);
  const cause = here.cause ?? here.causes.find((cause) => !native.has(cause)) ?? here.causes[0];
  return cell(cause ?? "");
}

function document(rows: readonly Row[]): string {
  const head = (first: string, last: string) => [
    `| ${first} | native | of these here | passed here | failed | skipped | ${last} |`,
    "| --- | --- | --- | --- | --- | --- | --- |",
  ];
  const ofLibrary = LIBRARIES.map((library) => {
    const own = rows.filter((row) => row.library === library);
    const rate = sum(own, both) / Math.max(1, sum(own, ({ there }) => there?.passed.length ?? 0));
    return line(library.name, own, `${(100 * rate).toFixed(1)} %`);
  });
  const ofFile = rows.map((row) => line(`${row.library.name}: ${row.file}`, [row], shortcoming(row)));
  return [...head("library", "rate"), ...ofLibrary, "", ...head("file", "first cause"), ...ofFile].join("\n");
}

/** Its row, and what fails here alone. */
function tell(row: Row): void {
  const { library, file, here, there } = row;
  console.error(line(`${library.name}: ${file}`, [row], shortcoming(row)));
  const passing = new Set(there?.passed);
  for (const cause of here.causes) {
    if (!there || [...passing].some((name) => cause.startsWith(`${name}: `))) console.error(`    ${cause}`);
  }
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { native: { type: "string" } },
    allowPositionals: true,
  });
  const suites = await libraryTests();
  const runner = await Deno.readTextFile(RUNNER);
  Deno.env.set("WASMBOX_POLICY_MAX_TIMEOUT_SECONDS", String(PATIENCE_MS / 1000));
  await using server = await TestServer.start(sourceCommand("--volume", `${suites}:${MOUNTED}`));
  const wanted = LIBRARIES.filter(({ name, module }) =>
    positionals.length === 0 || positionals.some((each) => each === name || each === module)
  );
  const rows = new Map<Library, Row[]>();
  const queue = [...wanted];
  const work = async (): Promise<void> => {
    const library = queue.shift();
    if (!library) return;
    await using session = new LibrarySession(server, library);
    await session.prepare(runner);
    const own: Row[] = [];
    for (const file of testFiles(`${suites}/${library.tests}`)) {
      const path = `${suites}/${library.tests}/${file}`;
      const here = await session.run(file);
      const there = values.native === undefined ? undefined : await natively(values.native, library, path);
      const row = { library, file, here, there };
      own.push(row);
      tell(row);
    }
    rows.set(library, own);
    return await work();
  };
  await Promise.all(Array.from({ length: JOBS }, work));
  if (positionals.length > 0) return;
  const inOrder = LIBRARIES.flatMap((library) => rows.get(library) ?? []);
  await writeMeasured("LIBRARY_SUITES", "scripts/library_suites.ts", document(inOrder));
}

await main();
