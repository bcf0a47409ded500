/** `string_decoder`: text of bytes that come in pieces. The package of that name knows neither base64url nor views. */
import { asBuffer } from "./buffer.js";
import { checkedEncoding, decode } from "./encodings.js";
import { invalidArgType } from "./errors.js";

/** How many bytes at the end begin what is not there as a whole. */
const INCOMPLETE = {
  utf8(bytes) {
    for (let back = 1; back <= Math.min(3, bytes.length); back++) {
      const byte = bytes[bytes.length - back];
      if ((byte & 0xc0) === 0x80) continue;
      const size = byte >= 0xf0 && byte < 0xf5 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc2 ? 2 : 1;
      if (byte >= 0xf5 || size <= back) return 0;
      return startsCharacter(bytes.subarray(bytes.length - back)) ? back : 0;
    }
    return 0;
  },
  utf16le(bytes) {
    const odd = bytes.length % 2;
    const high = bytes[bytes.length - odd - 1];
    // Half of a pair waits for the other one.
    return bytes.length - odd >= 2 && high >= 0xd8 && high <= 0xdb ? odd + 2 : odd;
  },
  base64: (bytes) => bytes.length % 3,
  base64url: (bytes) => bytes.length % 3,
};
/** Whether these can be the first bytes of a character: some second bytes are ruled out by the first. */
function startsCharacter([first, second]) {
  if (second === undefined) return true;
  if (first === 0xe0) return second >= 0xa0;
  if (first === 0xed) return second < 0xa0;
  if (first === 0xf0) return second >= 0x90;
  return first !== 0xf4 || second < 0x90;
}

// A function, since old code calls it without `new` on objects of its own.
export function StringDecoder(encoding) {
  const known = checkedEncoding(encoding);
  this.encoding = known;
  Object.defineProperty(this, "rest", { value: new Uint8Array(0), writable: true, configurable: true });
}
StringDecoder.prototype.write = function write(chunk) {
  if (typeof chunk === "string") return chunk;
  if (!ArrayBuffer.isView(chunk)) throw invalidArgType("buf", ["Buffer", "TypedArray", "DataView"], chunk);
  const { rest, encoding } = this;
  const bytes = new Uint8Array(rest.length + chunk.byteLength);
  bytes.set(rest);
  bytes.set(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength), rest.length);
  const end = bytes.length - (INCOMPLETE[encoding]?.(bytes) ?? 0);
  this.rest = bytes.slice(end);
  return decode(asBuffer(bytes.subarray(0, end)), encoding);
};
StringDecoder.prototype.end = function end(chunk) {
  const text = chunk === undefined ? "" : this.write(chunk);
  const { rest, encoding } = this;
  this.rest = new Uint8Array(0);
  return text + (rest.length === 0 ? "" : decode(asBuffer(rest), encoding));
};
StringDecoder.prototype.text = function text(chunk, offset) {
  this.rest = new Uint8Array(0);
  return this.write(chunk.subarray(offset));
};
for (
  const [name, get] of Object.entries({
    lastChar: (self) => asBuffer(self.rest),
    lastNeed: (self) => {
      const { rest, encoding } = self;
      if (rest.length === 0) return 0;
      const [first] = rest;
      const size = encoding === "utf8"
        ? first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2
        : encoding === "utf16le"
        ? rest.length > 2 ? 4 : 2
        : 3;
      return size - rest.length;
    },
    lastTotal: (self) => self.rest.length + self.lastNeed,
  })
) {
  Object.defineProperty(StringDecoder.prototype, name, {
    get() {
      return get(this);
    },
    configurable: true,
    enumerable: true,
  });
}
export default { StringDecoder };
