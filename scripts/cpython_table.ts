/**
 * Runs CPython's own test suite in sessions, a module in each, and writes what came of it into
 * docs/measured/CPYTHON_TESTS.md: beside what a native CPython of the same version makes of it, where `--native COMMAND`
 * (say, python3.13) names one. With `--keep DIRECTORY` what came of each module is kept there, and not run again by the
 * next call. `--minutes N` begins no module after as many. Other arguments: modules to try, instead of all, which writes nothing.
 */

import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import * as z from "zod";
import { inFull } from "../src/mcp/left_out.ts";
import { TestServer } from "../tests/support/harness.ts";
import { wholeStdout } from "./whole_output.ts";
import { cpythonTestSuite } from "./assets/cpython_tests.ts";
import { writeMeasured } from "./measured.ts";
import { sourceCommand } from "./source_command.ts";

const RUNNER = new URL("cpython_runner.py", import.meta.url);
/** The longest module takes a minute on a quiet machine; some wait for what never comes. */
const PATIENCE_MS = 200_000;
/** Modules that run side by side. */
const JOBS = navigator.hardwareConcurrency;
const MOUNTED = "/data/cpython";
/** Sessions that a module has, each without the tests that are done with. */
const ATTEMPTS = 5;
/** Packages of so many tests that each of their modules has a session: those that CPython's own runner splits. */
const SPLIT = new Set([
  "test_asyncio",
  "test_concurrent_futures",
  "test_doctests",
  "test_future_stmt",
  "test_gdb",
  "test_inspect",
  "test_multiprocessing_fork",
  "test_multiprocessing_forkserver",
  "test_multiprocessing_spawn",
  "test_pydoc",
]);

const tally = z.object({
  passed: z.array(z.string()),
  failed: z.record(z.string(), z.string()),
  skipped: z.record(z.string(), z.string()),
  /** Why the module could not be run, or not to its end. */
  cause: z.nullable(z.string()),
  /** The test that ran last. */
  last: z.nullable(z.string()),
  seconds: z.optional(z.number()),
});
type Tally = z.infer<typeof tally>;

/** Where a session was lost: never the tests' fault. */
const CRASHED = "the run ended: crashed";

const nothing = (cause: string, last: string | null = null): Tally => ({
  passed: [],
  failed: {},
  skipped: {},
  cause,
  last,
});

/** What the runner said last. */
function tallyIn(stdout: string, otherwise: () => Tally): Tally {
  try {
    return tally.parse(JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? ""));
  } catch {
    return otherwise();
  }
}

async function once(
  server: TestServer,
  runner: string,
  module: string,
  done: readonly string[],
): Promise<Tally> {
  const session_id = module.replaceAll(".", "_");
  const set = { LIBRARY: MOUNTED, MODULE: module, DONE: done };
  const values = Object.values(set).map((value) => JSON.stringify(value)).join(", ");
  const code = `${Object.keys(set).join(", ")} = ${values}\n${runner}`;
  try {
    const { structuredContent } = await server.client.callTool({
      name: "execute_code",
      arguments: { code, session_id, timeout: PATIENCE_MS / 1000 },
    }, { timeout: 2 * PATIENCE_MS });
    const reply = inFull(structuredContent as Record<string, unknown>);
    const { stderr, status } = reply as Record<"stderr" | "status", string>;
    const stdout = await wholeStdout(server, reply);
    const last = stderr.split("\n").findLast((line) => line.startsWith(`test.${module}.`));
    return tallyIn(stdout, () => nothing(`the run ended: ${status}`, last));
  } finally {
    await server.call("destroy_session", { session_id });
  }
}

/** A test that its session does not survive fails; the others of its module are run without it. */
async function inSession(server: TestServer, runner: string, module: string): Promise<Tally> {
  const sum = nothing("");
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const done = [...sum.passed, ...Object.keys(sum.failed), ...Object.keys(sum.skipped)];
    const found = await once(server, runner, module, done);
    sum.passed.push(...found.passed);
    Object.assign(sum.failed, found.failed);
    Object.assign(sum.skipped, found.skipped);
    sum.cause = found.cause;
    const ended = found.cause?.startsWith("the run ended");
    if (found.last === null || !ended && !found.cause?.startsWith("KeyboardInterrupt")) break;
    // One that was stopped for the time of others begins anew.
    const own = (found.seconds ?? 0) * 1000 > PATIENCE_MS / 2;
    if (ended || own) sum.failed[found.last] = found.cause ?? "";
  }
  return sum;
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
    return tallyIn(new TextDecoder().decode(stdout), () => nothing(`exit code ${code}`));
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

/** What was found before, if it was kept; else what is found now. */
async function kept(file: string | undefined, find: () => Promise<Tally>): Promise<Tally> {
  const before = file === undefined ? "" : await Deno.readTextFile(file).catch(() => "");
  if (before) return tally.parse(JSON.parse(before));
  const found = await find();
  if (file !== undefined) {
    await Deno.mkdir(dirname(file), { recursive: true });
    await Deno.writeTextFile(file, JSON.stringify(found));
  }
  return found;
}

/** A module is a file, or a package; tests have other things beside them. */
function modulesIn(directory: string, prefix = ""): string[] {
  return [...Deno.readDirSync(directory)].flatMap(({ name, isDirectory }) => {
    if (!name.startsWith("test_")) return [];
    const module = name.replace(/\.py$/, "");
    if (SPLIT.has(name)) return modulesIn(join(directory, name), `${name}.`);
    return isDirectory || module !== name ? [prefix + module] : [];
  }).sort();
}

const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll(/\s+/g, " ").slice(0, 140);

/** The line of a module, and what it adds to the sums. */
function rowOf(module: string, here: Tally, there: Tally | undefined) {
  const expected = new Set(there?.passed);
  const failed = Object.entries(here.failed).sort();
  const both = here.passed.filter((name) => expected.has(name)).length;
  const first = failed.map(([name, why]) => `${name.replace(`test.${module}.`, "")}: ${why}`)[0];
  const counts = {
    native: expected.size,
    both,
    passed: here.passed.length,
    failed: failed.length,
    skipped: Object.keys(here.skipped).length,
  };
  const { native, ...others } = counts;
  const cells = [module, there ? native : "", ...Object.values(others), cell(here.cause ?? first ?? "")];
  const crashes = [here.cause, ...Object.values(here.failed)].filter((why) => why === CRASHED).length;
  const broken = here.cause !== null && !here.cause.startsWith("skipped") ? 1 : 0;
  return { line: `| ${cells.join(" | ")} |`, counts: { ...counts, crashes, broken } };
}

type Row = ReturnType<typeof rowOf>;

function tableOf(rows: readonly Row[], all: number, isNative: boolean): string {
  const sum = (key: keyof Row["counts"]) => rows.reduce((total, { counts }) => total + counts[key], 0);
  return [
    `- here: ${sum("passed")} tests pass, ${sum("failed")} fail, ${sum("skipped")} are skipped`,
    ...isNative ? [`- natively: ${sum("native")} pass; both here and natively: ${sum("both")}`] : [],
    `- sessions lost to a crash: ${sum("crashes")}; modules that don't get to an end: ${sum("broken")}`,
    ...rows.length < all ? [`- ${rows.length} of ${all} modules were tried`] : [],
    "",
    "| module | native | both | passed | failed | skipped | first cause |",
    "| --- | --- | --- | --- | --- | --- | --- |",
    ...rows.map(({ line }) => line),
  ].join("\n");
}

async function main(): Promise<void> {
  const { values: { native, keep, minutes }, positionals } = parseArgs({
    options: { native: { type: "string" }, keep: { type: "string" }, minutes: { type: "string" } },
    allowPositionals: true,
  });
  const end = minutes === undefined ? Infinity : Date.now() + Number(minutes) * 60_000;
  const library = await cpythonTestSuite();
  const modules = positionals.length > 0 ? positionals : modulesIn(`${library}/test`);
  const runner = await Deno.readTextFile(RUNNER);
  const limits = { WASMBOX_POLICY_MAX_TIMEOUT_SECONDS: String(PATIENCE_MS / 1000) };
  for (const [name, value] of Object.entries(limits)) Deno.env.set(name, value);
  await using server = await TestServer.start(sourceCommand("--volume", `${library}:${MOUNTED}`));
  const rows = new Map<string, Row>();
  const queue = [...modules];
  const work = async (): Promise<void> => {
    const module = queue.shift();
    if (module === undefined || Date.now() > end) return;
    const file = (side: string) => keep && join(keep, side, `${module}.json`);
    const here = await kept(file("here"), () => inSession(server, runner, module));
    const there = native === undefined
      ? undefined
      : await kept(file("native"), () => natively(native, library, module));
    const row = rowOf(module, here, there);
    rows.set(module, row);
    console.error(`${rows.size}/${modules.length} ${row.line}`);
    return await work();
  };
  await Promise.all(Array.from({ length: JOBS }, work));
  const tried = modules.flatMap((module) => rows.get(module) ?? []);
  const table = tableOf(tried, modules.length, native !== undefined);
  if (positionals.length > 0) console.error(table);
  else await writeMeasured("CPYTHON_TESTS", "scripts/cpython_table.ts", table);
}

await main();
