/**
 * The host-call bridge (docs/ARCHITECTURE.md, decision 11): how a guest that can't receive messages asks the server for something.
 *
 * The Worker posts a request and blocks in its control cell's wait. The executor's main thread writes the answer into
 * shared memory piece by piece, each one on demand, and wakes the Worker. A piece is marked with the number of the call
 * it answers; a Worker that gave up a call never mistakes a late piece for its next one. Bytes of files go beside the
 * JSON, never inside it.
 */

import { concatBytes } from "../bytes.ts";
import type { ControlCell } from "../control/cell.ts";
import { PIECE_BYTES } from "./bounds.ts";

/** Longest name of an operation, UTF-16 units: a longer one names none. */
export const MAX_OPERATION_LENGTH = 100;
/** Longest request: as a message to the server, with JSON's escapes, it stays within the bound of one. */
const MAX_REQUEST_BYTES = 2 * 1024 * 1024;
/** Room for the largest piece of a file and the JSON that goes with it. Memory that nobody has written to takes none. */
const ROOM_BYTES = PIECE_BYTES + 4 * 1024;
const READY = 0;
const LENGTH = 1;
const LAST = 2;
/** How long the text of the whole answer is; bytes follow it. */
const TEXT_LENGTH = 3;
const HEADER_WORDS = 4;
const HEADER_BYTES = HEADER_WORDS * Int32Array.BYTES_PER_ELEMENT;
const NO_BYTES = new Uint8Array(0);

/** A host call that did not end with an answer; the guest sees it as an error of its language. */
export class HostCallError extends Error {
  override name = "HostCallError";
}

/** What the Worker posts to the executor's main thread on behalf of a call. */
export type HostCallPost =
  | {
    readonly type: "host_call";
    readonly call: number;
    readonly operation: string;
    readonly request: string;
    /** What goes with it. */
    readonly bytes?: Uint8Array;
  }
  | { readonly type: "host_more"; readonly call: number };

export function allocateReplyBuffer(): SharedArrayBuffer {
  return new SharedArrayBuffer(HEADER_BYTES + ROOM_BYTES);
}

/** An answer, and the bytes that came with it. */
export interface HostReply {
  /** UTF-8. */
  readonly json: Uint8Array;
  readonly bytes: Uint8Array;
  /** What answering took of the asking program's fuel; nothing if absent. */
  readonly fuel?: number;
}

/** An answer made on this side of the bridge. */
export function replyOf(answer: unknown, bytes: Uint8Array = NO_BYTES): HostReply {
  return { json: new TextEncoder().encode(JSON.stringify(answer)), bytes };
}

export interface HostCallOptions {
  /** Go with the request. */
  readonly bytes?: Uint8Array;
  /**
   * How long an answer may take after a soft stop, so that a program that is told to end can still close its files.
   * Milliseconds; 0 if absent.
   */
  readonly patienceMs?: number;
  /** How long an answer may take at all, ms; no bound if absent. */
  readonly timeoutMs?: number;
}

/** The Worker's end. */
export class HostCaller {
  readonly #header: Int32Array;
  readonly #piece: Uint8Array;
  #call = 0;

  constructor(
    buffer: SharedArrayBuffer,
    readonly cell: ControlCell,
    readonly maxReplyBytes: number,
    readonly post: (message: HostCallPost) => void,
  ) {
    this.#header = new Int32Array(buffer, 0, HEADER_WORDS);
    this.#piece = new Uint8Array(buffer, HEADER_BYTES);
  }

  /**
   * Sends a request and waits for its answer.
   *
   * @param request UTF-8 JSON.
   * @throws {HostCallError} if the operation is refused or fails, asks or answers too much, or a soft stop ends the wait.
   * @throws {Aborted} on a hard stop.
   */
  exchange(
    operation: string,
    request: Uint8Array,
    { bytes: sent, patienceMs = 0, timeoutMs = Infinity }: HostCallOptions = {},
  ): HostReply {
    // Checked here: what the server would refuse as a breach of protocol would cost this process its life.
    if (operation.length > MAX_OPERATION_LENGTH) {
      throw new HostCallError(`unknown host operation "${operation.slice(0, MAX_OPERATION_LENGTH)}…"`);
    }
    if (request.length > MAX_REQUEST_BYTES) {
      throw new HostCallError(`the request exceeds ${MAX_REQUEST_BYTES} bytes`);
    }
    if (sent && sent.length > PIECE_BYTES) {
      throw new HostCallError(`the bytes beside the request exceed ${PIECE_BYTES} bytes`);
    }
    const call = ++this.#call;
    const text = new TextDecoder().decode(request);
    this.post({ type: "host_call", call, operation, request: text, ...(sent && { bytes: sent }) });
    const pieces: Uint8Array[] = [];
    const until = performance.now() + timeoutMs;
    let bytes = 0;
    for (;;) {
      this.#awaitPiece(call, patienceMs, until);
      const textLength = this.#header[TEXT_LENGTH] ?? 0;
      const length = this.#header[LENGTH] ?? 0;
      const last = this.#header[LAST] === 1;
      pieces.push(this.#piece.slice(0, length));
      bytes += length;
      if (bytes > this.maxReplyBytes) {
        throw new HostCallError(`the answer exceeds ${this.maxReplyBytes} bytes`);
      }
      Atomics.store(this.#header, READY, 0);
      if (last) return unwrapReply(pieces.length === 1 ? pieces[0]! : concatBytes(pieces), textLength);
      this.post({ type: "host_more", call });
    }
  }

  #awaitPiece(call: number, patienceMs: number, until: number): void {
    const there = () => Atomics.load(this.#header, READY) === call;
    const came = this.cell.wait(until - performance.now(), there);
    if (came === "ready") return;
    if (came === "elapsed") throw new HostCallError("the host call took too long");
    if (patienceMs > 0 && this.cell.wait(patienceMs, there, "abort") === "ready") return;
    throw new HostCallError("the host call was interrupted");
  }
}

/** The executor's end: hands out one answer at a time, in pieces. */
export class HostReplier {
  readonly #header: Int32Array;
  readonly #piece: Uint8Array;
  #call = 0;
  #rest: Uint8Array = NO_BYTES;

  constructor(buffer: SharedArrayBuffer, readonly cell: ControlCell) {
    this.#header = new Int32Array(buffer, 0, HEADER_WORDS);
    this.#piece = new Uint8Array(buffer, HEADER_BYTES);
  }

  /**
   * @param answer What the server answered to `call`: the JSON text, or why there is none.
   * @param bytes Those that came with it.
   */
  reply(
    call: number,
    answer: { ok: true; json: string } | { ok: false; message: string },
    bytes: Uint8Array = NO_BYTES,
  ): void {
    const text = new TextEncoder().encode(answer.ok ? `+${answer.json}` : `-${answer.message}`);
    this.#call = call;
    this.#header[TEXT_LENGTH] = text.length;
    this.#rest = bytes.length === 0 ? text : concatBytes([text, bytes]);
    this.more(call);
  }

  /** Writes the next piece of the answer to `call`; ignores calls that were given up. */
  more(call: number): void {
    if (call !== this.#call) return;
    const piece = this.#rest.subarray(0, ROOM_BYTES);
    this.#rest = this.#rest.subarray(piece.length);
    this.#piece.set(piece);
    this.#header[LENGTH] = piece.length;
    this.#header[LAST] = this.#rest.length === 0 ? 1 : 0;
    Atomics.store(this.#header, READY, call);
    this.cell.wake();
  }
}

/** An answer begins with "+" and its JSON, or with "-" and the reason of the refusal. */
function unwrapReply(reply: Uint8Array, textLength: number): HostReply {
  const json = reply.subarray(1, textLength);
  if (reply[0] === 0x2b) return { json, bytes: reply.subarray(textLength) };
  throw new HostCallError(new TextDecoder().decode(json));
}
