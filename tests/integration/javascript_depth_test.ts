/** Recursion in JavaScript, the program's own and the engine's: it ends in an error, and never costs the session its heap. */

import assert from "node:assert/strict";
import { TestServer, UNDER_TEST } from "../support/harness.ts";

const DEPTH = 100_000;
/** Makes an array within arrays, `value`. */
const NESTED = `let value = []; for (let i = 0; i < ${DEPTH}; i++) value = [value];`;
const within = (open: string, close: string) =>
  `${JSON.stringify(open)}.repeat(${DEPTH}) + 1 + ${JSON.stringify(close)}.repeat(${DEPTH})`;
const proxies = (use: string) =>
  `let value = {}; for (let i = 0; i < ${DEPTH}; i++) value = new Proxy(value, {}); ${use}`;

/** What is deeper than any stack. */
const BOTTOMLESS = {
  "calls": "function f() { return f() + 1 } f()",
  "calls by apply": "function f() { return f.apply(null, arguments) } f()",
  "calls by a method of arrays": "const f = () => [1].map(f); f()",
  "comparisons": "const f = () => [2, 1].sort(f); f()",
  "conversions": "const o = { toString: () => `${o}` }; `${o}`",
  "getters": "const o = { get x() { return this.x } }; o.x",
  "generators": "function* f() { yield* f() } [...f()]",
  "async functions": "const f = async () => { await f() }; await f()",
  "arrays to JSON": `${NESTED} JSON.stringify(value)`,
  "JSON to arrays": `JSON.parse(${within("[", "]")})`,
  "JSON to objects": `JSON.parse(${within('{"a":', "}")})`,
  "parentheses": `eval(${within("(", ")")})`,
  "array literals": `eval(${within("[", "]")})`,
  "object literals": `eval("x = " + ${within("{a:", "}")})`,
  "operators": `eval(${within("!", "")})`,
  "powers": `eval(${within("1**", "")})`,
  "arrow functions": `eval(${within("a=>", "")})`,
  "assignments": `eval(${within("x=", "")})`,
  "arrays made flat": `${NESTED} value.flat(Infinity)`,
  "arrays to text": `${NESTED} String(value)`,
  "proxies that are read": proxies("value.x"),
  "proxies that are asked": proxies("'x' in value"),
  "proxies that are defined on": proxies("Object.defineProperty(value, 'x', { value: 1 })"),
  "proxies that are written to": proxies("value.x = 1"),
  "proxies that are made": `let value = function () {};
    for (let i = 0; i < ${DEPTH}; i++) value = new Proxy(value, {}); new value()`,
  "proxies of prototypes": `let value = {};
    for (let i = 0; i < ${DEPTH}; i++) value = Object.create(new Proxy(value, {})); value.x`,
  "classes": "class A { constructor() { new B() } } class B extends A {} new A()",
  "fields of classes": "class A { x = new A() } new A()",
  "bound constructors": "function F() { new (F.bind(null))() } new F()",
  "objects that are spread": "const o = { get x() { return { ...o } } }; ({ ...o })",
  "getters of the global object":
    "Object.defineProperty(globalThis, 'g', { get() { return g }, configurable: true }); g",
  "asynchronous generators": "async function* f() { yield* f() } await f().next()",
  "promises that are made": "const f = () => new Promise(f); await f()",
  "thenables": "const o = { get then() { return Promise.resolve(o) } }; await o",
  "iterators of iterators": `let value = [1].values();
    for (let i = 0; i < 50_000; i++) value = value.map((x) => x); value.next()`,
  "replacements": "const f = () => 'a'.replace(/a/, f); f()",
  "what JSON is revived by": "const f = () => JSON.parse('[1]', f); f()",
  "arguments in source": `eval(${within("String(", ")")})`,
  "indices in source": `eval(${within("[][", "]")})`,
  "conditions in source": `eval("0?1:".repeat(${DEPTH}) + 1)`,
  "templates in source": `eval(${within("`${", "}`")})`,
  "what generators yield in source": `eval("(function*(){" + "yield ".repeat(${DEPTH}) + "1})")`,
  "groups of a regular expression": `new RegExp(${within("(", ")")})`,
};

Deno.test(`[${UNDER_TEST}] recursion of any kind ends in an error, and the session keeps its heap`, async (t) => {
  await using server = await TestServer.start();
  for (const [kind, code] of Object.entries(BOTTOMLESS)) {
    await t.step(kind, async () => {
      await server.javascript(`kept = ${JSON.stringify(kind)}`, { session_id: "deep" });
      const reply = await server.javascript(`{ ${code} }`, { session_id: "deep" });
      assert.doesNotMatch(reply.error?.message ?? "", /interpreter failed/, JSON.stringify(reply));
      assert.equal(reply.state, "kept");
      const kept = await server.javascript("kept", { session_id: "deep" });
      assert.equal(kept.result, `'${kind}'`);
    });
  }
});

// Node has room for some 10,800 such calls. Deno from source gives Workers half of what executables give theirs.
const CALLS = UNDER_TEST === "executable" ? 10_000 : 5000;

Deno.test(`[${UNDER_TEST}] a function may call itself ${CALLS} times, in a program of the shell as well`, async () => {
  await using server = await TestServer.start();
  const sum = `const sum = (n) => n === 0 ? 0 : n + sum(n - 1); sum(${CALLS})`;
  const wanted = String(CALLS * (CALLS + 1) / 2);
  const reply = await server.javascript(sum);
  assert.equal(reply.result, wanted, JSON.stringify(reply));
  const { structured } = await server.call("execute_command", { command: `node -p '${sum}'` });
  assert.equal(structured["stdout"], `${wanted}\n`);
});

Deno.test(`[${UNDER_TEST}] what deep recursion leaves on the stack is in no checkpoint`, async () => {
  await using server = await TestServer.start();
  const session_id =
    (await server.javascript("const f = (n) => n === 0 ? 0 : 1 + f(n - 1); f(10)")).session_id;
  const bytes = async () =>
    Number((await server.call("checkpoint_session", { session_id })).structured["bytes"]);
  const before = await bytes();
  await server.javascript("f(5000)", { session_id });
  const after = await bytes();
  assert.ok(after < before + 150_000, `${before} bytes, and then ${after}`);
});
