/** Numbers in a Buffer: the package's methods, behind Node's checks and under all of Node's names. */
import { coded, invalidArgType, outOfRange } from "./errors.js";

const SIZES = { 8: 1, 16: 2, 32: 4, 64: 8, Float: 4, Double: 8 };

/** @param plain The methods as the package has them. @returns By name, those that read and write numbers. */
export function numberMethods(plain) {
  const methods = {};
  for (const name of Object.getOwnPropertyNames(plain)) {
    const [, kind, bits] = /^(?:read|write)(?:(Float|Double)|(?:Big)?U?[Ii]nt(\d*))(?:LE|BE)?$/.exec(name) ??
      [];
    if (kind) methods[name] = bounded(floats(name, SIZES[kind]), name, SIZES[kind]);
    else if (bits !== undefined) methods[name] = bounded(plain[name], name, SIZES[bits]);
  }
  for (const name of Object.keys(methods)) {
    if (/^(?:read|write)(?:Big)?Uint/.test(name)) methods[name.replace("Uint", "UInt")] = methods[name];
    if (/^(?:read|write)(?:Big)?UInt/.test(name)) methods[name.replace("UInt", "Uint")] ??= methods[name];
  }
  return methods;
}

/** The package has a NaN that signals. */
function floats(name, bytes) {
  const little = name.endsWith("LE");
  const kind = `Float${8 * bytes}`;
  const view = (buffer) => new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
  if (name.startsWith("read")) {
    return function (offset) {
      return view(this)[`get${kind}`](offset, little);
    };
  }
  return function (value, offset) {
    const number = Number(value);
    view(this)[`set${kind}`](offset, number === number ? number : NaN, little);
    return offset + bytes;
  };
}

/** What is not within the bounds of a number's bytes is an error, with Node's words. */
function bounded(method, name, bytes) {
  const reads = name.startsWith("read");
  const wide = bytes === undefined;
  return {
    [name](...args) {
      const size = wide ? args[reads ? 1 : 2] : bytes;
      const offset = args[reads ? 0 : 1] === undefined ? 0 : args[reads ? 0 : 1];
      if (wide) {
        if (typeof size !== "number") throw invalidArgType("byteLength", "number", size);
        if (Math.floor(size) !== size) throw outOfRange("byteLength", "an integer", size);
        if (size < 1 || size > 6) throw outOfRange("byteLength", ">= 1 and <= 6", size);
      }
      if (typeof offset !== "number") throw invalidArgType("offset", "number", offset);
      if (Math.floor(offset) !== offset) throw outOfRange("offset", "an integer", offset);
      const most = this.length - size;
      if (most < 0) {
        throw coded(RangeError, "ERR_BUFFER_OUT_OF_BOUNDS", "Attempt to access memory outside buffer bounds");
      }
      if (offset < 0 || offset > most) throw outOfRange("offset", `>= 0 and <= ${most}`, offset);
      if (!reads) checkRange(name, size, args[0]);
      if (reads) return method.call(this, ...wide ? [offset, size] : [offset]);
      return method.call(this, ...wide ? [args[0], offset, size] : [args[0], offset]);
    },
  }[name];
}
function checkRange(name, size, value) {
  if (/Float|Double/.test(name)) return;
  const big = name.includes("Big");
  if (big && typeof value !== "bigint") throw invalidArgType("value", "bigint", value);
  if (typeof value !== "number" && typeof value !== "bigint") return;
  const bits = big ? 64n : BigInt(8 * size);
  const signed = !/U[Ii]nt/.test(name);
  const [least, most] = signed ? [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n] : [0n, 2n ** bits - 1n];
  if (value >= least && value <= most || Number.isNaN(value)) return;
  const n = big ? "n" : "";
  const many = big || size > 4;
  const range = !many
    ? `>= ${least}${n} and <= ${most}${n}`
    : signed
    ? `>= -(2${n} ** ${bits - 1n}${n}) and < 2${n} ** ${bits - 1n}${n}`
    : `>= 0${n} and < 2${n} ** ${bits}${n}`;
  throw outOfRange("value", range, value);
}
