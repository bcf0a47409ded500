/**
 * Servers that tests of one file share, since a start costs a second of computing. Each test finds its own without
 * sessions; tests that end or harm processes start their own.
 */

import type { HttpOptions } from "../../src/config/http_options.ts";
import { TestServer } from "./harness.ts";
import { HttpServer } from "./http_harness.ts";

/** By what tells them apart. */
const started = new Map<unknown, Promise<AsyncDisposable>>();

Deno.test.afterAll(async () => {
  const servers = await Promise.allSettled(started.values());
  for (const server of servers) if (server.status === "fulfilled") await server.value[Symbol.asyncDispose]();
});

/** The server of that key, started if there is none, else tidied up. */
async function shared<Server extends AsyncDisposable>(
  key: unknown,
  start: () => Promise<Server>,
  tidy: (server: Server) => Promise<void>,
): Promise<Server> {
  const there = started.get(key) as Promise<Server> | undefined;
  if (there) await tidy(await there);
  const server = there ?? start();
  started.set(key, server);
  return await server;
}

const wasmbox = () => TestServer.start();

/**
 * wasmbox, for tests of what a stopped program keeps: it loses that if it does not end in time, and on a busy machine it
 * may take more than it usually has.
 */
export const patientServer = () =>
  TestServer.start(undefined, {}, { WASMBOX_POLICY_INTERRUPT_GRACE_SECONDS: "30" });

/** On stdio. @param start How it is started: the same server for the same function; wasmbox itself if absent. */
export async function sharedServer(start: () => Promise<TestServer> = wasmbox): Promise<TestServer> {
  return await shared(start, start, async (server) => {
    for (const { session_id } of await server.sessions()) {
      await server.call("destroy_session", { session_id });
    }
  });
}

/** The tests' own HTTP server with these options, from source. */
export async function sharedHttpServer(options: Partial<HttpOptions> = {}): Promise<HttpServer> {
  const tokens = Object.values(options.auth?.tokens ?? {});
  const principals = tokens.length > 0 ? tokens.map((token) => ({ token })) : [{}];
  return await shared(JSON.stringify(options), () => HttpServer.start(options), async (server) => {
    for (const principal of principals) {
      await using client = await server.connect({ ...principal, stateless: true });
      for (const session_id of await client.sessionIds()) {
        await client.call("destroy_session", { session_id });
      }
    }
  });
}
