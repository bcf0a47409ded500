/** What became of libraries' tests, as tables. */

import type { Library } from "./libraries.ts";
import type { Tally } from "./run.ts";

export interface Row {
  readonly library: Library;
  readonly file: string;
  readonly here: Tally;
  /** Natively. */
  readonly there: Tally | undefined;
}

/** A test of several parameters without them. */
const bare = (name: string) => name.replace(/\[.*/s, "");

const countBy = (names: readonly string[]) => {
  const counts = new Map<string, number>();
  for (const name of names.map(bare)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
};

/**
 * What passes natively and here. Parameters that are called otherwise here (of 64 bits is `longlong`, and natively `long`)
 * stand for as many that are not known here by their names.
 */
function both({ here, there }: Row): number {
  const passed = new Set(here.passed);
  const known = new Set([...here.passed, ...here.failed, ...here.skipped]);
  const expected = new Set(there?.passed);
  const others = countBy([...expected].filter((name) => !known.has(name)));
  const further = countBy(here.passed.filter((name) => !expected.has(name)));
  let count = [...expected].filter((name) => passed.has(name)).length;
  for (const [name, most] of others) count += Math.min(most, further.get(name) ?? 0);
  return count;
}

/** Of what passes natively, what could pass here. */
const expected = ({ here, there }: Row) => {
  const lacking = new Set(here.lacking);
  return there?.passed.filter((name) => !lacking.has(name)).length ?? 0;
};

const sum = (rows: readonly Row[], count: (row: Row) => number) =>
  rows.reduce((total, row) => total + count(row), 0);

const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll(/\s+/g, " ").slice(0, 140);

function line(label: string, rows: readonly Row[], note: string): string {
  const counts = [
    sum(rows, expected),
    sum(rows, both),
    sum(rows, ({ here }) => here.passed.length),
    sum(rows, ({ here }) => here.failed.length),
    sum(rows, ({ here }) => here.skipped.length),
  ];
  return `| ${label} | ${counts.join(" | ")} | ${note} |`;
}

function rate(rows: readonly Row[]): string {
  const most = sum(rows, expected);
  return most === 0 ? "" : `${(100 * sum(rows, both) / most).toFixed(1)} %`;
}

/** Why a file falls short of what it does natively. */
function shortcoming(row: Row): string {
  const { here, there } = row;
  if (there && both(row) === expected(row)) return "";
  const native = new Set(there?.causes);
  const cause = here.cause ?? here.causes.find((cause) => !native.has(cause)) ?? here.causes[0];
  return cell(cause ?? "");
}

const head = (first: string, last: string) => [
  `| ${first} | native | of these here | passed here | failed | skipped | ${last} |`,
  "| --- | --- | --- | --- | --- | --- | --- |",
];

function ofLibraries(rows: readonly Row[]): string[] {
  const byLibrary = Map.groupBy(rows, ({ library }) => library.name);
  return [...head("library", "rate"), ...[...byLibrary].map(([name, own]) => line(name, own, rate(own)))];
}

/** A line for each library, and one for each file. */
export function tablesByFile(rows: readonly Row[]): string {
  const ofFile = rows.map((row) => line(`${row.library.name}: ${row.file}`, [row], shortcoming(row)));
  return [...ofLibraries(rows), "", ...head("file", "first cause"), ...ofFile].join("\n");
}

/** A line for each library, and one for each directory that its tests are in. */
export function tablesByDirectory(rows: readonly Row[]): string {
  const directory = ({ library, file }: Row) =>
    `${library.name}: ${file.split("/").slice(0, -1).filter((part) => part !== "tests").join("/") || "."}`;
  const ofDirectory = [...Map.groupBy(rows, directory)].map(([name, own]) => line(name, own, rate(own)));
  return [...ofLibraries(rows), "", ...head("directory", "rate"), ...ofDirectory].join("\n");
}

/** Its row, and what fails here alone. */
export function tell(row: Row): void {
  const { library, file, here, there } = row;
  console.error(line(`${library.name}: ${file}`, [row], shortcoming(row)));
  const passing = new Set(there?.passed);
  for (const cause of here.causes) {
    if (!there || passing.has(cause.slice(0, cause.indexOf(": ")))) console.error(`    ${cause}`);
  }
}
