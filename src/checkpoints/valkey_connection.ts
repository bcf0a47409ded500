/** The connection to Valkey: bounded in time, and what goes wrong with it in words. */

import { Buffer } from "node:buffer";
import { entry } from "../program/entries.ts";
import { within } from "../within.ts";
import { StoreUnavailable } from "./store.ts";
import type { ValkeyClient } from "./valkey_client.ts";

/** How long Valkey may take to be there when a server starts. */
const OPEN_MS = 10_000;
/** How long a command may take, without its bytes. */
const COMMAND_MS = 3000;
/** What bytes are given time for: a slow network. */
const BYTES_PER_MS = 5000;

/** What a script is told and answers. */
export type Argument = string | number | Uint8Array;

export class ValkeyConnection implements Disposable {
  /** Those that were not ready when they were looked at. */
  readonly #beginning = new Set<ValkeyClient>();

  private constructor(
    readonly client: ValkeyClient,
    /** Receives; a connection that does so can't do anything else. */
    readonly listening: ValkeyClient,
  ) {}

  /** @throws What the client says, if it can't be reached. */
  static async open(url: string): Promise<ValkeyConnection> {
    const { makeClient }: typeof import("./valkey_client.ts") = await import(entry("valkey_client").href);
    const connection = new ValkeyConnection(makeClient(url), makeClient(url));
    // Each is told with what fails for it; afterwards both try again by themselves.
    let first: Error | undefined;
    for (const client of [connection.client, connection.listening]) {
      client.on("error", (error) => first ??= error);
    }
    try {
      const connected = Promise.all([connection.client.connect(), connection.listening.connect()]);
      await within(connected, OPEN_MS, () => connection[Symbol.dispose]());
    } catch (error) {
      connection[Symbol.dispose]();
      throw first ?? error;
    }
    return connection;
  }

  /** @throws {StoreUnavailable} */
  async call(command: string, ...args: readonly Argument[]): Promise<unknown> {
    const size = args.reduce<number>((sum, arg) => sum + (arg instanceof Uint8Array ? arg.length : 0), 0);
    return await this.#inTime(this.client.callBuffer(command, ...args.map(asSent)), size);
  }

  /** Bytes under a key, no more of them than these. @throws {StoreUnavailable} */
  async read(key: string, maxBytes: number): Promise<Uint8Array | undefined> {
    const call = this.client.callBuffer("GETRANGE", key, 0, maxBytes);
    const bytes = await this.#inTime(call, maxBytes) as Uint8Array;
    return bytes.length > 0 ? bytes : undefined;
  }

  /** Runs a script. @throws {StoreUnavailable} */
  async run(script: string, keys: readonly string[], ...args: readonly Argument[]): Promise<unknown> {
    return await this.call("EVAL", script, keys.length, ...keys, ...args);
  }

  /** Hears what is published there, also after the connection was made anew. @throws {StoreUnavailable} at first. */
  async listen(channel: string, onMessage: (message: string) => void): Promise<void> {
    const { listening } = this;
    listening.on("message", (_channel, message) => onMessage(message));
    // One that can't is made anew.
    listening.on("ready", () => void listening.subscribe(channel).catch(() => listening.disconnect(true)));
    await this.#inTime(listening.subscribe(channel), 0);
  }

  /** Makes sure that both still hear something: a network may lose a connection without a word. */
  async check(): Promise<void> {
    await Promise.all([this.client, this.listening].map(async (client) => {
      if (client.status === "connect") { // and waits for Valkey to say that it is ready
        if (this.#beginning.has(client)) client.disconnect(true);
        else this.#beginning.add(client);
        return;
      }
      this.#beginning.delete(client);
      const answer = client.callBuffer("ping");
      await within(answer, COMMAND_MS, () => client.disconnect(true)).catch(() => {}); // it tries by itself
    }));
  }

  [Symbol.dispose](): void {
    this.client.disconnect();
    this.listening.disconnect();
  }

  async #inTime(call: Promise<unknown>, bytes: number): Promise<unknown> {
    try {
      // A connection that does not answer is given up, and with it what else it has: the next calls fail at once.
      return await within(call, COMMAND_MS + bytes / BYTES_PER_MS, () => this.client.disconnect(true));
    } catch (error) {
      throw unavailable(error);
    }
  }
}

/** What Valkey or the client said, as what it means here. */
export function unavailable(error: unknown): Error {
  if (error instanceof StoreUnavailable) return error;
  const reason = error instanceof Error ? error.message : String(error);
  if (/\bOOM\b/.test(reason)) return new StoreUnavailable("the store is full (its maxmemory)");
  if (/^(READONLY|MISCONF|LOADING|CLUSTERDOWN|MASTERDOWN|NOREPLICAS)/.test(reason)) {
    return new StoreUnavailable(`the store takes nothing now (${reason.slice(0, 200)})`);
  }
  if (/^(NOAUTH|WRONGPASS|NOPERM)/.test(reason)) {
    return new StoreUnavailable("the store refuses this server (user, password or their rights)");
  }
  return new StoreUnavailable(
    /^[A-Z]+ /.test(reason) ? `the store failed (${reason.slice(0, 200)})` : "the store can't be reached",
  );
}

/** The client takes Buffers only. */
function asSent(argument: Argument): string | number | Uint8Array {
  if (!(argument instanceof Uint8Array)) return argument;
  return Buffer.from(argument.buffer, argument.byteOffset, argument.byteLength);
}

export function textOf(answer: unknown): string {
  return answer instanceof Uint8Array ? new TextDecoder().decode(answer) : String(answer ?? "");
}
