/** What the pip and npm say that have no configuration, as the asset build asked them. */

import * as z from "zod";
import { readManifest } from "../../program/stored_assets.ts";

/** Pip's own defaults. */
const pipDefaults = z.object({
  indexUrl: z.string(),
  /** The host on which that index keeps its files. */
  fileHost: z.string(),
});
export type PipDefaults = z.infer<typeof pipDefaults>;

/** What the pip that is built in says. */
export async function builtInPipDefaults(): Promise<PipDefaults> {
  return z.object({ pip: pipDefaults }).parse(await readManifest()).pip;
}

/** Npm's own defaults. */
const npmDefaults = z.object({ registry: z.string() });
export type NpmDefaults = z.infer<typeof npmDefaults>;

/** What npm says that has no configuration; undefined in assets that do not tell. */
export async function builtInNpmDefaults(): Promise<NpmDefaults | undefined> {
  return z.object({ npm: npmDefaults.optional() }).parse(await readManifest()).npm;
}
