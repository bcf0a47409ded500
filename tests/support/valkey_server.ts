/** A real Valkey or Redis of a test's own, as Debian has them (packages valkey-server, redis-server). */

import { eventually } from "./eventually.ts";

async function works(command: string): Promise<boolean> {
  try {
    return (await new Deno.Command(command, { args: ["--version"] }).output()).success;
  } catch {
    return false;
  }
}

async function find(): Promise<string | undefined> {
  const named = Deno.env.get("TEST_VALKEY_SERVER");
  for (const command of named ? [named] : ["valkey-server", "redis-server"]) {
    if (await works(command)) return command;
  }
  return undefined;
}

const COMMAND = await find();

/** For tests that need one: whether they are ignored, as the end of their names says. */
export const NO_VALKEY = COMMAND === undefined;
export const VALKEY_MISSING = NO_VALKEY ? " (there is no valkey-server nor redis-server)" : "";

export class ValkeyServer implements AsyncDisposable {
  #process: Deno.ChildProcess | undefined;

  private constructor(
    readonly directory: string,
    readonly port: number,
    readonly options: readonly string[],
  ) {}

  /** @param options More of its command line. */
  static async start(...options: readonly string[]): Promise<ValkeyServer> {
    const directory = await Deno.makeTempDir({ prefix: "wasmbox-valkey-" });
    const server = new ValkeyServer(directory, freePort(), options);
    await server.run();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Starts it, with what it had before. */
  async run(): Promise<void> {
    const own = ["--dir", this.directory, "--port", String(this.port), "--bind", "127.0.0.1"];
    const kept = ["--save", "", "--appendonly", "yes", "--appendfsync", "always"];
    this.#process = new Deno.Command(COMMAND!, {
      args: [...own, ...kept, "--loglevel", "warning", ...this.options],
      stdout: "null",
      stderr: "null",
    }).spawn();
    await eventually("Valkey answers", async () => (await this.ask("PING")).startsWith("+PONG"));
  }

  /** Ends it as a crash does. */
  async kill(): Promise<void> {
    this.signal("SIGKILL");
    await this.#process?.status;
    this.#process = undefined;
  }

  signal(signal: Deno.Signal): void {
    this.#process?.kill(signal);
  }

  /** The first bytes that it answers to a line; nothing if it does not. */
  async ask(line: string): Promise<string> {
    try {
      using connection = await Deno.connect({ hostname: "127.0.0.1", port: this.port });
      await connection.write(new TextEncoder().encode(`${line}\r\n`));
      const answer = new Uint8Array(65_536);
      const length = await connection.read(answer);
      return new TextDecoder().decode(answer.subarray(0, length ?? 0));
    } catch {
      return "";
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process) await this.kill();
    await Deno.remove(this.directory, { recursive: true });
  }
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}
