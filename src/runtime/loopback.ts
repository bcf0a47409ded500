/**
 * `localhost` of a session: what listens on a port in one of its processes is reached from the others. Bytes go from one
 * to the other in this Worker's memory, and nothing leaves the session.
 */

import { concatBytes } from "../bytes.ts";

/** What one end may have written that the other has not read, bytes: so much in any case, and more while there is room. */
const OWN_BYTES = 16 * 1024;
const BUFFER_BYTES = 256 * 1024;
/** What all together may hold beyond that. */
const SHARED_BYTES = 16 * 1024 * 1024;
/** Connections that wait to be accepted, of one port. */
const BACKLOG_MAX = 128;
/** Ports that are taken, and connections, of a session. */
const LISTENERS_MAX = 1000;
const CONNECTIONS_MAX = 1000;
const FIRST_FREE_PORT = 49_152;
const PORTS = 65_536;

/** What the connections of a session hold. */
interface Held {
  bytes: number;
}

/** One direction of a connection. */
class Flow {
  readonly #held: Held;
  #pieces: Uint8Array[] = [];
  #length = 0;
  /** Nothing more is written. */
  ended = false;
  /** Nobody reads any more. */
  gone = false;

  constructor(held: Held) {
    this.#held = held;
  }

  write(bytes: Uint8Array): number | "gone" {
    if (this.gone || this.ended) return "gone";
    const most = this.#held.bytes < SHARED_BYTES ? BUFFER_BYTES : OWN_BYTES;
    const taken = bytes.slice(0, Math.max(0, most - this.#length));
    if (taken.length > 0) this.#pieces.push(taken);
    this.#hold(this.#length + taken.length);
    return taken.length;
  }

  read(most: number): Uint8Array | "nothing_yet" | "end" {
    if (this.#length === 0) return this.ended ? "end" : "nothing_yet";
    const all = this.#pieces.length === 1 ? this.#pieces[0]! : concatBytes(this.#pieces);
    const rest = all.subarray(most);
    this.#pieces = rest.length > 0 ? [rest] : [];
    this.#hold(rest.length);
    return all.subarray(0, most);
  }

  drop(): void {
    this.gone = true;
    this.#pieces = [];
    this.#hold(0);
  }

  #hold(length: number): void {
    this.#held.bytes += length - this.#length;
    this.#length = length;
  }
}

/** One end of a connection. */
export class Connection {
  readonly #from: Flow;
  readonly #to: Flow;
  readonly #closed: () => void;

  constructor(from: Flow, to: Flow, closed: () => void) {
    this.#from = from;
    this.#to = to;
    this.#closed = closed;
  }

  /** @returns At most so many bytes of what has come. */
  read(most: number): Uint8Array | "nothing_yet" | "end" {
    return this.#from.read(most);
  }

  /** @returns How many bytes there was room for; or that nobody reads them. */
  write(bytes: Uint8Array): number | "gone" {
    return this.#to.write(bytes);
  }

  /** Nothing more is written; what was can still be read. */
  end(): void {
    this.#to.ended = true;
  }

  close(): void {
    this.end();
    this.#from.drop();
    this.#closed();
  }
}

/** A port that somebody listens on. */
export class Listener {
  readonly port: number;
  readonly #waiting: Connection[] = [];
  readonly #closed: () => void;

  constructor(port: number, closed: () => void) {
    this.port = port;
    this.#closed = closed;
  }

  accept(): Connection | undefined {
    return this.#waiting.shift();
  }

  /** @returns Whether there was room. */
  offer(connection: Connection): boolean {
    if (this.#waiting.length >= BACKLOG_MAX) return false;
    this.#waiting.push(connection);
    return true;
  }

  /** Those that wait see that nobody took them. */
  close(): void {
    this.#closed();
    for (const each of this.#waiting.splice(0)) each.close();
  }
}

export class Loopback {
  readonly #listeners = new Map<number, Listener>();
  readonly #held: Held = { bytes: 0 };
  #connections = 0;
  #nextPort = FIRST_FREE_PORT;

  /** @returns undefined if the port is taken, or too many are. */
  listen(port: number): Listener | undefined {
    if (this.#listeners.has(port) || this.#listeners.size >= LISTENERS_MAX) return undefined;
    const listener = new Listener(port, () => {
      if (this.#listeners.get(port) === listener) this.#listeners.delete(port);
    });
    this.#listeners.set(port, listener);
    return listener;
  }

  /** A port that nobody has taken yet. */
  freePort(): number {
    do {
      if (++this.#nextPort >= PORTS) this.#nextPort = FIRST_FREE_PORT;
    } while (this.#listeners.has(this.#nextPort));
    return this.#nextPort;
  }

  /** @returns undefined where nobody listens, or too many wait. */
  connect(port: number): Connection | undefined {
    const listener = this.#listeners.get(port);
    if (!listener || this.#connections >= CONNECTIONS_MAX) return undefined;
    const [there, back] = [new Flow(this.#held), new Flow(this.#held)];
    let open = 2;
    const closed = () => {
      if (--open === 0) this.#connections--;
    };
    const far = new Connection(there, back, once(closed));
    if (!listener.offer(far)) return undefined;
    this.#connections++;
    return new Connection(back, there, once(closed));
  }
}

function once(body: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) body();
    isDone = true;
  };
}
