/** One request of HTTP/1.1 to a server of the session, and its answer (RFC 9112). */

import { concatBytes, GrowingBytes } from "../../../bytes.ts";
import type { GuestClock } from "../../../control/guest_clock.ts";
import type { Connection, Loopback } from "../../loopback.ts";
import { INTERRUPTED, type Steps } from "../../steps.ts";

/** How long it waits before it looks again, ms. */
const LOOK_MS = 2;
/** What may be held of an answer. */
export const ANSWER_MAX_BYTES = 32 * 1024 * 1024;
const PIECE_BYTES = 256 * 1024;
/** Of a head, or of a line that tells of a chunk. */
const HEAD_MAX_BYTES = 256 * 1024;

export interface HttpRequest {
  readonly method: string;
  readonly port: number;
  /** With its query. */
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array | undefined;
}

export interface HttpAnswer {
  readonly status: number;
  /** All up to the empty line, as it came. */
  readonly head: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}

/** Why there is no answer. */
export type HttpFailure =
  | "refused"
  | "empty"
  | "malformed"
  | "cut_off"
  | "too_large"
  | "timed_out"
  | "interrupted";

export interface Waits {
  readonly clock: GuestClock;
  /** How long it may take in all, ms; Infinity: as long as it takes. */
  readonly mostMs: number;
}

/** Latin-1, as header fields are (RFC 9110, section 5.5). */
const latin1 = new TextDecoder("latin1");
const encoder = new TextEncoder();

export function headerOf(headers: HttpAnswer["headers"], name: string): string | undefined {
  return headers.find(([each]) => each.toLowerCase() === name)?.[1];
}

export function* exchange(
  loopback: Loopback | undefined,
  request: HttpRequest,
  waits: Waits,
): Steps<HttpAnswer | HttpFailure> {
  const connection = loopback?.connect(request.port);
  if (!connection) return "refused";
  try {
    const wire = new Wire(connection, waits);
    const sent = yield* wire.send(bytesOf(request));
    if (sent !== "sent") return sent;
    for (;;) {
      const answer = yield* answerTo(request, wire);
      // What comes before the answer itself says that there will be one.
      if (typeof answer === "string" || answer.status >= 200) return answer;
    }
  } finally {
    connection.close();
  }
}

function bytesOf({ method, path, headers, body }: HttpRequest): Uint8Array {
  const lines = [`${method} ${path} HTTP/1.1`, ...headers.map(([name, value]) => `${name}: ${value}`)];
  return concatBytes([encoder.encode(`${lines.join("\r\n")}\r\n\r\n`), body ?? new Uint8Array(0)]);
}

class Wire {
  readonly #connection: Connection;
  readonly #clock: GuestClock;
  readonly #begun: bigint;
  readonly #mostMs: number;
  #come = new GrowingBytes();
  /** What of that has been taken. */
  #at = 0;
  #hasEnded = false;
  /** All that has come. */
  received = 0;

  constructor(connection: Connection, { clock, mostMs }: Waits) {
    this.#connection = connection;
    this.#clock = clock;
    this.#begun = clock.elapsed;
    this.#mostMs = mostMs;
  }

  *send(bytes: Uint8Array): Steps<"sent" | HttpFailure> {
    for (let at = 0; at < bytes.length;) {
      const taken = this.#connection.write(bytes.subarray(at));
      // It may have answered all the same.
      if (taken === "gone") return "sent";
      at += taken;
      if (taken === 0) {
        const failure = yield* this.#look();
        if (failure) return failure;
      }
    }
    return "sent";
  }

  /** Waits until more has come. @returns false at its end. */
  *more(): Steps<boolean | HttpFailure> {
    for (;;) {
      const read = this.#hasEnded ? "end" : this.#connection.read(PIECE_BYTES);
      if (typeof read !== "string") {
        this.received += read.length;
        if (this.received > ANSWER_MAX_BYTES) return "too_large";
        this.#come.push(read);
        return true;
      }
      this.#hasEnded = read === "end";
      if (this.#hasEnded) return false;
      const failure = yield* this.#look();
      if (failure) return failure;
    }
  }

  *#look(): Steps<HttpFailure | undefined> {
    if (Number(this.#clock.elapsed - this.#begun) / 1e6 > this.#mostMs) return "timed_out";
    const waited = yield { ms: LOOK_MS, clock: this.#clock };
    return waited === INTERRUPTED ? "interrupted" : undefined;
  }

  /** What comes up to an end that it has, without that. */
  *until(mark: string): Steps<Uint8Array | HttpFailure> {
    for (;;) {
      const at = latin1.decode(this.#rest.subarray(0, HEAD_MAX_BYTES)).indexOf(mark);
      if (at >= 0) return this.#take(at, mark.length);
      if (this.#rest.length >= HEAD_MAX_BYTES) return "too_large";
      const come = yield* this.more();
      if (typeof come === "string") return come;
      if (!come) return this.received === 0 ? "empty" : "cut_off";
    }
  }

  *exactly(length: number): Steps<Uint8Array | HttpFailure> {
    while (this.#rest.length < length) {
      const come = yield* this.more();
      if (typeof come === "string") return come;
      if (!come) return "cut_off";
    }
    return this.#take(length, 0);
  }

  *toItsEnd(): Steps<Uint8Array | HttpFailure> {
    for (;;) {
      const come = yield* this.more();
      if (typeof come === "string") return come;
      if (!come) return this.#take(this.#rest.length, 0);
    }
  }

  get #rest(): Uint8Array {
    return this.#come.view.subarray(this.#at);
  }

  #take(length: number, left: number): Uint8Array {
    const taken = this.#rest.slice(0, length);
    this.#at += length + left;
    return taken;
  }
}

function* answerTo({ method }: HttpRequest, wire: Wire): Steps<HttpAnswer | HttpFailure> {
  const bytes = yield* wire.until("\r\n\r\n");
  if (typeof bytes === "string") return bytes;
  const head = latin1.decode(bytes);
  const [first = "", ...lines] = head.split("\r\n");
  const status = Number(/^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(first)?.[1] ?? NaN);
  if (Number.isNaN(status)) return "malformed";
  const headers = lines.map((line) => {
    const at = line.indexOf(":");
    return [line.slice(0, at), line.slice(at + 1).trim()] as const;
  });
  const hasNone = method === "HEAD" || status < 200 || status === 204 || status === 304;
  const body = hasNone ? new Uint8Array(0) : yield* bodyOf(headers, wire);
  return typeof body === "string" ? body : { status, head, headers, body };
}

function* bodyOf(headers: HttpAnswer["headers"], wire: Wire): Steps<Uint8Array | HttpFailure> {
  if (/chunked\s*$/i.test(headerOf(headers, "transfer-encoding") ?? "")) return yield* chunksOf(wire);
  const length = headerOf(headers, "content-length");
  if (length === undefined) return yield* wire.toItsEnd();
  return /^\d{1,15}$/.test(length) ? yield* wire.exactly(Number(length)) : "malformed";
}

function* chunksOf(wire: Wire): Steps<Uint8Array | HttpFailure> {
  const all = new GrowingBytes();
  for (;;) {
    const line = yield* wire.until("\r\n");
    if (typeof line === "string") return line;
    const size = /^([\da-f]{1,8})\s*(?:;.*)?$/i.exec(latin1.decode(line))?.[1];
    if (size === undefined) return "malformed";
    const length = parseInt(size, 16);
    if (length === 0) break;
    const chunk = yield* wire.exactly(length + 2);
    if (typeof chunk === "string") return chunk;
    all.push(chunk.slice(0, length));
  }
  // Fields that follow, up to an empty line.
  for (;;) {
    const line = yield* wire.until("\r\n");
    if (typeof line === "string") return line;
    if (line.length === 0) return all.view;
  }
}
