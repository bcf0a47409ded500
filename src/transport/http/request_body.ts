/** Where a request's body ends, found while it passes; what it says is none of this file's business. */

/** Of the line before a chunk or of a trailer; only the length is of use to anyone. */
const MAX_LINE_BYTES = 1024;
const MAX_TRAILERS = 32;
const LF = 10;

const TRAILER = /^[!#$%&'*+.^_`|~\w-]+:[\t\x20-\x7e\x80-\uffff]*$/;
const CHUNK = /^([\da-f]{1,12})(?:[ \t]*;[\t\x20-\x7e\x80-\uffff]*)?$/i;

const latin1 = new TextDecoder("latin1");

export interface Body {
  /** Whether all of it has passed. */
  readonly whole: boolean;
  /** @param bytes What follows what has passed. @returns How many of these belong to it. @throws {MalformedBody} */
  pass(bytes: Uint8Array): number;
}

/** There is no telling where it ends. */
export class MalformedBody extends Error {
  override name = "MalformedBody";
}

/** A body of so many bytes. */
export function bodyOfLength(length: number): Body {
  let left = length;
  return {
    get whole() {
      return left === 0;
    },
    pass(bytes) {
      const passed = Math.min(left, bytes.length);
      left -= passed;
      return passed;
    },
  };
}

/** A body in chunks (RFC 9112 section 7.1). */
export class ChunkedBody implements Body {
  /** Of the chunk that is passing. */
  #left = 0;
  /** What there is of a line; and which one it is. */
  #line = "";
  #next: "size" | "end of chunk" | "trailer" | "nothing" = "size";
  #trailers = 0;

  get whole(): boolean {
    return this.#next === "nothing";
  }

  pass(bytes: Uint8Array): number {
    let at = 0;
    while (at < bytes.length && !this.whole) {
      if (this.#left > 0) {
        const passed = Math.min(this.#left, bytes.length - at);
        this.#left -= passed;
        at += passed;
      } else at = this.#passLine(bytes, at);
    }
    return at;
  }

  #passLine(bytes: Uint8Array, from: number): number {
    const end = bytes.subarray(from, from + MAX_LINE_BYTES).indexOf(LF);
    const to = end < 0 ? Math.min(bytes.length, from + MAX_LINE_BYTES) : from + end + 1;
    this.#line += latin1.decode(bytes.subarray(from, to));
    if (this.#line.length > MAX_LINE_BYTES) throw new MalformedBody("A line of a chunk is too long");
    if (end >= 0) {
      if (!this.#line.endsWith("\r\n")) throw new MalformedBody("A line of a chunk does not end in CR LF");
      this.#take(this.#line.slice(0, -2));
      this.#line = "";
    }
    return to;
  }

  #take(line: string): void {
    switch (this.#next) {
      case "size": {
        const size = CHUNK.exec(line)?.[1];
        if (size === undefined) throw new MalformedBody("A chunk's size is invalid");
        this.#left = parseInt(size, 16);
        this.#next = this.#left === 0 ? "trailer" : "end of chunk";
        return;
      }
      case "end of chunk":
        if (line !== "") throw new MalformedBody("A chunk is longer than it says");
        this.#next = "size";
        return;
      case "trailer":
        if (line === "") this.#next = "nothing";
        else if (!TRAILER.test(line) || ++this.#trailers > MAX_TRAILERS) {
          throw new MalformedBody("A trailer is invalid, or there are too many");
        }
        return;
      case "nothing":
    }
  }
}
