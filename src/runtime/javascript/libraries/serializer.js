/** Values as bytes and back, in the format of V8's serializer: for `v8.serialize`, and for what goes to another thread. */
import buffer from "./buffer.js";
import { platform } from "./runtime.js";

const { Buffer } = buffer;
const VERSION = 15;
const ERRORS = { E: EvalError, R: RangeError, F: ReferenceError, S: SyntaxError, T: TypeError, U: URIError };
const VIEWS = {
  b: Int8Array,
  B: Uint8Array,
  C: Uint8ClampedArray,
  w: Int16Array,
  W: Uint16Array,
  d: Int32Array,
  D: Uint32Array,
  f: Float32Array,
  F: Float64Array,
  q: BigInt64Array,
  Q: BigUint64Array,
  "?": DataView,
};
const VIEW_TAGS = new Map(Object.entries(VIEWS).map(([tag, type]) => [type.name, tag]));
const FLAGS = [["g", 1], ["i", 2], ["m", 4], ["y", 8], ["u", 16], ["s", 32], ["d", 128], ["v", 256]];
const INT32 = 2 ** 31;
const isShared = (value) => typeof SharedArrayBuffer === "function" && value instanceof SharedArrayBuffer;
const code = (tag) => tag.charCodeAt(0);

export const cannotClone = (what) =>
  new platform.DOMException(`${what} could not be cloned.`, "DataCloneError");

/** What is refused by its class: nothing of it lies in its properties. */
const OPAQUE = [Promise, WeakMap, WeakSet, WeakRef, FinalizationRegistry];

export class Writer {
  #bytes = new Uint8Array(64);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;
  #ids = new Map();
  #writeHost;

  /** @param writeHost Writes what is no value of the language; false of anything else. */
  constructor(writeHost = () => false) {
    this.#writeHost = writeHost;
    this.raw([0xff, VERSION]);
  }
  get bytes() {
    return this.#bytes.subarray(0, this.#length);
  }
  #room(count) {
    if (this.#length + count <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(2 * this.#bytes.length, this.#length + count));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
    this.#view = new DataView(larger.buffer);
  }
  raw(bytes) {
    this.#room(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }
  tag(tag) {
    this.#room(1);
    this.#bytes[this.#length++] = code(tag);
  }
  uint(value) {
    this.#room(10);
    for (; value >= 0x80; value = Math.floor(value / 128)) this.#bytes[this.#length++] = value % 128 | 0x80;
    this.#bytes[this.#length++] = value;
  }
  double(value) {
    this.#room(8);
    this.#view.setFloat64(this.#length, value, true);
    this.#length += 8;
  }
  #string(text) {
    if (!/[^\0-\xff]/.test(text)) {
      this.tag('"');
      this.uint(text.length);
      this.raw(Buffer.from(text, "latin1"));
      return;
    }
    const bytes = 2 * text.length;
    const varint = Math.max(1, Math.ceil(Math.log2(bytes + 1) / 7));
    if ((this.#length + 1 + varint) % 2 === 1) this.tag("\0");
    this.tag("c");
    this.uint(bytes);
    this.raw(Buffer.from(text, "utf16le"));
  }
  #bigint(value) {
    let rest = value < 0n ? -value : value;
    const words = [];
    for (; rest > 0n; rest >>= 64n) words.push(BigInt.asUintN(64, rest));
    this.uint((words.length * 8 << 1) | (value < 0n ? 1 : 0));
    this.raw(new Uint8Array(BigUint64Array.from(words).buffer));
  }
  value(value) {
    switch (typeof value) {
      case "undefined":
        return this.tag("_");
      case "boolean":
        return this.tag(value ? "T" : "F");
      case "number":
        if (Number.isInteger(value) && !Object.is(value, -0) && value >= -INT32 && value < INT32) {
          this.tag("I");
          return this.uint(value < 0 ? -2 * value - 1 : 2 * value);
        }
        this.tag("N");
        return this.double(value);
      case "bigint":
        this.tag("Z");
        return this.#bigint(value);
      case "string":
        return this.#string(value);
      case "object":
        return value === null ? this.tag("0") : this.#object(value);
      default:
        throw cannotClone(String(value));
    }
  }
  #object(value) {
    const known = this.#ids.get(value);
    if (known !== undefined) {
      this.tag("^");
      return this.uint(known);
    }
    const isView = ArrayBuffer.isView(value);
    if (isView && !this.#ownViews) this.#object(value.buffer);
    this.#ids.set(value, this.#ids.size);
    if (this.#writeHost(value, this)) return;
    if (isView) this.#viewOf(value);
    else if (Array.isArray(value)) this.#array(value);
    else if (value instanceof Date) this.#tagged("D", () => this.double(value.getTime()));
    else if (value instanceof RegExp) this.#regExp(value);
    else if (value instanceof Map) this.#map(value);
    else if (value instanceof Set) this.#set(value);
    else if (value instanceof ArrayBuffer) {
      this.tag("B");
      this.uint(value.byteLength);
      this.raw(new Uint8Array(value));
    } else if (isShared(value)) throw cannotClone("#<SharedArrayBuffer>");
    else if (value instanceof Error) this.#error(value);
    else if (value instanceof Number) this.#tagged("n", () => this.double(value.valueOf()));
    else if (value instanceof String) this.#tagged("s", () => this.#string(value.valueOf()));
    else if (value instanceof Boolean) this.tag(value.valueOf() ? "y" : "x");
    else if (value instanceof BigInt) this.#tagged("z", () => this.#bigint(value.valueOf()));
    else if (OPAQUE.some((type) => value instanceof type)) {
      throw cannotClone(`#<${value.constructor?.name ?? "Object"}>`);
    } else this.#plain(value);
  }
  /** Views are written by `writeHost`, without the buffer that they are of. */
  #ownViews = false;
  ownViews() {
    this.#ownViews = true;
    return this;
  }
  #tagged(tag, write) {
    this.tag(tag);
    write();
  }
  #viewOf(view) {
    this.tag("V");
    this.tag(view instanceof DataView ? "?" : VIEW_TAGS.get(view[Symbol.toStringTag]));
    for (const each of [view.byteOffset, view.byteLength, 0]) this.uint(each);
  }
  #properties(value, keys) {
    for (const key of keys) {
      const index = Number(key);
      this.value(`${index >>> 0}` === key && index < INT32 ? index : key);
      this.value(value[key]);
    }
    return keys.length;
  }
  #plain(value) {
    this.tag("o");
    const count = this.#properties(value, Object.keys(value));
    this.tag("{");
    this.uint(count);
  }
  #array(value) {
    const { length } = value;
    const keys = Object.keys(value);
    const rest = keys.filter((key) => !(`${Number(key) >>> 0}` === key && Number(key) < length));
    const isDense = keys.length - rest.length === length;
    this.tag(isDense ? "A" : "a");
    this.uint(length);
    if (isDense) { for (const each of value) this.value(each); }
    const count = this.#properties(value, isDense ? rest : keys);
    this.tag(isDense ? "$" : "@");
    this.uint(count);
    this.uint(length);
  }
  #regExp({ source, flags }) {
    this.tag("R");
    this.#string(source);
    this.uint(FLAGS.reduce((sum, [flag, bit]) => flags.includes(flag) ? sum | bit : sum, 0));
  }
  #map(map) {
    const entries = [...map];
    this.tag(";");
    for (const each of entries.flat()) this.value(each);
    this.tag(":");
    this.uint(2 * entries.length);
  }
  #set(set) {
    const items = [...set];
    this.tag("'");
    for (const each of items) this.value(each);
    this.tag(",");
    this.uint(items.length);
  }
  #error(error) {
    this.tag("r");
    const kind = Object.entries(ERRORS).find(([, type]) => type.name === error.name)?.[0];
    if (kind) this.tag(kind);
    if (Object.hasOwn(error, "message")) {
      this.tag("m");
      this.#string(`${error.message}`);
    }
    if (Object.hasOwn(error, "cause")) {
      this.tag("c");
      this.value(error.cause);
    }
    this.tag("s");
    this.#string(`${error.stack}`);
    this.tag(".");
  }
}

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
