import assert from "node:assert/strict";
import { rewrite } from "../../../../src/runtime/javascript/rewrite.ts";
import { hasModuleSyntax } from "../../../../src/runtime/javascript/module_format.ts";

const code = (source: string) => rewrite(source, { importCheck: "check" }).code;

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
      "import('x'); imports.meta",
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
    assert.equal(rewrite(source, { importCheck: "check" }).code, source);
  }
});

Deno.test("time grows with the length of the source only", () => {
  for (
    const piece of [
      "const x=1+",
      "const q=1;[q,",
      "const r=r,r,",
      "s++;const s,",
      "{const t=1;class T{t",
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
      "let a={} ",
      "let [a]={}",
      "let a=b++\n",
      "class A\n",
      "\n",
    ]
  ) rewrite(piece.repeat(Math.floor(1e6 / piece.length)), { importCheck: "check" }); // quadratic work would not end in minutes
});

Deno.test("so does looking for module syntax", () => {
  for (
    const piece of ["\n", " \n", ";\n\n", "\timport", "exports.a ", "exports.", "export", "/*\n", ";import"]
  ) {
    hasModuleSyntax(`import\n${piece.repeat(Math.floor(4e6 / piece.length))}`);
  }
});

Deno.test("a program of a million declarations is rewritten, or left as it is", () => {
  const many = `let a${",a".repeat(300_000)}`;
  assert.equal(code(many), `var a = void 0${",a = void 0".repeat(300_000)};`);
  const more = ";".repeat(1_000_001);
  assert.equal(rewrite(more, { importCheck: "check" }).code, more);
});

Deno.test("module syntax is told from the same words elsewhere", () => {
  for (
    const source of [
      "import x from 'x'",
      "  import'x'",
      "a()\n\nexport default 1",
      "/* x */import { y } from 'x'",
      "#!/usr/bin/env node\nexport {}",
      "var a = {};export * from 'x'",
      "'use strict';import x from 'x'; f() / 2 } / 3",
    ]
  ) assert.ok(hasModuleSyntax(source), source);
  for (
    const source of [
      "// import x from 'x'",
      "'import x'",
      "`\nimport x from 'x'`",
      "import('x')",
      "a.import\n{}",
      "function f() { import x }",
      "exports.x = 1",
      "",
    ]
  ) assert.ok(!hasModuleSyntax(source), source);
});

Deno.test("imports come before all else, on the line that they are put on, and say that it is a module", () => {
  const { code, isModule } = rewrite("const a = 1;\nimport fs from 'fs';\na;", { importCheck: "check" });
  assert.match(code, /^var \{default: fs\} = check\(await .*\);var {3}a = 1;\n\na;$/);
  assert.ok(isModule);
  assert.ok(!rewrite("const a = 1;", { importCheck: "check" }).isModule);
});
