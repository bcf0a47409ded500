/** Where something is in a Buffer. */
import { bytesFor, checkedEncoding, encodingOf } from "./encodings.js";
import { invalidArgType } from "./errors.js";

/** Where a value is, from an offset on or back. Found by the first byte, which is the engine's own work. */
export function find(bytes, value, offset, encoding, forward) {
  if (typeof offset === "string") [offset, encoding] = [undefined, offset];
  let pattern;
  if (typeof value === "string") pattern = bytesFor[checkedEncoding(encoding)](value);
  else if (value instanceof Uint8Array) pattern = value;
  else if (typeof value === "number") pattern = [value & 255];
  else throw invalidArgType("value", ["number", "string", "Buffer", "Uint8Array"], value);
  const wide = typeof value !== "number" && encoding !== undefined && encodingOf(encoding) === "utf16le"
    ? 2
    : 1;
  const number = +offset;
  const whole = Number.isNaN(number)
    ? forward ? 0 : bytes.length
    : Math.trunc(Math.max(Math.min(number, 2 ** 31), -(2 ** 31)));
  let at = whole < 0 ? whole + bytes.length : whole;
  if (!forward && offset === null) at = 0;
  if (at < 0) {
    if (!forward) return -1;
    at = 0;
  }
  if (pattern.length === 0) return Math.min(at, bytes.length);
  const last = bytes.length - pattern.length;
  if (last < 0) return -1;
  const search = forward ? Uint8Array.prototype.indexOf : Uint8Array.prototype.lastIndexOf;
  if (!forward) at = Math.min(at, last);
  while (at >= 0 && at <= last) {
    at = search.call(bytes, pattern[0], at);
    if (at < 0 || at > last) return -1;
    let same = 1;
    while (same < pattern.length && bytes[at + same] === pattern[same]) same++;
    if (same === pattern.length && at % wide === 0) return at;
    at += forward ? 1 : -1;
  }
  return -1;
}
