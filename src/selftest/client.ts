/** A minimal MCP client on a server process of its own: JSON-RPC lines, and a record of what should not have come. */

import { inFull } from "../mcp/left_out.ts";
import { LineReader } from "../transport/line_reader.ts";

/** Longest line that a server may send: output and error at their bounds, with JSON's escapes, twice. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;
const STDERR_KEPT = 4_000;
const STRAYS_KEPT = 20;
const PROTOCOL_VERSION = "2025-06-18";

/** The answer to a request: a tool's result, or a protocol error. */
export interface Answer {
  /** The JSON-RPC error, if it is one. */
  readonly fault: { readonly code: number; readonly message: string } | null;
  readonly isError: boolean;
  /** The tool's structured content; empty if there is none. */
  readonly structured: Readonly<Record<string, unknown>>;
  /** The tool's content blocks. */
  readonly content: readonly ContentBlock[];
}

export interface ContentBlock {
  readonly type: string;
  readonly text?: string;
  readonly data?: string;
  readonly mimeType?: string;
}

export interface RequestOptions {
  /** How long to wait for the answer; one minute if absent. */
  readonly deadlineMs?: number;
  /** Called with each progress notification; asks for them. */
  readonly onProgress?: (message: string) => void;
  /** Told the id under which the request goes out. */
  readonly onSent?: (id: number) => void;
}

export interface Command {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A request that no answer came to. */
export class NoAnswer extends Error {
  override name = "NoAnswer";
}

interface Pending {
  resolve(answer: Answer): void;
  reject(error: NoAnswer): void;
  readonly onProgress: RequestOptions["onProgress"];
}

const encoder = new TextEncoder();

export class Client implements AsyncDisposable {
  /** Lines that are no answer to a request of ours: forged, doubled, or not JSON-RPC at all. */
  readonly strays: string[] = [];
  /** Settles with the exit code when the server has ended. */
  readonly ended: Promise<number>;
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array<ArrayBufferLike>>;
  readonly #watch: (line: string) => void;
  readonly #pending = new Map<number, Pending>();
  /** Takes what answers lines that have no id to answer to. */
  readonly #anonymous: ((answer: Answer) => void)[] = [];
  #nextId = 1;
  #alive = true;
  #stderr = "";

  private constructor({ command, args, env }: Command, watch: (line: string) => void) {
    this.#watch = watch;
    this.#child = new Deno.Command(command, {
      args: [...args],
      env: { ...env },
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    this.#input = this.#child.stdin.getWriter();
    this.ended = Promise.all([this.#child.status, this.#receive(), this.#log()]).then(([{ code }]) => {
      this.#alive = false;
      for (const { reject } of this.#pending.values()) {
        reject(new NoAnswer(`the server ended (code ${code})`));
      }
      this.#pending.clear();
      return code;
    });
  }

  /**
   * Starts the server and opens the connection.
   *
   * @param watch Sees every line that comes.
   * @throws {NoAnswer} if the server does not answer; the message has the end of its log.
   */
  static async start(command: Command, watch: (line: string) => void): Promise<Client> {
    const client = new Client(command, watch);
    const hello = await client.request("initialize", {
      protocolVersion: PROTOCOL_VERSION,
      capabilities: {},
      clientInfo: { name: "wasmbox-selftest", version: "1" },
    }).catch((error) => {
      throw new NoAnswer(`the server did not start: ${error.message}: ${client.log.trim().slice(-500)}`);
    });
    if (hello.fault) throw new NoAnswer(`the server refused the connection: ${hello.fault.message}`);
    client.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    return client;
  }

  /** Of the server's process. */
  get pid(): number {
    return this.#child.pid;
  }

  get alive(): boolean {
    return this.#alive;
  }

  /** The end of what the server logged. */
  get log(): string {
    return this.#stderr;
  }

  /** @throws {NoAnswer} if none comes in time. */
  async request(method: string, params: object, options: RequestOptions = {}): Promise<Answer> {
    const id = this.#nextId++;
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    this.#pending.set(id, { resolve, reject, onProgress: options.onProgress });
    const _meta = options.onProgress && { progressToken: id };
    this.send({ jsonrpc: "2.0", id, method, params: { ...params, ...(_meta && { _meta }) } });
    options.onSent?.(id);
    return await this.#inTime(promise, options.deadlineMs ?? 60_000, method, () => this.#pending.delete(id));
  }

  async call(tool: string, args: unknown, options: RequestOptions = {}): Promise<Answer> {
    return await this.request("tools/call", { name: tool, arguments: args }, options);
  }

  /**
   * Sends a request as text, in which `$ID` stands for its id.
   *
   * @throws {NoAnswer} if no answer comes.
   */
  async requestText(text: string): Promise<Answer> {
    const id = this.#nextId++;
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    this.#pending.set(id, { resolve, reject, onProgress: undefined });
    this.sendBytes(encoder.encode(`${text.replace("$ID", String(id))}\n`));
    return await this.#inTime(promise, 60_000, "a request", () => this.#pending.delete(id));
  }

  /** Sends a line that is answered, if at all, with id null. @throws {NoAnswer} if no answer comes. */
  async requestAnonymous(line: Uint8Array): Promise<Answer> {
    const { promise, resolve } = Promise.withResolvers<Answer>();
    this.#anonymous.push(resolve);
    this.sendBytes(line);
    return await this.#inTime(promise, 60_000, "a line", () => {
      const at = this.#anonymous.indexOf(resolve);
      if (at >= 0) this.#anonymous.splice(at, 1);
    });
  }

  send(message: object): void {
    this.sendBytes(encoder.encode(`${JSON.stringify(message)}\n`));
  }

  sendBytes(bytes: Uint8Array): void {
    this.#input.write(bytes).catch(() => {}); // a broken pipe is seen as the server's end
  }

  /** Lets the server end as when a client goes away. @returns Its exit code. */
  async close(): Promise<number> {
    await this.#input.close().catch(() => {});
    const timer = setTimeout(() => this.#kill(), 10_000);
    const code = await this.ended;
    clearTimeout(timer);
    return code;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #kill(): void {
    try {
      this.#child.kill("SIGKILL");
    } catch {
      // It has ended by itself.
    }
  }

  async #inTime<T>(promise: Promise<T>, ms: number, what: string, giveUp: () => void): Promise<T> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        giveUp();
        reject(new NoAnswer(`${what} was not answered within ${ms / 1000} s`));
      }, ms);
    });
    try {
      return await Promise.race([promise, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #receive(): Promise<void> {
    const decoder = new TextDecoder();
    const lines = new LineReader(MAX_LINE_BYTES);
    for await (const chunk of this.#child.stdout) {
      for (const line of lines.push(chunk)) {
        if (line === "too long") this.#stray("a line beyond all bounds");
        else this.#line(decoder.decode(line));
      }
    }
  }

  #line(line: string): void {
    this.#watch(line);
    let message: Message;
    try {
      message = JSON.parse(line);
    } catch {
      return this.#stray(line);
    }
    if (message.method === "notifications/progress") {
      const onProgress = this.#pending.get(message.params?.progressToken as number)?.onProgress;
      return onProgress ? onProgress(message.params?.message ?? "") : this.#stray(line);
    }
    if (message.id === undefined && EXPECTED.has(message.method ?? "")) return;
    if (message.id === null) {
      const resolve = this.#anonymous.shift();
      return resolve ? resolve(answerOf(message)) : this.#stray(line);
    }
    const pending = this.#pending.get(message.id as number);
    if (!pending || message.method !== undefined) return this.#stray(line);
    this.#pending.delete(message.id as number);
    pending.resolve(answerOf(message));
  }

  #stray(line: string): void {
    if (this.strays.length < STRAYS_KEPT) this.strays.push(line.slice(0, 200));
  }

  async #log(): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of this.#child.stderr) {
      this.#stderr = (this.#stderr + decoder.decode(chunk, { stream: true })).slice(-STDERR_KEPT);
    }
  }
}

/** What a server tells every client of its own accord. */
const EXPECTED = new Set([
  "notifications/message",
  "notifications/resources/list_changed",
  "notifications/resources/updated",
]);

export interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: { readonly progressToken?: unknown; readonly message?: string };
  readonly result?: {
    readonly isError?: boolean;
    readonly structuredContent?: Record<string, unknown>;
    readonly content?: readonly ContentBlock[];
  };
  readonly error?: { readonly code: number; readonly message: string };
}

/** @param message A response of JSON-RPC. */
export function answerOf({ result, error }: Message): Answer {
  return {
    fault: error ?? null,
    isError: result?.isError === true,
    structured: inFull(result?.structuredContent ?? {}),
    content: result?.content ?? [],
  };
}
