import assert from "node:assert/strict";
import fc from "fast-check";
import { rewrite } from "../../src/runtime/javascript/rewrite.ts";
import { runs } from "./runs.ts";

// deno-lint-ignore no-explicit-any
const AsyncFunction = (async () => {}).constructor as any;

/** Whether it is a script, as far as a function's body is like one. Nothing is run. */
function parses(code: string): boolean {
  try {
    new AsyncFunction(code);
    return true;
  } catch (error) {
    assert.ok(error instanceof SyntaxError);
    return false;
  }
}

const token = fc.constantFrom(
  ..."let const var class extends import export from as with function async await of in if else for while do return new typeof static get default this null a b c x1 $ _ é \\u0061"
    .split(" "),
  ..."{ } ( ) [ ] ; , . ?. = == => + ++ - -- * ** / /= < > ? : ! ~ & ... #p @".split(" "),
  ...[
    "0",
    "1.5",
    "1n",
    "'s'",
    '"t"',
    "`u`",
    "`v${",
    "}w`",
    "/re/g",
    "/[/]/",
    "// c\n",
    "/* d */",
    "/* \n */",
    "\\",
    "'",
    "`",
    "\u2028",
  ],
);
const soup = fc.array(fc.tuple(token, fc.constantFrom("", " ", " ", "\n")), { maxLength: 40 })
  .map((parts) => parts.map(([token, space]) => token + space).join(""));

const expression = fc.constantFrom(
  "1",
  "f(2)",
  "{ a: 1, b: [2] }",
  "[1, 2]",
  "(x, y) => x",
  "function () { let z = 1; return z }",
  "async () => await 1",
  "class { static #p = 1; m() { const q = 2 } }",
  "`a${`b${1}`}c`",
  "/[/]x}/.test('y')",
  "a / b / c",
  "x ? y : z",
  "new Map([[1, 2]])",
  "'let a'",
  "await g()",
  "{}",
  "a\n  .b()",
  "-1",
  "typeof x",
  "void 0",
  "(1, 2)",
  "x ** 2",
  "a?.b ?? c",
  "1_000n",
  "function* () { yield /re/ }",
  "class A extends (class B {}) {}",
  "a++",
  "!x",
);
const binding = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("a", "b", "c", "$", "é", "of", "async", "get", "from") },
  {
    weight: 1,
    arbitrary: fc.constantFrom("{ p }", "[q, r]", "{ s: [t], ...u }", "{ v = { w: 1 } }", "[x = [1], , y]"),
  },
);
const declaration = fc.record({
  word: fc.constantFrom("let", "const", "var", "let"),
  bindings: fc.array(fc.tuple(binding, fc.option(expression)), { minLength: 1, maxLength: 3 }),
}).map(({ word, bindings }) =>
  `${word} ${bindings.map(([name, value]) => value === null ? name : `${name} = ${value}`).join(", ")}`
);
const statement: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: declaration },
  { weight: 2, arbitrary: expression },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "class A {}",
      "class B extends A { m() { } }",
      "class C extends f(class {}) { static { let x = 1 } }",
      "class D\n{\n}",
    ),
  },
  { weight: 2, arbitrary: declaration.map((inner) => `{ ${inner} }`) },
  { weight: 1, arbitrary: declaration.map((inner) => `function f() { ${inner}\n }`) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "for (let i = 0; i < 1; i++) {}",
      "for (const k of []) ;",
      "for await (const k of []) {}",
      "if (a) b; else c",
      "label: for (;;) break label",
      "try { } catch { } finally { }",
      "switch (a) { case 1: let b }",
      "do x\nwhile (0)",
      "let\nq",
      "var let_ = 1",
      "a = b\n++c",
      "if (1) /x/.test(a)",
      "a = 1",
      "b += 2, c++",
      "--d",
      "({ a = 1, b: { c = 2 } } = {})",
      "[a, b = 1] = []",
      "class K { a = 1; static b = 2; c() { a = 3 } }",
      "((a, { b = 1 }) => { a = b })(1, {})",
      "for (a of []) ;",
      "const f2 = a => a++",
    ),
  },
);
const script = fc.array(
  fc.tuple(statement, fc.constantFrom(";", "\n", ";\n", "\n// let c\n", " /* const */\n")),
  { maxLength: 7 },
)
  .map((parts) => parts.map(([text, end]) => text + end).join(""));

const breaks = (code: string) => code.split(/\n/).length;

function check(source: string): boolean {
  const { code } = rewrite(source, { importCheck: "check" });
  assert.equal(breaks(code), breaks(source));
  assert.ok(code.length <= source.length * 20 + 100);
  if (code === source || !parses(source)) return false;
  assert.ok(parses(code), `does not parse any more:\n${code}`);
  return true;
}

Deno.test("any soup of tokens is left alone, or parses if it did before, on the same lines", () => {
  fc.assert(fc.property(soup, (source) => void check(source)), runs(4000));
});

Deno.test("scripts that parse still do when they are rewritten", () => {
  let rewritten = 0;
  fc.assert(fc.property(script, (source) => void (rewritten += Number(check(source)))), runs(2500));
  assert.ok(rewritten > 300, `only ${rewritten} were rewritten`);
});

Deno.test("a script runs twice, and what it declares is the same as when it runs once", () => {
  const simple = fc.constantFrom(
    "1",
    "[1, 2]",
    "'s'",
    "{ n: 1 }",
    "(() => 3)()",
    "`t${4}`",
    "5 / 5",
    "/r/.test('r')",
  );
  const names = ["a", "b", "c"];
  const script = fc.array(
    fc.tuple(fc.constantFrom("let", "const"), simple, fc.constantFrom(";", "\n", ";\n")),
    { maxLength: 3 },
  )
    .map((parts) => parts.map(([word, value, end], i) => `${word} ${names[i]} = ${value}${end}`).join(""));
  const results = (code: string) =>
    new Function(
      `${code};return [${names.map((name) => `typeof ${name} === "undefined" ? null : ${name}`)}]`,
    )();
  fc.assert(
    fc.property(script, (source) => {
      const { code } = rewrite(source, { importCheck: "check" });
      assert.deepEqual(results(`${code}\n${code}`), results(source));
    }),
    runs(300),
  );
});
