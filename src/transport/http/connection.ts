/**
 * A client's connection, and its continuation to the server inside: passes requests there, one at a time, and answers
 * back. It is closed once nothing gets ahead on it, which the server inside can't see.
 */

import { concatBytes } from "../../bytes.ts";
import type { HttpOptions } from "../../config/http_options.ts";
import { ClientInput } from "./client_input.ts";
import { Refusal } from "./refusal.ts";
import { HeadReader, type RequestHead, withField } from "./request_head.ts";

/** Tells the server inside whose request it is; only it and this process know what must stand there. */
export const CONNECTION_HEADER = "x-wasmbox-connection";

/** Looks at a connection, while nothing may get ahead on it. */
export const IDLE_LOOKS = 4;

/** For the client to close its end after ours. */
const LINGER_MS = 1000;
/** Of answers, passed on at once: at first, since most are short and connections many; and at most. */
const FIRST_BYTES = 4 * 1024;
const PIECE_BYTES = 64 * 1024;
/** For a method, a version and line ends, beside what is bounded by options. */
const HEAD_EXTRA_BYTES = 256;
const CR = 13;
const LF = 10;

const encoder = new TextEncoder();
const LINE_END = encoder.encode("\r\n");
/** Stands for a request that can't be passed on. */
const REFUSED = encoder.encode("GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n");

export interface Ends {
  readonly client: Deno.TcpConn;
  /** To the server inside. */
  readonly server: Deno.Conn;
}

export class Connection {
  readonly id = crypto.randomUUID();
  readonly address: string;
  /** Settles when nothing of the connection is left. Before Deno 2.9 a write that blocks can only be ended by the client. */
  readonly gone: Promise<void>;

  readonly #client: Deno.TcpConn;
  readonly #server: Deno.Conn;
  readonly #input: ClientInput;
  readonly #field: Uint8Array;
  readonly #passed = Promise.withResolvers<void>();
  readonly #closed = Promise.withResolvers<void>();
  #isClosed = false;
  #refusal: Refusal | undefined;
  /** A request was passed on and is not answered yet. */
  #underWay = false;
  /** The server inside is at it. */
  #begun = false;
  #answered: PromiseWithResolvers<void> | undefined;
  /** The client has not taken yet what it was sent. */
  #writing = false;
  /** The client has sent so much ahead that there is no telling whether it is still there. */
  #blind = false;
  /** How often nothing had got ahead since the last look. */
  #idle = 0;

  constructor(ends: Ends, readonly options: HttpOptions) {
    this.#client = ends.client;
    this.#server = ends.server;
    this.address = ends.client.remoteAddr.hostname;
    this.#input = new ClientInput(ends.client);
    this.#field = encoder.encode(`${CONNECTION_HEADER}: ${this.id}\r\n`);
    ends.client.setNoDelay(true);
    this.gone = this.#run();
  }

  /** Settles when all that the server inside had to say has been sent, or can't be. */
  get passed(): Promise<void> {
    return this.#passed.promise;
  }

  /** Settles when the connection is closed. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  /** Why the request that the server inside has got can't be served. */
  get refusal(): Refusal | undefined {
    return this.#refusal;
  }

  /** The server inside has got a request. */
  begin(): void {
    this.#begun = true;
    this.#idle = 0;
  }

  /** A request has been answered. */
  end(): void {
    this.#begun = this.#underWay = false;
    this.#idle = 0;
    this.#answered?.resolve();
  }

  /**
   * To be called {@link IDLE_LOOKS} times while a connection may be idle: without a whole request, or without the client
   * taking anything of an answer. Closes it if it was.
   */
  look(): void {
    const waits = this.#writing || this.#blind || !this.#begun;
    this.#idle = waits ? this.#idle + 1 : 0;
    if (this.#idle > IDLE_LOOKS) this.close();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    close(this.#client);
    close(this.#server);
    this.#answered?.resolve();
    this.#closed.resolve();
  }

  async #run(): Promise<void> {
    const requests = this.#passRequests().catch(() => {}); // one end is closed, or will be
    try {
      await this.#passAnswers();
    } catch {
      this.close();
    }
    this.#passed.resolve();
    await this.#linger();
    this.close();
    await requests;
  }

  /** With bytes of the client unread, closing would make its kernel drop the end of the last answer. */
  async #linger(): Promise<void> {
    if (this.#isClosed) return;
    close(this.#server);
    const late = setTimeout(() => this.close(), LINGER_MS);
    await this.#input.drain().catch(() => {}); // closed, by one of the two
    clearTimeout(late);
  }

  async #passAnswers(): Promise<void> {
    let buffer = new Uint8Array(FIRST_BYTES);
    for (let read = await this.#server.read(buffer); read !== null; read = await this.#server.read(buffer)) {
      for (let written = 0; written < read;) {
        this.#writing = true;
        written += await this.#client.write(buffer.subarray(written, read));
        this.#writing = false;
        this.#idle = 0;
      }
      if (read === buffer.length && read < PIECE_BYTES) buffer = new Uint8Array(2 * read);
    }
    await this.#client.closeWrite();
  }

  async #passRequests(): Promise<void> {
    try {
      for (let more = true; more;) {
        const head = await this.#nextHead();
        more = head !== undefined && await this.#turn() && await this.#pass(head);
      }
    } finally {
      await this.#server.closeWrite(); // it stops then what it is at: the client may be gone
    }
  }

  /** Waits for more of the client. @returns False if it has nothing more to say. */
  async #more(): Promise<boolean> {
    try {
      return await this.#input.more();
    } catch (error) {
      this.close(); // it is gone: nobody waits for answers
      throw error;
    }
  }

  /** @returns Undefined if no more comes. */
  async #nextHead(): Promise<RequestHead | Refusal | undefined> {
    const input = this.#input;
    const { maxUrlBytes, maxHeaderBytes } = this.options;
    const maxBytes = maxUrlBytes + maxHeaderBytes + HEAD_EXTRA_BYTES;
    const reader = new HeadReader();
    try {
      for (;;) {
        while (input.bytes[0] === CR || input.bytes[0] === LF) input.consume(1); // what ill-behaved clients end bodies with
        const head = reader.read(input.bytes);
        if ((head?.size ?? input.bytes.length) > maxBytes) {
          throw new Refusal(431, "PAYLOAD_TOO_LARGE", `The URL and the headers exceed ${maxBytes} bytes`, {
            headers: { connection: "close" },
          });
        }
        if (head) return head;
        if (input.full) input.grow();
        if (!await this.#more()) return undefined;
      }
    } catch (error) {
      if (error instanceof Refusal) return error;
      throw error;
    }
  }

  /** Waits for the answer to the request before. @returns False if the client goes meanwhile. */
  async #turn(): Promise<boolean> {
    while (this.#underWay && !this.#isClosed) {
      this.#answered = Promise.withResolvers();
      if (this.#input.full) {
        this.#blind = true;
        await this.#answered.promise;
        this.#blind = false;
      } else if (await Promise.race([this.#answered.promise, this.#more()]) === false) return false;
    }
    return !this.#isClosed;
  }

  /** @returns Whether another request may follow. */
  async #pass(head: RequestHead | Refusal): Promise<boolean> {
    this.#underWay = true;
    if (head instanceof Refusal) {
      // The server inside tells the client, after all that it had to tell it before.
      this.#refusal = head;
      await write(this.#server, concatBytes([REFUSED, this.#field, LINE_END]));
      await this.#input.drain();
      return false;
    }
    const input = this.#input;
    const { size, body } = head;
    const end = size + body.pass(input.bytes.subarray(size));
    await write(this.#server, withField(input.bytes.subarray(0, end), head, this.#field));
    input.consume(end);
    while (!body.whole) {
      if (input.bytes.length === 0 && !await this.#more()) return false;
      const piece = input.bytes;
      const passed = body.pass(piece);
      await write(this.#server, piece.subarray(0, passed));
      input.consume(passed);
    }
    return true;
  }
}

async function write(to: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length;) written += await to.write(bytes.subarray(written));
}

/** Closes it, if it isn't closed. */
export function close(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch {
    // closed already
  }
}
