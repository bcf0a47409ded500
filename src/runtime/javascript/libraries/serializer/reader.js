/** Values of bytes that `writer.js` made of them, or V8. */
import buffer from "../buffer.js";
import { code, ERRORS, FLAGS, isShared, VERSION, VIEWS } from "./format.js";

const { Buffer } = buffer;
const damaged = () => new Error("Unable to deserialize cloned data.");

export class Reader {
  #bytes;
  #view;
  #at = 0;
  #objects = [];
  #readHost;

  /** @param readHost Reads what {@link Writer}'s `writeHost` has written, after its tag. */
  constructor(bytes, readHost = () => {
    throw damaged();
  }) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#readHost = readHost;
    if (bytes[0] !== 0xff || !(bytes[1] >= 13 && bytes[1] <= VERSION)) {
      throw new Error("Unable to deserialize cloned data due to invalid or unsupported version.");
    }
    this.#at = 2;
  }
  raw(count) {
    if (this.#at + count > this.#bytes.length) throw damaged();
    this.#at += count;
    return this.#bytes.slice(this.#at - count, this.#at);
  }
  #tag() {
    let tag;
    do {
      if (this.#at >= this.#bytes.length) throw damaged();
      tag = this.#bytes[this.#at++];
    } while (tag === 0);
    return String.fromCharCode(tag);
  }
  uint() {
    let value = 0;
    for (let scale = 1;; scale *= 128) {
      const byte = this.raw(1)[0];
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  }
  #double() {
    if (this.#at + 8 > this.#bytes.length) throw damaged();
    this.#at += 8;
    return this.#view.getFloat64(this.#at - 8, true);
  }
  #bigint() {
    const field = this.uint();
    const bytes = this.raw(field >> 1);
    const words = new BigUint64Array(bytes.buffer);
    const value = words.reduceRight((sum, word) => (sum << 64n) | word, 0n);
    return field & 1 ? -value : value;
  }
  #text(tag) {
    const encoding = { '"': "latin1", c: "utf16le", S: "utf8" }[tag];
    if (!encoding) throw damaged();
    return Buffer.from(this.raw(this.uint()).buffer).toString(encoding);
  }
  /** Remembers what others refer to by its number, before what it holds. */
  #remember(object) {
    this.#objects.push(object);
    return object;
  }
  value() {
    const read = this.#read(this.#tag());
    // A buffer that comes by itself is that of the view that follows it.
    if (read instanceof ArrayBuffer || isShared(read)) {
      if (this.#bytes[this.#at] === code("V")) {
        this.#at++;
        return this.#viewOf(read);
      }
    }
    return read;
  }
  #read(tag) {
    switch (tag) {
      case "_":
        return undefined;
      case "0":
        return null;
      case "T":
        return true;
      case "F":
        return false;
      case "I": {
        const value = this.uint();
        return value % 2 ? -(value + 1) / 2 : value / 2;
      }
      case "U":
        return this.uint();
      case "N":
        return this.#double();
      case "Z":
        return this.#bigint();
      case '"':
      case "c":
      case "S":
        return this.#text(tag);
      case "^": {
        const id = this.uint();
        if (id >= this.#objects.length) throw damaged();
        return this.#objects[id];
      }
      case "o":
        return this.#properties(this.#remember({}), "{");
      case "A":
      case "a":
        return this.#array(tag);
      case "D":
        return this.#remember(new Date(this.#double()));
      case "y":
      case "x":
        return this.#remember(Object(tag === "y"));
      case "n":
        return this.#remember(Object(this.#double()));
      case "z":
        return this.#remember(Object(this.#bigint()));
      case "s":
        return this.#remember(Object(this.#text(this.#tag())));
      case "R": {
        const source = this.#text(this.#tag());
        const flags = this.uint();
        const letters = FLAGS.filter(([, bit]) => flags & bit).map(([flag]) => flag).join("");
        return this.#remember(new RegExp(source, letters));
      }
      case ";":
        return this.#map();
      case "'":
        return this.#set();
      case "B":
        return this.#remember(this.raw(this.uint()).buffer);
      case "r":
        return this.#error();
      case "\\": {
        const at = this.#objects.push(undefined) - 1;
        return this.#objects[at] = this.#readHost(this);
      }
      default:
        throw damaged();
    }
  }
  #peeks(tag) {
    while (this.#bytes[this.#at] === 0) this.#at++;
    if (this.#bytes[this.#at] !== code(tag)) return false;
    this.#at++;
    return true;
  }
  #properties(object, end) {
    while (!this.#peeks(end)) {
      const key = this.value();
      Object.defineProperty(object, key, {
        value: this.value(),
        writable: true,
        enumerable: true,
        configurable: true,
      });
    }
    this.uint();
    return object;
  }
  #array(tag) {
    const length = this.uint();
    const array = this.#remember(new Array(length));
    if (tag === "A") {
      for (let at = 0; at < length; at++) if (!this.#peeks("-")) array[at] = this.value();
    }
    this.#properties(array, tag === "A" ? "$" : "@");
    this.uint();
    return array;
  }
  #map() {
    const map = this.#remember(new Map());
    while (!this.#peeks(":")) {
      const key = this.value();
      map.set(key, this.value());
    }
    this.uint();
    return map;
  }
  #set() {
    const set = this.#remember(new Set());
    while (!this.#peeks(",")) set.add(this.value());
    this.uint();
    return set;
  }
  #viewOf(source) {
    const type = VIEWS[this.#tag()];
    const [offset, length] = [this.uint(), this.uint()];
    this.uint();
    if (!type) throw damaged();
    return this.#remember(new type(source, offset, length / (type.BYTES_PER_ELEMENT ?? 1)));
  }
  #error() {
    const at = this.#objects.push(undefined) - 1;
    let type = Error;
    const own = {};
    for (let tag = this.#tag(); tag !== "."; tag = this.#tag()) {
      if (tag in ERRORS) type = ERRORS[tag];
      else if (tag === "m") own.message = this.#text(this.#tag());
      else if (tag === "s") own.stack = this.#text(this.#tag());
      else if (tag === "c") own.cause = this.value();
      else throw damaged();
    }
    const error = this.#objects[at] = new type();
    for (const [name, value] of Object.entries(own)) {
      Object.defineProperty(error, name, { value, writable: true, configurable: true, enumerable: false });
    }
    return error;
  }
}
