/**
 * Connections, bounded. Deno.serve waits for ever for headers that don't come and never closes what is idle; so it
 * listens for this process alone, and what clients connect to passes bytes on to it and closes a connection that has had
 * no request for too long. HTTP itself is left to Deno.serve.
 */

import { Networks } from "../../config/networks.ts";
import type { Exchange } from "./app.ts";
import { Deadlines } from "./deadlines.ts";
import type { HttpOptions } from "../../config/http_options.ts";
import { network } from "./rate_limits.ts";
import { Refusal } from "./refusal.ts";

export type Handler = (request: Request, exchange: Exchange) => Response | Promise<Response>;

export interface Listening {
  readonly port: number;
  /** Ends it. @param ms How long requests under way may take. */
  close(ms: number): Promise<void>;
}

const BUFFER_BYTES = 64 * 1024;
/** For the last bytes to reach clients that read them. */
const PASSING_MS = 1000;

/** @throws If the address can't be listened on. */
export function listen(options: HttpOptions, handler: Handler): Listening {
  const hostname = options.hostname.replace(/^\[(.*)\]$/, "$1");
  const address = { hostname, port: options.port };
  return options.boundConnections
    ? listenBounded(Deno.listen(address), options, handler)
    : listenDirectly(address, handler);
}

function listenDirectly(address: { hostname: string; port: number }, handler: Handler): Listening {
  const abort = new AbortController();
  const server = Deno.serve(
    { ...address, signal: abort.signal, onListen() {} },
    (request, info) => handler(request, { address: info.remoteAddr.hostname, done: settled(info.completed) }),
  );
  return { port: server.addr.port, close: (ms) => shutdown(server, abort, ms) };
}

/** A client that goes away is nothing that anyone has to handle. */
function settled(completed: Promise<void>): Promise<void> {
  return completed.catch(() => {});
}

/** Ends what a server does, in that time. */
async function shutdown(server: Deno.HttpServer, abort: AbortController, ms: number): Promise<void> {
  const late = setTimeout(() => {
    try {
      abort.abort();
    } catch {
      // it has just ended by itself
    }
  }, ms);
  await server.shutdown();
  clearTimeout(late);
}

/** @param outer Where clients connect to. */
function listenBounded(outer: Deno.TcpListener, options: HttpOptions, handler: Handler): Listening {
  const connections = new Map<number, Connection>();
  const byNetwork = new Map<string, number>();
  const proxies = new Networks(options.trustedProxies);
  let idle = new Deadlines(options.connectionIdleMs);
  const abort = new AbortController();
  const inner = Deno.serve(
    { hostname: "127.0.0.1", port: 0, signal: abort.signal, onListen() {} },
    (request, info) => {
      const connection = connections.get(info.remoteAddr.port);
      if (!connection) return new Refusal(403, "FORBIDDEN", "Not a client's connection").toResponse();
      connection.begin();
      const done = settled(info.completed);
      void done.then(() => connection.end());
      return handler(request, { address: connection.address, done });
    },
  );

  const accept = async (client: Deno.TcpConn) => {
    const address = client.remoteAddr.hostname;
    const key = network(address);
    const own = byNetwork.get(key) ?? 0;
    if (
      connections.size >= options.maxConnections ||
      (own >= options.maxConnectionsPerAddress && !proxies.has(address))
    ) {
      return await refuse(client);
    }
    byNetwork.set(key, own + 1);
    try {
      const server = await Deno.connect({ hostname: "127.0.0.1", port: inner.addr.port });
      const port = server.localAddr.port;
      if (idle.ms !== options.connectionIdleMs) idle = new Deadlines(options.connectionIdleMs); // reloaded
      const connection = new Connection(client, server, address, idle);
      connections.set(port, connection);
      await connection.pass();
      connections.delete(port);
    } finally {
      const left = (byNetwork.get(key) ?? 1) - 1;
      if (left > 0) byNetwork.set(key, left);
      else byNetwork.delete(key);
    }
  };
  const accepting = (async () => {
    for await (const client of outer) accept(client).catch(() => close(client));
  })();

  return {
    port: outer.addr.port,
    async close(ms) {
      outer.close();
      await shutdown(inner, abort, ms);
      // What Deno.serve has said last is still on its way.
      const passing = [...connections.values()].map((connection) => connection.passed);
      let timer;
      const late = new Promise<void>((resolve) => timer = setTimeout(resolve, PASSING_MS));
      await Promise.race([Promise.all(passing), late]);
      clearTimeout(timer);
      for (const connection of connections.values()) connection.close();
      await accepting;
    },
  };
}

/** A client's connection, and its continuation to Deno.serve. */
class Connection {
  #requests = 0;
  #closed = false;
  #waits: () => void;
  readonly #passed = Promise.withResolvers<void>();

  constructor(
    readonly client: Deno.TcpConn,
    readonly server: Deno.TcpConn,
    readonly address: string,
    readonly idle: Deadlines,
  ) {
    for (const end of [client, server]) end.setNoDelay(true);
    this.#waits = this.#wait();
  }

  /** A request has arrived, headers and all. */
  begin(): void {
    this.#requests++;
    this.#waits();
  }

  /** A request has been answered. */
  end(): void {
    if (--this.#requests === 0 && !this.#closed) this.#waits = this.#wait();
  }

  /** Settles when all that the server had to say has gone, or can't go. */
  get passed(): Promise<void> {
    return this.#passed.promise;
  }

  /** Settles when the connection is over: when all that the server had to say has gone, or can't go. */
  async pass(): Promise<void> {
    const up = copy(this.client, this.server).catch(() => this.server.closeWrite()).catch(() => {});
    await copy(this.server, this.client).catch(() => {});
    this.close();
    this.#passed.resolve();
    await up;
  }

  close(): void {
    this.#closed = true;
    this.#waits();
    close(this.client);
    close(this.server);
  }

  /** @returns Called when a request is there. */
  #wait(): () => void {
    return this.idle.set(() => this.close());
  }
}

async function copy(from: Deno.TcpConn, to: Deno.TcpConn): Promise<void> {
  const buffer = new Uint8Array(BUFFER_BYTES);
  for (let read = await from.read(buffer); read !== null; read = await from.read(buffer)) {
    for (let written = 0; written < read;) written += await to.write(buffer.subarray(written, read));
  }
  await to.closeWrite();
}

/** Tells a client that there are too many connections, before anything of it was read. */
async function refuse(client: Deno.TcpConn): Promise<void> {
  const refusal = Refusal.later(503, "SERVER_BUSY", "Too many connections", 5);
  const body = await refusal.toResponse().text();
  const head = [
    "HTTP/1.1 503 Service Unavailable",
    "content-type: application/json",
    `content-length: ${body.length}`,
    "retry-after: 5",
    "connection: close",
  ].join("\r\n");
  await client.write(new TextEncoder().encode(`${head}\r\n\r\n${body}`));
  close(client);
}

function close(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch {
    // closed already
  }
}
