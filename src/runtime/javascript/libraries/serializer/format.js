/** What both sides of V8's format know: its version, and the marks of what is in it. */
export const VERSION = 15;
export const ERRORS = {
  E: EvalError,
  R: RangeError,
  F: ReferenceError,
  S: SyntaxError,
  T: TypeError,
  U: URIError,
};
export const VIEWS = {
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
export const FLAGS = [["g", 1], ["i", 2], ["m", 4], ["y", 8], ["u", 16], ["s", 32], ["d", 128], ["v", 256]];
export const isShared = (value) =>
  typeof SharedArrayBuffer === "function" && value instanceof SharedArrayBuffer;
export const code = (tag) => tag.charCodeAt(0);
