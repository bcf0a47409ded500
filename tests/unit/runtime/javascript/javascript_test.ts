import assert from "node:assert/strict";
import { Session } from "../../../support/javascript_harness.ts";

Deno.test("what a run declares is there in the next ones", async () => {
  const session = new Session();
  await session.run(
    "let a = 1; const b = 2; var c = 3; class D { d() { return 4; } } function e() { return 5; }",
  );
  assert.equal(await session.value("[a++, b, c, new D().d(), e()]"), "[ 1, 2, 3, 4, 5 ]");
  assert.equal(await session.value("a"), "2");
  assert.equal(await session.value("const f = () => a; f()"), "2");
});

Deno.test("a string is spread into its characters, where it stands for an object too", async () => {
  const session = new Session();
  assert.equal(
    await session.value(`JSON.stringify([{ ..."ab", ...1, ...null }, [..."ab"]])`),
    `'[{"0":"a","1":"b"},["a","b"]]'`,
  );
  assert.equal(
    await session.value(`const { 0: first, ...rest } = "abc"; first + JSON.stringify(rest)`),
    `'a{"1":"b","2":"c"}'`,
  );
});

Deno.test("a let, const or class may be declared again", async () => {
  const session = new Session();
  for (let i = 0; i < 3; i++) {
    assert.equal(
      await session.value(`const x = ${i}; let y; class Z { z() { return ${i}; } }; [x, y, new Z().z()]`),
      `[ ${i}, undefined, ${i} ]`,
    );
    await session.run("y = 'kept from the run before'");
  }
  for (const end of ["", ";"]) {
    const code = `let [p, { q }] = [1, { q: 2 }], r = 3, s${end}\n[p, q, r, s]`;
    assert.equal(await session.value(code), "[ 1, 2, 3, undefined ]");
    await session.run("s = 'kept from the run before'");
  }
});

Deno.test("a run's value is that of its last expression, and null if that is undefined", async () => {
  const session = new Session();
  for (
    const [code, result] of [
      ["1 + 1", "2"],
      ["'a'", "'a'"],
      ["undefined", null],
      ["const x = 5", null],
      ["", null],
      ["// nothing", null],
      ["null", "null"],
      ["({ a: [1, { b: { c: { d: 1 } } }] })", "{ a: [ 1, { b: [Object] } ] }"],
      ["if (true) 7; else 8", "7"],
    ] as const
  ) assert.equal(await session.value(code), result, code);
});

Deno.test("a result is cut to its bound in bytes", async () => {
  const session = new Session();
  const ran = await session.run("'ä'.repeat(1000)", { resultMaxBytes: 100 });
  assert(ran.status === "completed" && ran.result);
  assert(new TextEncoder().encode(ran.result).length <= 100);
  assert.match(ran.result, /^'ä+…$/);
  const huge = await session.run(
    "Array.from({ length: 1e4 }, (_, i) => ({ ['key' + i]: 'x'.repeat(1000) }))",
    {
      resultMaxBytes: 1000,
    },
  );
  assert(huge.status === "completed" && huge.result && huge.result.length <= 1000);
});

Deno.test("top-level await, promises and timers run to their end before the run ends", async () => {
  const session = new Session();
  assert.equal(
    await session.value("const late = await new Promise((done) => setTimeout(done, 2, 7)); late"),
    "7",
  );
  assert.equal(await session.value("late"), "7");
  assert.equal(
    await session.stdout(`
      setTimeout(console.log, 4, "timer 4"); setTimeout(() => console.log("timer 2"), 2);
      const cleared = setTimeout(() => console.log("never"), 1); clearTimeout(cleared);
      let ticks = 0; const interval = setInterval(() => { console.log("tick"); if (++ticks === 2) clearInterval(interval); }, 8);
      queueMicrotask(() => console.log("microtask")); Promise.resolve().then(() => console.log("then"));
      console.log("first");`),
    "first\nmicrotask\nthen\ntimer 2\ntimer 4\ntick\ntick\n",
  );
});

Deno.test("an await that nothing can settle fails at once and says so", async () => {
  const session = new Session();
  const error = await session.error("var before = 1; await new Promise(() => {})");
  assert.match(error.message, /can never settle/);
  assert.equal(await session.value("before"), "1");
});

Deno.test("errors name type, message and the user's own line, and show no frame of ours", async () => {
  const session = new Session();
  const error = await session.error("function f() {\n  missing();\n}\nf();");
  assert.deepEqual([error.type, error.message], ["ReferenceError", "missing is not defined"]);
  assert.match(error.traceback, /^<execution 1>:2\n {2}missing\(\);\n/);
  assert.match(error.traceback, /at f \(<execution 1>:2:\d+\)\n {4}at <execution 1>:4:\d+$/);

  const syntax = await session.error("let ok = 1;\nlet = = 2;");
  assert.equal(syntax.type, "SyntaxError");
  assert.match(syntax.traceback, /<execution 2>:2/);

  const custom = await session.error(
    "class Mine extends Error { name = 'Mine'; code = 5 }\nthrow new Mine('so')",
  );
  assert.deepEqual([custom.type, custom.message], ["Mine", "so"]);
  assert.match(custom.traceback, /code: 5/);
  for (
    const code of ["setTimeout(() => nope(), 1)", "queueMicrotask(() => nope())", "[1].forEach(() => nope())"]
  ) {
    const { type, traceback } = await session.error(code);
    assert.equal(type, "ReferenceError", code);
    assert.doesNotMatch(traceback, /wasmbox/, code);
  }
});

Deno.test("anything may be thrown", async () => {
  const session = new Session();
  for (
    const [code, message] of [
      ["throw 'text'", "text"],
      ["throw { code: 1 }", "{ code: 1 }"],
      ["throw null", "null"],
      ["throw undefined", "undefined"],
      ["await Promise.reject(5)", "5"],
      ["throw Symbol('s')", "Symbol(s)"],
    ] as const
  ) {
    assert.equal((await session.error(code)).message, message, code);
  }
  await session.error("throw new Proxy({}, { get() { throw 1; }, getPrototypeOf() { throw 2; } })");
  await session.error(
    "const e = new Error('x'); Object.defineProperty(e, 'stack', { get() { throw e; } }); throw e",
  );
  await session.error("const e2 = new Error('x'); e2.name = { toString() { throw e2; } }; throw e2");
  assert.equal(await session.value("1"), "1");
});

Deno.test("the rejection of the promise a run ends with fails the run", async () => {
  const session = new Session();
  const error = await session.error(
    "async function main() { await null; throw new RangeError('lost'); }\nmain()",
  );
  assert.deepEqual([error.type, error.message], ["RangeError", "lost"]);
  assert.equal(await session.value("main().catch((e) => e.message)"), "Promise { 'lost' }");
});

Deno.test("a promise that was settled with nothing is no result, one of anything else is", async () => {
  const session = new Session();
  const results = {
    "async function main() { await null; } main()": null,
    "(async () => { await new Promise((resolve) => setTimeout(resolve, 1)); })()": null,
    "Promise.resolve()": null,
    "Promise.resolve(null)": "Promise { null }",
    "(async () => 1)()": "Promise { 1 }",
    "new Promise(() => {})": "Promise { <pending> }",
    "[Promise.resolve()]": "[ Promise { undefined } ]",
    "null": "null",
  };
  for (const [code, result] of Object.entries(results)) assert.equal(await session.value(code), result, code);
});

Deno.test("the platform's globals are there", async () => {
  const session = new Session();
  assert.equal(
    await session.value("new TextDecoder().decode(new TextEncoder().encode('aä€😀\\0\\ud800'))"),
    "'aä€😀\\x00�'",
  );
  assert.equal(await session.value("[atob('aGkA'), btoa('h\\xff')]"), "[ 'hi\\x00', 'aP8=' ]");
  assert.equal(
    await session.value(
      "const u = new URL('../b?x=1#h', 'https://h:8080/a/c'); u.searchParams.set('y', 'z w'); u.href",
    ),
    "'https://h:8080/b?x=1&y=z+w#h'",
  );
  assert.match((await session.error("new URL('nope')")).message, /Invalid URL/);
  assert.equal(await session.value("new URLSearchParams('a=1&b=%C3%A4&a=2').getAll('a')"), "[ '1', '2' ]");
  assert.equal(
    await session.value(
      "const s = { d: new Date(0), m: new Map([[1, { x: 1 }]]) }; s.self = s; const t = structuredClone(s); [t !== s, t.self === t, t.m.get(1).x, t.d]",
    ),
    "[ true, true, 1, 1970-01-01T00:00:00.000Z ]",
  );
  assert.equal((await session.error("structuredClone(() => {})")).type, "DataCloneError");
  assert.equal(await session.value("performance.now() >= 0 && performance.now() < 1e5"), "true");
  assert.match(
    await session.value("crypto.randomUUID()") ?? "",
    /^'[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}'$/,
  );
  assert.equal(await session.value("crypto.getRandomValues(new Uint32Array(4)).some((n) => n > 0)"), "true");
  assert.equal(
    await session.value("[typeof process, typeof Deno, typeof fetch]"),
    "[ 'object', 'undefined', 'function' ]",
  );
  assert.equal(await session.value("new Date(0).getHours() + new Date(0).getTimezoneOffset()"), "0");
});

Deno.test("odd source is answered, not choked on", async () => {
  const session = new Session();
  assert.equal(await session.value("'a\0b'.length"), "3");
  assert.equal(await session.value("'\ud800'.length > 0"), "true");
  assert.equal(await session.value(`${"x = 1;\n".repeat(100_000)} x`), "1");
  assert.equal(await session.value("#!/usr/bin/env node\n5"), "5");
});

Deno.test("runs leave nothing behind in the heap", async () => {
  const session = new Session({ memoryBytes: 24 << 20 });
  const big = "'x'.repeat(100_000)";
  const codes = [
    `${big} // ${"a comment ".repeat(10_000)}`,
    `throw new Error(${big})`,
    `console.log(${big}); console.error(new Error(${big}))`,
    `await Promise.reject(${big})`,
    `const kept = ${big}; await null; setTimeout(() => kept, 0); Promise.resolve(kept).then(() => {})`,
    `new TextDecoder().decode(new TextEncoder().encode(${big})).length`,
    `await new Promise(() => ${big})`,
    `({ get x() { throw ${big} } }).x`,
    `require("fs").writeFileSync("f", ${big}); require("fs").readFileSync("f", "utf8").length`,
    `setTimeout(() => { throw ${big} }, 0); await new Promise(() => {})`,
    `new (require("worker_threads").Worker)("require('worker_threads').parentPort.postMessage(1)", { eval: true, workerData: [${big}, new SharedArrayBuffer(100_000)] }).on("message", () => {}); 0`,
    "syntax error",
  ];
  for (const code of codes) await session.run(code);
  const before = session.runtime.memoryBytes();
  for (let i = 0; i < 60; i++) {
    for (const code of codes) {
      const ran = await session.run(code);
      assert(ran.status === "completed" || ran.status === "failed", JSON.stringify(ran).slice(0, 300));
    }
  }
  assert.equal(session.runtime.memoryBytes(), before);
});

Deno.test("a discarded heap is replaced by a fresh one", async () => {
  const session = new Session();
  await session.run("var gone = 1");
  session.runtime.discard();
  assert.equal(session.runtime.memoryBytes(), 0);
  assert.equal(await session.value("typeof gone"), "'undefined'");
  assert(session.runtime.memoryBytes() > 0);
});

Deno.test("guests that tamper with their globals harm themselves only", async () => {
  const session = new Session();
  await session.run(
    "Array.prototype.map = Array.prototype.push = JSON.stringify = Object.keys = () => { throw new Error('mine'); }",
  );
  await session.run(
    "Object.defineProperty(Object.prototype, 'then', { get() { throw 1; } }); Promise.prototype.then = null",
  );
  await session.run("console = JSON = Object = Error = Reflect = undefined; throw 1");
  const ran = await session.run("1 + 1");
  assert(ran.status === "completed" || ran.status === "failed", JSON.stringify(ran));
  session.runtime.discard();
  assert.equal(await session.value("1 + 1"), "2");
});
