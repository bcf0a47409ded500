/**
 * Every test: units, and what talks to servers, on the compiled executable and, side by side with it, from source on the
 * running Deno. What guests and sessions do is the same on both and tried on one, unless `--all` is given: on the
 * executable, wherever there is something to compile it with. With `--science` the assets have numpy and what stands on
 * it, and so its tests are run. Ends with a plain line of totals.
 */

import { fileURLToPath } from "node:url";
import { AssetsError, ensureAssets } from "./assets/mod.ts";
import { compileExecutable } from "./compile.ts";
import { flagsOf } from "./flags.ts";
import { NoRuntimeError } from "./runtime.ts";
import { TEST_FLAGS } from "./test_flags.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

/** Of tests/integration: about guests, files and sessions rather than about starting, processes and connections. */
const ABOUT_GUESTS = [
  "bundled",
  "display",
  "files",
  "install_on_import",
  "journey",
  "limits",
  "listing",
  "mcp_features",
  "memory",
  "notebook",
  "older_packages",
  "npm",
  "packages",
  "pytest",
  "resources",
  "rollback",
  "seeds",
  "sessions",
  "shell",
  "spoiled_checkpoint",
  "tasks",
  "unrestorable",
  "volumes",
  "worker_heap",
].map((name) => `tests/integration/${name}_test.ts`);

interface Totals {
  passed: number;
  failed: number;
  /** What Deno prints between its headings ERRORS and FAILURES and the summary, of each run that had any. */
  failures: string[];
}

interface Run {
  readonly paths: readonly string[];
  readonly without?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Files at a time. Tests that start servers keep more than one core busy by themselves. */
  readonly jobs?: number;
}

/** Runs `deno test` and adds its totals up; they are read off its summary. Each line is printed under `name`. */
async function test(totals: Totals, name: string, run: Run): Promise<void> {
  const { paths, without = [], env = {}, jobs = 1 } = run;
  const ignored = without.length > 0 ? [`--ignore=${without.join(",")}`] : [];
  const child = new Deno.Command(Deno.execPath(), {
    args: ["test", "--no-check", ...jobs > 1 ? ["--parallel"] : [], ...TEST_FLAGS, ...ignored, ...paths],
    cwd: ROOT,
    env: { ...env, DENO_JOBS: String(jobs), NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let output = "";
  await Promise.all([
    eachLine(child.stdout, (line) => {
      console.log(`${name} | ${line}`);
      output += `${line}\n`;
    }),
    eachLine(child.stderr, (line) => console.error(`${name} | ${line}`)),
  ]);
  const { success } = await child.status;
  const summary = output.match(/\| (\d+) passed(?: \(\d+ steps?\))? \| (\d+) failed/);
  totals.passed += Number(summary?.[1] ?? 0);
  totals.failed += Number(summary?.[2] ?? 0);
  if (success) return;
  if (!(Number(summary?.[2]) > 0)) totals.failed++; // it ended before it could count
  const errors = output.indexOf("\n ERRORS ");
  totals.failures.push(`${name}:\n${output.slice(errors < 0 ? -4000 : errors)}`);
}

async function eachLine(stream: ReadableStream<Uint8Array>, print: (line: string) => void): Promise<void> {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) print(line);
  }
  if (rest !== "") print(rest);
}

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

const started = performance.now();
const totals: Totals = { passed: 0, failed: 0, failures: [] };
const ends = ["tests/integration", "tests/security"];
const flags = flagsOf("test", ["--all", "--science"]);
const wanted = { science: flags.has("--science") };
const built = await part(totals, "assets", () => ensureAssets(wanted));
if (built) {
  const executable = await part(totals, "compile", compile);
  const source = async () => {
    const env = executable === undefined ? {} : { WASMBOX_EXECUTABLE_FOLLOWS: "1" };
    const again = executable !== undefined && !flags.has("--all") ? ABOUT_GUESTS : [];
    await test(totals, "source", { paths: ends, without: again, env });
    await test(totals, "units", { paths: ["tests/unit", "tests/fuzz"], jobs: 2 });
  };
  const compiled = async () => {
    if (executable === undefined) return;
    await test(totals, "executable", { paths: ends, env: { WASMBOX_EXECUTABLE: executable } });
  };
  await Promise.all([part(totals, "source", source), part(totals, "executable", compiled)]);
}
// Again at the end, where whoever sees only the end of a long log looks.
for (const failures of totals.failures) console.log(failures);
console.error(`test: ${((performance.now() - started) / 1000).toFixed(0)} s`);
console.log(`${totals.passed} passed, ${totals.failed} failed`);
Deno.exit(totals.failed > 0 ? 1 : 0);
