/** What tools that work on the session's files are made with: archives, and the calculator. */

import { Collector } from "../../../archive/collector.ts";
import { Stopped, StopSign } from "../../../control/stop_sign.ts";
import { ExitCode } from "../../../exit_code.ts";
import type { FileSystem } from "../../../fs/file_system.ts";
import { pathOf } from "./files.ts";
import { ProgramError, type ProgramOutput, type SpawnRequest, type Surroundings } from "./mod.ts";
import { OUTPUT_MAX_BYTES, PROGRAM_MAX_BYTES } from "./process.ts";

export interface Tools {
  readonly fs: FileSystem;
  readonly stop: StopSign;
}

export interface Invocation {
  readonly name: string;
  readonly args: readonly string[];
  readonly stdin: Uint8Array;
  /** The absolute path that an argument names. */
  path(name: string): string;
}

/** Makes a program out of a function that says what is printed. */
export function tool(run: (tools: Tools, invocation: Invocation) => ProgramOutput) {
  return ({ host }: Surroundings, request: SpawnRequest): ProgramOutput => {
    const stop = new StopSign(host.cell);
    stop.heap.begin();
    const { name, args, stdin } = request;
    try {
      return run({ fs: host.fs, stop }, { name, args, stdin, path: (name) => pathOf(request, name) });
    } catch (error) {
      if (error instanceof Stopped) return { exitCode: ExitCode.interrupted };
      throw error;
    }
  };
}

/** Bytes that are read between two looks at the stop sign. */
const READ_BYTES = 4 * 1024 * 1024;

/** A file's bytes; those of a large one take their time, in which the tool may be stopped. @throws {FsError} @throws {Stopped} */
export function readWhole({ fs, stop }: Tools, path: string): Uint8Array<ArrayBuffer> {
  const { type, size } = fs.stat(path);
  // What is none, or is larger than all that can be worked on, is refused there.
  if (type !== "file" || size <= READ_BYTES || size > fs.quota.maxBytes) return fs.readFile(path);
  using file = fs.open(path, { read: true });
  const bytes = new Uint8Array(size);
  let at = 0;
  while (at < size) {
    stop.checkNow();
    const read = file.readAt(bytes.subarray(at, at + READ_BYTES), at);
    if (read === 0) break;
    at += read;
  }
  return bytes.subarray(0, at);
}

/** Reads files for one tool, as many bytes of them as may be held together. */
export class Files {
  #left: number;

  /** @param stop Looked at while a large file is read. */
  constructor(readonly fs: FileSystem, readonly maxBytes: number, readonly stop?: StopSign) {
    this.#left = maxBytes;
  }

  /** @throws {FsError} @throws {ProgramError} if it is too large. */
  read(path: string): Uint8Array<ArrayBuffer> {
    const { type, size } = this.fs.stat(path);
    if (type === "file" && size > this.#left) {
      throw new ProgramError(`${path}: File too large: ${this.maxBytes} bytes can be worked on at once`);
    }
    this.#left -= size;
    const { fs, stop } = this;
    return stop ? readWhole({ fs, stop }, path) : fs.readFile(path);
  }
}

/** Standard input that is worked on as text. @throws {ProgramError} if it is too long for that. */
export function bounded(input: Uint8Array): Uint8Array {
  if (input.length <= PROGRAM_MAX_BYTES) return input;
  throw new ProgramError(`the input is too long: ${PROGRAM_MAX_BYTES} bytes can be worked on at once`);
}

/** Collects what a tool prints, as much of it as may be printed at all. */
export function output(): Collector {
  return new Collector(OUTPUT_MAX_BYTES, "a command may print");
}
