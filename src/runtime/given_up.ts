/** Memories of instances that nobody uses any more. */

import { countBuffer } from "../garbage.ts";
import { giveBack } from "../image/copy_on_write.ts";

/** What V8 has of an instance of CPython beside its memory: tables of its functions, and of what they are called with. */
const INSTANCE_BYTES = 1024 * 1024;

/** Gives back what an instance holds, which must not be used any more. */
export function giveUpMemory(memory: WebAssembly.Memory): void {
  countBuffer(giveBack(memory) ? INSTANCE_BYTES : memory.buffer.byteLength);
}
