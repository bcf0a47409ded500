/**
 * WASI preview1 for one guest over a session's file system.
 *
 * The guest sees one directory, `/` as descriptor 3, and what its host gives it. Its whole state is
 * its linear memory, its stack pointer, the file system and {@link Wasi.descriptors}: with these put back, an
 * instance goes on without running `_initialize`.
 */

import type { WasiCall, WasiContext, WasiHost } from "./context.ts";
import { DescriptorTable, type SavedDescriptor } from "./descriptors.ts";
import { errnoOf, ProcExit } from "./errors.ts";
import { fdImports } from "./fd.ts";
import { fdIoImports } from "./fd_io.ts";
import { GuestMemory } from "./memory.ts";
import { pathImports } from "./path.ts";
import { pollImports } from "./poll.ts";
import { posixImports } from "./posix.ts";
import { systemImports } from "./system.ts";

export { ProcExit, type SavedDescriptor, type WasiHost };

export class Wasi {
  /** The module `wasi_snapshot_preview1`: every function of preview1. Unknown errors pass through the guest. */
  readonly imports: WebAssembly.ModuleImports;
  /** The module `posix`: what some guests need beyond that. */
  readonly posix: WebAssembly.ModuleImports;
  readonly #context: WasiContext;

  constructor(host: WasiHost) {
    const context = { host, memory: new GuestMemory(), descriptors: new DescriptorTable(host.fs) };
    const calls = {
      ...systemImports(context),
      ...fdImports(context),
      ...fdIoImports(context),
      ...pathImports(context),
      ...pollImports(context),
    };
    this.#context = context;
    const answered = (calls: Readonly<Record<string, WasiCall>>) =>
      Object.fromEntries(Object.entries(calls).map(([name, call]) => [name, answering(call, host)]));
    this.imports = answered(calls);
    this.posix = answered(posixImports(context));
  }

  /** Must be called before the instance's first call. @param memory The instance's memory. */
  bind(memory: WebAssembly.Memory): void {
    this.#context.memory.bind(memory);
  }

  /** The table of open descriptors, as plain data. */
  descriptors(): SavedDescriptor[] {
    return this.#context.descriptors.save();
  }

  /**
   * Puts a saved table in the place of the present one, after the file system was restored. Descriptors of inodes
   * that are not there are stale.
   */
  restoreDescriptors(saved: readonly SavedDescriptor[]): void {
    this.#context.descriptors.restore(saved);
    this.#context.host.fs.reap();
  }

  /** Which standard stream a descriptor is, if any. */
  streamOf(fd: number): "stdin" | "stdout" | "stderr" | undefined {
    const { descriptors } = this.#context;
    const descriptor = descriptors.has(fd) ? descriptors.get(fd) : undefined;
    return descriptor?.kind === "stream" ? descriptor.stream : undefined;
  }

  /** Lets the standard streams be what they were at the start. */
  openStreams(): void {
    this.#context.descriptors.openStreams();
  }

  /** Closes all descriptors: what was unlinked and still open is freed. */
  close(): void {
    this.#context.descriptors.closeAll();
  }
}

function answering(call: WasiCall, host: WasiHost): (...args: unknown[]) => number {
  return (...args) => {
    try {
      call(...args);
      return 0;
    } catch (error) {
      return errnoOf(error);
    } finally {
      if (host.interrupted?.()) host.onInterrupt?.();
    }
  };
}
