/**
 * Every test: units, and what talks to servers, on the compiled executable, wherever there is something to compile it
 * with. What needs the sources, and what starting and processes do, is tried from source on the running
 * Deno; with `--all`, everything is. With `--lean` the assets have no numpy, nor what stands on it, and the tests of those
 * are left out; with `--scipy` they have scipy. Ends with a plain line of totals.
 */

import { AssetsError, ensureAssets } from "./assets/mod.ts";
import { compileExecutable } from "./compile.ts";
import { flagsOf } from "./flags.ts";
import { NoRuntimeError } from "./runtime.ts";
import { doAll, runOfEach, runsOfMany, testFiles, type TestRun, type Totals } from "./test_runs.ts";

/**
 * Tests that are on both, and whose subject the Deno that runs the server has a part in: starting, and processes.
 * Of the others only those that need the sources are run from source.
 */
const ON_BOTH = ["executor", "installation", "operations", "stdio", "supervision"]
  .map((name) => `tests/integration/${name}_test.ts`).concat("tests/security/lockdown_test.ts");
/** Those that are on both name what is under test first, in brackets. */
const NEEDS_SOURCES = "/^[^\\[]/";
const FROM_SOURCE = 'UNDER_TEST !== "source"';

/** Files that take longest are begun first: what is short fills the cores to the end. */
const LONGEST = [
  "tests/security/selftest_test.ts",
  ...[
    "science",
    "science_moving",
    "scipy",
    "release",
    "packages",
    "limits",
    "memory",
    "hostile",
    "install_on_import",
    "config",
    "configured_servers",
    "executor",
    "clients",
    "http_connections",
    "worker_heap",
    "seeds",
    "charts",
  ].map((name) => `tests/integration/${name}_test.ts`),
];

/** Tests that start servers keep more than one core busy by themselves, and count on being served within their time-outs. */
const JOBS = 2;
/** As many as there may be cores for, and a few more, since some are done while the executable is compiled. */
const UNIT_RUNS = 8;

/** Runs a part of all this; what it throws is one more failure, and the others go on. */
async function part<T>(totals: Totals, name: string, body: () => Promise<T>): Promise<T | undefined> {
  try {
    return await body();
  } catch (error) {
    totals.failed++;
    const log = error instanceof AssetsError ? `${error.log}\n${error.message}` : String(error);
    console.error(`test: ${name}: ${log}`);
    totals.failures.push(`${name}: ${log}`);
    return undefined;
  }
}

/** The executable, which is compiled first; undefined, and said so, where there is nothing to compile with. */
async function compile(): Promise<string | undefined> {
  try {
    return await compileExecutable(wanted);
  } catch (error) {
    if (!(error instanceof NoRuntimeError)) throw error;
    console.error(`test: SKIPPED the compiled executable: ${error.message}`);
    return undefined;
  }
}

/** What talks to servers, on the executable, if there is one, and from source. */
function runsOfEnds(executable: string | undefined): TestRun[] {
  const files = [...testFiles("tests/integration"), ...testFiles("tests/security")];
  if (executable === undefined) return longestFirst(runOfEach("source", files));
  const whole = (file: string) => flags.has("--all") || ON_BOTH.includes(file);
  const partly = files.filter((file) => !whole(file) && Deno.readTextFileSync(file).includes(FROM_SOURCE));
  return longestFirst([
    ...runOfEach("executable", files, { WASMBOX_EXECUTABLE: executable }),
    ...runOfEach("source", files.filter(whole)),
    ...runOfEach("source", partly).map((run) => ({ ...run, filter: NEEDS_SOURCES })),
  ]);
}

function longestFirst(runs: readonly TestRun[]): TestRun[] {
  const place = ({ paths: [path = ""] }: TestRun) => {
    const at = LONGEST.indexOf(path);
    return at < 0 ? LONGEST.length : at;
  };
  return runs.toSorted((a, b) => place(a) - place(b));
}

const started = performance.now();
const totals: Totals = { passed: 0, failed: 0, failures: [] };
const flags = flagsOf("test", ["--all", "--lean", "--scipy"]);
const wanted = { science: !flags.has("--lean"), ...flags.has("--scipy") && { scipy: true }, shell: true };
const built = await part(totals, "assets", () => ensureAssets(wanted));
if (built) {
  const queue = runsOfMany("units", [...testFiles("tests/unit"), ...testFiles("tests/fuzz")], UNIT_RUNS);
  const compiled = part(totals, "compile", compile).then((executable) => {
    queue.unshift(...runsOfEnds(executable));
  });
  await doAll(totals, queue, JOBS, compiled);
}
// Again at the end, where whoever sees only the end of a long log looks.
for (const failures of totals.failures) console.log(failures);
console.error(`test: ${((performance.now() - started) / 1000).toFixed(0)} s`);
console.log(`${totals.passed} passed, ${totals.failed} failed`);
Deno.exit(totals.failed > 0 ? 1 : 0);
