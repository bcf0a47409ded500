/**
 * Runs CPython's own test suite in sessions, a module in each, and writes what came of it into
 * docs/measured/CPYTHON_TESTS.md: beside what a native CPython of the same version makes of it, where `--native COMMAND`
 * (say, python3.13) names one. Other arguments: modules to try, instead of all, which writes nothing.
 */

import { parseArgs } from "node:util";
import * as z from "zod";
import { TestServer } from "../tests/support/harness.ts";
import { cpythonTestSuite } from "./assets/cpython_tests.ts";
import { repository } from "./assets/paths.ts";
import { writeMeasured } from "./measured.ts";

const RUNNER = new URL("cpython_runner.py", import.meta.url);
/** The longest module takes a minute on a quiet machine; some wait for what never comes. */
const PATIENCE_MS = 100_000;
/** Modules that run side by side. */
const JOBS = navigator.hardwareConcurrency;
const MOUNTED = "/data/cpython";
/** Modules that do nothing but what can't be done here, or that take hours anywhere. */
const LEFT_OUT = new Set([
  "test_multiprocessing_fork",
  "test_multiprocessing_forkserver",
  "test_multiprocessing_spawn",
]);

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

async function inSession(server: TestServer, runner: string, module: string): Promise<Tally> {
  const session_id = module.replaceAll(".", "_");
  const code = `LIBRARY, MODULE = ${JSON.stringify(MOUNTED)}, ${JSON.stringify(module)}\n${runner}`;
  try {
    const { structuredContent } = await server.client.callTool({
      name: "execute_code",
      arguments: { code, session_id, timeout: PATIENCE_MS / 1000 },
    }, { timeout: 2 * PATIENCE_MS });
    const reply = structuredContent as { stdout?: string; status?: string };
    return tallyIn(reply.stdout ?? "", () => `the run ended: ${reply.status}`);
  } finally {
    await server.call("destroy_session", { session_id });
  }
}

/** In a directory of its own, since tests write where they are. */
async function natively(command: string, library: string, module: string): Promise<Tally> {
  const directory = await Deno.makeTempDir();
  try {
    const { stdout, code } = await new Deno.Command("timeout", {
      args: [String(PATIENCE_MS / 1000), command, RUNNER.pathname, library, module],
      cwd: directory,
      stdin: "null",
      stderr: "null",
    }).output();
    return tallyIn(new TextDecoder().decode(stdout), () => `exit code ${code}`);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

function modulesOf(library: string): string[] {
  return [...Deno.readDirSync(`${library}/test`)]
    .map(({ name }) => name.replace(/\.py$/, ""))
    .filter((name) => name.startsWith("test_") && !LEFT_OUT.has(name))
    .sort();
}

const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll(/\s+/g, " ").slice(0, 140);

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { native: { type: "string" } },
    allowPositionals: true,
  });
  const library = await cpythonTestSuite();
  const modules = positionals.length > 0 ? positionals : modulesOf(library);
  const runner = await Deno.readTextFile(RUNNER);
  const limits = { WASMBOX_POLICY_MAX_TIMEOUT_SECONDS: String(PATIENCE_MS / 1000) };
  for (const [name, value] of Object.entries(limits)) Deno.env.set(name, value);
  await using server = await TestServer.start({
    command: Deno.execPath(),
    args: [
      "run",
      "--quiet",
      "--no-prompt",
      `--config=${repository}/deno.json`,
      ...["read", "write", "net", "env", "run", "sys"].map((name) => `--allow-${name}`),
      `${repository}/main.ts`,
      "serve",
      "--stdio",
      "--volume",
      `${library}:${MOUNTED}`,
    ],
  });
  const rows = new Map<string, string>();
  const sums = { native: 0, both: 0, passed: 0, failed: 0, skipped: 0, broken: 0 };
  const queue = [...modules];
  const work = async (): Promise<void> => {
    const module = queue.shift();
    if (module === undefined) return;
    const here = await inSession(server, runner, module);
    const there = values.native === undefined ? undefined : await natively(values.native, library, module);
    const expected = new Set(there?.passed);
    const both = here.passed.filter((name) => expected.has(name)).length;
    sums.native += expected.size;
    sums.both += both;
    sums.passed += here.passed.length;
    sums.failed += here.failed;
    sums.skipped += here.skipped;
    if (here.cause !== null && !here.cause.startsWith("skipped")) sums.broken++;
    const why = cell(here.cause ?? here.causes[0] ?? "");
    const native = there === undefined ? "" : String(expected.size);
    const counts = [native, here.passed.length, here.failed, here.skipped];
    const row = `| ${module} | ${counts.join(" | ")} | ${why} |`;
    rows.set(module, row);
    console.error(`${rows.size}/${modules.length} ${row}`);
    return await work();
  };
  await Promise.all(Array.from({ length: JOBS }, work));
  const total = [
    `${sums.passed} tests pass, ${sums.failed} fail, ${sums.skipped} are skipped; ${sums.broken} modules don't get to an end.`,
    ...values.native === undefined
      ? []
      : [`Of the ${sums.native} that pass natively, ${sums.both} pass here.`],
  ].join(" ");
  console.error(total);
  if (positionals.length > 0) return;
  const head = [
    "| module | native | passed | failed | skipped | first cause |",
    "| --- | --- | --- | --- | --- | --- |",
  ];
  await writeMeasured(
    "CPYTHON_TESTS",
    "scripts/cpython_table.ts",
    [total, "", ...head, ...modules.map((module) => rows.get(module))].join("\n"),
  );
}

await main();
