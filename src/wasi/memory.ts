/** The guest's memory. Every pointer and length comes from the guest and is checked here. */

import { WasiError } from "./errors.ts";

/** Most buffers in one read or write (POSIX's IOV_MAX). */
const IOVECS_MAX = 1024;
/** Most bytes one read or write moves; more is a short count. Buffers may overlap, so memory's size bounds nothing. */
export const TRANSFER_MAX = 64 * 1024 * 1024;
/** Longest path, bytes. */
const PATH_MAX = 4096;

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export class GuestMemory {
  #memory: WebAssembly.Memory | undefined;
  #bytes = new Uint8Array(0);
  #view = new DataView(new ArrayBuffer(0));

  bind(memory: WebAssembly.Memory): void {
    this.#memory = memory;
  }

  /** A view of guest memory, good until the guest runs again. @throws {WasiError} EFAULT */
  bytes(pointer: number, length: number): Uint8Array<ArrayBuffer> {
    const at = this.#checked(pointer, length);
    return this.#bytes.subarray(at, at + (length >>> 0));
  }

  /** Checks a place for a result before the call has any effect. @throws {WasiError} EFAULT */
  check(pointer: number, length: number): void {
    this.#checked(pointer, length);
  }

  u8(pointer: number): number {
    return this.#viewOf(pointer, 1).getUint8(pointer >>> 0);
  }

  u16(pointer: number): number {
    return this.#viewOf(pointer, 2).getUint16(pointer >>> 0, true);
  }

  u32(pointer: number): number {
    return this.#viewOf(pointer, 4).getUint32(pointer >>> 0, true);
  }

  u64(pointer: number): bigint {
    return this.#viewOf(pointer, 8).getBigUint64(pointer >>> 0, true);
  }

  setU8(pointer: number, value: number): void {
    this.#viewOf(pointer, 1).setUint8(pointer >>> 0, value);
  }

  setU16(pointer: number, value: number): void {
    this.#viewOf(pointer, 2).setUint16(pointer >>> 0, value, true);
  }

  setU32(pointer: number, value: number): void {
    this.#viewOf(pointer, 4).setUint32(pointer >>> 0, value, true);
  }

  setU64(pointer: number, value: bigint): void {
    this.#viewOf(pointer, 8).setBigUint64(pointer >>> 0, value, true);
  }

  /** A path. @throws {WasiError} EFAULT, ENAMETOOLONG, EILSEQ */
  path(pointer: number, length: number): string {
    const bytes = this.bytes(pointer, length);
    if (bytes.length > PATH_MAX) throw new WasiError("ENAMETOOLONG");
    try {
      return decoder.decode(bytes);
    } catch {
      throw new WasiError("EILSEQ");
    }
  }

  /** The buffers of a vector, together at most {@link TRANSFER_MAX}. @throws {WasiError} EFAULT, EINVAL */
  vector(pointer: number, count: number): Uint8Array<ArrayBuffer>[] {
    if (count >>> 0 > IOVECS_MAX) throw new WasiError("EINVAL");
    this.check(pointer, count * 8);
    const buffers: Uint8Array<ArrayBuffer>[] = [];
    let left = TRANSFER_MAX;
    for (let at = pointer >>> 0, end = at + count * 8; at < end; at += 8) {
      const length = this.u32(at + 4);
      if (length === 0) continue;
      const buffer = this.bytes(this.u32(at), length);
      if (left > 0) buffers.push(buffer.length <= left ? buffer : buffer.subarray(0, left));
      left -= Math.min(left, buffer.length);
    }
    return buffers;
  }

  /** The view after the check, since that is what notices that memory has grown. */
  #viewOf(pointer: number, length: number): DataView {
    this.#checked(pointer, length);
    return this.#view;
  }

  /** @returns `pointer` as an unsigned number. */
  #checked(pointer: number, length: number): number {
    if (this.#memory === undefined) throw new Error("the guest's memory is not bound yet");
    // The memory of a guest is never shared; growing it replaces the buffer.
    const buffer = this.#memory.buffer as ArrayBuffer;
    if (buffer !== this.#bytes.buffer) {
      this.#bytes = new Uint8Array(buffer);
      this.#view = new DataView(buffer);
    }
    const at = pointer >>> 0;
    if (at + (length >>> 0) > this.#bytes.length) throw new WasiError("EFAULT");
    return at;
  }
}
