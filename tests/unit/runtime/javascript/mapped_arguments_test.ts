/** Functions whose `arguments` follow their parameters, on which the engine would crash. */

import assert from "node:assert/strict";
import { withSeparateArguments } from "../../../../src/runtime/javascript/mapped_arguments.ts";
import { Session } from "../../../support/javascript_harness.ts";

const GARBAGE = "const all = []; for (let i = 0; i < 1e5; i++) all.push({ i });";

Deno.test("garbage is collected while functions run that use their arguments", async () => {
  for (
    const program of [
      `function f(a, b) { arguments.length; ${GARBAGE} return arguments[1]; } f(1, 2)`,
      `const o = { m(a, b) { ${GARBAGE} return arguments[1]; } }; o.m(1, 2)`,
      `const f = function* (a, b) { ${GARBAGE} yield arguments[1]; }; [...f(1, 2)][0]`,
      `function f() { ${GARBAGE} return arguments[1]; } f(1, 2)`,
    ]
  ) assert.equal(await new Session().value(program), "2", program);
  const session = new Session();
  session.write(
    "/app/old.cjs",
    `module.exports = function (a, b) { ${GARBAGE} return arguments[1] + arguments.length; };`,
  );
  assert.equal(await session.value("require('./old.cjs')(1, 2)"), "4");
});

Deno.test("only sloppy functions with plain parameters that use arguments are changed, and their length stays", async () => {
  const changed = (text: string) => withSeparateArguments(text);
  assert.equal(changed("function f(a) { arguments }"), "function f(a, ...__wasmboxRest) { arguments }");
  assert.equal(
    changed("({ m(a, b,) { if (a) { arguments } } })"),
    "({ m(a, b,...__wasmboxRest) { if (a) { arguments } } })",
  );
  for (
    const same of [
      "function f(a) { x.arguments }",
      "function f(a) { 'use strict'; arguments }",
      "'use strict'; function f(a) { arguments }",
      "function f(a = 1) { arguments }",
      "function f({ a }) { arguments }",
      "if (a) { arguments }",
      "function f(a) { 'arguments' }",
    ]
  ) assert.equal(changed(same), same);
  assert.equal(await new Session().value("function f(a, b) { return arguments.length } f.length"), "2");
});
