/** What a program shows of its values and errors, in Node's words. */

import assert from "node:assert/strict";
import { Session } from "../../../support/javascript_harness.ts";

/** Programs and what they print in Node. */
const PROGRAMS: readonly (readonly [name: string, code: string, printed: string])[] = [
  [
    "consoles write to streams of the program's, and tables are as wide as what they show",
    `const { Console } = require("console"); const other = new Console(process.stdout); other.group("g"); other.error("e"); other.groupEnd();
    other.table([{ a: "日本", b: "é" }]);`,
    "g\n  e\n┌─────────┬────────┬─────┐\n│ (index) │ a      │ b   │\n├─────────┼────────┼─────┤\n" +
    "│ 0       │ '日本' │ 'é' │\n└─────────┴────────┴─────┘\n",
  ],
  [
    "iterators of maps are shown with what they have left, which they still give",
    `const it = new Map([["a", 1], ["b", 2]]).keys(); console.log(it, new Set([1]).values()); console.log([...it]);
    console.log("a1".match(/(?<n>\\d)/));`,
    "[Map Iterator] { 'a', 'b' } [Set Iterator] { 1 }\n[ 'a', 'b' ]\n" +
    "[\n  '1',\n  '1',\n  index: 1,\n  input: 'a1',\n  groups: [Object: null prototype] { n: '1' }\n]\n",
  ],
  [
    "assert shows the call that failed, as the program has it",
    `const assert = require("assert"); for (const call of [() => assert(0), () => assert.ok(typeof 1 === "string)"),
      () => assert.strict(null), () => assert(false, "said")]) try { call(); } catch (e) { console.log(e.message, e.generatedMessage); }`,
    "The expression evaluated to a falsy value:\n\n  assert(0)\n true\n" +
    'The expression evaluated to a falsy value:\n\n  assert.ok(typeof 1 === "string)")\n true\n' +
    "The expression evaluated to a falsy value:\n\n  assert.strict(null)\n true\nsaid false\n",
  ],
  [
    "the call that assert shows ends where it does in the program",
    `const assert = require("assert"); const told = (call) => { try { call(); } catch (e) { console.log(e.message.split("\\n\\n")[1].trim()); } };
    told(() => assert.ok(/\\)/.test("x")));
    told(() => assert(\`\${"\`"}\` === ")" /* ) */));`,
    'assert.ok(/\\)/.test("x"))\nassert(`${"`"}` === ")" /* ) */)\n',
  ],
  [
    "iterators that give pairs are shown as entries",
    `console.log(new Map([["a", 1]]).entries(), new Set([1])[Symbol.iterator](), new Set([1]).entries(), new Map([["a", [1, 2]]]).values());`,
    "[Map Entries] { [ 'a', 1 ] } [Set Iterator] { 1 } [Set Entries] { [ 1, 1 ] } [Map Iterator] { [ 1, 2 ] }\n",
  ],
  [
    "%o and showHidden show what is not enumerable, and getters of a program's classes",
    `const util = require("util"); console.log("%o", { f: function foo() {}, b: [1, 2] });
    class A { static s = 1; m() {} get g() { return 1; } } console.log(util.inspect(A, { showHidden: true }), util.inspect(new A(), { showHidden: true }));
    for (const each of [new Uint8Array(1), Object("a"), /a/g, Object.defineProperty({}, "h", { value: 1 }), new Map(), Promise.resolve(4), () => 1]) console.log(util.inspect(each, { showHidden: true }));`,
    `{
  f: <ref *1> [Function: foo] {
    [length]: 0,
    [name]: 'foo',
    [arguments]: null,
    [caller]: null,
    [prototype]: { [constructor]: [Circular *1] }
  },
  b: [ 1, 2, [length]: 2 ]
}
<ref *1> [class A] {
  [length]: 0,
  [name]: 'A',
  [prototype]: {
    [constructor]: [Circular *1],
    [m]: [Function: m] { [length]: 0, [name]: 'm' },
    [g]: [Getter]
  },
  s: 1
} A { [g]: [Getter] }
Uint8Array(1) [
  0,
  [BYTES_PER_ELEMENT]: 1,
  [length]: 1,
  [byteLength]: 1,
  [byteOffset]: 0,
  [buffer]: ArrayBuffer { byteLength: 1 }
]
[String: 'a'] { [length]: 1 }
/a/g { [lastIndex]: 0 }
{ [h]: 1 }
Map(0) {}
Promise { 4 }
[Function (anonymous)] { [length]: 0, [name]: '' }
`,
  ],
  [
    "errors of the language say what V8 says, and those of promises what they are",
    `const words = [() => Math.max(1n), () => 1n + 1, () => [].reduce((a) => a), () => new Date(NaN).toISOString(), () => Map(), () => Promise(),
      () => { class A {} A(); }, () => { class B extends Object { constructor() { this.x; } } new B(); }, () => { const [a] = undefined; },
      () => (5).toPrecision(0), () => new Intl.NumberFormat("x")];
    for (const each of words) try { each(); } catch (error) { console.log(error.name + ": " + error.message); }
    await Promise.any([Promise.reject(1)]).catch((error) => console.log(error.message, error.errors));
    console.log(JSON.stringify(new AggregateError([1]).message), AggregateError([], "own").message, new AggregateError([]) instanceof AggregateError);
    try { structuredClone(new WeakMap()); } catch (error) { console.log(error instanceof DOMException, error.message); }`,
    "TypeError: Cannot convert a BigInt value to a number\nTypeError: Cannot mix BigInt and other types, use explicit conversions\n" +
    "TypeError: Reduce of empty array with no initial value\nRangeError: Invalid time value\nTypeError: Constructor Map requires 'new'\n" +
    "TypeError: Promise constructor cannot be invoked without 'new'\nTypeError: Class constructor A cannot be invoked without 'new'\n" +
    "ReferenceError: Must call super constructor in derived class before accessing 'this' or returning from derived constructor\n" +
    "TypeError: undefined is not iterable\n" +
    "RangeError: toPrecision() argument must be between 1 and 100\nRangeError: Incorrect locale information provided\n" +
    'All promises were rejected [ 1 ]\n"" own true\ntrue #<WeakMap> could not be cloned.\n',
  ],
  [
    "an error's stack begins with what it is, in the words that V8 has",
    `class Failed extends Error { constructor(message) { super(message); this.name = "Failed"; Error.captureStackTrace(this, Failed); } }
    console.log(new Failed("x").stack.split("\\n")[0], new TypeError("y").stack.split("\\n")[0]);
    try { null.x; } catch (e) { console.log(e.message, e.stack.split("\\n")[0]); }
    try { undefined.y = 1; } catch (e) { console.log(e.message); }
    try { new Array(-1); } catch (e) { console.log(e.message); }
    Error.prepareStackTrace = (_, sites) => sites.length > 0; console.log(new Error().stack); Error.prepareStackTrace = undefined;`,
    "Failed: x TypeError: y\nCannot read properties of null (reading 'x') TypeError: Cannot read properties of null (reading 'x')\n" +
    "Cannot set properties of undefined (setting 'y')\nInvalid array length\ntrue\n",
  ],
  [
    "a proxy is shown as what stands behind it, and its traps are not called",
    `const p = new Proxy({ a: 1 }, { get() { throw 1; }, ownKeys: () => ["z"] }); console.log(p, [p], require("util").types.isProxy(p));
    console.log(require("util").inspect(p, { showProxy: true }).replace(/\\s+/g, " "));`,
    "{ a: 1 } [ { a: 1 } ] true\nProxy [ { a: 1 }, { get: [Function: get], ownKeys: [Function: ownKeys] } ]\n",
  ],
];

for (const [name, code, printed] of PROGRAMS) {
  Deno.test(`Node's modules: ${name}`, async () => {
    assert.equal(await new Session().stdout(code), printed);
  });
}
