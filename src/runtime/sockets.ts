/** A process's own sockets in its session's {@link Loopback}, by numbers: what its guest asks for by host calls. */

import * as z from "zod/mini";
import { HostCallError, type HostReply, replyOf } from "../host_calls/bridge.ts";
import { type Connection, Listener, type Loopback } from "./loopback.ts";

/** How the operations' names begin. */
export const SOCKETS_PREFIX = "net.";
/** What a program is told that no script runs beside others. */
export const NO_OTHERS = "no process runs beside this program";
const REQUEST_MAX_BYTES = 1024;
/** Most bytes of one answer. */
const READ_MAX_BYTES = 256 * 1024;
const NO_BYTES = new Uint8Array(0);

const id = z.int().check(z.nonnegative());
const ofPort = z.object({ port: z.int().check(z.minimum(1), z.maximum(65_535)) });
const ofSocket = z.object({ id });
const reading = z.object({ id, most: z.int().check(z.positive()) });

export class Sockets {
  readonly #loopback: Loopback;
  readonly #isReached: () => boolean;
  readonly #open = new Map<number, Listener | Connection>();
  #last: number | undefined;
  readonly #first: () => number;

  /**
   * @param isReached Whether there are others, who could connect.
   * @param first What numbers begin with. A process that goes on from an image may ask for what it has no more: that is never
   * another one's.
   */
  constructor(loopback: Loopback, isReached: () => boolean, first = () => 0) {
    this.#first = first;
    this.#loopback = loopback;
    this.#isReached = isReached;
  }

  /** Whether others can connect to it. */
  get listens(): boolean {
    return [...this.#open.values()].some((each) => each instanceof Listener);
  }

  /**
   * `listen` takes a port; `served`: whether anybody else is there who could connect; if not, it is not taken. `port` gives one
   * that is free. `write` takes the bytes of the call.
   *
   * @returns undefined for what is no operation on sockets. @throws {HostCallError} for one that is not right.
   */
  perform(operation: string, request: Uint8Array, bytes: Uint8Array = NO_BYTES): HostReply | undefined {
    if (!operation.startsWith(SOCKETS_PREFIX)) return undefined;
    const socket = () => parsed(ofSocket, request).id;
    switch (operation.slice(SOCKETS_PREFIX.length)) {
      case "port":
        return replyOf({ port: this.#loopback.freePort() });
      case "listen":
        return this.#listen(parsed(ofPort, request).port);
      case "connect": {
        const connection = this.#loopback.connect(parsed(ofPort, request).port);
        return replyOf({ id: connection ? this.#add(connection) : null });
      }
      case "accept": {
        const accepted = this.#listener(socket()).accept();
        return replyOf({ id: accepted ? this.#add(accepted) : null });
      }
      case "read": {
        const { id, most } = parsed(reading, request);
        const read = this.#connection(id).read(Math.min(most, READ_MAX_BYTES));
        return typeof read === "string"
          ? replyOf({ state: read })
          : replyOf({ state: "bytes" }, read.slice());
      }
      case "write":
        return replyOf({ taken: this.#connection(socket()).write(bytes) });
      case "end":
        this.#connection(socket()).end();
        return replyOf(null);
      case "close":
        this.#close(socket());
        return replyOf(null);
      default:
        throw new HostCallError(`there is no operation ${operation}`);
    }
  }

  /** All that the process has left open. */
  close(): void {
    for (const id of this.#open.keys()) this.#close(id);
  }

  #listen(wanted: number): HostReply {
    if (!this.#isReached()) return replyOf({ served: false });
    const listener = this.#loopback.listen(wanted);
    return replyOf({ served: true, id: listener ? this.#add(listener) : null });
  }

  #add(socket: Listener | Connection): number {
    this.#last = (this.#last ?? this.#first()) + 1;
    this.#open.set(this.#last, socket);
    return this.#last;
  }

  #close(id: number): void {
    this.#open.get(id)?.close();
    this.#open.delete(id);
  }

  #listener(id: number): Listener {
    const found = this.#open.get(id);
    if (!(found instanceof Listener)) throw new HostCallError("no socket that listens has this number");
    return found;
  }

  #connection(id: number): Connection {
    const found = this.#open.get(id);
    if (!found || found instanceof Listener) throw new HostCallError("no connection has this number");
    return found;
  }
}

function parsed<T extends z.core.$ZodType>(shape: T, request: Uint8Array): z.output<T> {
  if (request.length > REQUEST_MAX_BYTES) throw new HostCallError("the request is too long");
  try {
    return z.parse(shape, JSON.parse(new TextDecoder().decode(request)));
  } catch {
    throw new HostCallError("the request is not one for sockets");
  }
}
