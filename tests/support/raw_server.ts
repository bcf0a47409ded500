/** Starts the real server on stdio and talks to it in raw lines. */

import { inTime } from "./eventually.ts";
import { kill, serverCommand } from "./harness.ts";

export const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};

/** A server spoken to in raw lines. */
export class RawServer implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array<ArrayBufferLike>>;
  readonly #lines: AsyncIterator<string>;

  constructor(env: Readonly<Record<string, string>> = {}) {
    const { command, args } = serverCommand();
    const streams = { stdin: "piped", stdout: "piped", stderr: "inherit" } as const;
    this.#child = new Deno.Command(command, { args, env, ...streams }).spawn();
    this.#input = this.#child.stdin.getWriter();
    this.#lines = lines(this.#child.stdout);
  }

  async send(line: string | Uint8Array<ArrayBuffer>): Promise<void> {
    await this.#input.write(typeof line === "string" ? new TextEncoder().encode(line) : line);
    await this.#input.write(new TextEncoder().encode("\n"));
  }

  // deno-lint-ignore no-explicit-any -- what arrives is what the test is about
  async receive(): Promise<any> {
    const { value, done } = await inTime("the server says something", this.#lines.next());
    if (done) throw new Error("the server closed its stdout");
    return JSON.parse(value);
  }

  /** Sends what no newline comes after. */
  async sendUnended(text: string): Promise<void> {
    await this.#input.write(new TextEncoder().encode(text));
  }

  /** Reads no more of what it says: to write is an error from then on. */
  async endOutput(): Promise<void> {
    await this.#lines.return?.();
  }

  endInput(): Promise<void> {
    return this.#input.close();
  }

  /** Closes stdin. @returns How the server ended. */
  async end(): Promise<Deno.CommandStatus> {
    await this.endInput();
    return await this.ended();
  }

  signal(signal: Deno.Signal): Promise<Deno.CommandStatus> {
    this.#child.kill(signal);
    return inTime("the server ends", this.#child.status);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await kill(this.#child);
    await this.#input.close().catch(() => {});
    await this.ended();
  }

  /** Reads what else it says. @returns How the server ended. */
  ended(): Promise<Deno.CommandStatus> {
    const drained = async () => {
      while (!(await this.#lines.next()).done);
      return await this.#child.status;
    };
    return inTime("the server ends", drained());
  }
}

async function* lines(stream: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of stream.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + chunk).split("\n");
    rest = parts.pop() ?? "";
    yield* parts;
  }
}
