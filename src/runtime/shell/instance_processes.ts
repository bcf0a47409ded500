/** Processes of a program in one instance of the shell's module. */

import type { Processes, ProcessRequest, ProcessState, ProcessStream } from "./processes.ts";

/** What the guest exports for them. */
export interface ProcessExports {
  sh_process_begin(parent: number, request: number, length: number): number;
  sh_process_give(pid: number, bytes: number, length: number): number;
  sh_process_read(pid: number, stream: number, most: number): number;
  sh_process_piece(): number;
  sh_process_close(pid: number, stream: number): void;
  sh_process_state(pid: number): number;
  sh_process_signal(pid: number, signal: number): number;
  sh_process_forget(pid: number): void;
  sh_processes(): number;
  sh_all_wait(parent: number): number;
  sh_processes_fresh(): number;
  sh_processes_settle(): void;
}

/** The parts of the instance that they need. */
export interface ProcessHost {
  readonly exports: ProcessExports;
  /** Puts bytes where the guest takes them from. */
  put(data: string | Uint8Array): [pointer: number, length: number];
  bytes(pointer: number, length: number): Uint8Array;
  /** Runs what calls the guest; what ends that ends the guest. */
  ask<T>(body: () => T): T;
  /** Whether none of its frames is good any more. */
  isTorn(): boolean;
}

const STREAMS: Readonly<Record<ProcessStream, number>> = { stdin: 0, stdout: 1, stderr: 2 };
/** What the guest answers besides numbers of bytes, processes and exit codes. */
const NOT = -1;
const KILLED = 256;
/** More than that a pipe does not take at once, bytes. */
const PIPE_BYTES = 64 * 1024;

export class InstanceProcesses implements Processes {
  readonly #begun = new Set<number>();

  /**
   * @param parent Who starts them: the number of a program that runs beside others, or one of {@link INNERMOST} and
   * {@link OUTSIDE}. @param env What they have in their environment. @param canRun Whether any can go on while that waits.
   */
  constructor(
    private readonly host: ProcessHost,
    private readonly parent: number,
    private readonly env: Readonly<Record<string, string>>,
    private readonly canRun: () => boolean,
  ) {}

  begin(request: ProcessRequest, after = 0): number | undefined {
    if (!this.canRun()) return undefined;
    const { host, env } = this;
    const text = JSON.stringify({ ...request, env, after });
    const pid = host.ask(() => host.exports.sh_process_begin(this.parent, ...host.put(text)));
    if (pid <= 0) return undefined;
    this.#begun.add(pid);
    return pid;
  }

  release(): void {
    for (const pid of this.#begun) if (!this.host.isTorn()) this.forget(pid);
  }

  give(pid: number, bytes: Uint8Array): number | undefined {
    const { host } = this;
    const piece = bytes.subarray(0, PIPE_BYTES);
    const taken = host.ask(() => host.exports.sh_process_give(pid, ...host.put(piece)));
    return taken === NOT ? undefined : taken;
  }

  read(pid: number, stream: "stdout" | "stderr", most: number): Uint8Array | undefined {
    const { host } = this;
    return host.ask(() => {
      const length = host.exports.sh_process_read(pid, STREAMS[stream], most);
      return length === NOT ? undefined : host.bytes(host.exports.sh_process_piece(), length).slice();
    });
  }

  close(pid: number, stream: ProcessStream): void {
    this.host.ask(() => this.host.exports.sh_process_close(pid, STREAMS[stream]));
  }

  state(pid: number): ProcessState {
    const code = this.host.ask(() => this.host.exports.sh_process_state(pid));
    if (code >= KILLED) return { state: "killed", signal: code - KILLED };
    if (code >= 0) return { state: "ended", code };
    return { state: code === NOT ? "running" : "unknown" };
  }

  signal(pid: number, signal: number): boolean {
    return this.host.ask(() => this.host.exports.sh_process_signal(pid, signal)) === 0;
  }

  allWait(): boolean {
    return this.host.ask(() => this.host.exports.sh_all_wait(this.parent)) === 1;
  }

  forget(pid: number): void {
    this.#begun.delete(pid);
    this.host.ask(() => this.host.exports.sh_process_forget(pid));
  }
}

/** A program that is run to its end at once: the last that began. */
export const INNERMOST = 0;
/** No program of the shell's. */
export const OUTSIDE = -1;
