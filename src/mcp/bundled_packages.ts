/** What every Python has without installing anything, as the manifest of the assets tells. */

import * as z from "zod";
import { readManifest } from "../program/stored_assets.ts";

export const bundledPackage = z.object({
  name: z.string(),
  version: z.string(),
  licence: z.string().describe("SPDX."),
  summary: z.string(),
  imports: z.array(z.string()).describe("What a program imports."),
  note: z.string().optional().describe("What is not as in the original."),
});

const manifest = z.object({
  packages: z.array(bundledPackage),
  stdlib: z.array(z.string()),
  versions: z.object({ cpython: z.string() }),
});

export interface Bundled {
  readonly packages: readonly z.infer<typeof bundledPackage>[];
  readonly stdlib: {
    /** `3.13.5` */
    readonly version: string;
    readonly modules: readonly string[];
  };
}

let known: Promise<Bundled> | undefined;

/** @throws {Deno.errors.NotFound} if the assets were not built. */
export function bundled(): Promise<Bundled> {
  return known ??= read();
}

async function read(): Promise<Bundled> {
  const { packages, stdlib, versions } = manifest.parse(await readManifest());
  // Debian's version goes on with its own revision.
  return { packages, stdlib: { version: versions.cpython.replace(/[-+].*/, ""), modules: stdlib } };
}
