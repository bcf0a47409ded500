/** Kinds of objects of JavaScript. */

import type { Kind } from "./objects.ts";

function javascript(name: string, make: string, ...use: string[]): Kind {
  return { name, language: "javascript", make, use };
}

export const JAVASCRIPT_KINDS: readonly Kind[] = [
  javascript(
    "maps, sets and their iterators",
    `globalThis.map = new Map(); for (let i = 0; i < 300; i++) map.set("k" + i, { i, deep: [i] });
globalThis.entries = map.entries(); globalThis.set = new Set([1, NaN, "x", map]); globalThis.values = set.values(); map.size`,
    "entries.next()",
    `map.delete("k$n"); map.set("n$n", [$n]); [map.size, [...map.keys()].at(-1)]`,
    "set.add($n); [values.next().done, set.size, set.has(NaN)]",
  ),
  javascript(
    "generators",
    `globalThis.gen = (function* () { let total = 0; try { for (;;) total += (yield total) ?? 1; } finally { console.log("done", total); } })();
globalThis.inner = (function* () { yield* gen; })(); gen.next().value`,
    "gen.next($n).value",
    "inner.next().value",
  ),
  javascript(
    "closures, classes and private fields",
    `globalThis.counter = ((n) => (by) => n += by)(0);
class Account { #balance = 5; static made = 0; constructor() { Account.made++; } get balance() { return this.#balance; } add(n) { this.#balance += n; return this; } static is(o) { return #balance in o; } }
globalThis.Account = Account; globalThis.account = new Account(); let lexical = 1; const fixed = Object.freeze({ a: [1] });`,
    "counter($n)",
    "account.add($n).balance",
    "new Account().add(lexical).balance + Account.made",
    "lexical += $n; [lexical, fixed.a.push($n), Account.is(account), Account.is({})]",
  ),
  javascript(
    "pending promises and suspended functions",
    `globalThis.settle = []; globalThis.seen = []; globalThis.ask = () => new Promise((resolve, reject) => settle.push([resolve, reject]));
globalThis.talker = (async () => { for (let i = 0; i < 500; i++) { try { seen.push([i, await ask()]); } catch (e) { seen.push(e.message); } if (seen.length > 3) seen.shift(); } })();
globalThis.stream = (async function* () { for (let i = 0; ; i++) yield [i, await ask()]; })(); globalThis.got = []; 0`,
    "settle.shift()?.[0]($n); seen.length",
    "settle.shift()?.[1](new Error('no $n')); 0",
    "JSON.stringify([seen, settle.length, got])",
    "stream.next().then((r) => { got.push(r); if (got.length > 3) got.shift(); }); settle.length",
  ),
  javascript(
    "typed arrays",
    `globalThis.buffer = new ArrayBuffer(4096, { maxByteLength: 65536 }); globalThis.bytes = new Uint8Array(buffer); globalThis.floats = new Float64Array(buffer, 8, 16); globalThis.dv = new DataView(buffer); 0`,
    "bytes[$n] += $n; dv.setBigUint64(40, dv.getBigUint64(40) + 1n); [bytes[$n], dv.getBigUint64(40)]",
    "floats[3] = $n / 7; [...floats.subarray(0, 6)].join()",
    "bytes.reduce((a, b) => (a * 31 + b) % 65521, 7)",
  ),
  javascript(
    "weak references, symbols and proxies",
    `globalThis.key = { id: 1 }; globalThis.wm = new WeakMap([[key, "held"]]); globalThis.wref = new WeakRef(key); globalThis.sym = Symbol.for("shared"); key[sym] = 1;
globalThis.calls = []; globalThis.proxy = new Proxy(key, { get: (t, k, r) => (calls.push(String(k)), Reflect.get(t, k, r)) }); 0`,
    "[wm.get(wref.deref()), Symbol.keyFor(sym), key[Symbol.for('shared')]]",
    "proxy.id += $n; [proxy.id, calls.length]",
    "key['p$n'] = 1; Object.keys(proxy).length",
  ),
  javascript(
    "regular expressions, dates, big integers and errors",
    `globalThis.re = /(?<w>\\w)(\\d+)/gy; globalThis.big = 3n ** 100n; globalThis.date = new Date(Date.UTC(2026, 0, 1)); globalThis.error = new TypeError("kept", { cause: re });
globalThis.all = "a1b22c333".repeat(100).matchAll(/([a-z])(\\d+)/g); 0`,
    "re.lastIndex > 90 && (re.lastIndex = 0); [re.exec('a1b22c333d4'.repeat(10))?.[0], re.lastIndex]",
    "(big = big * BigInt($n) % (10n ** 40n)).toString()",
    "date.setUTCHours(date.getUTCHours() + $n); date.toISOString()",
    "error.count = (error.count ?? 0) + 1; [error.message, error.cause === re, error.count, error.stack.length > 0]",
    "all.next().value?.slice()",
  ),
  javascript(
    "web globals",
    `globalThis.url = new URL("https://example.com/a?b=1"); globalThis.enc = new TextEncoder(); globalThis.dec = new TextDecoder(); globalThis.before = performance.now(); 0`,
    "url.searchParams.append('n', $n); url.href.length",
    "dec.decode(enc.encode('é$n')), structuredClone({ a: [url.search.length] })",
    "const now = performance.now(), fine = now >= before; before = now; fine",
  ),
  javascript(
    "modules from files",
    `require("fs").writeFileSync("/app/lib.mjs", "export let n = 1; export const up = () => ++n;"); globalThis.lib = await import("./lib.mjs"); lib.n`,
    "[lib.up(), (await import('./lib.mjs')).n]",
    `require("fs").writeFileSync("/app/lib.mjs", "export let n = $n; export const up = () => n += 2;"); (await import("./lib.mjs")).n`,
    "globalThis.lib = await import('./lib.mjs'); lib.n",
    "import('./missing$n.mjs').catch((e) => e.message)",
  ),
  javascript(
    "files of both languages",
    `globalThis.fs = require("fs"); fs.mkdirSync("/app/js", { recursive: true }); fs.writeFileSync("/app/js/a.txt", "start"); 0`,
    "fs.appendFileSync('/app/js/a.txt', 'x'.repeat($n * 1000)); fs.statSync('/app/js/a.txt').size",
    "fs.existsSync('/app/js/b') ? fs.unlinkSync('/app/js/b') : fs.renameSync('/app/js/a.txt', '/app/js/b'); fs.readdirSync('/app/js')",
    "fs.writeFileSync('/app/js/a.txt', '$n'); fs.readdirSync('/app').length",
  ),
];
