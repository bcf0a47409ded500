/** `node:vm`: what scripts in contexts of their own print in Node, and what it costs. */

import assert from "node:assert/strict";
import { Session } from "../../../support/javascript_harness.ts";

/** Programs and what they print in Node 20. */
const PROGRAMS: readonly (readonly [name: string, code: string, printed: string])[] = [
  [
    "what a script declares and assigns is its sandbox's, but for what is lexical",
    `const ctx = vm.createContext({ x: 2, add: (a, b) => a + b });
    vm.runInContext("x += 40; var y = 17; z = add(x, y); const k = 5; class K { n = 1 }", ctx);
    console.log(ctx.x, ctx.y, ctx.z, ctx.k, typeof k, typeof z, vm.runInContext("k + new K().n + z", ctx));`,
    "42 17 59 undefined undefined undefined 65\n",
  ],
  [
    "what is taken from a sandbox is gone from its context, and the other way round",
    `const c = vm.createContext({ a: 1 }); c.b = 2; console.log(vm.runInContext("a + b", c));
    delete c.b; console.log(vm.runInContext("typeof b", c)); vm.runInContext("delete a", c); console.log("a" in c);`,
    "3\nundefined\nfalse\n",
  ],
  [
    "a script runs in many contexts",
    `const script = new vm.Script("n = (typeof n === 'undefined' ? 0 : n) + 1");
    const all = [{}, { n: 5 }].map((each) => vm.createContext(each));
    for (const each of all) { script.runInContext(each); script.runInContext(each); }
    console.log(all, vm.isContext(all[0]), vm.isContext({}));`,
    "[ { n: 2 }, { n: 7 } ] true false\n",
  ],
  [
    "errors of a context have their names and words",
    `for (const code of ["null.x", "nothing", "throw new TypeError('t')", "process.exit()", "require('fs')"]) {
      try { vm.runInNewContext(code); } catch (e) { console.log(String(e)); }
    }
    try { new vm.Script("let = = 1"); } catch (e) { console.log(e.name); }
    try { vm.runInContext("1", {}); } catch (e) { console.log(e.code); }`,
    "TypeError: Cannot read properties of null (reading 'x')\nReferenceError: nothing is not defined\nTypeError: t\n" +
    "ReferenceError: process is not defined\nReferenceError: require is not defined\nSyntaxError\nERR_INVALID_ARG_TYPE\n",
  ],
  [
    "a script that takes too long is stopped, whatever it catches",
    `const say = (what) => console.log(what);
    for (const code of ["for (;;) {}", "try { for (;;) {} } catch { say('caught') } finally { say('finally') }"]) {
      try { vm.runInNewContext(code, { say }, { timeout: 30 }); } catch (e) { console.log(e.code, e.message); }
    }
    console.log(vm.runInNewContext("1 + 1", {}, { timeout: 1000 }));`,
    "ERR_SCRIPT_EXECUTION_TIMEOUT Script execution timed out after 30ms\n".repeat(2) + "2\n",
  ],
  [
    "values of a context are shown as what they are",
    `console.log(vm.runInNewContext("({ m: new Map([[1, 2]]), s: new Set([1]), d: new Date(0), r: /x/g, e: [1, { a: 1 }] })"));
    console.log(vm.runInNewContext("new Uint8Array(2)"), vm.runInNewContext("[typeof setTimeout, typeof Buffer, typeof JSON]"));`,
    "{\n  m: Map(1) { 1 => 2 },\n  s: Set(1) { 1 },\n  d: 1970-01-01T00:00:00.000Z,\n  r: /x/g,\n" +
    "  e: [ 1, { a: 1 } ]\n}\nUint8Array(2) [ 0, 0 ] [ 'undefined', 'undefined', 'object' ]\n",
  ],
  [
    "numbers and texts are compared and formatted as the program's",
    `console.log(vm.runInNewContext("(1234.5).toLocaleString('de') + ['b', 'ä', 'a'].sort((x, y) => x.localeCompare(y))"));`,
    "1.234,5a,ä,b\n",
  ],
  [
    "functions are compiled, and scripts run in the program's own context",
    `globalThis.shared = 1; vm.runInThisContext("shared = 2"); console.log(shared);
    console.log(vm.compileFunction("return a + b", ["a", "b"])(1, 2));`,
    "2\n3\n",
  ],
  [
    "a script that assigns to its constant is told so, and what a frozen sandbox does not take stays",
    `try { vm.runInNewContext("const q = 1; q = 2"); } catch (error) { console.log(error.name, error.message); }
    console.log(vm.runInNewContext("a = 5; a", Object.freeze({ a: 1 })));`,
    "TypeError Assignment to constant variable.\n1\n",
  ],
];

for (const [name, code, printed] of PROGRAMS) {
  Deno.test(name, async () => {
    assert.equal(await new Session().stdout(`const vm = require("node:vm");\n${code}`), printed);
  });
}

Deno.test("a context goes on in later calls, and contexts that nobody holds cost nothing", async () => {
  const session = new Session({ memoryBytes: 48 << 20 });
  await session.run(`const vm = require("vm"); const kept = vm.createContext({ n: 1 });`);
  await session.run(`for (let i = 0; i < 500; i++) vm.runInNewContext("x = [n]", { n: i });`);
  assert.equal(await session.value(`vm.runInContext("++n", kept), kept.n`), "2");
});

Deno.test("a script of a context is stopped with its program, not only by its own time", async () => {
  const session = new Session();
  const ran = await session.run(`require("vm").runInNewContext("for (;;) {}", {}, { timeout: 60000 })`, {
    fuelBudget: 2_000_000,
  });
  assert.equal(ran.status, "out_of_fuel");
});
