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
  "new (class { get #a() { return 1 } run() { this.#a() } })().run()": "this[#a] is not a function",
  "new (class { get #a() { return x } set #a(value) {} run() { this.#a.foo() } })().run()":
    "this[#a].foo is not a function",
  "new (class { #a() {} run() { this.#a()() } })().run()": "this[#a](...) is not a function",
  "new (class { #a() { return 1 } run() { return () => this.#a().foo() } })().run()()":
    "this[#a](...).foo is not a function",
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
  "`a${f}`()": '"a1" is not a function',
  "`${f}`.foo()": "(intermediate value).foo is not a function",
  "`a long text, and ${f}`.foo.bar()": "Cannot read properties of undefined (reading 'bar')",
  "(() => { const given = (function* () { (yield* [x]).foo() })(); given.next(), given.next() })()":
    "Cannot read properties of undefined (reading 'foo')",
  "(() => { const given = (function* () { (yield* [x])() })(); given.next(), given.next() })()":
    "undefined is not a function",
  '(n || "hello world")()': '"hello world" is not a function',
  'new (n || "a" + key)()': '"aname" is not a constructor',
  "x.list.map(key)": "name is not a function",
  'x["a\\0b"]()': "x.(intermediate value) is not a function",
  [`x.${"a".repeat(63)}()`]: `x.${"a".repeat(63)} is not a function`,
  [`x.${"a".repeat(64)}()`]: `x.${"a".repeat(60)}… is not a function`,
  [`x.a${"ä".repeat(40)}()`]: `x.a${"ä".repeat(29)}… is not a function`,
  [`x.${"日".repeat(40)}()`]: `x.${"日".repeat(20)}… is not a function`,
  '(n || "a\\0b")()': '"a…" is not a function',
  [`u.${"a".repeat(90)}`]: `Cannot read properties of undefined (reading '${"a".repeat(60)}…')`,
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

const STRICT_WORDS: Readonly<Record<string, string>> = {
  "(() => { const a = 1; a = 2 })()": "Assignment to constant variable.",
  "for (const a of [1]) a++": "Assignment to constant variable.",
  "Object.freeze({ a: 1 }).a = 2": "Cannot assign to read only property 'a' of object '#<Object>'",
  "Object.freeze([1])[0] = 2": "Cannot assign to read only property '0' of object '[object Array]'",
  "Object.freeze([1]).push(2)": "Cannot add property 1, object is not extensible",
  "Object.freeze(new (class Point {})()).a = 1": "Cannot add property a, object is not extensible",
  "delete Object.freeze({ a: 1 }).a": "Cannot delete property 'a' of #<Object>",
  "new (class Point { get a() { return 1 } })().a = 2":
    "Cannot set property a of #<Point> which has only a getter",
  "Object.defineProperty(Object.freeze({ a: 1 }), 'a', { value: 2 })": "Cannot redefine property: a",
  "'text'.a = 1": "Cannot create property 'a' on string 'text'",
  "'a' in 'text'": "Cannot use 'in' operator to search for 'a' in text",
  "({}) instanceof ({})": "Right-hand side of 'instanceof' is not callable",
  "new (class { set #a(value) {} run() { return this.#a } })().run()": "'#a' was defined without a getter",
  "new (class { set #a(value) {} run() { this.#a++ } })().run()": "'#a' was defined without a getter",
  "new (class { get #a() { return 1 } run() { this.#a = 1 } })().run()": "'#a' was defined without a setter",
  "(class { static get #a() { return 1 } static run() { this.#a += 1 } }).run()":
    "'#a' was defined without a setter",
  "new (class { #a() {} run() { this.#a = 1 } })().run()": "Private method '#a' is not writable",
  "class Point extends undefined {}": "Class extends value undefined is not a constructor or null",
};

Deno.test(`[${UNDER_TEST}] errors say what can't be changed, and of what`, async () => {
  await using server = await TestServer.start();
  const { stdout } = await server.javascript(
    `const said = (code) => { try { return (0, eval)('"use strict";' + code) } catch (error) { return error.message } };
     console.log(JSON.stringify(${JSON.stringify(Object.keys(STRICT_WORDS))}.map(said)))`,
  );
  const said: string[] = JSON.parse(stdout);
  assert.deepEqual(
    Object.fromEntries(Object.keys(STRICT_WORDS).map((code, i) => [code, said[i]])),
    STRICT_WORDS,
  );
});

/** By programs, what is said of what they give to the language's own functions. */
const ARGUMENT_WORDS = {
  "'x'.repeat(-1)": "Invalid count value: -1",
  "'x'.repeat(1 / 0)": "Invalid count value: Infinity",
  "String.fromCodePoint(65, -1)": "Invalid code point -1",
  "BigInt(1.5)": "The number 1.5 cannot be converted to a BigInt because it is not an integer",
  "BigInt('1x')": "Cannot convert 1x to a BigInt",
  "BigInt(undefined)": "Cannot convert undefined to a BigInt",
  "1n + 1": "Cannot mix BigInt and other types, use explicit conversions",
  "1n / 0n": "Division by zero",
  "2n ** -1n": "Exponent must be non-negative",
  "1n >>> 0n": "BigInts have no unsigned right shift, use >> instead",
  "new Array(-1)": "Invalid array length",
  "(1).toFixed(101)": "toFixed() digits argument must be between 0 and 100",
  "(1).toString(1)": "toString() radix argument must be between 2 and 36",
  "decodeURIComponent('%')": "URI malformed",
  "encodeURIComponent('\\ud800')": "URI malformed",
  "Symbol() + ''": "Cannot convert a Symbol value to a string",
  "new Symbol()": "Symbol is not a constructor",
  "'a'.replaceAll(/a/, '')": "String.prototype.replaceAll called with a non-global RegExp argument",
  "'a'.matchAll(/a/)": "String.prototype.matchAll called with a non-global RegExp argument",
  "'a'.includes(/a/)": "First argument to String.prototype.includes must not be a regular expression",
  "new RegExp('[')": "Invalid regular expression: /[/: Unterminated character class",
  "new RegExp('(', 'gi')": "Invalid regular expression: /(/gi: Unterminated group",
  "new RegExp(')')": "Invalid regular expression: /)/: Unmatched ')'",
  "new RegExp('*')": "Invalid regular expression: /*/: Nothing to repeat",
  "new RegExp('[b-a]')": "Invalid regular expression: /[b-a]/: Range out of order in character class",
  "new RegExp('a{2,1}')": "Invalid regular expression: /a{2,1}/: numbers out of order in {} quantifier",
  "new RegExp('a', 'zz')": "Invalid flags supplied to RegExp constructor 'zz'",
  "new Uint8Array(-1)": "Invalid typed array length: -1",
  "new ArrayBuffer(-1)": "Invalid array buffer length",
  "new Uint32Array(new ArrayBuffer(3))": "byte length of Uint32Array should be a multiple of 4",
  "new Uint32Array(new ArrayBuffer(8), 1)": "start offset of Uint32Array should be a multiple of 4",
  "new Uint8Array(new ArrayBuffer(3), 4)": "Start offset 4 is outside the bounds of the buffer",
  "new Uint8Array(new ArrayBuffer(3), 1, 5)": "Invalid typed array length: 5",
  "new Uint8Array(2).set([1, 2, 3])": "offset is out of bounds",
  "new DataView(new ArrayBuffer(1)).getInt32(0)": "Offset is outside the bounds of the DataView",
  "new Map([1])": "Iterator value 1 is not an entry object",
  "Object.fromEntries([1])": "Iterator value 1 is not an entry object",
  "Object.create(1)": "Object prototype may only be an Object or null: 1",
  "Object.setPrototypeOf({}, 'a')": "Object prototype may only be an Object or null: a",
  "Object.setPrototypeOf(Object.freeze({}), {})": "#<Object> is not extensible",
  "Object.setPrototypeOf(Object.prototype.valueOf, Object.create(Object.prototype.valueOf))":
    "Cyclic __proto__ value",
  "Object.defineProperty(1, 'x', {})": "Object.defineProperty called on non-object",
  "Object.defineProperty({}, 'x', 1)": "Property description must be an object: 1",
  "Object.defineProperty({}, 'x', { get: 1 })": "Getter must be a function: 1",
  "Object.getPrototypeOf(null)": "Cannot convert undefined or null to object",
  "new WeakMap().set(1, 2)": "Invalid value used as weak map key",
  "new WeakSet().add(1)": "Invalid value used in weak set",
  "new Proxy({}, null)": "Cannot create proxy with a non-object as target or handler",
  "new Date(NaN).toISOString()": "Invalid time value",
  "Date.prototype.getTime.call({})": "this is not a Date object.",
};

Deno.test(`[${UNDER_TEST}] errors say which value the language's functions do not take`, async () => {
  await using server = await TestServer.start();
  const { stdout } = await server.javascript(
    `const said = (code) => { try { return String((0, eval)(code)) } catch (error) { return error.message } };
     console.log(JSON.stringify(${JSON.stringify(Object.keys(ARGUMENT_WORDS))}.map(said)))`,
  );
  const said: string[] = JSON.parse(stdout);
  assert.deepEqual(
    Object.fromEntries(Object.keys(ARGUMENT_WORDS).map((code, i) => [code, said[i]])),
    ARGUMENT_WORDS,
  );
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

Deno.test(`[${UNDER_TEST}] handlers of errors that nobody caught are in the context of what failed`, async () => {
  await using server = await TestServer.start();
  const { stdout } = await server.javascript(
    `const { AsyncLocalStorage } = require("async_hooks");
     const storage = new AsyncLocalStorage();
     const told = [];
     process.on("uncaughtException", (error) => told.push([error.message, storage.getStore()]));
     process.on("unhandledRejection", (error) => told.push([error.message, storage.getStore()]));
     process.on("exit", () => console.log(JSON.stringify(told.sort())));
     const fail = (name) => { throw new Error(name) };
     storage.run(1, () => setTimeout(fail, 1, "timer"));
     storage.run(2, () => setImmediate(fail, "immediate"));
     storage.run(3, () => process.nextTick(fail, "tick"));
     storage.run(4, () => setTimeout(() => { storage.enterWith(5); fail("entered") }, 1));
     storage.run(6, () => setTimeout(() => storage.run(7, fail, "left"), 1));
     storage.run(8, async () => { await null; fail("async") });
     storage.run(9, async () => fail("at once"));
     storage.run(10, () => Promise.resolve().then(() => fail("then")));
     storage.run(11, () => require("fs").readFile("none", () => fail("file")));
     storage.enterWith(12);
     fail("script")`,
  );
  assert.deepEqual(JSON.parse(stdout), [
    ["async", 8],
    ["at once", 9],
    ["entered", 5],
    ["file", 11],
    ["immediate", 2],
    ["left", 6],
    ["script", 12],
    ["then", 10],
    ["tick", 3],
    ["timer", 1],
  ]);
});

const TOLD_ONCE = {
  "a script's value": "Promise.reject(new Error('a'))",
  "a script that waits": "await null; throw new Error('a')",
  "a script that waits, and another promise":
    "(async () => { await null; throw new Error('b') })(); throw new Error('a')",
} as const;

for (const [what, code] of Object.entries(TOLD_ONCE)) {
  Deno.test(`[${UNDER_TEST}] the rejection of ${what} is told once`, async () => {
    await using server = await TestServer.start();
    const { stdout } = await server.javascript(
      `for (const name of ["uncaughtException", "unhandledRejection"]) process.on(name, (e) => console.log(e.message));
       process.on("beforeExit", () => console.log("end"));
       ${code}`,
    );
    assert.equal(stdout, what.endsWith("another promise") ? "a\nb\nend\n" : "a\nend\n");
  });
}

Deno.test(`[${UNDER_TEST}] an error's stack is its own, and begins with what the error is when it is asked for`, async () => {
  await using server = await TestServer.start();
  const { stdout, error } = await server.javascript(
    `class Invalid extends Error { constructor(message) { super(message); this.name = "Invalid" } }
     class Captured extends Error { constructor(message) { super(message); Error.captureStackTrace(this, Captured); this.name = "Captured" } }
     class Field extends Error { name = "Field" }
     const first = (e) => e.stack.split("\\n")[0];
     const asked = new Error("asked");
     first(asked);
     asked.name = "Late";
     console.log([new Invalid("a"), new Captured("b"), new Field("c"), asked, new Proxy(new Invalid("d"), {})].map(first).join());
     const plain = { name: "Plain", message: "e" };
     Error.captureStackTrace(plain);
     console.log(first(plain), first(Object.create(new Invalid("f"))));
     const set = new Error("g");
     set.stack = "mine";
     console.log(set.stack, Object.keys(set).length, Object.hasOwn(new Error(), "stack"));
     const told = JSON.parse(JSON.stringify(new Invalid("h"), Object.getOwnPropertyNames(new Invalid("h"))));
     console.log(told.name, told.message, told.stack.split("\\n")[0]);
     let again;
     try { try { throw set } catch (e) { throw e } } catch (e) { again = e.stack }
     console.log(again);`,
  );
  assert.deepEqual(stdout.trim().split("\n"), [
    "Invalid: a,Captured: b,Field: c,Error: asked,Invalid: d",
    "Plain: e Invalid: f",
    "mine 0 true",
    "Invalid h Invalid: h",
    "mine",
  ], JSON.stringify(error));
});

Deno.test(`[${UNDER_TEST}] errors are shown by the names of their classes, which are told once`, async () => {
  await using server = await TestServer.start();
  const { stdout } = await server.javascript(
    `class Invalid extends Error { constructor(message) { super(message); this.name = "Invalid" } }
     class Missing extends Error {}
     class MissingError extends Error {}
     class Wrong extends TypeError {}
     class Refused extends Error { constructor(message) { super(message); this.name = "RefusedError"; this.code = 403 } }
     const shown = (e) => require("util").inspect(e).split("\\n").filter((line) => !/^ +at /.test(line)).join("");
     for (const Class of [Invalid, Missing, MissingError, Wrong, Refused]) console.log(shown(new Class("x")));
     console.log(shown(new DOMException("x", "AbortError")));`,
  );
  assert.deepEqual(stdout.trim().split("\n"), [
    "Invalid: x",
    "Missing [Error]: x",
    "MissingError: x",
    "Wrong [TypeError]: x",
    "Refused [RefusedError]: x  code: 403}",
    "DOMException [AbortError]: x",
  ]);
  const failed = await server.javascript(
    `class Invalid extends Error { constructor(message) { super(message); this.name = "Invalid" } }; throw new Invalid("x")`,
  );
  assert.match(failed.error?.traceback ?? "", /\n\nInvalid: x(?:\n {4}at [^\n]*)+$/);
});

Deno.test(`[${UNDER_TEST}] an error has a stack also where none can be prepared`, async () => {
  await using server = await TestServer.start();
  const { stdout, error } = await server.javascript(
    `const caught = (run) => { try { run() } catch (e) { return e } };
     const first = (e) => e.stack.split("\\n")[0];
     function deep() { deep() }
     const overflow = caught(deep);
     console.log(first(overflow), /\\n {4}at deep \\(.+:\\d+:\\d+\\)/.test(overflow.stack), overflow.stack.includes("prelude"));
     class Invalid extends Error { name = "Invalid"; constructor(message) { super(message); new Invalid("again") } }
     console.log(first(caught(() => new Invalid("a"))));
     Error.prepareStackTrace = () => { throw new Error("not prepared") };
     console.log(first(new TypeError("b")), first(caught(() => null.c)));
     Error.prepareStackTrace = (e, sites) => e.message + sites.length;
     console.log(/^d\\d+$/.test(new Error("d").stack));
     Error.prepareStackTrace = undefined;
     Object.prototype.value = Object.prototype.get = 1;
     const changed = [new Error("e"), caught(() => null.f)];
     delete Object.prototype.value, delete Object.prototype.get;
     console.log(changed.map(first).join());
     const { has } = Map.prototype, { filter } = Array.prototype;
     Map.prototype.has = Array.prototype.filter = () => { throw 1 };
     const broken = [new RangeError("g"), caught(() => null.h)];
     Map.prototype.has = has, Array.prototype.filter = filter;
     console.log(typeof broken[1].stack, first(broken[0]), broken[0].stack.includes("\\n    at "));`,
  );
  assert.deepEqual(stdout.trim().split("\n"), [
    "RangeError: Maximum call stack size exceeded true false",
    "RangeError: Maximum call stack size exceeded",
    "TypeError: b TypeError: Cannot read properties of null (reading 'c')",
    "true",
    "Error: e,TypeError: Cannot read properties of null (reading 'f')",
    "string RangeError: g true",
  ], JSON.stringify(error));
});

Deno.test(`[${UNDER_TEST}] a program's own errors say what it has given them`, async () => {
  await using server = await TestServer.start();
  const { stdout } = await server.javascript(
    `class Own extends ReferenceError {}
     const given = [
       [ReferenceError, "cfg is not initialized"], [Own, "this is not initialized"], [TypeError, "empty array"],
       [RangeError, "invalid number of digits"], [RangeError, "invalid array length"], [URIError, "expecting hex digit"],
     ];
     const made = given.flatMap(([Class, words]) => {
       const captured = new Class(words);
       Error.captureStackTrace(captured);
       const thrown = new Class(words);
       try { throw thrown } catch {}
       return [new Class(words), captured, thrown, Reflect.construct(Class, [words], Own)]
         .filter((error) => error.message !== words || !error.stack.split("\\n")[0].endsWith(words));
     });
     console.log(made.length);`,
  );
  assert.equal(stdout, "0\n");
});
