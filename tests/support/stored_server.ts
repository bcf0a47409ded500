/** Servers that keep their sessions in a directory: one after another, or side by side. */

import { inTime } from "./eventually.ts";
import { serverCommand, TestServer } from "./harness.ts";

export class StoredServers implements AsyncDisposable {
  readonly #running = new Set<TestServer>();

  private constructor(readonly directory: string) {}

  static async make(): Promise<StoredServers> {
    return new StoredServers(await Deno.makeTempDir({ prefix: "wasmbox-store-" }));
  }

  /** The sessions' store. */
  get path(): string {
    return `${this.directory}/store`;
  }

  /** @param args More of the command line. */
  async start(...args: string[]): Promise<TestServer> {
    const { command, args: begin } = serverCommand();
    // From source it has no permission to write; the executable has been given it.
    const main = begin.pop();
    const allowed = main === undefined ? [] : ["--allow-write", main];
    const server = await TestServer.start({
      command,
      args: [...begin, ...allowed, "serve", "--store", this.path, ...args],
    });
    this.#running.add(server);
    return server;
  }

  /** Ends a server as an operator does. */
  async stop(server: TestServer): Promise<void> {
    this.#running.delete(server);
    await server[Symbol.asyncDispose]();
  }

  /** Ends a server as a crash does: nothing of it goes on, not even what was to be written. */
  async crash(server: TestServer): Promise<void> {
    this.#running.delete(server);
    Deno.kill(server.transport.pid!, "SIGKILL");
    await inTime("the server is gone", server.client.close());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.#running) await server[Symbol.asyncDispose]();
    await Deno.remove(this.directory, { recursive: true });
  }
}
