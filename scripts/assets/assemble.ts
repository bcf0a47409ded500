/** Puts the results of the stages together, with the manifest that describes them. */

import { join } from "node:path";
import { describeFiles, MANIFEST, type Manifest } from "./manifest.ts";
import { publish } from "./publish.ts";
import { withoutData } from "./without_data.ts";

/** The files of a build by name, and what the manifest says of it. */
export interface Build extends Omit<Manifest, "files"> {
  /** Paths of files to be copied. */
  readonly copies: Readonly<Record<string, string>>;
  readonly texts: Readonly<Record<string, string>>;
  /** Modules among them whose instances all start from an image. */
  readonly imaged: ReadonlySet<string>;
}

/** Replaces what `directory` holds by a build. @returns Its manifest. */
export async function assemble(directory: string, build: Build): Promise<Manifest> {
  const { copies, texts, imaged, ...described } = build;
  return await publish(directory, async (scratch) => {
    for (const [name, path] of Object.entries(copies)) {
      if (imaged.has(name)) await Deno.writeFile(join(scratch, name), withoutData(await Deno.readFile(path)));
      else await Deno.copyFile(path, join(scratch, name));
    }
    for (const [name, text] of Object.entries(texts)) await Deno.writeTextFile(join(scratch, name), text);
    const files = await describeFiles(scratch, [...Object.keys(copies), ...Object.keys(texts)]);
    const manifest = { ...described, files };
    await Deno.writeTextFile(join(scratch, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
    return manifest;
  });
}
