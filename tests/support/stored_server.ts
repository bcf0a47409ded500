/** Servers that keep their sessions in a directory: one after another, or side by side. */

import { eventually, inTime } from "./eventually.ts";
import { type Command, serverCommand, TestServer } from "./harness.ts";

/** Keys of a section of mcp.toml. */
type Section = Readonly<Record<string, string | number | boolean>>;

function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(Deno.readTextFileSync(`/proc/${pid}/status`));
  } catch {
    return false;
  }
}

export class StoredServers implements AsyncDisposable {
  readonly #running = new Set<TestServer>();

  private constructor(readonly directory: string, readonly server: Command) {}

  /** @param server What starts wasmbox. */
  static async make(
    policy: Section = {},
    store: Section = {},
    server = serverCommand(),
  ): Promise<StoredServers> {
    const directory = await Deno.makeTempDir({ prefix: "wasmbox-store-" });
    const lines = (section: Section) => Object.entries(section).map(([key, value]) => `${key} = ${value}\n`);
    await Deno.writeTextFile(`${directory}/policy.toml`, lines(policy).join(""));
    await Deno.writeTextFile(`${directory}/mcp.toml`, ["[store]\n", ...lines(store)].join(""));
    return new StoredServers(directory, server);
  }

  /** The sessions' store. */
  get path(): string {
    return `${this.directory}/store`;
  }

  /** How one of the servers is started. @param more More of the command line. */
  command(...more: string[]): Command {
    const { command, args } = this.server;
    const begin = [...args];
    // From source it has no permission to write; the executable has been given it.
    const main = begin.pop();
    const allowed = main === undefined ? [] : ["--allow-write", main];
    return {
      command,
      args: [...begin, ...allowed, "serve", "--config", this.directory, "--store", this.path, ...more],
    };
  }

  /** @param args More of the command line. */
  async start(...args: string[]): Promise<TestServer> {
    return await this.startAs(this.command(...args));
  }

  /** @param command A server's, and what it is started by. */
  async startAs(command: Command): Promise<TestServer> {
    const server = await TestServer.start(command);
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
    const pid = server.transport.pid!;
    Deno.kill(pid, "SIGKILL");
    await inTime("the server is gone", server.client.close());
    await eventually("its locks are free", () => Promise.resolve(isRunning(pid)), (running) => !running);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.#running) await server[Symbol.asyncDispose]();
    await Deno.remove(this.directory, { recursive: true });
  }
}
