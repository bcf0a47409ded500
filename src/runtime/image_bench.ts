/** What base images are made at: a host whose clock, random numbers and files are the same in every build. */

import { ControlCell } from "../control/cell.ts";
import { VirtualClock } from "../control/guest_clock.ts";
import { seededRandom } from "../control/random.ts";
import type { LayerNode } from "../fs/layer.ts";
import { createFileSystem } from "../fs/layout.ts";
import { HostCallError, type RuntimeHost } from "./runtime.ts";

/**
 * @param memoryBytes Enough for booting; the image's own memory is much smaller.
 * @param usr What is below `/usr`.
 * @param work Gets the host of an interpreter whose image is made.
 * @throws {Error} with what that printed.
 */
export function atImageBench<Made>(
  { memoryBytes, usr = {} }: {
    readonly memoryBytes: number;
    readonly usr?: Readonly<Record<string, LayerNode>>;
  },
  work: (host: RuntimeHost) => Made,
): Made {
  const cell = ControlCell.allocate();
  const clock = new VirtualClock(cell);
  const messages: string[] = [];
  const host: RuntimeHost = {
    fs: createFileSystem({ maxBytes: 1_000_000, maxInodes: 100, usr, now: () => clock.realtime() }),
    cell,
    clock,
    random: seededRandom(1),
    env: {},
    memoryBytes,
    interruptGraceMs: 0,
    write: (_stream, bytes) => void messages.push(new TextDecoder().decode(bytes)),
    hostCall: () => {
      throw new HostCallError("no host calls while an image is built");
    },
  };
  try {
    return work(host);
  } catch (error) {
    throw new Error(`the image could not be built: ${error}\n${messages.join("")}`, { cause: error });
  }
}
