/** Values that fight back when the host looks at them, and tampering with what it looks with. */

import { calls, ends, family, javascript, raises, type Stage } from "../attack.ts";

const SHOWN = { ...ends("completed", "failed"), says: "is shown, or refused" };

/** Spoils the realm in one run; in the next a failure must be told as one. */
function spoils(name: string, code: string) {
  return calls(name, "a failure of the next run is told as one", async ({ run }: Stage) => {
    await run("javascript", code);
    const { status, state, error } = await run("javascript", `throw new TypeError("honest")`);
    const refused = ["failed", "crashed"].includes(status);
    return { refused, got: `${status}, ${state}, ${error?.type}: ${error?.message}` };
  }, { spoils: "javascript" });
}

export const JAVASCRIPT_VALUES = family("javascript values", [
  javascript(
    "a proxy whose traps all throw",
    `new Proxy({}, new Proxy({}, { get() { throw new Error("trap"); } }))`,
    SHOWN,
  ),
  javascript("a revoked proxy", `const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); proxy`, SHOWN),
  javascript(
    "a proxy that claims to be anything",
    `new Proxy(function () {}, { get: (t, k) => k === "length" ? 2 ** 53 : "x", getPrototypeOf: () => Array.prototype, ownKeys: () => ["length", "prototype"] })`,
    SHOWN,
  ),
  javascript(
    "getters that throw",
    `({ get a() { throw new Error("a"); }, get constructor() { throw new Error("c"); }, get [Symbol.toStringTag]() { throw new Error("t"); } })`,
    SHOWN,
  ),
  javascript(
    "toJSON, toString and valueOf that lie",
    `({ toJSON() { return "\\"}, \\"status\\": \\"completed\\""; }, toString: () => ({}), valueOf: () => Symbol() })`,
    SHOWN,
  ),
  javascript(
    "species and subclasses",
    `class A extends Array { static get [Symbol.species]() { return function () { throw new Error("species"); }; } get length() { throw new Error("length"); } }; new A(1, 2, 3)`,
    SHOWN,
  ),
  javascript(
    "arrays that claim a length",
    `const a = []; a.length = 2 ** 32 - 1; ({ a, b: { length: 1e15, __proto__: Array.prototype }, c: new Proxy([], { get: () => 1e15 }) })`,
    SHOWN,
  ),
  javascript(
    "typed arrays over a detached buffer",
    `const b = new ArrayBuffer(8), t = new Uint8Array(b); b.transfer?.(); ({ b, t, d: new DataView(new ArrayBuffer(0)) })`,
    SHOWN,
  ),
  javascript(
    "a class that makes everything its instance",
    `Object.defineProperty(Error, Symbol.hasInstance, { value: () => true }); Object.defineProperty(Promise, Symbol.hasInstance, { value: () => true }); throw 5`,
    ends("failed"),
    { tampers: true },
  ),
  javascript(
    "an error with hostile properties",
    `throw Object.defineProperties(new Error("x"), { name: { get() { throw 1; } }, message: { value: { toString() { throw 2; } } }, stack: { value: Symbol() }, cause: { get() { throw 3; } } })`,
    ends("failed"),
  ),
  javascript(
    "an error that is no error",
    `throw new Proxy(new Error("x"), { get() { throw new Proxy({}, { get() { throw 1; } }); } })`,
    ends("failed"),
  ),
  javascript(
    "an error with itself as its cause",
    `const e = new Error("x"); e.cause = e; e.errors = [e]; throw new AggregateError([e, e], "y", { cause: e })`,
    raises(/AggregateError/),
  ),
  javascript("throwing nothing", `throw undefined`, ends("failed")),
  javascript(
    "throwing out of memory, which it is not",
    `throw Object.assign(new InternalError("out of memory"), { name: "x" })`,
    ends("failed", "out_of_memory"),
  ),
  javascript(
    "text that is not well formed",
    `console.log("\\ud800\\0\\ufffe"); "\\udfff\\0\\u2028\\u2029"`,
    ends("completed"),
  ),
  javascript(
    "a thenable as the last value",
    `({ then(resolve) { resolve({ then(r) { r(globalThis); } }); } })`,
    ends("completed", "failed"),
  ),
  javascript("a thenable that is awaited for ever", `await { then() {} }`, raises(/never settle/)),
  spoils(
    "polluted prototypes",
    `Object.prototype.status = "completed"; Object.prototype.value = Object.prototype.polluted = 1; Array.prototype.polluted = 1; Object.defineProperty(Object.prototype, "type", { get() { throw 1; }, set() {} }); 0`,
  ),
  spoils(
    "a replaced JSON",
    `JSON.stringify = () => '{"type":"X","message":"","traceback":"","status":"completed"}'; JSON.parse = () => ({}); 0`,
  ),
  ...["5", "null", "[]", `{"type":5}`, `{"type":"X","message":"","traceback":{}}`, "{", "x".repeat(100_000)]
    .map((text) =>
      spoils(
        `a JSON that says ${text.slice(0, 50)}`,
        `JSON.stringify = () => ${JSON.stringify(text)}; JSON.parse = () => 5; 0`,
      )
    ),
  spoils(
    "a JSON that says too much",
    `JSON.stringify = () => "x".repeat(1e8); String.prototype.toWellFormed = function () { return this; }; 0`,
  ),
  spoils(
    "replaced promises",
    `Promise.prototype.then = Promise.prototype.catch = function () { return this; }; Promise.resolve = Promise.reject = () => ({}); globalThis.Promise = class {}; 0`,
  ),
  spoils(
    "replaced arrays and texts",
    `for (const proto of [Array.prototype, String.prototype, Map.prototype, Set.prototype, RegExp.prototype, Function.prototype]) for (const key of Reflect.ownKeys(proto)) { try { if (typeof proto[key] === "function" && key !== "constructor") proto[key] = () => { throw new Error("spoiled"); }; } catch {} } 0`,
  ),
  spoils(
    "frozen intrinsics",
    `for (const each of [Object, Array, Error, Promise, globalThis]) { Object.freeze(each); if (each.prototype) Object.freeze(each.prototype); } 0`,
  ),
  spoils(
    "deleted globals",
    `for (const name of Object.getOwnPropertyNames(globalThis)) try { delete globalThis[name]; } catch {} 0`,
  ),
  spoils(
    "a replaced console",
    `Object.defineProperty(globalThis, "console", { get() { throw 1; } }); globalThis.globalThis = {}; 0`,
  ),
  spoils(
    "replaced errors",
    `Error.prototype.toString = () => { throw 1; }; for (const name of ["Error", "TypeError", "InternalError"]) { Object.defineProperty(globalThis[name].prototype, "name", { get() { throw 1; } }); globalThis[name] = null; } 0`,
  ),
  spoils(
    "a replaced prepareStackTrace",
    `Error.prepareStackTrace = () => { throw new Error("again"); }; Object.defineProperty(Error, "prepareStackTrace", { writable: false }); 0`,
  ),
]);
