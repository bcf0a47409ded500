/**
 * Deletes every global of a Worker that is not on a short list (docs/ARCHITECTURE.md, decision 2).
 *
 * Guests never hold JavaScript of the Worker; this is what a flaw in an interpreter or in V8 would find: no way to the
 * network, to files, to processes, to other Workers, to the pipe, and no way to compile strings (V8 runs with
 * `--disallow-code-generation-from-strings`).
 */

/** The globals that stay: ECMAScript itself, and what the interpreters' hosts use while they run. */
export const ALLOWED_GLOBALS: readonly string[] = [
  ..."Object Function Array Number parseFloat parseInt Infinity NaN undefined Boolean String Symbol Date"
    .split(" "),
  ..."Promise RegExp Error AggregateError EvalError RangeError ReferenceError SyntaxError TypeError".split(
    " ",
  ),
  ..."URIError JSON Math ArrayBuffer SharedArrayBuffer Atomics DataView Map Set WeakMap WeakSet WeakRef"
    .split(" "),
  ..."FinalizationRegistry BigInt Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array".split(" "),
  ..."Int32Array Uint32Array Float16Array Float32Array Float64Array BigInt64Array BigUint64Array".split(" "),
  ..."Proxy Reflect Iterator globalThis isFinite isNaN decodeURI decodeURIComponent encodeURI".split(" "),
  ..."encodeURIComponent Intl SuppressedError DisposableStack AsyncDisposableStack Temporal".split(" "),
  ..."WebAssembly TextEncoder TextDecoder performance queueMicrotask DOMException".split(" "),
];

/**
 * Removes all other globals, up the prototype chain, for good.
 *
 * @returns The names that could not be deleted; empty unless the runtime has changed.
 */
export function lockDown(): string[] {
  const allowed = new Set(ALLOWED_GLOBALS);
  const stuck: string[] = [];
  for (
    let target: object | null = globalThis;
    target && target !== Object.prototype;
    target = Object.getPrototypeOf(target)
  ) {
    for (const key of Reflect.ownKeys(target)) {
      if (typeof key === "symbol" || key === "constructor" || allowed.has(key)) continue;
      if (!Reflect.deleteProperty(target, key) && !empties(target, key)) stuck.push(key);
    }
  }
  return stuck;
}

/** What V8 itself has put there, which is `gc`, can't be deleted. */
function empties(target: object, key: string): boolean {
  return Reflect.defineProperty(target, key, { value: undefined, writable: false });
}
