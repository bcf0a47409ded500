/** The base image of the shell: one that has run an empty script, from which every session's goes on. */

import { ControlCell } from "../../control/cell.ts";
import { VirtualClock } from "../../control/guest_clock.ts";
import { seededRandom } from "../../control/random.ts";
import { createFileSystem } from "../../fs/layout.ts";
import { HostCallError, type RuntimeHost } from "../runtime.ts";
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
  const cell = ControlCell.allocate();
  const clock = new VirtualClock(cell);
  const messages: string[] = [];
  const host: RuntimeHost = {
    fs: createFileSystem({ maxBytes: 1_000_000, maxInodes: 100, now: () => clock.realtime() }),
    cell,
    clock,
    random: seededRandom(1),
    env: {},
    memoryBytes: MEMORY_BYTES,
    write: (_stream, bytes) => void messages.push(new TextDecoder().decode(bytes)),
    hostCall: () => {
      throw new HostCallError("no host calls while an image is built");
    },
  };
  const make = () =>
    new ShellInstance(module, host, () => {
      throw new Error("no programs while an image is built");
    });
  try {
    const instance = make();
    instance.boot();
    return instance.capture(make());
  } catch (error) {
    throw new Error(`the image could not be built: ${error}\n${messages.join("")}`, { cause: error });
  }
}
