import assert from "node:assert/strict";
import { rewrite } from "../../../../src/runtime/javascript/rewrite.ts";

const code = (source: string) => rewrite(source, "check").code;

Deno.test("only declarations at the top level are rewritten", () => {
  for (
    const source of [
      "for (const a of b) { let c = 1; class D {} }",
      "function f() { const a = 1; let b; class C {} }",
      "x = class A {}",
      "a.const = b?.let; ({ const: 1, class: 2 })",
      "'const a = 1'; `const b ${`let c`}`; /const d/.test(e) // let f",
      "label: while (0) {}",
      "let = 5",
      "import('x'); import.meta",
    ]
  ) assert.equal(code(source), source);
});

Deno.test("line numbers stay, and values never survive a declaration", () => {
  assert.equal(
    code("const a = 1;\nlet b\nlet c, d = 2;"),
    "var   a = 1;\nvar b = void 0;\nvar c = void 0, d = 2;",
  );
  assert.equal(code("class A {\n}\n(1)"), "var A = class A {\n};\n(1)");
  assert.equal(code("let { x, y: [z] } = o, w"), "var { x, y: [z] } = o, w = void 0;");
  const imported = code("import d, {\n  a as b\n} from 'm'\nnext");
  assert.equal(imported.split("\n").indexOf("next"), 3);
  assert.match(
    imported,
    /^var \{default: d, a: b\} = check\(await import\('m'\), 'm', \["default", "a"\]\);/,
  );
});

Deno.test("what tokens don't decide is left as it is", () => {
  for (
    const source of ["const a = {} / 2", "const a = 'open", "const a = (", "const a = `${", "const a = ]"]
  ) {
    assert.equal(code(source), source);
  }
});

Deno.test("where let is a name and not a keyword, it stays one", () => {
  for (const source of ["let\nnull;", "++\nlet\nlet", "++\nlet\nq", "var\nlet\né", "let\nvar x = 1"]) {
    assert.equal(rewrite(source, "check").code, source);
  }
});

Deno.test("time grows with the length of the source only", () => {
  for (
    const piece of [
      "const x=1+",
      "class A extends ",
      "class A {",
      "let a,",
      "let a\n",
      "import {a} ",
      "import a, {b ",
      "(",
      "`${",
      "const [a]=",
      "export let a=",
      "/*",
      "a\n/",
    ]
  ) rewrite(piece.repeat(Math.floor(1e6 / piece.length)), "check"); // quadratic work would not end in minutes
});
