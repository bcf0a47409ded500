/** Whether what is to be installed is what a lockfile names. */

import type { Lock } from "../../executor/wire/npm_command.ts";
import { NpmError } from "./error.ts";
import type { InstalledPackage } from "./record.ts";
import type { Tree } from "./tree.ts";

/** Hashes that count: those that the registry is asked for. */
const STRONG = /^sha(?:256|384|512)-/;

/**
 * @param there What is installed, and needs no lockfile's consent to stay.
 * @throws {NpmError} hash_mismatch, or no_version where nothing else may come.
 */
export function checkLocked({ packages }: Tree, there: readonly InstalledPackage[], lock: Lock): void {
  // One version may lie at several places, each with a hash of its own.
  const locked = Map.groupBy(lock.versions, (each) => `${each.from}@${each.version}`);
  const installed = new Set(there.map(({ from, version }) => `${from}@${version}`));
  for (const { from, version, about } of packages) {
    const id = `${from}@${version}`;
    const found = locked.get(id);
    const isOther = found?.some(({ integrity = "" }) => {
      const hashes = integrity.split(/\s+/).filter((hash) => STRONG.test(hash));
      return hashes.length > 0 && !hashes.includes(about.integrity);
    });
    if (isOther) {
      const message = `package-lock.json has another hash for ${id} than the registry (EINTEGRITY)`;
      throw new NpmError("hash_mismatch", message, from);
    }
    if (!found && lock.frozen && !installed.has(id)) {
      throw new NpmError("no_version", `${id} would be installed, and is not in package-lock.json`, from);
    }
  }
}
