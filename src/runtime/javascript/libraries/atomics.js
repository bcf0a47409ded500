/**
 * `Atomics`, which the engine is built without. Threads take turns: nothing comes between a read and a write. Others run
 * where one waits.
 */
import { host } from "./runtime.js";
import { isShared } from "./serializer/format.js";
import { sharedIdOf } from "./shared_memory.js";

const TypedArray = Object.getPrototypeOf(Int8Array);
const tagOf = Object.getOwnPropertyDescriptor(TypedArray.prototype, Symbol.toStringTag).get;
const INTEGERS = /^(?:Big)?(?:Uint|Int)\d+Array$/;
const WAITABLE = /^(?:Int32|BigInt64)Array$/;

/** As the language makes one where it wants one: not of a number. */
function bigIntOf(value) {
  if (typeof value === "number") throw new TypeError(`Cannot convert ${value} to a BigInt`);
  return BigInt(value);
}

function place(array, index, allowed = INTEGERS) {
  const tag = ArrayBuffer.isView(array) ? tagOf.call(array) : undefined;
  if (!allowed.test(`${tag}`)) {
    const wanted = allowed === WAITABLE ? "an int32 or BigInt64" : "an integer";
    throw new TypeError(`${Object.prototype.toString.call(array)} is not ${wanted} typed array.`);
  }
  const at = Math.trunc(Number(index)) || 0;
  if (at < 0 || at >= array.length) throw new RangeError("Invalid atomic access index");
  return [at, tag.startsWith("Big") ? bigIntOf : (value) => Math.trunc(Number(value)) || 0];
}
/** A place of memory that other threads may have, too. */
const placeOf = (array, at) =>
  `${sharedIdOf(array.buffer)}:${array.byteOffset + at * array.BYTES_PER_ELEMENT}`;
const changing = (name, change) =>
  ({
    [name](array, index, value) {
      const [at, convert] = place(array, index);
      const operand = convert(value);
      const before = array[at];
      array[at] = change(before, operand);
      return before;
    },
  })[name];

const methods = {
  add: changing("add", (a, b) => a + b),
  sub: changing("sub", (a, b) => a - b),
  and: changing("and", (a, b) => a & b),
  or: changing("or", (a, b) => a | b),
  xor: changing("xor", (a, b) => a ^ b),
  exchange: changing("exchange", (_a, b) => b),
  load(array, index) {
    return array[place(array, index)[0]];
  },
  store(array, index, value) {
    const [at, convert] = place(array, index);
    return array[at] = convert(value);
  },
  compareExchange(array, index, expected, replacement) {
    const [at, convert] = place(array, index);
    const [old, next] = [convert(expected), convert(replacement)];
    const before = array[at];
    const same = new array.constructor([old])[0] === before;
    if (same) array[at] = next;
    return before;
  },
  isLockFree: (size) => [1, 2, 4, 8].includes(Number(size)),
  wait(array, index, value, timeout = Infinity) {
    const [at, convert] = place(array, index, WAITABLE);
    if (!isShared(array.buffer)) {
      throw new TypeError(`${Object.prototype.toString.call(array)} is not a shared typed array.`);
    }
    if (array[at] !== convert(value)) return "not-equal";
    return host.waitAt(placeOf(array, at), Number(timeout)) === 1 ? "ok" : "timed-out";
  },
  notify(array, index, count = Infinity) {
    const [at] = place(array, index, WAITABLE);
    // Nobody waits at what no other thread has.
    if (sharedIdOf(array.buffer) < 0) return 0;
    return host.wakeAt(placeOf(array, at), Math.trunc(Number(count)) || 0);
  },
};

export const Atomics = Object.defineProperty(Object.create(Object.prototype), Symbol.toStringTag, {
  value: "Atomics",
  configurable: true,
});
for (const [name, value] of Object.entries(methods)) {
  Object.defineProperty(Atomics, name, { value, writable: true, configurable: true, enumerable: false });
}
