/** The defaults of an unconfigured pip and npm, as recorded when the assets were built. */

import * as z from "zod";
import { readManifest } from "../../program/stored_assets.ts";

/** Pip's defaults. */
const pipDefaults = z.object({
  indexUrl: z.string(),
  /** The host that serves the files of that index. */
  fileHost: z.string(),
});
export type PipDefaults = z.infer<typeof pipDefaults>;

/** The defaults of the pip that is built in. */
export async function builtInPipDefaults(): Promise<PipDefaults> {
  return z.object({ pip: pipDefaults }).parse(await readManifest()).pip;
}

/** Npm's defaults. */
const npmDefaults = z.object({ registry: z.string() });
export type NpmDefaults = z.infer<typeof npmDefaults>;

/** The defaults of npm; undefined if the assets do not record them. */
export async function builtInNpmDefaults(): Promise<NpmDefaults | undefined> {
  return z.object({ npm: npmDefaults.optional() }).parse(await readManifest()).npm;
}
