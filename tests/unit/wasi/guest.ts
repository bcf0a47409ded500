import { FileSystem } from "../../../src/fs/file_system.ts";
import { errno, type ErrnoName } from "../../../src/wasi/constants.ts";
import { Wasi, type WasiHost } from "../../../src/wasi/wasi.ts";

type Argument = number | bigint;

const NAMES = new Map(
  Object.entries(errno).map(([name, code]) => [code as number, name as "SUCCESS" | ErrnoName]),
);
/** Where results go. */
export const RESULT = 16;
const SCRATCH = 4096;

/** A guest without code: a memory, and the imports called by hand as compiled code would. */
export class Guest {
  readonly memory = new WebAssembly.Memory({ initial: 4 });
  readonly fs: FileSystem;
  readonly wasi: Wasi;
  readonly output: { stream: string; text: string }[] = [];
  readonly waits: number[] = [];
  interrupts = 0;
  time = 1_000_000_000n;

  constructor(host: Partial<WasiHost> = {}) {
    this.fs = host.fs ?? new FileSystem({ maxBytes: 8 * 1024 * 1024, maxInodes: 1_000 });
    this.wasi = new Wasi({
      args: ["program", "é"],
      env: { HOME: "/app" },
      fs: this.fs,
      write: (stream, bytes) => this.output.push({ stream, text: new TextDecoder().decode(bytes) }),
      wait: (ms) => {
        this.waits.push(ms);
        return "elapsed";
      },
      onInterrupt: () => this.interrupts++,
      realtime: () => this.time,
      monotonic: () => this.time / 2n,
      random: (bytes) => void bytes.fill(7),
      ...host,
    });
    this.wasi.bind(this.memory);
  }

  /** Calls an import with exactly these arguments. @returns The error's name, or SUCCESS. */
  call(name: string, ...args: Argument[]): "SUCCESS" | ErrnoName | undefined {
    const code = (this.wasi.imports[name] as (...args: Argument[]) => number)(...args);
    return NAMES.get(code);
  }

  /** The same for an import of the module `posix`. */
  posix(name: string, ...args: Argument[]): "SUCCESS" | ErrnoName | undefined {
    const code = (this.wasi.posix[name] as (...args: Argument[]) => number)(...args);
    return NAMES.get(code);
  }

  get view(): DataView {
    return new DataView(this.memory.buffer);
  }

  u32(at = RESULT): number {
    return this.view.getUint32(at, true);
  }

  u64(at = RESULT): bigint {
    return this.view.getBigUint64(at, true);
  }

  bytes(at: number, length: number): Uint8Array {
    return new Uint8Array(this.memory.buffer).slice(at, at + length);
  }

  text(at: number, length: number): string {
    return new TextDecoder().decode(this.bytes(at, length));
  }

  /** Puts a string into memory. @returns Pointer and length. */
  path(value: string, at = SCRATCH): [number, number] {
    const bytes = new TextEncoder().encode(value);
    new Uint8Array(this.memory.buffer).set(bytes, at);
    return [at, bytes.length];
  }

  /** Puts one buffer's vector into memory. @returns Pointer and count. */
  vector(pointer: number, length: number): [number, number] {
    this.view.setUint32(64, pointer, true);
    this.view.setUint32(68, length, true);
    return [64, 1];
  }

  open(path: string, { oflags = 0, rights = -1n, fdflags = 0, follow = 1, fd = 3 } = {}): number {
    const outcome = this.call(
      "path_open",
      fd,
      follow,
      ...this.path(path),
      oflags,
      rights,
      -1n,
      fdflags,
      RESULT,
    );
    if (outcome !== "SUCCESS") throw new Error(`${path}: ${outcome}`);
    return this.u32();
  }

  write(fd: number, value: string): "SUCCESS" | ErrnoName | undefined {
    return this.call("fd_write", fd, ...this.vector(...this.path(value, 8192)), RESULT);
  }

  read(fd: number, length = 1024): string {
    const outcome = this.call("fd_read", fd, ...this.vector(16_384, length), RESULT);
    if (outcome !== "SUCCESS") throw new Error(`read: ${outcome}`);
    return this.text(16_384, this.u32());
  }
}
