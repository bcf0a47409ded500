/**
 * Whether a server has the assets that were built: their SHA-256 against the manifest's.
 *
 * Comparing takes as much work as a tenth of the start, so it begins when the start is over: no client waits for it, and
 * few have sent code by then. The bounds of the sandbox do not rest on it (guests are not trusted with any interpreter),
 * but right answers do, so that a server that finds a difference ends.
 */

import { BUNDLED } from "../program/entries.ts";
import { checkAssets, readManifest } from "../selftest/asset_hashes.ts";

/** A start, with the first call of a hasty client. */
const START_MS = 1000;

/** The message is for the operator: what differs, and what to do. */
export class DamagedInstallation extends Error {
  override name = "DamagedInstallation";
}

/** @throws {DamagedInstallation} when a difference is found; settles in no other way. */
export async function installationDamaged(): Promise<never> {
  await new Promise((resolve) => setTimeout(resolve, START_MS));
  const differences = await findDifferences();
  if (differences.length > 0) {
    const remedy = BUNDLED ? "install wasmbox again" : 'build the assets again with "deno task assets"';
    throw new DamagedInstallation(
      `this installation is damaged: ${
        differences.join(", ")
      }. The server ends, since nothing that it says could be ` +
        `relied on: ${remedy}.`,
    );
  }
  return await new Promise(() => {});
}

async function findDifferences(): Promise<string[]> {
  try {
    const checks = await checkAssets(await readManifest());
    return checks.filter(({ ok }) => !ok).map(({ name, found }) =>
      found === undefined ? `${name} is missing` : `${name} is not what was built (its SHA-256 differs)`
    );
  } catch (error) {
    return [`its assets can't be read: ${error instanceof Error ? error.message : error}`];
  }
}
