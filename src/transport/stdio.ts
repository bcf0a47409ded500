/**
 * MCP over stdin and stdout: one JSON-RPC message a line.
 *
 * The SDK's own stdio transport drops lines that it can't parse and closes on long ones; this one answers them, as
 * JSON-RPC 2.0 section 5.1 asks, and goes on.
 */

import { type JSONRPCMessage, parseJSONRPCMessage, type Transport } from "@modelcontextprotocol/server";
import { ChunkReader } from "../chunk_reader.ts";
import { LineReader } from "./line_reader.ts";

/** For a client that does not read its last answers. */
const FLUSH_MS = 1000;

/** What may wait for a client that does not read. With more, it is not read either, and hears of no progress. */
const MAX_UNREAD_BYTES = 32 * 1024 * 1024;

const PROGRESS = "notifications/progress";
const CANCELLED = "notifications/cancelled";
/** A request that is answered when nobody wants to hear any more. */
const LISTEN = "subscriptions/listen";

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;

const encoder = new TextEncoder();

/** Why a line is not taken. */
interface Refusal {
  readonly code: number;
  readonly message: string;
  readonly id?: string | number | null;
}

/** The two ends of the connection; the process's own unless told otherwise. */
export interface StdioStreams {
  readonly input: ReadableStream<Uint8Array>;
  readonly output: WritableStream<Uint8Array>;
}

export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;

  /** Settles when the client has closed its end, and so asks nothing more, or this side was closed. */
  readonly ended: Promise<void>;
  readonly #input: ChunkReader;
  readonly #output: WritableStreamDefaultWriter<Uint8Array>;
  readonly #end = Promise.withResolvers<void>();
  readonly #close = Promise.withResolvers<void>();
  readonly #unanswered = new Set<string | number>();
  #allAnswered = Promise.withResolvers<void>();
  #closed = false;
  #lastWrite: Promise<void> = Promise.resolve();
  /** Written, and not read by the client yet. */
  #unread = 0;

  /** @param maxMessageBytes A longer message is refused. */
  constructor(
    readonly maxMessageBytes: number,
    streams: StdioStreams = { input: Deno.stdin.readable, output: Deno.stdout.writable },
  ) {
    this.#input = new ChunkReader(streams.input);
    this.#output = streams.output.getWriter();
    this.ended = this.#end.promise;
  }

  start(): Promise<void> {
    void this.#receive();
    return Promise.resolve();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#unread > MAX_UNREAD_BYTES && "method" in message && message.method === PROGRESS) return;
    const written = this.#write(message);
    if (!("method" in message)) this.#settle(message.id);
    await written;
  }

  /** Settles when each request that was read is answered or cancelled, or nobody takes answers any more. */
  async answered(): Promise<void> {
    while (this.#unanswered.size > 0 && !this.#closed) await this.#allAnswered.promise;
  }

  /** How many requests wait for their answers. */
  get unanswered(): number {
    return this.#unanswered.size;
  }

  /** Settles when the answers to what has just ended are written, as far as the client reads. */
  async flushed(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve)); // who answers hears of an end when we do
    await Promise.race([
      this.#lastWrite.catch(() => {}), // nobody reads any more
      this.#close.promise,
      new Promise((resolve) => setTimeout(resolve, FLUSH_MS)),
    ]);
  }

  close(): Promise<void> {
    if (!this.#closed) {
      this.#closed = true;
      this.#input.cancel();
      this.onclose?.();
      this.#end.resolve();
      this.#close.resolve();
      this.#allAnswered.resolve();
    }
    return Promise.resolve();
  }

  async #receive(): Promise<void> {
    const lines = new LineReader(this.maxMessageBytes);
    try {
      for (let chunk = await this.#input.read(); chunk; chunk = await this.#input.read()) {
        for (const line of lines.push(chunk)) this.#read(line);
        while (this.#unread > MAX_UNREAD_BYTES && !this.#closed) await this.#lastWrite.catch(() => {});
      }
      const last = this.#parse(lines.rest()); // one that is cut off is nobody's
      if (last && "message" in last && !this.#closed) this.#take(last.message);
      this.#end.resolve();
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
      await this.close();
    }
  }

  #read(line: Uint8Array | "too long"): void {
    const read = this.#parse(line);
    if (!read) return;
    if ("message" in read) return this.#take(read.message);
    const { code, message, id = null } = read.refused;
    this.#write({ jsonrpc: "2.0", id, error: { code, message } }).catch(() => {}); // seen as the end of the connection
  }

  #take(message: JSONRPCMessage): void {
    this.#note(message);
    this.onmessage?.(message);
  }

  /** @returns Undefined for an empty line. */
  #parse(line: Uint8Array | "too long"): { message: JSONRPCMessage } | { refused: Refusal } | undefined {
    if (line === "too long") {
      return invalid(`the message exceeds ${this.maxMessageBytes} bytes`);
    }
    let value: unknown;
    try {
      const text = new TextDecoder("utf-8", { fatal: true }).decode(line);
      if (text.trim() === "") return undefined;
      value = JSON.parse(text);
    } catch {
      return { refused: { code: PARSE_ERROR, message: "Parse error: the line is not JSON in UTF-8" } };
    }
    if (Array.isArray(value)) return invalid("batches are not supported");
    try {
      return { message: parseJSONRPCMessage(value) };
    } catch {
      return invalid("not a JSON-RPC 2.0 message", idOf(value));
    }
  }

  /** Keeps track of what has to be answered. A request that is cancelled never is. */
  #note(message: JSONRPCMessage): void {
    if (!("method" in message)) return;
    if ("id" in message) {
      if (message.method !== LISTEN) this.#unanswered.add(message.id);
    } else if (message.method === CANCELLED) this.#settle(message.params?.["requestId"]);
  }

  #settle(id: unknown): void {
    if (!this.#unanswered.delete(id as string | number) || this.#unanswered.size > 0) return;
    this.#allAnswered.resolve();
    this.#allAnswered = Promise.withResolvers<void>();
  }

  async #write(message: unknown): Promise<void> {
    const line = encoder.encode(`${JSON.stringify(message)}\n`);
    this.#unread += line.length;
    try {
      this.#lastWrite = this.#output.write(line);
      await this.#lastWrite;
      this.#unread -= line.length;
    } catch (error) {
      await this.close();
      throw error;
    }
  }
}

function invalid(what: string, id: string | number | null = null): { refused: Refusal } {
  return { refused: { code: INVALID_REQUEST, message: `Invalid request: ${what}`, id } };
}

/** The id of a request that is otherwise not understood, so that its sender can tell which it was. */
function idOf(value: unknown): string | number | null {
  const id = typeof value === "object" && value !== null && "id" in value ? value.id : null;
  return typeof id === "string" || typeof id === "number" ? id : null;
}
