/** Blob and File of the web. */
import { hooks, platform } from "./runtime.js";

/** Reads what is in a Blob without waiting. */
let bytesIn;

function partOf(part) {
  if (part instanceof Blob) return bytesIn(part);
  if (part instanceof ArrayBuffer) return new Uint8Array(part.slice(0));
  if (ArrayBuffer.isView(part)) return new Uint8Array(part.buffer, part.byteOffset, part.byteLength).slice();
  return hooks.encodeUtf8(`${part}`);
}

export class Blob {
  #bytes;
  #type;
  constructor(parts = [], { type = "" } = {}) {
    if (parts === null || typeof parts !== "object" || typeof parts[Symbol.iterator] !== "function") {
      throw new TypeError("Blob: the parts must be a sequence");
    }
    const pieces = Array.from(parts, partOf);
    this.#bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const piece of pieces) {
      this.#bytes.set(piece, at);
      at += piece.length;
    }
    this.#type = /[^\x20-\x7e]/.test(type) ? "" : `${type}`.toLowerCase();
  }
  static {
    bytesIn = (blob) => blob.#bytes;
  }
  get size() {
    return this.#bytes.length;
  }
  get type() {
    return this.#type;
  }
  // deno-lint-ignore require-await -- a failure is a rejection
  async arrayBuffer() {
    return this.#bytes.slice().buffer;
  }
  // deno-lint-ignore require-await
  async bytes() {
    return this.#bytes.slice();
  }
  // deno-lint-ignore require-await
  async text() {
    return new TextDecoder().decode(this.#bytes);
  }
  slice(start, end, type = "") {
    const made = new Blob([], { type });
    made.#bytes = this.#bytes.slice(start, end);
    return made;
  }
  stream() {
    const bytes = this.#bytes;
    return new platform.ReadableStream({
      start(controller) {
        if (bytes.length > 0) controller.enqueue(bytes.slice());
        controller.close();
      },
    });
  }
  get [Symbol.toStringTag]() {
    return "Blob";
  }
  [Symbol.for("nodejs.util.inspect.custom")](_depth, _options, inspect) {
    return `Blob ${inspect({ size: this.size, type: this.type })}`;
  }
}

export class File extends Blob {
  #name;
  #lastModified;
  constructor(parts, name, options = {}) {
    super(parts, options);
    this.#name = `${name}`;
    this.#lastModified = options.lastModified ?? Date.now();
  }
  get name() {
    return this.#name;
  }
  get lastModified() {
    return this.#lastModified;
  }
  get [Symbol.toStringTag]() {
    return "File";
  }
}

export { bytesIn };
