/**
 * Connections, bounded. Deno.serve waits for ever for headers that don't come, never closes what is idle, and takes some
 * requests for others than a proxy would; so it listens for this process alone, and what clients connect to passes on
 * what is a request to the letter, and closes connections on which nothing gets ahead. HTTP itself is left to Deno.serve.
 */

import type { HttpOptions } from "../../config/http_options.ts";
import { logger } from "../../telemetry/log.ts";
import type { Handler } from "./app.ts";
import { close, Connection, IDLE_LOOKS } from "./connection.ts";
import { Descriptors } from "./descriptors.ts";
import { InnerServer, settled, shutdown, whileThere } from "./inner_server.ts";
import { type Place, Places } from "./places.ts";
import { Refusals } from "./refusals.ts";

const log = logger("http");

export interface Listening {
  readonly port: number;
  /** Ends it. @param ms How long requests under way may take. */
  close(ms: number): Promise<void>;
}

/** For the last bytes to reach clients that read them. */
const PASSING_MS = 1000;
/** Until there may be what is missing to accept a connection. */
const RETRY_MS = 100;

/** @throws If the address can't be listened on. */
export function listen(options: HttpOptions, handler: Handler): Listening {
  const hostname = options.hostname.replace(/^\[(.*)\]$/, "$1");
  const address = { hostname, port: options.port };
  return options.boundConnections
    ? new BoundedListener(Deno.listen(address), options, handler)
    : listenDirectly(address, handler);
}

/**
 * Whether a client left before it was let in, which it may do as often as it likes: a probe that only looks whether the
 * port is open does. There is nothing to wait for then, and whoever waits behind it is served at once.
 */
function hasGone(error: unknown): boolean {
  return [Deno.errors.NotConnected, Deno.errors.ConnectionAborted, Deno.errors.ConnectionReset]
    .some((kind) => error instanceof kind);
}

function listenDirectly(address: { hostname: string; port: number }, handler: Handler): Listening {
  const server = Deno.serve(
    { ...address, onListen() {} },
    (request, info) => {
      const exchange = { address: info.remoteAddr.hostname, done: settled(info.completed) };
      return whileThere(request, handler(request, exchange));
    },
  );
  return { port: server.addr.port, close: (ms) => shutdown(server, ms) };
}

class BoundedListener implements Listening {
  readonly #inner: InnerServer;
  readonly #places: Places;
  readonly #descriptors = new Descriptors();
  readonly #refusals = new Refusals();
  #looking: ReturnType<typeof setTimeout> | undefined;
  #closed = false;
  readonly #accepting: Promise<void>;

  /** @param outer Where clients connect to. */
  constructor(readonly outer: Deno.TcpListener, readonly options: HttpOptions, handler: Handler) {
    this.#inner = new InnerServer(handler);
    this.#places = new Places(options);
    this.#look();
    this.#accepting = this.#accept();
  }

  get port(): number {
    return this.outer.addr.port;
  }

  async close(ms: number): Promise<void> {
    this.#closed = true;
    this.outer.close();
    await this.#inner.shutdown(ms);
    // What Deno.serve has said last is still on its way.
    const connections = this.#inner.connections;
    let timer;
    const late = new Promise<void>((resolve) => timer = setTimeout(resolve, PASSING_MS));
    await Promise.race([Promise.all(connections.map((connection) => connection.passed)), late]);
    clearTimeout(timer);
    clearTimeout(this.#looking);
    for (const connection of connections) connection.close();
    await this.#accepting;
  }

  async #accept(): Promise<void> {
    for (let short = false; !this.#closed;) {
      try {
        if (this.#descriptors.suffice(this.#places.open)) {
          short = false;
          await this.#acceptOne();
          continue;
        }
        if (!short) log.warning("no connections are accepted while there are too few file descriptors");
        short = true;
      } catch (error) {
        if (this.#closed) return;
        if (hasGone(error)) continue;
        log.warning("a connection could not be accepted", { error });
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }

  async #acceptOne(): Promise<void> {
    const client = await this.outer.accept();
    const place = this.#places.take(client.remoteAddr.hostname);
    if (!place) return void this.#refusals.refuse(client);
    try {
      // Waited for: a Unix socket refuses connections while too many are on their way to it.
      const server = await this.#inner.connect();
      void this.#serve(new Connection({ client, server }, this.options), place);
    } catch (error) {
      close(client);
      place.end();
      throw error;
    }
  }

  #look(): void {
    for (const connection of this.#inner.connections) connection.look();
    this.#looking = setTimeout(() => this.#look(), this.options.connectionIdleMs / IDLE_LOOKS);
    Deno.unrefTimer(this.#looking);
  }

  async #serve(connection: Connection, place: Place): Promise<void> {
    this.#inner.add(connection);
    await connection.closed;
    this.#inner.delete(connection);
    place.leave();
    await connection.gone;
    place.end();
  }
}
