/** Functions whose `arguments` follow their parameters. */

import assert from "node:assert/strict";
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

Deno.test("what is assigned to a parameter is seen in arguments, and the other way round, but in strict code", async () => {
  const session = new Session();
  session.write("/app/old.cjs", "module.exports = function (a) { a = 2; return arguments[0]; };");
  assert.equal(await session.value("require('./old.cjs')(1)"), "2");
  assert.equal(await session.value("function f(a) { arguments[0] = 2; return a; } f(1)"), "2");
  assert.equal(await session.value("function g(a) { 'use strict'; a = 2; return arguments[0]; } g(1)"), "1");
});
