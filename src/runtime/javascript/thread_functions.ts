/** What the prelude may call in the host for threads: channels, messages, shared memory, the threads themselves. */

import * as z from "zod/mini";
import type { Dialect } from "../../languages.ts";
import type { Value } from "./abi.ts";
import type { Engine } from "./engine.ts";
import { GuestError } from "./guest_error.ts";
import type { HostFunction } from "./host_table.ts";
import type { Message } from "./mailboxes.ts";
import type { RunState } from "./run_state.ts";
import type { Thread } from "./thread.ts";
import type { Threads } from "./threads.ts";

const settingsOf = z.object({
  path: z.optional(z.string()),
  code: z.optional(z.string()),
  cwd: z.string(),
  env: z.record(z.string(), z.string()),
  stdout: z.boolean(),
  stderr: z.boolean(),
});
const numbers = z.array(z.int());
const TYPESCRIPT = /\.[cm]?tsx?$/;
/** Of a program that is a text. */
const NO_FILE = "[worker eval]";

/** What a thread asks with. */
export interface ThreadParts {
  readonly engine: Engine;
  readonly run: RunState;
  readonly threads: Threads;
  readonly self: Thread;
  /** What it runs. */
  readonly program: () => { readonly code: string; readonly dialect?: Dialect };
}

export function threadFunctions(parts: ThreadParts): Record<string, HostFunction> {
  const { engine, engine: { values }, run, threads, self } = parts;
  const text = (value: Value | undefined) => values.given(value);
  const number = (value: Value | undefined) => value === undefined ? NaN : values.toNumber(value);
  const bytes = (value: Value | undefined) => value === undefined ? new Uint8Array(0) : values.toBytes(value);
  const moved = (value: Value | undefined) => checked(numbers, text(value));
  const isStopping = () => run.stopping;
  /** Others run meanwhile, who may end it. */
  const waiting = <T>(work: () => T): T => {
    try {
      return work();
    } finally {
      if (threads.isOver(self)) run.exit(1);
    }
  };
  return {
    newChannel: () => values.number(threads.mail.newChannel(self)),
    post: ([port, data, ports]) => threads.post(number(port), bytes(data), moved(ports)),
    forward: ([port, data, ports]) => threads.mail.forward(number(port), bytes(data), moved(ports)),
    closePort: ([port]) => threads.mail.closePort(number(port)),
    broadcast: ([name, data]) => threads.broadcast(self, text(name), bytes(data)),
    /** Undefined if nothing has come. @param mayWait 1: others run then. */
    takeMessage: ([mayWait]) => {
      const message = waiting(() => threads.take(self, number(mayWait) === 1));
      return message && messageValue(engine, message);
    },
    /** @param json What the program gets to know; what of it is for us: `settingsOf`. @returns The number of the thread. */
    startThread: ([json, data, ports]) => {
      const { path, code, ...settings } = checked(settingsOf, text(json));
      const dialect = path !== undefined && TYPESCRIPT.test(path) ? "typescript" as const : undefined;
      const own = code === undefined ? parts.program() : { code, ...dialect && { dialect } };
      const program = { ...own, filename: path ?? NO_FILE };
      return values.number(
        threads.start(self, { ...settings, program }, text(json), bytes(data), moved(ports)),
      );
    },
    endThread: ([id]) => threads.end(number(id)),
    tellParent: ([data]) => threads.tellParent(self, bytes(data)),
    /** @param id -1: other threads have it not yet. @returns Its number. */
    shareBuffer: ([id, buffer]) => {
      if (buffer === undefined || values.bytesOf(buffer) === undefined) {
        throw new GuestError("there is no such memory", { name: "TypeError" });
      }
      // It stays where it is as long as it is held, which is as long as threads run.
      const held = values.duplicate(buffer);
      const replica = {
        bytes: () => values.bytesOf(held) ?? new Uint8Array(0),
        free: () => values.free(held),
      };
      try {
        return values.number(threads.share(self, number(id), replica));
      } catch (error) {
        replica.free();
        throw error;
      }
    },
    /** @param place Of memory that threads share. @returns 1 if it was woken. */
    waitAt: ([place, ms]) => {
      const given = number(ms);
      const most = Number.isNaN(given) ? Infinity : Math.max(0, given);
      const ended = waiting(() => threads.wait(self, text(place), most, isStopping));
      return values.number(ended === "ok" ? 1 : 0);
    },
    wakeAt: ([place, count]) => values.number(threads.notify(text(place), Math.max(0, number(count)) || 0)),
  };
}

function messageValue({ values }: Engine, { to, kind, data, text }: Message): Value {
  const object = values.object();
  const fields = {
    to: values.number(to),
    kind: values.string(kind),
    data: values.arrayBuffer(data),
    text: values.string(text),
  };
  for (const [name, value] of Object.entries(fields)) {
    values.setProperty(object, name, value);
    values.free(value);
  }
  return object;
}

/** @throws {GuestError} */
function checked<T>(schema: z.ZodMiniType<T>, json: string): T {
  let given: unknown;
  try {
    given = JSON.parse(json);
  } catch {
    given = undefined;
  }
  const { data } = schema.safeParse(given);
  if (data === undefined) throw new GuestError("threads are not told that", { name: "TypeError" });
  return data;
}
