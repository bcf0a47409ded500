/** Values as bytes, in the format of V8's serializer: for `v8.serialize`, and for what goes to another thread. */
import buffer from "../buffer.js";
import { platform } from "../runtime.js";
import { code, ERRORS, FLAGS, isShared, VERSION, VIEWS } from "./format.js";

const { Buffer } = buffer;
const VIEW_TAGS = new Map(Object.entries(VIEWS).map(([tag, type]) => [type.name, tag]));
const INT32 = 2 ** 31;

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
