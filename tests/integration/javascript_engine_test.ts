/** The engine of JavaScript where its own memory is at stake: each of these ended in freed memory, or was lost without a word. */

import assert from "node:assert/strict";
import { TestServer, UNDER_TEST } from "../support/harness.ts";

/** Takes memory that was given back, and has everything collected. */
const CHURN = `
for (let k = 0; k < 20; k++) {
  const kept = [];
  for (let i = 0; i < 20000; i++) { const o = { i }; o.o = o; kept.push(o, "s" + i); }
}`;

Deno.test(`[${UNDER_TEST}] a job of a realm that nobody holds any more runs in it`, async () => {
  await using server = await TestServer.start();
  const { stdout, status } = await server.run(
    "javascript",
    `const vm = require("vm");
     const settle = [];
     for (let i = 0; i < 20; i++) {
       new Promise((resolve) => settle.push(resolve)).then((value) => console.log(value));
       vm.runInNewContext("resolve(number)", { resolve: settle.pop(), number: i });
     }
     ${CHURN}`,
  );
  assert.deepEqual([status, stdout.split("\n").slice(0, 20).map(Number)], [
    "completed",
    Array.from({ length: 20 }, (_, i) => i),
  ]);
});

const FAILURES = {
  "has a mistake": `fs.writeFileSync("bad.mjs", "this is ( not js");`,
  "needs a package that is not there": `fs.writeFileSync("bad.mjs", 'import "no-such-package-here";');`,
  "needs a CommonJS module that throws": `
    fs.writeFileSync("bad.cjs", "throw new Error('no')");
    fs.writeFileSync("bad.mjs", 'import "./bad.cjs";');`,
} as const;

for (const [what, make] of Object.entries(FAILURES)) {
  Deno.test(`[${UNDER_TEST}] modules that need one another can be imported after one of them ${what}, and was mended`, async () => {
    await using server = await TestServer.start();
    const failed = await server.run(
      "javascript",
      `const fs = require("fs");
       ${make}
       fs.writeFileSync("c.mjs", 'import "./b.mjs"; export const c = 3;');
       fs.writeFileSync("b.mjs", 'import { a } from "./a.mjs"; import { c } from "./c.mjs"; export const get = () => a + c;');
       fs.writeFileSync("a.mjs", 'import { get } from "./b.mjs"; import "./bad.mjs"; export const a = 1; export { get };');
       let error;
       try { await import("/app/a.mjs"); } catch (e) { error = e; }
       ${CHURN}
       const again = [];
       for (const name of ["b", "c", "a"]) {
         try { await import("/app/" + name + ".mjs"); } catch (e) { again.push(e.message === error.message); }
       }
       again`,
    );
    assert.deepEqual([failed.status, failed.result], ["completed", "[ true, true, true ]"]);
    const mended = await server.run(
      "javascript",
      `fs.writeFileSync("bad.mjs", "");
       ${CHURN}
       [(await import("/app/b.mjs")).get(), (await import("/app/a.mjs")).get()]`,
    );
    assert.deepEqual([mended.status, mended.result], ["completed", "[ 4, 4 ]"], JSON.stringify(mended.error));
  });
}

Deno.test(`[${UNDER_TEST}] of two promises rejected for the same reason the one without a handler is told`, async () => {
  await using server = await TestServer.start();
  const programs = [
    "const a = Promise.reject(1), b = Promise.reject(1); b.catch(() => {});",
    "const e = new Error('lost'); Promise.reject(e); Promise.reject(e).catch(() => {});",
    "async function t() { throw undefined } t(); t().catch(() => {});",
  ];
  for (const code of programs) {
    const { status } = await server.run("javascript", code, { session_id: crypto.randomUUID() });
    assert.equal(status, "failed", code);
  }
  const handled = await server.run("javascript", "const p = Promise.reject(1); p.catch(() => {}); 'fine'");
  assert.equal(handled.status, "completed");
});

const DEEP = {
  "calls with many bound arguments":
    `const f = function () { return arguments.length }.bind(null, ...Array(60000).fill(1));
     function rec(n) { return n ? rec(n - 1) : f(1) }
     for (let n = 100; n < 2200; n += 20) try { rec(n) } catch (e) { if (!(e instanceof RangeError)) throw e }`,
  "more arguments than the stack has room for":
    `const f = function () { return arguments.length }.bind(null, ...Array(65500).fill(1));
     try { f(...Array(65500).fill(2)) } catch (e) { if (!(e instanceof RangeError)) throw e }`,
  "iterators of iterators": `let it = [1, 2].values(); for (let i = 0; i < 20000; i++) it = it.map((x) => x);
     try { it.next() } catch (e) { if (!(e instanceof RangeError)) throw e }`,
  "deleting through proxies of proxies":
    `let p = { a: 1 }; for (let i = 0; i < 40000; i++) p = new Proxy(p, {});
     try { delete p.a } catch (e) { if (!(e instanceof RangeError)) throw e }`,
  "prototypes set through proxies of proxies":
    `let q = { a: 1 }; for (let i = 0; i < 40000; i++) q = new Proxy(q, {});
     try { Object.setPrototypeOf(q, null) } catch (e) { if (!(e instanceof RangeError)) throw e }`,
} as const;

for (const [what, code] of Object.entries(DEEP)) {
  Deno.test(`[${UNDER_TEST}] too deep in ${what} is an error of the program, which keeps its variables`, async () => {
    await using server = await TestServer.start();
    await server.run("javascript", "globalThis.kept = 'here'");
    const { status, state } = await server.run("javascript", code);
    assert.deepEqual([status, state], ["completed", "kept"]);
    assert.equal((await server.run("javascript", "kept")).result, "'here'");
  });
}
