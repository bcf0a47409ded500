/** What a program is told of its errors: in which words, and where. */

import assert from "node:assert/strict";
import { TestServer, UNDER_TEST } from "../support/harness.ts";

const SETUP = `Object.assign(globalThis, {
  x: { list: [1], deep: { one: 1 } }, f: 1, g: () => 1, key: "name", u: undefined, n: null,
});`;

/** As Node says it, but for the last ones, where it says less. */
const WORDS: Readonly<Record<string, string>> = {
  "x.foo()": "x.foo is not a function",
  "x.deep.one(1, 2)": "x.deep.one is not a function",
  "x?.foo()": "x?.foo is not a function",
  "x[key]()": "x[key] is not a function",
  "x.list[0]()": "x.list[0] is not a function",
  "x.list[-1].foo": "Cannot read properties of undefined (reading 'foo')",
  "f()": "f is not a function",
  "g()()": "g(...) is not a function",
  "g().foo()": "g(...).foo is not a function",
  "f(...[1])": "f is not a function",
  "x.foo(...[1])": "x.foo is not a function",
  "x.foo(f ? 1 : 2, x?.a, f || 2)": "x.foo is not a function",
  "(f ? x : f).foo()": "(intermediate value).foo is not a function",
  "new f()": "f is not a constructor",
  "new x.deep(1)": "x.deep is not a constructor",
  "new g": "g is not a constructor",
  "new f(...[1])": "f is not a constructor",
  "(function () { this.foo() }).call({})": "this.foo is not a function",
  "(function (callback) { callback(null) })()": "callback is not a function",
  "(function (...rest) { rest.foo() })()": "rest.foo is not a function",
  "(() => { let a = {}; return () => a.b() })()()": "a.b is not a function",
  "new (class { #secret = 1; run() { this.#secret() } })().run()": "this[#secret] is not a function",
  "(() => { for (const a of [1]) try { return x.foo(a) } finally { g() } })()": "x.foo is not a function",
  "x.list.map(u)": "undefined is not a function",
  "x.list.map({})": "#<Object> is not a function",
  "x.list.sort(5)": "The comparison function must be either a function or undefined",
  "new Promise()": "Promise resolver undefined is not a function",
  "for (const a of f);": "f is not iterable",
  "for (const a of u);": "u is not iterable",
  "var [a] = x.none": "x.none is not iterable",
  "[...u]": "u is not iterable",
  "new Map(5)": "number 5 is not iterable (cannot read property Symbol(Symbol.iterator))",
  "(([a]) => a)()": "undefined is not iterable (cannot read property Symbol(Symbol.iterator))",
  "var { a } = u": "Cannot destructure property 'a' of 'u' as it is undefined.",
  "var { a } = n": "Cannot destructure property 'a' of 'n' as it is null.",
  "var {} = u": "Cannot destructure 'u' as it is undefined.",
  "(({ a, b }) => a)()": "Cannot destructure property 'a' of 'undefined' as it is undefined.",
  "var { deep: { two: { a } } } = x": "Cannot destructure property 'a' of 'x.deep.two' as it is undefined.",
  "(({ a } = u) => a)(n)": "Cannot destructure property 'a' of 'null' as it is null.",
  "g(...x.deep)": "x.deep is not iterable",
  "(f || g)()": "1 is not a function",
};

Deno.test(`[${UNDER_TEST}] errors say what is called, gone through or taken apart`, async () => {
  await using server = await TestServer.start();
  const reply = await server.javascript(
    `${SETUP}
     const said = (code) => { try { return (0, eval)(code) } catch (error) { return error.message } };
     console.log(JSON.stringify(${JSON.stringify(Object.keys(WORDS))}.map(said)))`,
  );
  const said: string[] = JSON.parse(reply.stdout);
  assert.deepEqual(Object.fromEntries(Object.keys(WORDS).map((code, i) => [code, said[i]])), WORDS);
});

Deno.test(`[${UNDER_TEST}] what is called is told of a program's own names, in long functions and by modules`, async () => {
  await using server = await TestServer.start();
  const { stdout } = await server.javascript(
    `import fs from "node:fs";
     const client = {};
     const messages = [];
     const attempt = (run) => { try { run() } catch (error) { messages.push(error.message) } };
     attempt(() => client.fetchAll());
     attempt(() => fs.readFileSink("x"));
     const lines = (count) => "v = g(v, 1);".repeat(count);
     for (const count of [10, 3000]) {
       attempt(new Function("g", "api", "let v;" + lines(count) + "api.send(v);" + lines(count)).bind(null, () => 1, {}));
     }
     fs.writeFileSync("a.mjs", "import * as path from 'path'; export const run = () => path.joined('a');");
     const { run } = await import("./a.mjs");
     attempt(run);
     console.log(messages.join("\\n"))`,
  );
  assert.deepEqual(stdout.trim().split("\n"), [
    "client.fetchAll is not a function",
    "fs.readFileSink is not a function",
    "api.send is not a function",
    "api.send is not a function",
    "path.joined is not a function",
  ]);
});
