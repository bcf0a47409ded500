/** Whether two values are deeply equal, as Node's `assert` and `util.isDeepStrictEqual` count. */

const tag = (value) => Object.prototype.toString.call(value);
const { is, getPrototypeOf, hasOwn, getOwnPropertySymbols, keys } = Object;
const isEnumerable = Object.prototype.propertyIsEnumerable;
const isObject = (value) => typeof value === "object" && value !== null;
const BOXES = [Number, String, Boolean, BigInt, Symbol];

/** What is in a box; undefined if it only looks like one. */
function boxed({ prototype }, value) {
  try {
    return prototype.valueOf.call(value);
  } catch {
    return undefined;
  }
}

export function isDeepEqual(a, b, strict) {
  return equal(a, b, strict, undefined);
}

/** @param seen Pairs that are being compared, which refer to themselves. */
function equal(a, b, strict, seen) {
  if (a === b) return a !== 0 || !strict || is(a, b);
  if (strict) {
    if (typeof a !== "object") return is(a, b);
    if (typeof b !== "object" || a === null || b === null) return false;
    if (getPrototypeOf(a) !== getPrototypeOf(b)) return false;
  } else {
    if (!isObject(a)) return !isObject(b) && typeof b !== "function" && (a == b || a !== a && b !== b);
    if (!isObject(b)) return false;
  }
  if (tag(a) !== tag(b)) return false;
  if (Array.isArray(a) !== Array.isArray(b) || Array.isArray(a) && a.length !== b.length) return false;
  if (a instanceof Date) {
    if (!(b instanceof Date) || !is(a.getTime(), b.getTime())) return false;
  } else if (a instanceof RegExp) {
    if (!(b instanceof RegExp) || `${a}` !== `${b}` || a.lastIndex !== b.lastIndex) return false;
  } else if (a instanceof Error) {
    if (!(b instanceof Error) || a.message !== b.message || a.name !== b.name) return false;
    for (const key of ["cause", "errors"]) {
      if (hasOwn(a, key) !== hasOwn(b, key) || !equal(a[key], b[key], strict, seen)) return false;
    }
  } else if (ArrayBuffer.isView(a)) {
    if (!ArrayBuffer.isView(b) || a.byteLength !== b.byteLength) return false;
    if (!sameBytes(a, b, strict)) return false;
  } else if (a instanceof ArrayBuffer) {
    if (!(b instanceof ArrayBuffer) || a.byteLength !== b.byteLength) return false;
    if (!sameBytes(new Uint8Array(a), new Uint8Array(b), true)) return false;
  } else if (a instanceof SharedArrayBuffer) {
    if (!(b instanceof SharedArrayBuffer) || a.byteLength !== b.byteLength) return false;
    if (!sameBytes(new Uint8Array(a), new Uint8Array(b), true)) return false;
  } else {
    const box = BOXES.find((each) => a instanceof each);
    if (box && (!(b instanceof box) || !is(boxed(box, a), boxed(box, b)))) return false;
  }
  const ownA = keysOf(a, strict);
  if (ownA.length !== keysOf(b, strict).length || !ownA.every((key) => isEnumerable.call(b, key))) {
    return false;
  }
  seen ??= { a: new Map(), b: new Map() };
  if (seen.a.has(a) || seen.b.has(b)) {
    if (seen.a.get(a) === b && seen.b.get(b) === a) return true;
    if (seen.a.has(a) && seen.b.has(b)) return false;
  }
  const before = [seen.a.get(a), seen.b.get(b)];
  seen.a.set(a, b);
  seen.b.set(b, a);
  const result = sameEntries(a, b, strict, seen) && ownA.every((key) => equal(a[key], b[key], strict, seen));
  if (before[0] === undefined) seen.a.delete(a);
  else seen.a.set(a, before[0]);
  if (before[1] === undefined) seen.b.delete(b);
  else seen.b.set(b, before[1]);
  return result;
}

function keysOf(value, strict) {
  const names = ArrayBuffer.isView(value) ? keys(value).filter((key) => !/^\d+$/.test(key)) : keys(value);
  if (!strict) return names;
  return [...names, ...getOwnPropertySymbols(value).filter((key) => isEnumerable.call(value, key))];
}

function sameBytes(a, b, strict) {
  if (!strict && (a instanceof Float32Array || a instanceof Float64Array)) {
    return a.every((value, index) => value === b[index] || value !== value && b[index] !== b[index]);
  }
  const [left, right] = [a, b].map((view) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
  for (let at = 0; at < left.length; at++) if (left[at] !== right[at]) return false;
  return true;
}

function sameEntries(a, b, strict, seen) {
  if (a instanceof Set) return b instanceof Set && a.size === b.size && sameSet(a, b, strict, seen);
  if (a instanceof Map) return b instanceof Map && a.size === b.size && sameMap(a, b, strict, seen);
  return true;
}

function sameSet(a, b, strict, seen) {
  const rest = [...b].filter((value) => !a.has(value));
  for (const value of a) {
    if (b.has(value)) continue;
    if (strict && !isObject(value)) return false;
    const at = rest.findIndex((other) => equal(value, other, strict, seen));
    if (at < 0) return false;
    rest.splice(at, 1);
  }
  return rest.length === 0;
}

function sameMap(a, b, strict, seen) {
  const rest = [...b].filter(([key]) => !a.has(key));
  for (const [key, value] of a) {
    if (b.has(key)) {
      if (!equal(value, b.get(key), strict, seen)) return false;
      continue;
    }
    if (strict && !isObject(key)) return false;
    const at = rest.findIndex(([other, item]) =>
      equal(key, other, strict, seen) && equal(value, item, strict, seen)
    );
    if (at < 0) return false;
    rest.splice(at, 1);
  }
  return rest.length === 0;
}
