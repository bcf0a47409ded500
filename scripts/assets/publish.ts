/** Puts a finished build in place. */

import { join } from "node:path";
import { MANIFEST } from "./manifest.ts";

const INCOMING = ".incoming";

/**
 * Fills `directory` with what `make` writes into a scratch folder inside it, one of which is the manifest.
 *
 * The old manifest goes first and the new one comes last: whatever interrupts this, there is no manifest beside files that
 * it does not describe. Files that the new build does not have are removed.
 *
 * @returns What `make` gave.
 */
export async function publish<T>(directory: string, make: (scratch: string) => Promise<T>): Promise<T> {
  const scratch = join(directory, INCOMING);
  await Deno.remove(scratch, { recursive: true }).catch(() => {});
  await Deno.mkdir(scratch, { recursive: true });
  try {
    const result = await make(scratch);
    const names = new Set<string>();
    for await (const { name } of Deno.readDir(scratch)) names.add(name);
    if (!names.delete(MANIFEST)) throw new TypeError("a build without a manifest");

    await Deno.remove(join(directory, MANIFEST)).catch(() => {});
    for (const name of names) await Deno.rename(join(scratch, name), join(directory, name));
    for await (const { name } of Deno.readDir(directory)) {
      if (name !== INCOMING && !names.has(name)) {
        await Deno.remove(join(directory, name), { recursive: true });
      }
    }
    await Deno.rename(join(scratch, MANIFEST), join(directory, MANIFEST));
    return result;
  } finally {
    await Deno.remove(scratch, { recursive: true }).catch(() => {});
  }
}
