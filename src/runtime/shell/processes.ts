/** Processes that a program starts, as its guest asks for them by host calls: commands of its shell that run beside it. */

import * as z from "zod/mini";
import { HostCallError, type HostReply, replyOf } from "../../host_calls/bridge.ts";

/** How the operations' names begin. */
const PREFIX = "processes.";
/** The operation that starts one. */
export const PROCESS_BEGIN = `${PREFIX}begin`;
/** Those after which a process has something to do. */
export const PROCESS_GOES_ON: ReadonlySet<string> = new Set([
  PROCESS_BEGIN,
  `${PREFIX}give`,
  `${PREFIX}close`,
  `${PREFIX}signal`,
]);
/** Most bytes of a request: a script with its environment. */
const REQUEST_MAX_BYTES = 16 * 1024 * 1024;
/** Most bytes of one answer. */
const READ_MAX_BYTES = 256 * 1024;
const NO_BYTES = new Uint8Array(0);

const target = z.enum(["pipe", "inherit", "null"]);
const beginning = z.object({
  script: z.string(),
  /** A shell that reads its script down the pipe, and answers what has come before more does: its command. */
  conversation: z.nullable(z.string()),
  name: z.string(),
  stdin: z.enum(["pipe", "null"]),
  stdout: target,
  stderr: target,
});
const pid = z.int().check(z.positive(), z.maximum(0xffff_ffff));
const ofProcess = z.object({ pid });
const outputStream = z.enum(["stdout", "stderr"]);
const reading = z.object({ pid, stream: outputStream, most: z.int().check(z.positive()) });
const closing = z.object({ pid, stream: z.enum(["stdin", ...outputStream.options]) });
const signalling = z.object({ pid, signal: z.int().check(z.nonnegative(), z.maximum(64)) });

/** What is to be run, and where its streams go: a pipe to its program, or what that itself prints to. */
export type ProcessRequest = z.infer<typeof beginning>;
export type ProcessStream = z.infer<typeof closing>["stream"];
/** Those that are unknown were never there, or are lost. */
export type ProcessState =
  | { readonly state: "running" | "unknown" }
  | { readonly state: "ended"; readonly code: number }
  | { readonly state: "killed"; readonly signal: number };

/** Those of one program, in its shell. They go on when it has ended. */
export interface Processes {
  /** @param after Its number is a later one. @returns That; undefined: none can run here. */
  begin(request: ProcessRequest, after?: number): number | undefined;
  /** @returns How many bytes there was room for; undefined: nobody reads them. */
  give(pid: number, bytes: Uint8Array): number | undefined;
  /** @returns What has come; nothing of it at the end, undefined before anything has. */
  read(pid: number, stream: "stdout" | "stderr", most: number): Uint8Array | undefined;
  /** Closes the program's end of a pipe. */
  close(pid: number, stream: ProcessStream): void;
  state(pid: number): ProcessState;
  /** @returns Whether it still ran. */
  signal(pid: number, signal: number): boolean;
  /** Its program has ended: nobody asks for those that it has begun any more, which go on. */
  release(): void;
  /** It is not asked for again. */
  forget(pid: number): void;
  /** Whether all that runs waits for somebody outside of the shell: to connect to it, or to write to it. */
  allWait(): boolean;
}

/**
 * `begin` gives the process's number, or null; `give` takes the bytes of the call, and tells how many it took, or that they are
 * for nobody; `read` gives bytes, or tells that there are none yet; `state` gives a {@link ProcessState}.
 *
 * @returns undefined for what is no operation on processes. @throws {HostCallError} for one that is not right.
 */
export function performOn(
  processes: Processes,
  operation: string,
  request: Uint8Array,
  bytes: Uint8Array = NO_BYTES,
): HostReply | undefined {
  if (!operation.startsWith(PREFIX)) return undefined;
  switch (operation.slice(PREFIX.length)) {
    case "begin":
      return replyOf({ pid: processes.begin(parsed(beginning, request)) ?? null });
    case "give":
      return replyOf({ taken: processes.give(parsed(ofProcess, request).pid, bytes) ?? null });
    case "read": {
      const { pid, stream, most } = parsed(reading, request);
      const read = processes.read(pid, stream, Math.min(most, READ_MAX_BYTES));
      return read
        ? replyOf({ state: read.length > 0 ? "bytes" : "end" }, read)
        : replyOf({ state: "nothing_yet" });
    }
    case "close": {
      const { pid, stream } = parsed(closing, request);
      processes.close(pid, stream);
      return replyOf(null);
    }
    case "state":
      return replyOf(processes.state(parsed(ofProcess, request).pid));
    case "signal": {
      const { pid, signal } = parsed(signalling, request);
      return replyOf({ sent: processes.signal(pid, signal) });
    }
    case "waiting":
      return replyOf({ all: processes.allWait() });
    case "forget":
      processes.forget(parsed(ofProcess, request).pid);
      return replyOf(null);
    default:
      throw new HostCallError(`there is no operation ${operation}`);
  }
}

function parsed<T extends z.core.$ZodType>(shape: T, request: Uint8Array): z.output<T> {
  if (request.length > REQUEST_MAX_BYTES) throw new HostCallError("the request is too long");
  try {
    return z.parse(shape, JSON.parse(new TextDecoder().decode(request)));
  } catch {
    throw new HostCallError("the request is not one for processes");
  }
}
