/** What tools that work on the session's files are made with. */

import { Collector } from "../../../archive/collector.ts";
import { Stopped, StopSign } from "../../../control/stop_sign.ts";
import { ExitCode } from "../../../exit_code.ts";
import type { FileSystem } from "../../../fs/file_system.ts";
import { pathOf, textOf } from "./files.ts";
import { bytesOf, type ProgramOutput, type SpawnRequest, type Surroundings } from "./program.ts";
import { ProgramError } from "./program_error.ts";
import { hostOf, NO_FUEL, Output, OUTPUT_MAX_BYTES, withFuel } from "./process.ts";

export interface Tools {
  readonly fs: FileSystem;
  readonly stop: StopSign;
  /** What a command of the shell makes of bytes. @throws {ProgramError} with what it says if it fails. */
  filter(command: string, bytes: Uint8Array): Uint8Array<ArrayBuffer>;
}

export interface Invocation {
  readonly name: string;
  readonly args: readonly string[];
  /** All that it is given to read. */
  readonly stdin: Uint8Array;
  /** The absolute path that an argument names. */
  path(name: string): string;
}

/** Makes a program out of a function that says what is printed. */
export function tool(run: (tools: Tools, invocation: Invocation) => ProgramOutput) {
  return (surroundings: Surroundings, request: SpawnRequest): ProgramOutput => {
    const { host } = surroundings;
    const stop = new StopSign(host.cell);
    stop.heap.begin();
    const { name, args } = request;
    const invocation: Invocation = {
      name,
      args,
      get stdin() {
        return request.stdin.all();
      },
      path: (name) => pathOf(request, name),
    };
    try {
      const filter = (command: string, bytes: Uint8Array) => filtered(surroundings, command, bytes);
      return run({ fs: host.fs, stop, filter }, invocation);
    } catch (error) {
      if (error instanceof Stopped) return { exitCode: ExitCode.interrupted };
      throw error;
    }
  };
}

/** In a shell of its own, by way of files: what a shell's output is captured in is text, and short. */
function filtered(surroundings: Surroundings, command: string, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const output = new Output();
  const host = hostOf(surroundings, output.write);
  const name = new Uint8Array(8);
  host.random(name);
  const [input, made] = [`/tmp/.in-${name.toHex()}`, `/tmp/.out-${name.toHex()}`];
  const { fs } = host;
  try {
    fs.writeFile(input, bytes);
    const outcome = withFuel(
      surroundings,
      (budget) =>
        surroundings.runnerFor(host)({ script: `${command} <${input} >${made}`, capture: false, ...budget }),
    );
    if (outcome?.ending === "stopped") throw new Stopped();
    if (outcome?.exitCode === 0) return fs.readFile(made);
    const { stderr } = output.ended(outcome ? { exitCode: outcome.exitCode } : NO_FUEL);
    throw new ProgramError(textOf(bytesOf(stderr)).trim().replace(/^bash: line \d+: /, ""), 2);
  } finally {
    fs.rm(input, { force: true });
    fs.rm(made, { force: true });
  }
}

/** Bytes that are read between two looks at the stop sign. */
const READ_BYTES = 4 * 1024 * 1024;

/** A file's bytes; those of a large one take their time, in which the tool may be stopped. @throws {FsError} @throws {Stopped} */
export function readWhole({ fs, stop }: Pick<Tools, "fs" | "stop">, path: string): Uint8Array<ArrayBuffer> {
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

/** Collects what a tool prints, as much of it as may be printed at all. */
export function output(): Collector {
  return new Collector(OUTPUT_MAX_BYTES, "a command may print");
}
