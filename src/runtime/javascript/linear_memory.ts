/** QuickJS's linear memory: its allocator, and what the host reads and writes there. */

import type { Exports, Pointer } from "./abi.ts";
import type { Instance } from "./instance.ts";

/** Linear memory has no room for a value that we must pass in. */
export class EngineOutOfMemory extends Error {
  override name = "EngineOutOfMemory";
}

export class LinearMemory {
  readonly memory: WebAssembly.Memory;
  readonly #x: Exports;
  readonly #encoder = new TextEncoder();
  #bytes: Uint8Array<ArrayBuffer>;

  constructor({ memory, exports }: Instance) {
    this.memory = memory;
    this.#x = exports;
    this.#bytes = new Uint8Array(memory.buffer as ArrayBuffer);
  }

  /** All of it, valid until the guest or an allocation of ours makes it grow. */
  view(): Uint8Array<ArrayBuffer> {
    if (this.#bytes.buffer !== this.memory.buffer) {
      this.#bytes = new Uint8Array(this.memory.buffer as ArrayBuffer);
    }
    return this.#bytes;
  }

  get stackPointer(): Pointer {
    return this.#x.stackPointer();
  }

  /** @returns memory the caller frees. @throws {EngineOutOfMemory} */
  allocate(bytes: number): Pointer {
    const at = this.tryAllocate(Math.max(1, bytes));
    if (at === 0) throw new EngineOutOfMemory(`no room for ${bytes} bytes`);
    return at;
  }

  /** As {@link allocate}. @returns 0 if there is no room. */
  tryAllocate(bytes: number): Pointer {
    return this.#x.malloc(bytes) >>> 0;
  }

  /** Copies `text` in as a C string; it ends at its first NUL. */
  allocateString(text: string): Pointer {
    return this.allocateUtf8(this.#encoder.encode(text));
  }

  /** As {@link allocateString}. */
  allocateUtf8(bytes: Uint8Array): Pointer {
    const at = this.allocate(bytes.byteLength + 1);
    const view = this.view();
    view.set(bytes, at);
    view[at + bytes.byteLength] = 0;
    return at;
  }

  free(at: Pointer): void {
    this.#x.free(at);
  }
}
