/**
 * Deno.serve for this process alone. Where there are Unix sockets, nobody but the user that runs it can reach it; there
 * and elsewhere it serves only requests that name a connection by that connection's secret.
 */

import { logger } from "../../telemetry/log.ts";
import type { Handler } from "./app.ts";
import { type Connection, CONNECTION_HEADER } from "./connection.ts";
import { PrivateSocket } from "./private_socket.ts";
import { Refusal } from "./refusal.ts";

const log = logger("http");

/** Where it listens, and how it is reached. */
interface Inside {
  readonly server: Deno.HttpServer;
  connect(): Promise<Deno.Conn>;
  /** What is left of it once it has ended. */
  remove(): void;
}

export class InnerServer {
  readonly #connections = new Map<string, Connection>();
  readonly #inside: Inside;

  constructor(readonly handler: Handler) {
    const serve: Deno.ServeHandler = (request, { completed }) => this.#serve(request, completed);
    this.#inside = inPrivate(serve) ?? onLoopback(serve);
  }

  get connections(): Connection[] {
    return [...this.#connections.values()];
  }

  /** @returns What takes requests of a connection that was added. */
  async connect(): Promise<Deno.Conn> {
    return await this.#inside.connect();
  }

  /** Serves what comes from there. */
  add(connection: Connection): void {
    this.#connections.set(connection.id, connection);
  }

  delete(connection: Connection): void {
    this.#connections.delete(connection.id);
  }

  /** Ends it. @param ms How long requests under way may take. */
  async shutdown(ms: number): Promise<void> {
    await shutdown(this.#inside.server, ms);
    this.#inside.remove();
  }

  #serve(request: Request, completed: Promise<void>): Response | Promise<Response> {
    const connection = this.#connections.get(request.headers.get(CONNECTION_HEADER) ?? "");
    if (!connection) {
      return new Refusal(403, "FORBIDDEN", "Not a client's connection", { headers: { connection: "close" } })
        .toResponse();
    }
    const done = settled(completed);
    connection.begin();
    void done.then(() => connection.end());
    const { address, refusal } = connection;
    return whileThere(request, this.handler(request, { address, done, ...refusal && { refusal } }));
  }
}

/** Where others may not enter. @returns Undefined where that can't be had. */
function inPrivate(serve: Deno.ServeHandler): Inside | undefined {
  if (Deno.build.os === "windows") return undefined;
  let socket: PrivateSocket | undefined;
  try {
    socket = new PrivateSocket();
    const { path } = socket;
    const server = Deno.serve({ path, onListen() {} }, serve);
    return {
      server,
      connect: () => Deno.connect({ transport: "unix", path }),
      remove: () => socket?.remove(),
    };
  } catch (error) {
    socket?.remove();
    log.warning("other users of this machine can connect to a port that is for this process alone", {
      error,
    });
    return undefined;
  }
}

function onLoopback(serve: Deno.ServeHandler): Inside {
  const hostname = "127.0.0.1";
  const server = Deno.serve({ hostname, port: 0, onListen() {} }, serve);
  const connect = async () => {
    const connection = await Deno.connect({ hostname, port: server.addr.port });
    connection.setNoDelay(true);
    return connection;
  };
  return { server, connect, remove() {} };
}

/**
 * An answer, or any at all once the client has gone: what waits for one that never comes would never be told that the
 * exchange is over, and keep its place.
 */
export function whileThere(request: Request, response: Response | Promise<Response>) {
  if (response instanceof Response) return response;
  const { promise: gone, resolve } = Promise.withResolvers<Response>();
  request.signal.addEventListener("abort", () => resolve(new Response(null, { status: 400 })), {
    once: true,
  });
  return Promise.race([response, gone]);
}

/** A client that goes away is nothing that anyone has to handle. */
export function settled(completed: Promise<void>): Promise<void> {
  return completed.catch(() => {});
}

/** Ends what a server does. What is not answered in that time is left: Deno, told to abort it, fails for all to see. */
export async function shutdown(server: Deno.HttpServer, ms: number): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, ms);
  await Promise.race([server.shutdown(), late.promise]);
  clearTimeout(timer);
}
