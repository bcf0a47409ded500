/** The base image of the shell: one that has run an empty script, from which every session's goes on. */

import { atImageBench } from "../image_bench.ts";
import { ShellInstance } from "./instance.ts";

/** Enough for booting; the image's own memory is much smaller. */
const MEMORY_BYTES = 64 * 1024 * 1024;

/**
 * Boots a shell and makes its image. The same inputs give the same bytes.
 *
 * @param module The image is good for this module only.
 * @throws {Error} with what the shell printed if it does not start.
 */
export function buildShellImage(module: WebAssembly.Module): Uint8Array<ArrayBuffer> {
  return atImageBench({ memoryBytes: MEMORY_BYTES }, (host) => {
    const make = () =>
      new ShellInstance(module, host, {
        spawn: () => {
          throw new Error("no programs while an image is built");
        },
        begin: () => undefined,
        canRunBeside: () => false,
      });
    const instance = make();
    instance.boot();
    return instance.capture(make());
  });
}
