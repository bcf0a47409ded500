/** Node's encodings: texts as bytes and back. The slow ones are the host's work. */
import { coded } from "./errors.js";
import { hooks } from "./runtime.js";

const ENCODINGS = {
  utf8: "utf8",
  "utf-8": "utf8",
  hex: "hex",
  base64: "base64",
  base64url: "base64url",
  ascii: "ascii",
  latin1: "latin1",
  binary: "latin1",
  ucs2: "utf16le",
  "ucs-2": "utf16le",
  utf16le: "utf16le",
  "utf-16le": "utf16le",
};

/** The encoding of a name, which is UTF-8 where none is given; undefined if there is none of that name. */
export const encodingOf = (encoding) =>
  encoding === undefined || encoding === null || encoding === ""
    ? "utf8"
    : ENCODINGS[`${encoding}`.toLowerCase()];

export function checkedEncoding(encoding) {
  const known = encodingOf(encoding);
  if (known === undefined) throw unknownEncoding(encoding);
  return known;
}
export const unknownEncoding = (encoding) =>
  coded(TypeError, "ERR_UNKNOWN_ENCODING", `Unknown encoding: ${encoding}`);

const PIECE = 8192;
function unitsToText(bytes, mask) {
  let text = "";
  for (let at = 0; at < bytes.length; at += PIECE) {
    const piece = bytes.subarray(at, at + PIECE);
    text += String.fromCharCode.apply(null, mask === 255 ? piece : piece.map((byte) => byte & mask));
  }
  return text;
}

/** As many bytes as there are pairs of digits before anything else. */
function hexBytes(text) {
  const whole = text.length % 2 === 0 ? text : text.slice(0, -1);
  const bytes = hooks.textToBytes("hex", whole);
  if (bytes) return bytes;
  const digits = whole.search(/[^0-9A-Fa-f]/);
  return hooks.textToBytes("hex", whole.slice(0, digits - digits % 2));
}

/** As lenient as Node's: other characters are left out, both alphabets hold, `=` ends. */
function base64Bytes(text) {
  const bytes = hooks.textToBytes("base64", text) ?? hooks.textToBytes("base64url", text);
  if (bytes) return bytes;
  const end = text.indexOf("=");
  let clean = (end < 0 ? text : text.slice(0, end)).replaceAll("-", "+").replaceAll("_", "/")
    .replace(/[^A-Za-z0-9+/]+/g, "");
  if (clean.length % 4 === 1) clean = clean.slice(0, -1);
  return hooks.textToBytes("base64", clean);
}

/** The text that bytes are, by encoding. */
export const textOf = {
  utf8: (bytes) => bytes.length === 0 ? "" : hooks.decodeUtf8(bytes, false),
  hex: (bytes) => hooks.bytesToText("hex", bytes),
  base64: (bytes) => hooks.bytesToText("base64", bytes),
  base64url: (bytes) => hooks.bytesToText("base64url", bytes),
  ascii: (bytes) => unitsToText(bytes, 127),
  latin1: (bytes) => unitsToText(bytes, 255),
  utf16le: (bytes) => {
    const units = new Uint16Array(bytes.length >> 1);
    for (let at = 0; at < units.length; at++) units[at] = bytes[2 * at] | bytes[2 * at + 1] << 8;
    let text = "";
    for (let at = 0; at < units.length; at += PIECE) {
      text += String.fromCharCode.apply(null, units.subarray(at, at + PIECE));
    }
    return text;
  },
};

/** Characters, from where on it pays to ask the engine first whether a text is ASCII alone. */
const LONG = 64;
const latin1Bytes = (text) => {
  if (text.length >= LONG) {
    const utf8 = hooks.encodeUtf8(text);
    if (utf8.length === text.length) return utf8;
  }
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
};
/** The bytes of a text, by encoding. */
export const bytesFor = {
  utf8: (text) => hooks.encodeUtf8(text),
  hex: hexBytes,
  base64: base64Bytes,
  base64url: base64Bytes,
  ascii: latin1Bytes,
  latin1: latin1Bytes,
  utf16le: (text) => {
    const bytes = new Uint8Array(2 * text.length);
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      bytes[2 * at] = unit & 255;
      bytes[2 * at + 1] = unit >> 8;
    }
    return bytes;
  },
};

/** The text that bytes are in one of Node's encodings. */
export const decode = (bytes, encoding) => textOf[checkedEncoding(encoding)](bytes);
