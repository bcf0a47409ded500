/** Handlers of JavaScript: that never return, that return no JSON, that spoil what calls them. */

import type { Unfiled } from "../attack.ts";
import { series } from "../series.ts";
import { bounded, CALLED, SOON } from "./handlers_endings.ts";

export const JAVASCRIPT_HANDLERS: readonly Unfiled[] = [
  series(
    "javascript",
    "handlers that never return, in JavaScript",
    "each is stopped",
    {
      "a loop": "function handler() { while (true); }",
      "a promise's callbacks":
        "function handler() { return new Promise((resolve) => { const again = () => Promise.resolve().then(again); again(); }); }",
      "timers":
        "async function handler() { while (true) await new Promise((resolve) => setTimeout(resolve, 0)); }",
      "toJSON": "function handler() { return { toJSON() { while (true); } }; }",
      "an array of four billion": "function handler() { const a = []; a.length = 2 ** 32 - 1; return a; }",
      "a proxy without end":
        "function handler() { return new Proxy([], { get: (_, key) => key === 'length' ? 2 ** 53 - 1 : 1 }); }",
      "a getter": "globalThis.exports = { get handler() { while (true); } }; 0",
    },
    ({ status, return_value: returned }) =>
      ["timeout", "out_of_memory"].includes(status) && returned === null,
    SOON,
  ),
  series(
    "javascript",
    "values that are no JSON, in JavaScript",
    "each is an error of the program's own",
    {
      "itself": "function handler() { const x = {}; x.x = x; return x; }",
      "a BigInt": "function handler() { return [1n]; }",
      "a symbol": "function handler() { return Symbol('x'); }",
      "a function": "function handler() { return handler; }",
      "toJSON that throws":
        "function handler() { return { toJSON() { throw new Proxy({}, { get() { throw 1; } }); } }; }",
      "a getter that throws": "function handler() { return { get x() { throw undefined; } }; }",
      "a revoked proxy":
        "function handler() { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy; }",
      "a promise that never settles": "function handler() { return new Promise(() => {}); }",
      "a promise that is rejected": "async function handler() { throw { toString() { throw 1; } }; }",
      "ten million characters": "function handler() { return 'x'.repeat(1e7); }",
      "three thousand levels":
        "function handler() { let x = []; for (let n = 0; n < 3000; n++) x = [x]; return x; }",
      "toJSON of another object each time":
        "function handler() { return { toJSON() { return { x: handler() }; } }; }",
      "no handler": "globalThis.handler = { call() { return 1; } }; 0",
      "a class": "globalThis.handler = class { constructor() { return { x: 1 }; } }; 0",
      "a proxy of a handler":
        "globalThis.handler = new Proxy(function () {}, { apply() { throw new Error('x'); } }); 0",
    },
    ({ status, state, return_value: returned }) =>
      status === "failed" && state === "kept" && returned === null,
    CALLED,
  ),
  series(
    "javascript",
    "values and patches that lie, in JavaScript",
    "each is JSON, or an error of the program's own",
    {
      "a polluted toJSON": "Object.prototype.toJSON = () => '\"}'; function handler() { return { a: 1 }; } 0",
      "a replaced JSON":
        "JSON.stringify = () => '{'; JSON.parse = () => { throw 1; }; function handler() { return { a: 1 }; } 0",
      "replaced promises":
        "Promise.prototype.then = function () { return this; }; Promise.resolve = () => 5; function handler() { return { a: 1 }; } 0",
      "a handler that deletes itself":
        "function handler() { delete globalThis.handler; globalThis.handler = undefined; return { a: 1 }; } 0",
      "a handler as a getter that changes":
        "let n = 0; Object.defineProperty(globalThis, 'handler', { configurable: true, get: () => n++ ? () => ({ a: 1 }) : 5 }); 0",
      "exports that fight back": "globalThis.exports = new Proxy({}, { get() { throw new Error('x'); } }); 0",
      "halves of surrogates": "function handler() { return ['\\ud800', { '\\udfff': '\\0\\u2028' }]; } 0",
      "a context that is spoiled":
        "function handler(event, context) { Object.setPrototypeOf(context, null); context.getRemainingTimeInMillis = 5; event.__proto__.polluted = 1; delete Object.prototype.polluted; return { a: 1 }; } 0",
      "a thenable that lies":
        "function handler() { return { then(resolve) { resolve({ a: 1 }); resolve({ b: 1 }); throw 1; } }; } 0",
      "a result that is the reply":
        `function handler() { return { status: "completed", state: "kept", __proto__: { x: 1 }, return_value: 5, error: null }; } 0`,
      "nothing": "function handler() {} 0",
      "a date that is none": "function handler() { return new Date(NaN); } 0",
      "typed arrays": "function handler() { return new Uint8Array(10_000); } 0",
      "frozen intrinsics":
        "for (const each of [Object, Array, JSON, Promise, globalThis]) Object.freeze(each); function handler() { return { a: 1 }; } 0",
    },
    bounded,
    SOON,
  ),
];
