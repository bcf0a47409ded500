import assert from "node:assert/strict";
import { inspect } from "node:util";
import { Session } from "../../../support/javascript_harness.ts";

const SHOWN = [
  "[1, 'a', null, undefined, true, -0, 10n, NaN, Symbol('s')]",
  "({ a: 1, 'b-c': { d: { e: { f: 1 } } } })",
  "new Map([['a', { b: [1, 2, 3] }], [{ k: 1 }, new Set([1, 'x'])]])",
  "[[], {}, new Map(), new Set(), [[[[]]]]]",
  "[1, , , 3]",
  "new Array(5)",
  "Array.from({ length: 30 }, (_, i) => i * i)",
  "Array.from({ length: 130 }, (_, i) => i)",
  "Array.from({ length: 27 }, (_, i) => 'item' + i)",
  "Array.from({ length: 8 }, (_, i) => ({ id: i, name: 'name ' + i }))",
  "({ text: 'a long text that goes on and on', other: 'another text that is long as well', n: 1 })",
  '"it\'s"',
  "'a\\n\\t\\u0001\\\\'",
  "[`'\"`, `'\"\\``]",
  "new (class Foo { a = 1; #b = 2; get c() { return 3; } })()",
  "new (class Bar extends Map { x = 1 })([[1, 2]])",
  "Object.create(null)",
  "Object.assign(Object.create(null), { a: 1 })",
  "[class A {}, class B extends Array {}, function f() {}, () => {}, Math.max]",
  "Object.assign(function f() {}, { a: 1 })",
  "[new Date(0), new Date(NaN), /a+/gi]",
  "[new Uint8Array(3), new Float64Array([1.5, 2])]",
  "({ get a() { return 1; }, set b(v) {}, get c() { return 1; }, set c(v) {} })",
  "(() => { const o = { name: 'o' }; o.self = o; o.list = [o, { o }]; return o; })()",
  "[Object(1), Object('s'), Object(true)]",
  "[Promise.resolve(4), new Promise(() => {})]",
  "({ a: { b: [[1, [2]], { c: {} }] } })",
  "'x'.repeat(100)",
  "['x'.repeat(40), 'y'.repeat(40)]",
  "({ f() {}, g: async () => {}, h: null })",
];

Deno.test("values are shown as Node shows them", async () => {
  const session = new Session();
  for (const code of SHOWN) {
    const value = (0, eval)(`(${code})`);
    // deno-fmt-ignore
    const expected = inspect(value, { depth: 2, breakLength: 80, compact: 3, colors: false });
    assert.equal(await session.value(`(${code})`), expected, code);
  }
});

Deno.test("console writes to the stream and in the form that Node would", async () => {
  const session = new Session();
  const ran = await session.run(`
    console.log("%s is %d, %i, %f, %j and %o%%", "x", 4.5, 4.9, "1.5", { a: 1 }, [1], "more", { b: 2 });
    console.log(); console.log("a", 1, null); console.info({ s: "q" }); console.debug("100%", 1);
    console.warn("w"); console.error("e"); console.assert(1 === 1, "no"); console.assert(false, "yes %s", 1);
    console.group("G"); console.log("in\\nside"); console.groupEnd(); console.log("out");
    console.count(); console.count("x"); console.count(); console.dir({ a: { b: { c: { d: 1 } } } }, { depth: 0 });
    console.table([{ a: 1, b: "x" }, { a: 2 }]); console.log("nul \\0 nul");`);
  assert.equal(
    ran.stdout,
    [
      `x is 4.5, 4, 1.5, {"a":1} and [ 1, [length]: 1 ]% more { b: 2 }`,
      "",
      "a 1 null",
      "{ s: 'q' }",
      "100% 1",
      "G",
      "  in",
      "  side",
      "out",
      "default: 1",
      "x: 1",
      "default: 2",
      "{ a: [Object] }",
      "┌─────────┬───┬─────┐",
      "│ (index) │ a │ b   │",
      "├─────────┼───┼─────┤",
      "│ 0       │ 1 │ 'x' │",
      "│ 1       │ 2 │     │",
      "└─────────┴───┴─────┘",
      "nul \0 nul",
      "",
    ].join("\n"),
  );
  assert.equal(ran.stderr, "w\ne\nAssertion failed: yes 1\n");
});

Deno.test("cells of a table say no more than Node's", async () => {
  const printed = await new Session().stdout(`
    console.table(new Map([["a", 1], ["b", { c: 1 }]]));
    console.table([{ a: { x: 1, y: 2, z: 3 }, b: [1, 2, 3, 4, 5], c: { d: { e: 1 } } }]);
    console.table(new Set([{ a: 1 }, 2]));
    console.table([{ b: 1, 2: "x", 1: "y" }]);`);
  assert.equal(
    printed,
    `
┌───────────────────┬─────┬──────────┐
│ (iteration index) │ Key │ Values   │
├───────────────────┼─────┼──────────┤
│ 0                 │ 'a' │ 1        │
│ 1                 │ 'b' │ { c: 1 } │
└───────────────────┴─────┴──────────┘
┌─────────┬──────────┬───────────────────────────────┬─────────────────┐
│ (index) │ a        │ b                             │ c               │
├─────────┼──────────┼───────────────────────────────┼─────────────────┤
│ 0       │ [Object] │ [ 1, 2, 3, ... 2 more items ] │ { d: [Object] } │
└─────────┴──────────┴───────────────────────────────┴─────────────────┘
┌───────────────────┬──────────┐
│ (iteration index) │ Values   │
├───────────────────┼──────────┤
│ 0                 │ { a: 1 } │
│ 1                 │ 2        │
└───────────────────┴──────────┘
┌─────────┬─────┬─────┬───┐
│ (index) │ 1   │ 2   │ b │
├─────────┼─────┼─────┼───┤
│ 0       │ 'y' │ 'x' │ 1 │
└─────────┴─────┴─────┴───┘
`.trimStart(),
  );
});

Deno.test("what is shown in colours has Node's", async () => {
  const shown = await new Session().value(
    `require("util").inspect([() => 1, new Date(0), /x/, { "a-b": { get x() { return 1 } }, [Symbol("s")]: [[[]]] }, Promise.race([])], { colors: true, breakLength: Infinity, depth: 2 })
      .replaceAll("\x1b[", "<")`,
  );
  assert.equal(
    shown,
    '"[ <36m[Function (anonymous)]<39m, <35m1970-01-01T00:00:00.000Z<39m, <31m/x/<39m, ' +
      `{ <32m'a-b'<39m: { x: <36m[Getter]<39m }, [<32mSymbol(s)<39m]: [ <36m[Array]<39m ] }, Promise { <36m<pending><39m } ]"`,
  );
});

Deno.test("errors are shown with stack, cause and fields, and without our frames", async () => {
  const session = new Session();
  const out = await session.stdout(
    "function f() { return new TypeError('t', { cause: new Error('c') }); }\nconst e = f(); e.code = 'X'; console.log(e); console.log({ e: 1, x: new Error('plain') })",
  );
  assert.match(
    out,
    /^TypeError: t\n {4}at f \(<execution 1>:1:\d+\)\n {4}at <execution 1>:2:\d+ \{\n {2}code: 'X',\n {2}\[cause\]: Error: c\n/,
  );
  assert.doesNotMatch(out, /wasmbox/);
});

Deno.test("showing a value is bounded, whatever its size", async () => {
  const session = new Session();
  for (
    const code of [
      "let wide = {}; for (let i = 0; i < 1e5; i++) wide['key' + i] = { a: { b: i } }; wide",
      "const tree = (n) => n ? Array.from({ length: 100 }, () => tree(n - 1)) : 'leaf'; const t = tree(3); t",
      "'x'.repeat(1e7)",
      "const sparse = []; sparse[4294967290] = 1; sparse",
      "new Map(Array.from({ length: 1e5 }, (_, i) => [i, { i }]))",
      "3n ** 100000n",
    ]
  ) {
    const ran = await session.run(
      `const value = (() => { ${
        code.replace(/; ([^;]*)$/, "; return $1").replace(/^(?!let|const)/, "return ")
      } })(); console.log([value]); value`,
    );
    assert.equal(ran.status, "completed", `${code}: ${JSON.stringify(ran).slice(0, 300)}`);
    assert(ran.stdout.length < 600_000, `${code}: ${ran.stdout.length}`);
  }
});
