/**
 * Every test: integration, security and units from source on the running Deno and, side by side with it, integration and
 * security on the compiled executable, wherever a runtime for it can be had. Ends with a plain line of totals.
 */

import { fileURLToPath } from "node:url";
import { ensureAssets } from "./assets/mod.ts";
import { compileExecutable } from "./compile.ts";
import { TEST_FLAGS } from "./test_flags.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

interface Totals {
  passed: number;
  failed: number;
  /** What Deno prints between its headings ERRORS and FAILURES and the summary, of each run that had any. */
  failures: string[];
}

interface Run {
  readonly paths: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Files at a time. Tests that start servers keep more than one core busy by themselves. */
  readonly jobs?: number;
}

/** Runs `deno test` and adds its totals up; they are read off its summary. Each line is printed under `name`. */
async function test(totals: Totals, name: string, { paths, env = {}, jobs = 1 }: Run): Promise<void> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["test", "--no-check", ...jobs > 1 ? ["--parallel"] : [], ...TEST_FLAGS, ...paths],
    cwd: ROOT,
    env: { ...env, DENO_JOBS: String(jobs), NO_COLOR: "1", RUST_MIN_STACK: "8388608" },
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

/**
 * Makes DENORT_BIN known where the machine's own helper can tell a runtime.
 *
 * @returns False if no runtime can be had for `deno compile`.
 */
async function findRuntime(): Promise<boolean> {
  if (Deno.env.has("DENORT_BIN")) return true;
  const helper = fileURLToPath(new URL("../../shared/tools/denort", import.meta.url));
  const told = await new Deno.Command(helper).output().catch(() => undefined);
  if (!told?.success) return false;
  Deno.env.set("DENORT_BIN", new TextDecoder().decode(told.stdout).trim());
  return true;
}

const started = performance.now();
const totals: Totals = { passed: 0, failed: 0, failures: [] };
await ensureAssets();
const executable = await findRuntime() ? await compileExecutable() : undefined;
const ends = ["tests/integration", "tests/security"];
const source = async () => {
  const env = executable === undefined ? {} : { WASMBOX_EXECUTABLE_FOLLOWS: "1" };
  await test(totals, "source", { paths: ends, env });
  await test(totals, "units", { paths: ["tests/unit", "tests/fuzz"], jobs: 2 });
};
const compiled = async () => {
  if (executable === undefined) {
    console.error("test: SKIPPED the compiled executable: no runtime for `deno compile` (set DENORT_BIN)");
  } else await test(totals, "executable", { paths: ends, env: { WASMBOX_EXECUTABLE: executable } });
};
await Promise.all([source(), compiled()]);
// Again at the end, where whoever sees only the end of a long log looks.
for (const failures of totals.failures) console.log(failures);
console.error(`test: ${((performance.now() - started) / 1000).toFixed(0)} s`);
console.log(`${totals.passed} passed, ${totals.failed} failed`);
Deno.exit(totals.failed > 0 ? 1 : 0);
