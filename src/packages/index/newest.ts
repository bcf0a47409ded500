/** Which of several releases is the newest. */

import { compare, explain } from "@renovatebot/pep440";

/** @returns null if there is none; pre-releases don't count, nor what is not a version. */
export function newest(versions: Iterable<string>): string | null {
  let best: string | null = null;
  for (const version of versions) {
    const parts = explain(version);
    if (!parts || parts.is_prerelease || parts.is_devrelease) continue;
    if (best === null || compare(version, best) > 0) best = version;
  }
  return best;
}
