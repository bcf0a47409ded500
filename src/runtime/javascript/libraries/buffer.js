/** `buffer`: the package of that name, whose slow parts the host does, and what Node has added since. */
import buffer from "buffer/index.js";
import { Blob, File } from "./blob.js";
import { numberMethods } from "./buffer_numbers.js";
import { find } from "./buffer_search.js";
import { bytesFor, checkedEncoding, decode, encodingOf, textOf, unknownEncoding } from "./encodings.js";
import { checkInteger, checkNumber, coded, invalidArgType, outOfRange } from "./errors.js";
import { hooks } from "./runtime.js";

const { Buffer: Made } = buffer;
/** What Node says; memory ends before. */
const K_MAX_LENGTH = 2 ** 32;
const K_STRING_MAX_LENGTH = 2 ** 29 - 24;
const plain = Made.prototype;

/** As a constructor, or called, the old way: what `alloc` and `from` are now. */
function Buffer(value, encodingOrOffset, length) {
  if (typeof value !== "number") return Buffer.from(value, encodingOrOffset, length);
  if (typeof encodingOrOffset === "string") throw invalidArgType("string", "string", value);
  return Buffer.alloc(value);
}
Object.setPrototypeOf(Buffer, Uint8Array);
Object.defineProperty(Buffer, "prototype", { value: plain, writable: false, enumerable: false });
Object.defineProperty(plain, "constructor", {
  value: Buffer,
  writable: true,
  configurable: true,
  enumerable: false,
});
for (const name of ["from", "alloc", "allocUnsafe", "byteLength", "concat", "compare", "isBuffer"]) {
  Buffer[name] = Made[name];
}

/** Bytes as a Buffer, without a copy. */
export const asBuffer = (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const isBytes = (value) => value instanceof Uint8Array;
const isBlock = (value) =>
  value instanceof ArrayBuffer ||
  typeof SharedArrayBuffer === "function" && value instanceof SharedArrayBuffer;
const bytesOf = (value) =>
  isBlock(value) ? new Uint8Array(value) : new Uint8Array(value.buffer, value.byteOffset, value.byteLength);

/** The bytes of a string in one of Node's encodings. */
export const encode = (text, encoding) => asBuffer(bytesFor[checkedEncoding(encoding)](text));

const from = Buffer.from;
Buffer.from = function (value, encodingOrOffset, length) {
  if (typeof value === "string") return encode(value, encodingOrOffset);
  if (typeof value === "object" && value !== null) {
    if (value.type === "Buffer" && Array.isArray(value.data)) return from(value.data);
    if (isBlock(value)) {
      const offset = encodingOrOffset === undefined ? 0 : +encodingOrOffset || 0;
      if (offset > value.byteLength || offset < 0) {
        throw coded(RangeError, "ERR_BUFFER_OUT_OF_BOUNDS", '"offset" is outside of buffer bounds');
      }
      if (length !== undefined && (+length || 0) > value.byteLength - offset) {
        throw coded(RangeError, "ERR_BUFFER_OUT_OF_BOUNDS", '"length" is outside of buffer bounds');
      }
      const count = length === undefined ? undefined : Math.max(0, +length || 0);
      return Object.setPrototypeOf(new Uint8Array(value, offset, count), plain);
    }
    if (
      Array.isArray(value) || isBytes(value) || typeof value.length === "number" ||
      isBlock(value.buffer)
    ) {
      return from(value);
    }
    const inner = value.valueOf?.();
    if (inner != null && inner !== value && (typeof inner === "string" || typeof inner === "object")) {
      return Buffer.from(inner, encodingOrOffset, length);
    }
    if (typeof value[Symbol.toPrimitive] === "function") {
      const made = value[Symbol.toPrimitive]("string");
      if (typeof made === "string") return Buffer.from(made, encodingOrOffset);
    }
  }
  throw invalidArgType(
    "first argument",
    ["string", "Buffer", "ArrayBuffer", "Array", "Array-like Object"],
    value,
  );
};
Object.defineProperty(Buffer.from, "name", { value: "from" });

function checkedSize(size) {
  checkNumber(size, "size");
  if (!(size >= 0 && size <= K_MAX_LENGTH)) throw outOfRange("size", `>= 0 && <= ${K_MAX_LENGTH}`, size);
}
const { alloc, allocUnsafe, byteLength, concat, compare } = Buffer;
Object.assign(Buffer, {
  alloc(size, fill, encoding) {
    checkedSize(size);
    const made = alloc(size);
    if (fill === undefined || fill === 0 || size === 0) return made;
    return made.fill(fill, encoding);
  },
  allocUnsafe(size) {
    checkedSize(size);
    return allocUnsafe(size);
  },
  allocUnsafeSlow(size) {
    checkedSize(size);
    return allocUnsafe(size);
  },
  byteLength(value, encoding) {
    if (typeof value !== "string") {
      if (isBlock(value) || ArrayBuffer.isView(value)) return value.byteLength;
      throw invalidArgType("string", ["string", "Buffer", "ArrayBuffer"], value);
    }
    const known = encodingOf(encoding) ?? "utf8";
    if (known === "latin1" || known === "ascii") return value.length;
    if (known === "utf16le") return 2 * value.length;
    if (known === "hex") return value.length >>> 1;
    if (known === "utf8" && value.length > 256) return hooks.encodeUtf8(value).length;
    return byteLength(value, known === "base64url" ? "base64" : known);
  },
  compare(a, b) {
    if (!isBytes(a)) throw invalidArgType("buf1", ["Buffer", "Uint8Array"], a);
    if (!isBytes(b)) throw invalidArgType("buf2", ["Buffer", "Uint8Array"], b);
    return compare(a, b);
  },
  concat(list, length) {
    if (!Array.isArray(list)) throw invalidArgType("list", "Array", list);
    list.forEach((each, index) => {
      if (!isBytes(each)) throw invalidArgType(`list[${index}]`, ["Buffer", "Uint8Array"], each);
    });
    if (length !== undefined) {
      checkNumber(length, "length");
      if (!Number.isInteger(length)) throw outOfRange("length", "an integer", length);
      if (length < 0) throw outOfRange("length", `>= 0 && <= ${Number.MAX_SAFE_INTEGER}`, length);
    }
    return concat(list, length);
  },
  isEncoding: (encoding) =>
    typeof encoding === "string" && encoding !== "" && encodingOf(encoding) !== undefined,
  copyBytesFrom(view, offset = 0, length) {
    if (!ArrayBuffer.isView(view)) throw invalidArgType("view", ["TypedArray"], view);
    checkInteger(offset, "offset", 0);
    if (length !== undefined) checkInteger(length, "length", 0);
    const end = length === undefined ? view.length : Math.min(view.length, offset + length);
    return Buffer.from(bytesOf(view.subarray(offset, end)));
  },
  poolSize: 8192,
});

const within = (value, fallback, length) => {
  if (value === undefined) return fallback;
  const number = Math.trunc(+value) || 0;
  return Math.min(Math.max(number, 0), length);
};
const methods = {
  toString(encoding, start, end) {
    const from = within(start, 0, this.length);
    const to = within(end, this.length, this.length);
    if (to <= from) return "";
    const whole = from === 0 && to === this.length ? this : this.subarray(from, to);
    if (encoding === undefined) return textOf.utf8(whole);
    const known = encoding === null || encoding === "" ? undefined : encodingOf(encoding);
    if (known === undefined) throw unknownEncoding(encoding);
    return textOf[known](whole);
  },
  write(text, offset, length, encoding) {
    if (typeof text !== "string") throw invalidArgType("argument", "string", text);
    if (typeof offset === "string") [offset, length, encoding] = [0, undefined, offset];
    else if (typeof length === "string") [length, encoding] = [undefined, length];
    const at = offset ?? 0;
    checkNumber(at, "offset");
    if (at < 0 || at > this.length) throw outOfRange("offset", `>= 0 && <= ${this.length}`, at);
    const room = this.length - at;
    const most = length === undefined ? room : Math.min(+length || 0, room);
    const known = checkedEncoding(encoding);
    let bytes = bytesFor[known](text);
    if (bytes.length > most) {
      let end = most;
      if (known === "utf8") { while (end > 0 && (bytes[end] & 0xc0) === 0x80) end--; }
      if (known === "utf16le") end -= end % 2;
      bytes = bytes.subarray(0, end);
    }
    this.set(bytes, at);
    return bytes.length;
  },
  toLocaleString(...args) {
    return this.toString(...args);
  },
  equals(other) {
    if (!isBytes(other)) throw invalidArgType("otherBuffer", ["Buffer", "Uint8Array"], other);
    return this === other || this.length === other.length && compare(this, other) === 0;
  },
  slice(start, end) {
    return this.subarray(start, end);
  },
  subarray(start, end) {
    const bytes = Uint8Array.prototype.subarray.call(this, start, end);
    return Object.setPrototypeOf(bytes, Buffer.prototype);
  },
  toJSON() {
    return { type: "Buffer", data: Array.from(this) };
  },
  fill(value, start, end, encoding) {
    if (typeof start === "string") [start, end, encoding] = [undefined, undefined, start];
    else if (typeof end === "string") [end, encoding] = [undefined, end];
    const from = start ?? 0;
    const to = end ?? this.length;
    checkNumber(from, "offset");
    checkNumber(to, "end");
    if (from < 0 || from > this.length) throw outOfRange("offset", `>= 0 && <= ${this.length}`, from);
    if (to < 0 || to > this.length) throw outOfRange("end", `>= 0 && <= ${this.length}`, to);
    let pattern;
    if (typeof value === "string") {
      pattern = bytesFor[checkedEncoding(encoding)](value);
      if (pattern.length === 0) {
        if (value.length > 0) throw invalidFill(value);
        pattern = [0];
      }
    } else if (isBytes(value)) {
      pattern = value;
      if (pattern.length === 0) throw invalidFill(value);
    } else pattern = [+value & 255];
    if (to <= from) return this;
    if (pattern.length === 1) return Uint8Array.prototype.fill.call(this, pattern[0], from, to);
    const first = pattern.slice(0, to - from);
    this.set(first, from);
    // Each copy is of all that is there already.
    for (let done = first.length; from + done < to; done *= 2) {
      this.copyWithin(from + done, from, Math.min(from + done, to - done));
    }
    return this;
  },
  inspect(_depth, options) {
    const most = module.INSPECT_MAX_BYTES;
    const shown = textOf.hex(this.subarray(0, most)).replace(/(..)(?=.)/g, "$1 ");
    const more = this.length - most;
    const rest = more > 0 ? ` ... ${more} more byte${more > 1 ? "s" : ""}` : "";
    return `<${this.constructor?.name ?? "Buffer"} ${shown}${rest}${extrasOf(this, options)}>`;
  },
};
/** Properties that a program has given to a Buffer. */
function extrasOf(bytes, options) {
  const extras = Object.create(null);
  for (const key of Object.keys(bytes).slice(bytes.length)) extras[key] = bytes[key];
  if (Object.keys(extras).length === 0) return "";
  const shown = hooks.inspect(extras, { ...options, breakLength: Infinity, compact: true });
  return `${bytes.length > 0 ? ", " : ""}${shown.slice("[Object: null prototype] { ".length, -2)}`;
}
function invalidFill(value) {
  return coded(
    TypeError,
    "ERR_INVALID_ARG_VALUE",
    `The argument 'value' is invalid. Received ${hooks.inspect(value, { bound: 200 })}`,
  );
}

methods.indexOf = function (value, offset, encoding) {
  return find(this, value, offset, encoding, true);
};
methods.lastIndexOf = function (value, offset, encoding) {
  return find(this, value, offset, encoding, false);
};
methods.includes = function (value, offset, encoding) {
  return find(this, value, offset, encoding, true) !== -1;
};

const bound = (value, name, fallback, most) => {
  if (value === undefined) return fallback;
  checkNumber(value, name);
  if (!(value >= 0 && value <= most)) throw outOfRange(name, `>= 0 && <= ${most}`, value);
  return Math.trunc(value);
};
methods.compare = function (target, targetStart, targetEnd, sourceStart, sourceEnd) {
  if (!isBytes(target)) throw invalidArgType("target", ["Buffer", "Uint8Array"], target);
  const most = Number.MAX_SAFE_INTEGER;
  const from = bound(targetStart, "targetStart", 0, most);
  const to = bound(targetEnd, "targetEnd", target.length, target.length);
  const start = bound(sourceStart, "sourceStart", 0, most);
  const end = bound(sourceEnd, "sourceEnd", this.length, this.length);
  if (start >= end) return from >= to ? 0 : -1;
  if (from >= to) return 1;
  return compare(this.subarray(start, end), Uint8Array.prototype.subarray.call(target, from, to));
};
methods.copy = function (target, targetStart, sourceStart, sourceEnd) {
  if (!isBytes(this)) throw invalidArgType("source", ["Buffer", "Uint8Array"], this);
  if (!isBytes(target)) throw invalidArgType("target", ["Buffer", "Uint8Array"], target);
  const whole = (value, name, fallback) => {
    const number = value === undefined ? fallback : Math.trunc(+value) || 0;
    if (number < 0) throw outOfRange(name, ">= 0", number);
    return number;
  };
  const at = whole(targetStart, "targetStart", 0);
  const from = whole(sourceStart, "sourceStart", 0);
  if (from > this.length) throw outOfRange("sourceStart", `>= 0 && <= ${this.length}`, from);
  const to = Math.min(whole(sourceEnd, "sourceEnd", this.length), this.length);
  if (at >= target.length || from >= to) return 0;
  const part = Uint8Array.prototype.subarray.call(this, from, Math.min(to, from + target.length - at));
  Uint8Array.prototype.set.call(target, part, at);
  return part.length;
};

Object.assign(methods, numberMethods(plain));
for (
  const [name, known] of Object.entries({
    utf8: "utf8",
    latin1: "latin1",
    ascii: "ascii",
    hex: "hex",
    ucs2: "utf16le",
    base64: "base64",
    base64url: "base64url",
  })
) {
  methods[`${name}Slice`] = function (start, end) {
    return this.toString(known, start, end);
  };
  methods[`${name}Write`] = function (text, offset, length) {
    return this.write(text, offset, length, known);
  };
}
for (const [name, value] of Object.entries(methods)) {
  Object.defineProperty(value, "name", { value: name });
  Object.defineProperty(plain, name, { value, writable: true, configurable: true, enumerable: false });
}
Object.defineProperty(plain, Symbol.for("nodejs.util.inspect.custom"), {
  value: methods.inspect,
  writable: true,
  configurable: true,
  enumerable: false,
});

const isData = (input) => {
  if (!isBlock(input) && !ArrayBuffer.isView(input)) {
    throw invalidArgType("input", ["ArrayBuffer", "Buffer", "TypedArray"], input);
  }
  if ((input.buffer ?? input).detached) {
    throw coded(Error, "ERR_INVALID_STATE", "Invalid state: Cannot validate on a detached buffer");
  }
  return bytesOf(input);
};
function isUtf8(input) {
  isData(input);
  try {
    hooks.decodeUtf8(bytesOf(input), true);
    return true;
  } catch {
    return false;
  }
}

function transcode(source, fromEncoding, toEncoding) {
  const text = decode(source, fromEncoding);
  const known = checkedEncoding(toEncoding);
  const replaced = known === "ascii"
    ? text.replace(/\P{ASCII}/gu, "?")
    : known === "latin1"
    ? Array.from(text, (char) => char.codePointAt(0) > 255 ? "?" : char).join("")
    : text;
  return encode(replaced, known);
}

const SlowBuffer = function (size) {
  return Buffer.allocUnsafeSlow(size);
};

let mostInspected = 50;
const module = {
  Buffer,
  Blob,
  File,
  SlowBuffer,
  kMaxLength: K_MAX_LENGTH,
  kStringMaxLength: K_STRING_MAX_LENGTH,
  constants: { MAX_LENGTH: K_MAX_LENGTH, MAX_STRING_LENGTH: K_STRING_MAX_LENGTH },
  get INSPECT_MAX_BYTES() {
    return mostInspected;
  },
  set INSPECT_MAX_BYTES(value) {
    checkNumber(value, "INSPECT_MAX_BYTES", 0);
    mostInspected = value;
  },
  atob: globalThis.atob,
  btoa: globalThis.btoa,
  isUtf8,
  isAscii: (input) => isData(input).every((byte) => byte < 128),
  transcode,
  resolveObjectURL: () => undefined,
};
export default module;
