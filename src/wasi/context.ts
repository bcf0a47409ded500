/** What the groups of imports share. */

import type { FileSystem } from "../fs/file_system.ts";
import type { DescriptorTable } from "./descriptors.ts";
import type { GuestMemory } from "./memory.ts";

/** What a guest gets from outside. */
export interface WasiHost {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly fs: FileSystem;
  /** Whether its standard streams are those of several programs: then no name such as `/dev/stdin` stands for them. */
  readonly sharesStreams?: boolean;
  /** Fills a buffer from standard input; 0 bytes: its end. Absent: there is no input. */
  read?(buffer: Uint8Array): number;
  /** Takes output as it is written; the bytes are the host's to keep. */
  write(stream: "stdout" | "stderr", bytes: Uint8Array<ArrayBuffer>): void;
  /** Waits. What it throws passes through the guest: a hard stop. @param ms May be Infinity. */
  wait(ms: number): "elapsed" | "interrupted";
  /** Whether the guest was told to end, after a call that may have taken long. */
  interrupted?(): boolean;
  /** Told when a wait of the guest was ended early by a soft stop, or a call ends and it was told to end. */
  onInterrupt?(): void;
  /** Nanoseconds since 1970. */
  realtime(): bigint;
  /** Nanoseconds since some fixed moment. */
  monotonic(): bigint;
  random(bytes: Uint8Array<ArrayBuffer>): void;
}

export interface WasiContext {
  readonly host: WasiHost;
  readonly memory: GuestMemory;
  readonly descriptors: DescriptorTable;
}

/**
 * One import: i32 arrive as signed numbers, i64 as signed bigints. Returns nothing for success.
 *
 * @throws {WasiError | FsError} for an error number.
 */
// deno-lint-ignore no-explicit-any
export type WasiCall = (...args: any[]) => void;
