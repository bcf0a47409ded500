/**
 * `deno run … scripts/test262.ts CHECKOUT [--write]`: runs a fixed sample of test262, the conformance tests of ECMAScript, from
 * a checkout of theirs, and prints a table of rates; with --write that of docs/measured/TEST262.md. Needs V8's
 * `--stack-size=3600`, as executors have it.
 *
 * Each test runs three times: in the engine alone, in the engine as sessions have it (from the base image), and as the
 * code of execute_code, which may declare again what a program before it declared. Tests run in sloppy mode where
 * they leave the choice. There are no other realms and no agents: what needs them fails.
 */

import { join } from "node:path";
import { sha256 } from "./assets/digest.ts";
import { writeMeasured } from "./measured.ts";
import { type Mode, MODES, type Verdict } from "./test262/modes.ts";
import { parseTest, type Test262 } from "./test262/test.ts";

const SAMPLE = 5000;
const FOLDERS = ["annexB", "built-ins", "language"];
/** Folders of the sample that have so few tests are counted together. */
const FEW = 40;
const SHOWN_FAILURES = 40;

interface Result {
  readonly test: Test262;
  readonly verdicts: Readonly<Partial<Record<Mode, Verdict>>>;
}

/** Paths of the tests whose names have the smallest digests: the same ones, whatever else comes into the checkout. */
async function sampleOf(checkout: string): Promise<string[]> {
  const paths: string[] = [];
  const visit = async (folder: string) => {
    for await (const { name, isDirectory } of Deno.readDir(join(checkout, "test", folder))) {
      if (isDirectory) await visit(`${folder}/${name}`);
      else if (/(?<!_FIXTURE)\.js$/.test(name)) paths.push(`${folder}/${name}`);
    }
  };
  for (const folder of FOLDERS) await visit(folder);
  const ranked = paths.map((path) => [sha256(path), path] as const).sort(([a], [b]) => a < b ? -1 : 1);
  return ranked.slice(0, SAMPLE).map(([, path]) => path).sort();
}

const folderOf = (path: string) => path.split("/").slice(0, 2).join("/");

function rate(results: readonly Result[], mode: Mode): string {
  const verdicts = results.flatMap(({ verdicts }) => verdicts[mode] ?? []);
  const passed = verdicts.filter((verdict) => verdict === "passed").length;
  return verdicts.length === 0
    ? "–"
    : `${passed}/${verdicts.length} (${(100 * passed / verdicts.length).toFixed(2)} %)`;
}

function folders(results: readonly Result[]): [name: string, results: readonly Result[]][] {
  const all = Object.groupBy(results, ({ test }) => folderOf(test.path));
  const named = Object.entries(all).filter(([, list]) => list!.length >= FEW).map(([name, list]) =>
    [name, list!] as const
  );
  const rest = Object.values(all).filter((list) => list!.length < FEW).flatMap((list) => list!);
  return [
    ["all", results],
    ["all but those of Temporal", results.filter(({ test }) => !test.features.includes("Temporal"))],
    ...named.map(([name, list]): [string, readonly Result[]] => [name, list]),
    [
      `folders with fewer than ${FEW}`,
      rest,
    ],
  ];
}

/** What failing tests say they are about, most first. */
function causes(results: readonly Result[], mode: Mode): string {
  const failed = results.filter(({ verdicts }) => (verdicts[mode] ?? "passed") !== "passed");
  const counts = new Map<string, number>();
  for (const { test } of failed) {
    const causes = test.features.length > 0 ? test.features : [folderOf(test.path)];
    for (const cause of causes) counts.set(cause, (counts.get(cause) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a).slice(0, 20).map(([name, count]) => `${name} ${count}`)
    .join(", ");
}

function report(results: readonly Result[], commit: string): string {
  const modes = Object.keys(MODES) as Mode[];
  const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const lines = [
    `test262 ${commit.slice(0, 10)}, ${results.length} tests.`,
    "",
    row(["folder", "the engine alone", "in a session", "as the code of a call"]),
    row(["---", "---", "---", "---"]),
    ...folders(results).map(([name, list]) => row([name, ...modes.map((mode) => rate(list, mode))])),
    "",
    ...modes.map((mode) =>
      `What fails by its features or folder, ${MODES[mode].title}: ${causes(results, mode)}.\n`
    ),
  ];
  const own = results.filter(({ verdicts }) => verdicts.engine === "passed" && verdicts.session !== "passed");
  lines.push(
    `Passed by the engine alone and not in a session: ${own.length}.`,
    ...own.slice(0, SHOWN_FAILURES).map(({ test, verdicts }) => `- \`${test.path}\`: ${verdicts.session}`),
  );
  return lines.join("\n");
}

const [checkout] = Deno.args.filter((arg) => arg !== "--write");
if (checkout === undefined) {
  console.error("test262: give the path of a checkout of it");
  Deno.exit(2);
}
const results: Result[] = [];
for (const path of await sampleOf(checkout)) {
  const test = await parseTest(checkout, path);
  const verdicts: Partial<Record<Mode, Verdict>> = {};
  for (const [mode, { run }] of Object.entries(MODES)) {
    const verdict = await run(test);
    if (verdict !== undefined) verdicts[mode as Mode] = verdict;
  }
  results.push({ test, verdicts });
  if (results.length % 500 === 0) console.error(`test262: ${results.length}`);
}
const commit = await Deno.readTextFile(join(checkout, "COMMIT")).catch(() => "of an unknown commit");
const text = report(results, commit.trim());
console.log(text);
if (Deno.args.includes("--write")) await writeMeasured("TEST262", "scripts/test262.ts", text);
