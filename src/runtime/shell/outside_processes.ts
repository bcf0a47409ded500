/** Processes of a program that is none of the shell's. */

import type { Processes, ProcessRequest, ProcessState, ProcessStream } from "./processes.ts";

/** Does something in the shell, which is made for what begins. @returns undefined where there is no shell, or none any more. */
export type InShell = <T>(body: (processes: Processes) => T, begins?: boolean) => T | undefined;

const NO_BYTES = new Uint8Array(0);

export class OutsideProcesses implements Processes {
  /** The last one's number: no other one gets it, also where the shell goes on from an image without that one. */
  #last = 0;

  constructor(private readonly inShell: InShell) {}

  begin(request: ProcessRequest): number | undefined {
    const pid = this.inShell((processes) => processes.begin(request, this.#last), true);
    this.#last = pid ?? this.#last;
    return pid;
  }

  give(pid: number, bytes: Uint8Array): number | undefined {
    return this.inShell((processes) => processes.give(pid, bytes));
  }

  read(pid: number, stream: "stdout" | "stderr", most: number): Uint8Array | undefined {
    const read = this.inShell((processes) => ({ bytes: processes.read(pid, stream, most) }));
    return read ? read.bytes : NO_BYTES;
  }

  close(pid: number, stream: ProcessStream): void {
    this.inShell((processes) => processes.close(pid, stream));
  }

  state(pid: number): ProcessState {
    return this.inShell((processes) => processes.state(pid)) ?? { state: "unknown" };
  }

  signal(pid: number, signal: number): boolean {
    return this.inShell((processes) => processes.signal(pid, signal)) ?? false;
  }

  allWait(): boolean {
    return this.inShell((processes) => processes.allWait()) ?? false;
  }

  forget(pid: number): void {
    this.inShell((processes) => processes.forget(pid));
  }

  /** Its program is the session's own, which is there in the next call. */
  release(): void {}
}
