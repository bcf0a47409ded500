/**
 * The host-call bridge (DESIGN.md decision 11): how a guest that can't receive messages asks the server for something.
 *
 * The Worker posts a request and blocks in its control cell's wait. The executor's main thread writes the answer into
 * shared memory piece by piece, each one on demand, and wakes the Worker. A piece is marked with the number of the call
 * it answers; a Worker that gave up a call never mistakes a late piece for its next one.
 */

import { concatBytes } from "../bytes.ts";
import type { ControlCell } from "./cell.ts";

/** Longest name of an operation, UTF-16 units: a longer one names none. */
export const MAX_OPERATION_LENGTH = 100;
/** Longest request: as a message to the server, with JSON's escapes, it stays within the bound of one. */
const MAX_REQUEST_BYTES = 2 * 1024 * 1024;
const PIECE_BYTES = 64 * 1024;
const READY = 0;
const LENGTH = 1;
const LAST = 2;
const HEADER_WORDS = 4;
const HEADER_BYTES = HEADER_WORDS * Int32Array.BYTES_PER_ELEMENT;

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
  }
  | { readonly type: "host_more"; readonly call: number };

export function allocateReplyBuffer(): SharedArrayBuffer {
  return new SharedArrayBuffer(HEADER_BYTES + PIECE_BYTES);
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
   * @param request UTF-8 JSON. @returns UTF-8 JSON.
   * @throws {HostCallError} if the operation is refused or fails, asks or answers too much, or a soft stop ends the wait.
   * @throws {Aborted} on a hard stop.
   */
  call(operation: string, request: Uint8Array): Uint8Array {
    // Checked here: what the server would refuse as a breach of protocol would cost this process its life.
    if (operation.length > MAX_OPERATION_LENGTH) {
      throw new HostCallError(`unknown host operation "${operation.slice(0, MAX_OPERATION_LENGTH)}…"`);
    }
    if (request.length > MAX_REQUEST_BYTES) {
      throw new HostCallError(`the request exceeds ${MAX_REQUEST_BYTES} bytes`);
    }
    const call = ++this.#call;
    this.post({ type: "host_call", call, operation, request: new TextDecoder().decode(request) });
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    for (;;) {
      if (this.cell.wait(Infinity, () => Atomics.load(this.#header, READY) === call) === "interrupted") {
        throw new HostCallError("the host call was interrupted");
      }
      const length = this.#header[LENGTH] ?? 0;
      const last = this.#header[LAST] === 1;
      pieces.push(this.#piece.slice(0, length));
      bytes += length;
      if (bytes > this.maxReplyBytes) {
        throw new HostCallError(`the answer exceeds ${this.maxReplyBytes} bytes`);
      }
      Atomics.store(this.#header, READY, 0);
      if (last) break;
      this.post({ type: "host_more", call });
    }
    return unwrapReply(concatBytes(pieces));
  }
}

/** The executor's end: hands out one answer at a time, in pieces. */
export class HostReplier {
  readonly #header: Int32Array;
  readonly #piece: Uint8Array;
  #call = 0;
  #rest: Uint8Array = new Uint8Array(0);

  constructor(buffer: SharedArrayBuffer, readonly cell: ControlCell) {
    this.#header = new Int32Array(buffer, 0, HEADER_WORDS);
    this.#piece = new Uint8Array(buffer, HEADER_BYTES);
  }

  /** @param answer What the server answered to `call`: the JSON text, or why there is none. */
  reply(call: number, answer: { ok: true; json: string } | { ok: false; message: string }): void {
    const text = answer.ok ? `+${answer.json}` : `-${answer.message}`;
    this.#call = call;
    this.#rest = new TextEncoder().encode(text);
    this.more(call);
  }

  /** Writes the next piece of the answer to `call`; ignores calls that were given up. */
  more(call: number): void {
    if (call !== this.#call) return;
    const piece = this.#rest.subarray(0, PIECE_BYTES);
    this.#rest = this.#rest.subarray(piece.length);
    this.#piece.set(piece);
    this.#header[LENGTH] = piece.length;
    this.#header[LAST] = this.#rest.length === 0 ? 1 : 0;
    Atomics.store(this.#header, READY, call);
    this.cell.wake();
  }
}

/** An answer begins with "+" and its JSON, or with "-" and the reason of the refusal. */
function unwrapReply(reply: Uint8Array): Uint8Array {
  if (reply[0] === 0x2b) return reply.subarray(1);
  throw new HostCallError(new TextDecoder().decode(reply.subarray(1)));
}
