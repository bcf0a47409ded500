/** `node --test`: which files have tests, and what those of all files have come to. */

import type { FileSystem } from "../../../fs/file_system.ts";
import * as z from "zod/mini";
import { ProgramError } from "./program_error.ts";
import { COUNTS, noCounts } from "../../javascript/test_summary.ts";

const count = z.int().check(z.nonnegative());
const totals = z.object({
  tests: count,
  suites: count,
  pass: count,
  fail: count,
  cancelled: count,
  skipped: count,
  todo: count,
  /** Tests and suites that are in no other. */
  top: count,
  duration: z.number(),
  failures: z.array(z.string()),
});
/** What the tests of a file have come to, as the program in it tells. `failures` are told as they are shown. */
export type Totals = z.infer<typeof totals>;

/** Files that are looked at, at most. */
const MOST_FILES = 10_000;
const TEST =
  /(?:^|\/)(?:test\.[cm]?[jt]s|test-[^/]+\.[cm]?[jt]s|[^/]+[._-]test\.[cm]?[jt]s|test\/.*\.[cm]?[jt]s)$/;

/** @throws {z.core.$ZodError} if it is none. */
export function parseTotals(json: Uint8Array): Totals {
  return totals.parse(JSON.parse(new TextDecoder().decode(json)));
}

export function merged(all: readonly Totals[]): Totals {
  const sum = { ...noCounts(), duration: 0 };
  for (const each of all) {
    for (const name of [...COUNTS, "top"] as const) sum[name] += each[name];
    sum.duration += each.duration;
  }
  return { ...sum, failures: all.flatMap(({ failures }) => failures) };
}

/**
 * Files below a directory that have tests by their names, as Node finds them; sorted.
 *
 * @param root Names count from there. @throws {ProgramError} if there are too many to look at.
 */
export function testFiles(fs: FileSystem, directory: string, root = directory): string[] {
  const found: string[] = [];
  const queue = [directory];
  let seen = 0;
  for (const at of queue) {
    for (const { name, type } of fs.readdir(at)) {
      if (++seen > MOST_FILES) {
        throw new ProgramError(
          `there are more than ${MOST_FILES} files below ${directory}: name those with tests`,
        );
      }
      const path = at === "/" ? `/${name}` : `${at}/${name}`;
      if (type === "directory" && name !== "node_modules") queue.push(path);
      else if (type === "file" && TEST.test(path.slice(root.length))) found.push(path);
    }
  }
  return found.sort();
}
