/** Runs of `deno test`, several at a time, and what they add up to. */

import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { TEST_FLAGS } from "./test_flags.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

/**
 * Servers that tests start don't compute for themselves while nobody asks them for anything, as hundreds of them would
 * for most of a run. Those whose subject that is turn it on again.
 */
const ENVIRONMENT = { NO_COLOR: "1", WASMBOX_POLICY_WARM_UP: "false" };

export interface Totals {
  passed: number;
  failed: number;
  /** What Deno prints between its headings ERRORS and FAILURES and the summary, of each run that had any. */
  failures: string[];
}

/** One `deno test`. */
export interface TestRun {
  /** What its lines are printed under. */
  readonly name: string;
  readonly paths: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Of the tests' names, as `deno test` takes it. */
  readonly filter?: string;
}

/** Files of tests in a folder, as paths from the checkout, in order. */
export function testFiles(folder: string): string[] {
  const found: string[] = [];
  for (const { name, isDirectory } of Deno.readDirSync(`${ROOT}${folder}`)) {
    const path = `${folder}/${name}`;
    if (isDirectory) found.push(...testFiles(path));
    else if (name.endsWith("_test.ts")) found.push(path);
  }
  return found.sort();
}

/** A run of each file, with its name: for files that take much longer than a run takes to start. */
export function runOfEach(kind: string, files: readonly string[], env: TestRun["env"] = {}): TestRun[] {
  return files.map((path) => ({ name: `${kind} ${basename(path, "_test.ts")}`, paths: [path], env }));
}

/** So many runs of many files. Neighbours, which are often alike, are in different ones. */
export function runsOfMany(kind: string, files: readonly string[], count: number): TestRun[] {
  return Array.from({ length: count }, (_, run) => ({
    name: `${kind} ${run + 1}`,
    paths: files.filter((_, at) => at % count === run),
  }));
}

/** Does what `queue` has, and may yet be given until `complete` is settled, in its order, `jobs` at a time. */
export async function doAll(
  totals: Totals,
  queue: TestRun[],
  jobs: number,
  complete: Promise<unknown>,
): Promise<void> {
  const next = async () => {
    if (queue.length === 0) await complete;
    return queue.shift();
  };
  const work = async () => {
    for (let run = await next(); run; run = await next()) await test(totals, run);
  };
  await Promise.all(Array.from({ length: jobs }, work));
}

/** Runs `deno test` and adds its totals up; they are read off its summary. Each line is printed under its name. */
async function test(totals: Totals, { name, paths, env = {}, filter }: TestRun): Promise<void> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "test",
      "--no-check",
      ...(filter === undefined ? [] : [`--filter=${filter}`]),
      ...TEST_FLAGS,
      ...paths,
    ],
    cwd: ROOT,
    env: { ...env, ...ENVIRONMENT },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let output = "";
  const began = performance.now();
  await Promise.all([
    eachLine(child.stdout, (line) => {
      console.log(`${name} | ${line}`);
      output += `${line}\n`;
    }),
    eachLine(child.stderr, (line) => console.error(`${name} | ${line}`)),
  ]);
  const { success } = await child.status;
  console.error(`${name} | ${((performance.now() - began) / 1000).toFixed(1)} s`);
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
