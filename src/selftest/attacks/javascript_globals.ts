/** From a JavaScript guest to the JavaScript of the Worker around it. */

import { ends, family, GAINS_NOTHING, javascript, raises, yields } from "../attack.ts";

/** Collects what only the Worker or Deno has, from a global object that was found. */
const LOOT = `
  const loot = (found, how) => {
    for (const name of ["Deno", "Worker", "postMessage", "WebAssembly", "importScripts", "__bootstrap", "SharedWorker"]) {
      try { if (found[name] !== undefined) gained.push([how, name]); } catch {}
    }
    for (const [name, own] of Object.entries({ process, fetch, MessageChannel, BroadcastChannel })) {
      try { if (found[name] !== undefined && found[name] !== own) gained.push([how, name]); } catch {}
    }
  };
`;

export const JAVASCRIPT_GLOBALS = family("javascript globals", [
  javascript(
    "chains of constructors",
    `
    const gained = [];
    ${LOOT}
    const starts = { console, log: console.log, fs: require("fs"), read: require("fs").readFileSync, now: performance.now, url: new URL("http://a"),
      timer: setTimeout, host: await import("wasmbox:host").catch(() => ({})), crypto, encoder: new TextEncoder(), error: (() => { try { require("fs").readFileSync("/x"); } catch (e) { return e; } })() };
    for (const [name, start] of Object.entries(starts)) {
      try { loot(start.constructor.constructor("return globalThis")(), name); } catch {}
      try { loot(Object.getPrototypeOf(start).constructor.constructor("return this")(), name); } catch {}
    }
    gained
    `,
    GAINS_NOTHING,
  ),
  javascript(
    "code from strings",
    `
    const gained = [];
    ${LOOT}
    const kinds = [Function, (async () => {}).constructor, (function* () {}).constructor, (async function* () {}).constructor];
    for (const kind of kinds) {
      try {
        let made = kind("return globalThis")();
        if (made.next) made = (await made.next()).value;
        loot(await made, kind.name);
      } catch {}
    }
    loot((0, eval)("this"), "eval");
    gained
    `,
    GAINS_NOTHING,
  ),
  javascript(
    "every object that can be reached",
    `
    const gained = [], seen = new Set(), queue = [globalThis, await import("fs"), await import("wasmbox:host").catch(() => 0)];
    while (queue.length > 0 && seen.size < 20_000) {
      const each = queue.pop();
      if (each === null || typeof each !== "object" && typeof each !== "function" || seen.has(each)) continue;
      seen.add(each);
      if (typeof each === "function" && /Deno|wasm-function|core\\.ops|Atomics\\.wait/.test(Function.prototype.toString.call(each))) gained.push(each.name);
      try { queue.push(Object.getPrototypeOf(each)); } catch {}
      for (const key of Reflect.ownKeys(each)) {
        if (["Deno", "Worker", "WebAssembly"].includes(String(key))) gained.push(key);
        try {
          const { value, get, set } = Object.getOwnPropertyDescriptor(each, key);
          queue.push(value, get, set);
        } catch {}
      }
    }
    seen.size > 500 ? gained : ["too little was seen"]
    `,
    GAINS_NOTHING,
  ),
  javascript(
    "Error.prepareStackTrace and the callers' functions",
    `
    const gained = [];
    ${LOOT}
    Error.prepareStackTrace = (error, frames) => {
      for (const frame of frames ?? []) for (const method of ["getThis", "getFunction", "getEvalOrigin", "getTypeName"]) {
        try {
          const found = frame[method]();
          if (found) loot(found, method), loot(found.constructor("return globalThis")(), method);
        } catch {}
      }
      return "";
    };
    Error.stackTraceLimit = 1000;
    const dig = () => new Error().stack;
    console.log({ get x() { dig(); return 1; }, [Symbol.toStringTag]: { toString: dig } });
    try { JSON.stringify({ toJSON: dig }); [1].map(dig); new Proxy({}, { get: dig }).x; structuredClone({ get x() { return dig(); } }); } catch {}
    await Promise.resolve().then(dig);
    Error.prepareStackTrace = undefined;
    gained
    `,
    GAINS_NOTHING,
  ),
  javascript(
    "calling the prelude's own functions with odd arguments",
    `
    const found = new Set();
    Error.prepareStackTrace = (error, frames) => { for (const f of frames ?? []) try { found.add(f.getFunction()); } catch {} return ""; };
    Error.stackTraceLimit = 1000;
    console.log({ get x() { new Error().stack; return 1; } }, new Proxy(function () {}, { get: () => new Error().stack }));
    Error.prepareStackTrace = undefined;
    for (const f of found) for (const args of [[], [null], [{}, {}, {}], [-1, 2 ** 53], ["x".repeat(1e6)], [Symbol(), 1n], [new Proxy({}, {})]]) {
      try { f.apply(null, args); } catch {}
    }
    6 * 7
    `,
    { ...ends("completed", "failed", "timeout"), says: "harms nobody else" },
    { tampers: true, timeout: 2 },
  ),
  javascript(
    "catching the host's functions as the prelude calls them",
    `
    const caught = new Set(), call = Function.prototype.call, apply = Reflect.apply;
    const natives = [];
    for (const [holder, names] of [[Array.prototype, ["map", "join", "push", "includes"]], [String.prototype, ["replaceAll", "slice", "toWellFormed"]], [Map.prototype, ["get", "set"]], [Object, ["entries", "keys", "defineProperty"]], [JSON, ["stringify", "parse"]], [Reflect, ["ownKeys", "get", "apply"]]]) {
      for (const name of names) {
        const original = holder[name];
        natives.push([holder, name, original]);
        holder[name] = function (...args) { for (const each of [this, ...args]) if (typeof each === "function" || typeof each === "object" && each) caught.add(each); return apply(original, this, args); };
      }
    }
    console.log([1, { a: new Map([[1, 2]]) }], "%s", {}); console.table([{ a: 1 }]); setTimeout(() => {}, 0); require("fs").writeFileSync("a", "b"); require("fs").readdirSync(".");
    try { structuredClone(new Map([[1, {}]])); new URL("http://a/?b=c").searchParams.get("b"); } catch {}
    for (const [holder, name, original] of natives) holder[name] = original;
    const gained = [];
    for (const each of caught) {
      for (const name of ["Deno", "memory", "buffer", "engine", "ffi", "exports", "fs", "cell"]) if (each[name] && name !== "buffer") gained.push(name);
      for (const f of [each, ...Object.values(each)]) if (typeof f === "function") for (const args of [[], [1, {}], ["../../etc/passwd"], [2 ** 31, -1]]) try { f(...args); } catch {}
    }
    gained
    `,
    { ...GAINS_NOTHING, status: ["completed", "failed"], result: /^(\[\]|null)$/ },
    { tampers: true, timeout: 5 },
  ),
  javascript(
    "WebAssembly, Workers and shared memory",
    `["WebAssembly", "Worker", "SharedWorker", "ServiceWorker", "postMessage", "importScripts", "gc", "Bun"].filter((name) => name in globalThis)`,
    GAINS_NOTHING,
  ),
  javascript(
    "import of a data URL",
    `await import("data:text/javascript,export default 1")`,
    raises(/Cannot find/),
  ),
  javascript(
    "import of a blob URL",
    `await import("blob:null/00000000-0000-0000-0000-000000000000")`,
    raises(/Cannot find/),
  ),
  javascript(
    "import of what is no text",
    `
    const gained = [];
    for (const specifier of [null, undefined, 1, Symbol.iterator, {}, [], "", "\\0", "\\ud800", "../".repeat(1e5), "x".repeat(1e6), "__proto__", "constructor", "wasmbox:prelude", "wasmbox:unresolved/0", "<eval>", { toString() { throw 1; } }]) {
      try { gained.push([String(specifier), await import(specifier)]); } catch {}
    }
    gained
    `,
    GAINS_NOTHING,
  ),
  javascript(
    "a module's source that breaks out of its wrapper",
    `
    const fs = require("fs");
    fs.writeFileSync("x.json", '{"a": "\\u2028\\"); globalThis.broken = 1; (\\""}');
    fs.writeFileSync("y\\"); globalThis.broken = 1; (\\".json", "{}");
    await import("./x.json").catch(() => {});
    await import("./y\\"); globalThis.broken = 1; (\\".json").catch(() => {});
    typeof broken
    `,
    yields("'undefined'"),
  ),
  javascript(
    "the doors of imports and of the prelude",
    `
    const gained = [];
    for (const door of [globalThis.__wasmboxImport, globalThis.__wasmboxModules?.parseJson, globalThis.__wasmboxModules?.modules]) {
      for (const args of [[], ["../../etc/passwd"], ["{", "/etc/passwd"], [{}], [Symbol()], ["x".repeat(1e6)]]) {
        try { const found = await door(...args); if (found && typeof found !== "object") gained.push(found); } catch {}
      }
    }
    gained
    `,
    GAINS_NOTHING,
  ),
  javascript(
    "operations that the host does not offer",
    `
    const host = await import("wasmbox:host"), gained = [];
    for (const call of Object.values(host.default)) {
      for (const name of ["", "echo", "readFile", "exec", "__proto__", "constructor", "toString", "x".repeat(1e6), null, {}, "\\ud800"]) {
        for (const request of [{}, null, "x".repeat(1e5), { __proto__: null, constructor: 1 }, 1n]) {
          try { gained.push([name, await call(name, request)]); } catch {}
        }
      }
    }
    gained
    `,
    GAINS_NOTHING,
    { timeout: 60 },
  ),
  javascript("a program that ends its own wrapper", `}); (() => { throw 1 })(); ({`, raises(/SyntaxError/)),
  javascript(
    "return and await where none may be",
    `return globalThis; await new Promise(() => {})`,
    ends("failed", "completed"),
  ),
]);
