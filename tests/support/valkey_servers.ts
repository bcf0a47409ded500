/** Servers side by side that keep their sessions in one Valkey. */

import { Keys } from "../../src/checkpoints/keys.ts";
import { inTime } from "./eventually.ts";
import { serverCommand, TestServer } from "./harness.ts";
import { ValkeyServer } from "./valkey_server.ts";

const LEASE_SECONDS = 2;

export class ValkeyServers implements AsyncDisposable {
  readonly #running = new Set<TestServer>();

  private constructor(readonly valkey: ValkeyServer, readonly keyFile: string) {}

  /** @param options More of Valkey's command line. */
  static async make(...options: readonly string[]): Promise<ValkeyServers> {
    const valkey = await ValkeyServer.start(...options);
    const keyFile = `${valkey.directory}/key`;
    await Deno.writeTextFile(keyFile, Keys.generate());
    return new ValkeyServers(valkey, keyFile);
  }

  /** @param url Another way to Valkey. */
  async start(url = this.valkey.url): Promise<TestServer> {
    const { command, args } = serverCommand();
    // From source it has no permission to connect; the executable has been given it.
    const main = args.pop();
    const allowed = main === undefined ? [] : ["--allow-net=127.0.0.1", main];
    const settings = {
      KIND: "valkey",
      URL: url,
      KEY_FILE: this.keyFile,
      LEASE_SECONDS: String(LEASE_SECONDS),
    };
    const variables = Object.entries(settings).map(([name, value]) => `WASMBOX_STORE_${name}=${value}`);
    const server = await TestServer.start({
      command: "env",
      args: [...variables, command, ...args, ...allowed, "serve"],
    });
    this.#running.add(server);
    return server;
  }

  signal(server: TestServer, signal: Deno.Signal): void {
    Deno.kill(server.transport.pid!, signal);
  }

  /** Ends a server as a crash does. */
  async crash(server: TestServer): Promise<void> {
    this.#running.delete(server);
    this.signal(server, "SIGKILL");
    await inTime("the server is gone", server.client.close());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.#running) await server[Symbol.asyncDispose]();
    await this.valkey[Symbol.asyncDispose]();
  }
}
