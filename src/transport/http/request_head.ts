/**
 * What stands before a request's body, checked to the letter (RFC 9112). Readers of HTTP that forgive do so in different
 * ways, and where two of them take the same bytes for different requests, one of those is smuggled past the other.
 */

import { concatBytes } from "../../bytes.ts";
import { type Body, bodyOfLength, ChunkedBody } from "./request_body.ts";
import { Refusal } from "./refusal.ts";

const TAB = 9;
const CR = 13;
const LF = 10;
const SPACE = 32;
const SLASH = 47;
const COLON = 58;

/** Of tokens (RFC 9110 section 5.6.2): methods and names of headers. */
const TOKEN = 1;
/** Of targets. Which are served is none of this file's business. */
const TARGET = 2;
/** Of headers' values. */
const VALUE = 4;

/** Which of these a byte may be part of. */
const KINDS = Uint8Array.from({ length: 256 }, (_, byte) => {
  const visible = byte > 0x20 && byte !== 0x7f;
  const token = /[!#$%&'*+.^_`|~\w-]/.test(String.fromCharCode(byte)) && byte < 0x80;
  return (token ? TOKEN : 0) | (visible ? TARGET : 0) |
    (visible || byte === SPACE || byte === TAB ? VALUE : 0);
});

const HOST = "host";
const LENGTH = "content-length";
const CODING = "transfer-encoding";

const SCHEME = new TextEncoder().encode("http://");
const VERSION_BYTES = " HTTP/1.1".length;

/** Some of a head's bytes. */
interface Span {
  readonly start: number;
  readonly end: number;
}

export interface RequestHead {
  /** Bytes of all of it, with the empty line. */
  readonly size: number;
  /** The target, and where the line ends that it is in. */
  readonly target: Span;
  readonly lineEnd: number;
  readonly host: Span | undefined;
  readonly body: Body;
}

/**
 * A request with one header more. Its target becomes a whole URL where it was a path only: of requests on a Unix socket
 * Deno would make URLs with a scheme of their own.
 *
 * @param bytes A head, and what follows it. @param field With its line end.
 */
export function withField(
  bytes: Uint8Array,
  { target, lineEnd, host }: RequestHead,
  field: Uint8Array,
): Uint8Array {
  const named = host && host.start < host.end && run(bytes, host.start, host.end, TARGET) === host.end;
  return concatBytes([
    bytes.subarray(0, target.start),
    ...named && bytes[target.start] === SLASH ? [SCHEME, bytes.subarray(host.start, host.end)] : [],
    bytes.subarray(target.start, lineEnd),
    field,
    bytes.subarray(lineEnd),
  ]);
}

/** Reads a head while it arrives. */
export class HeadReader {
  /** What has been looked at; and where the line begins that isn't all there. */
  #seen = 0;
  #start = 0;
  /** The target, and where the request line ends, once that is there. */
  #target: Span | undefined;
  #lineEnd = 0;
  #version = "";
  /** GET or HEAD. */
  #asks = false;
  #length: string | undefined;
  #coding: string | undefined;
  #host: Span | undefined;

  /**
   * @param bytes What has arrived of it, each time from its beginning.
   * @returns Undefined while it is not all there.
   * @throws {Refusal} 400, 501 or 505, as soon as it can't become a head.
   */
  read(bytes: Uint8Array): RequestHead | undefined {
    if (this.#seen === 0 && bytes.length > 0 && !isLetter(bytes[0]!)) throw malformed("it is not HTTP");
    for (;;) {
      const end = bytes.indexOf(LF, this.#seen);
      this.#seen = end < 0 ? bytes.length : end + 1;
      if (end < 0) return undefined;
      if (bytes[end - 1] !== CR) throw malformed("a line does not end in CR LF");
      const start = this.#start;
      this.#start = end + 1;
      if (!this.#target) this.#target = this.#takeLine(bytes, end - 1);
      else if (start < end - 1) this.#takeField(bytes, { start, end: end - 1 });
      else return this.#head(end + 1, this.#target);
    }
  }

  #takeLine(bytes: Uint8Array, end: number): Span {
    const method = run(bytes, 0, end, TOKEN);
    const target = run(bytes, method + 1, end, TARGET);
    const version = end - target === VERSION_BYTES
      ? /^ HTTP\/(\d\.\d)$/.exec(text(bytes, target, end))?.[1]
      : "";
    if (bytes[method] !== SPACE || target === method + 1 || !version) {
      throw malformed("its first line is invalid");
    }
    if (version !== "1.1" && version !== "1.0") {
      throw refused(505, `HTTP/${version} is not spoken here, HTTP/1.1 is`);
    }
    this.#version = version;
    this.#asks = method <= 4 && ["GET", "HEAD"].includes(text(bytes, 0, method));
    this.#lineEnd = end + 2;
    return { start: method + 1, end: target };
  }

  /** No space before the colon, no line that continues the one before it, no control characters. */
  #takeField(bytes: Uint8Array, { start, end }: Span): void {
    const colon = run(bytes, start, end, TOKEN);
    if (colon === start || bytes[colon] !== COLON || run(bytes, colon + 1, end, VALUE) < end) {
      throw malformed("a header is invalid");
    }
    const length = colon - start;
    if (length !== HOST.length && length !== LENGTH.length && length !== CODING.length) return;
    const name = text(bytes, start, colon).toLowerCase();
    const value = trimmed(bytes, colon + 1, end);
    if (name === HOST) {
      if (this.#host) throw malformed("it has two hosts");
      this.#host = value;
    } else if (name === LENGTH || name === CODING) {
      // RFC 9112 section 6.3: to tell twice where a body ends is an attack, or a mistake that looks like one.
      if (this.#length !== undefined || this.#coding !== undefined) {
        throw malformed("Content-Length and Transfer-Encoding are given more than once, or together");
      }
      if (name === LENGTH) this.#length = text(bytes, value.start, value.end);
      else this.#coding = text(bytes, value.start, value.end).toLowerCase();
    }
  }

  #head(size: number, target: Span): RequestHead {
    return { size, target, lineEnd: this.#lineEnd, host: this.#host, body: this.#body() };
  }

  #body(): Body {
    const coding = this.#coding;
    const length = this.#length ?? "0";
    if (!/^\d{1,15}$/.test(length)) throw malformed("Content-Length is no length");
    if (coding !== undefined && this.#version === "1.0") throw malformed("HTTP/1.0 has no Transfer-Encoding");
    if (coding !== undefined && coding !== "chunked") {
      throw refused(501, "No Transfer-Encoding but chunked is supported");
    }
    const body = coding === undefined ? bodyOfLength(Number(length)) : new ChunkedBody();
    if (this.#asks && !body.whole) throw malformed("GET and HEAD have no body");
    return body;
  }
}

/** @returns Where the bytes of that kind end. */
function run(bytes: Uint8Array, start: number, end: number, kind: number): number {
  let at = start;
  while (at < end && (KINDS[bytes[at]!]! & kind) !== 0) at++;
  return at;
}

/** Of few bytes: a decoder costs more. */
function text(bytes: Uint8Array, start: number, end: number): string {
  let text = "";
  for (let at = start; at < end; at++) text += String.fromCharCode(bytes[at]!);
  return text;
}

/** Without the spaces around it. */
function trimmed(bytes: Uint8Array, start: number, end: number): Span {
  const isSpace = (at: number) => bytes[at] === SPACE || bytes[at] === TAB;
  while (start < end && isSpace(start)) start++;
  while (start < end && isSpace(end - 1)) end--;
  return { start, end };
}

function isLetter(byte: number): boolean {
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

function malformed(why: string): Refusal {
  return refused(400, `The request is malformed: ${why}`);
}

/** Nothing that follows on the connection can be made sense of. */
function refused(status: number, message: string): Refusal {
  return new Refusal(status, "INVALID_REQUEST", message, { headers: { connection: "close" } });
}
