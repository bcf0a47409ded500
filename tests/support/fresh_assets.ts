/** Keeps tests of what is in an image from running with one that was made of something else. */

import { readManifest, recipeDigest } from "../../scripts/assets/mod.ts";
import { dist } from "../../scripts/assets/paths.ts";

/** @throws {Error} if the assets are not those of this checkout. */
export async function ensureFresh(): Promise<void> {
  const [manifest, recipe] = await Promise.all([readManifest(dist), recipeDigest()]);
  if (manifest?.recipe !== recipe) throw new Error('the assets are stale: run "deno task assets"');
}
