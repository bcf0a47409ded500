import assert from "node:assert/strict";
import { Session } from "../../../support/javascript_harness.ts";

Deno.test("what assigns to a constant of its own program fails as in Node, and a later program may declare it again", async () => {
  for (
    const program of [
      "const x = 1; x = 2",
      "const x = 1; x += 1",
      "const x = 1; x++",
      "const x = 1; --x",
      "const y = 0, x = 1\nfunction f() { x = 2 }\nf()",
      "const x = [1]; for (const each of [1, 2]) x = each",
      "const x = 1; (() => { x = 2 })()",
      "const x = 1; if (x = 2) {}",
      "const x = 1; `${x = 2}`",
    ]
  ) {
    const session = new Session();
    const { type, message } = await session.error(program);
    assert.deepEqual([type, message], ["TypeError", "Assignment to constant variable."], program);
    assert.equal(await session.value("const x = 5; x"), "5", program);
  }
});

Deno.test("the error of such an assignment can be caught, and the constant keeps its value", async () => {
  const session = new Session();
  assert.equal(await session.value("const c = 1; try { c = 2 } catch {} ; c"), "1");
});

Deno.test("what only has the name of a constant may be assigned to", async () => {
  for (
    const [program, value] of [
      ["const a = 1; const f = (a) => { a = 5; return a }; f(2)", "5"],
      ["const a = 1; const f = a => a++; f(2)", "2"],
      ["const a = 1; function f({ a = 3 }) { a += 1; return a }; f({})", "4"],
      ["const a = 1; function g() { let b = 0, a = 2; a = 3; return a }; g()", "3"],
      ["const a = 1; class K { a = 2 }; new K().a", "2"],
      ["const a = 1; const o = { a: 1 }; o.a = 2; o.a", "2"],
      ["const a = 1; let q; ({ a: q = 7 } = {}); q", "7"],
      ["const a = 1; try { throw 5 } catch (a) { a = 6 }; a", "1"],
      ["const a = null; a ?? 1", "1"],
    ] as const
  ) {
    assert.equal(await new Session().value(program), value, program);
  }
});
