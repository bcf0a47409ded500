/** What is said where an older release of a Python package was taken than the newest. */

import type { InstalledPackage } from "../executor/wire/from_executor.ts";

const MAX_TOLD = 5;

/** A sentence or two for each: what was taken, why not the newest, and whether programs will notice. */
export function olderNotices(installed: readonly InstalledPackage[]): string[] {
  return installed.flatMap(({ name, version, older }) => {
    if (!older) return [];
    const taken = `${name} ${version} was taken instead of ${older.newest}: ${
      older.because.replace(/\.$/, "")
    }.`;
    const [here, there] = [majorOf(version), majorOf(older.newest)];
    if (here === there) return [taken];
    return [
      `${taken} This is ${name} ${here}, not ${name} ${there}: code that was written for ${there} may fail, or do something else.`,
    ];
  }).slice(0, MAX_TOLD);
}

const majorOf = (version: string) => /\d+/.exec(version.replace(/^\d+!/, ""))?.[0] ?? version;
