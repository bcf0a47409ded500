/** Variables of the top level, whose places the engine remembers (wasm/quickjs/patches/variables-remembered.patch). */

import assert from "node:assert/strict";
import { ControlCell } from "../../../../src/control/cell.ts";
import { VirtualClock } from "../../../../src/control/guest_clock.ts";
import { FuelMeter } from "../../../../src/control/meter.ts";
import { seededRandom } from "../../../../src/control/random.ts";
import { EvalFlag } from "../../../../src/runtime/javascript/abi.ts";
import { Engine } from "../../../../src/runtime/javascript/engine.ts";
import { Session, stored } from "../../../support/javascript_harness.ts";

/** Functions that have found `x`, which can be deleted. `is` tells what they find from then on. */
const FOUND = `x = 1;
  function read() { return x; }
  function kind() { return typeof x; }
  function write(value) { x = value; }
  function writeStrictly(value) { "use strict"; x = value; }
  function told(step) { try { return step(); } catch (error) { return String(error); } }
  function is() { return JSON.stringify([told(read), told(kind), told(() => globalThis.x)]); }
  for (let i = 0; i < 3; i++) { read(); kind(); write(1); writeStrictly(1); }
  is()`;

async function found(): Promise<Session> {
  const session = new Session();
  assert.equal(await session.value(FOUND), `'[1,"number",1]'`);
  return session;
}

async function gives(session: Session, programs: Readonly<Record<string, string>>): Promise<void> {
  for (const [program, result] of Object.entries(programs)) {
    assert.equal(await session.value(program), result, program);
  }
}

const UNDECLARED = `'["ReferenceError: x is not defined","undefined",null]'`;

Deno.test("functions see what later programs make of the variables that they found", async () => {
  await gives(await found(), {
    "let x = 2; is()": `'[2,"number",2]'`,
    "var x = 'text'; is()": `'["text","string","text"]'`,
    "function x() {} kind()": "'function'",
    "class x {} kind()": "'function'",
    "const x = 3; is()": `'[3,"number",3]'`,
    "write(4); is()": `'[4,"number",4]'`,
    "globalThis.x = 5; is()": `'[5,"number",5]'`,
    "{ let x = 6; eval('var y = x'); } [y, read()]": "[ 6, 5 ]",
    "(function () { var x = 7; return eval('[x, read()]'); })()": "[ 7, 5 ]",
    "with ({ x: 8 }) { var z = x; x = 9; } [z, read()]": "[ 8, 5 ]",
    "(0, eval)('let x = 10; var w = x; read()')": "5",
  });
});

Deno.test("a variable that is deleted is not there, wherever it comes back", async () => {
  await gives(await found(), {
    "delete globalThis.x": "true",
    "is()": UNDECLARED,
    "told(() => writeStrictly(2))": "'ReferenceError: x is not defined'",
    "y = 0; write(3); is()": `'[3,"number",3]'`,
    "delete globalThis.x; delete globalThis.y; y = 'y'; is()": UNDECLARED,
    "x = 4; is()": `'[4,"number",4]'`,
    // What is left moves together.
    "for (let i = 0; i < 500; i++) globalThis['v' + i] = i; delete globalThis.x; x = 5; is()":
      `'[5,"number",5]'`,
    "for (let i = 0; i < 500; i++) delete globalThis['v' + i]; is()": `'[5,"number",5]'`,
    "write(6); is()": `'[6,"number",6]'`,
    "delete globalThis.x; Object.prototype.x = 7; is()": `'[7,"number",7]'`,
    "write(8); delete Object.prototype.x; is()": `'[8,"number",8]'`,
  });
});

Deno.test("a variable that becomes an accessor, or may not be written to, is one at once", async () => {
  await gives(await found(), {
    "seen = []; Object.defineProperty(globalThis, 'x', { get: () => 2, set: (value) => seen.push(value) }); is()":
      `'[2,"number",2]'`,
    "write(3); writeStrictly(4); seen": "[ 3, 4 ]",
    "Object.defineProperty(globalThis, 'x', { value: 5, writable: false }); is()": `'[5,"number",5]'`,
    "write(6); told(() => writeStrictly(7)).slice(0, 9)": "'TypeError'",
    "is()": `'[5,"number",5]'`,
    "Object.defineProperty(globalThis, 'x', { value: 8, writable: true }); write(9); is()":
      `'[9,"number",9]'`,
  });
});

/** An engine without a session's rewriting, which makes properties of lexical variables. */
function bareEngine(): (script: string) => string {
  const cell = ControlCell.allocate();
  const meter = new FuelMeter(cell);
  const engine = new Engine(stored.module, {
    memoryBytes: 64 << 20,
    interrupted: () => false,
    meter,
    clock: new VirtualClock(cell),
    random: seededRandom(1),
    resolve: (_from, specifier) => specifier,
    load: () => "",
  });
  meter.begin(1e9);
  return (script) => {
    const value = engine.evaluate(script, "script.js", EvalFlag.global);
    return engine.values.toString(typeof value === "object" ? value.thrown : value);
  };
}

Deno.test("a lexical variable comes before a property, and is not used before it is declared", () => {
  const evaluate = bareEngine();
  const programs = {
    [FOUND]: '[1,"number",1]',
    "var before = is(); let x = told(read); before.slice(0, 16) + x.slice(0, 14)":
      '["ReferenceErrorReferenceError',
    "x = 2; is()": '[2,"number",1]',
    "let y = 3; function write2(value) { y = value; } write2(4); y": "4",
    "write2(5); read(); y": "5",
    "const c = 6; function change() { c = 7; } told(change)": "TypeError: Assignment to constant variable.",
    "told(change) + c": "TypeError: Assignment to constant variable.6",
    "let y = 8": "SyntaxError: redeclaration of 'y'",
    "delete globalThis.z; z = 9; function readZ() { return z; } readZ() + readZ()": "18",
    "let z = told(readZ); z.slice(0, 14)": "ReferenceError",
    "z = 10; readZ() + globalThis.z": "19",
  };
  for (const [program, result] of Object.entries(programs)) assert.equal(evaluate(program), result, program);
});

Deno.test("contexts have variables of their own, which others may change", async () => {
  const session = new Session();
  await session.run(`
    var vm = require("vm"), x = "outer", sandbox = vm.createContext({ x: "inner" });
    var source = "(function () { return typeof x === 'undefined' ? 'nothing' : x; })";
    var inner = vm.runInContext(source, sandbox), outer = eval(source);
    for (let i = 0; i < 3; i++) { inner(); outer(); }`);
  await gives(session, {
    "[inner(), outer()]": "[ 'inner', 'outer' ]",
    "sandbox.x = 'changed'; [inner(), outer()]": "[ 'changed', 'outer' ]",
    "delete sandbox.x; vm.runInContext('0', sandbox); [inner(), outer()]": "[ 'nothing', 'outer' ]",
    "vm.runInContext('this.constructor.constructor(\"return this\")()', sandbox) === globalThis": "false",
  });
});

Deno.test("jumps over any number of accesses lead where they are to", async () => {
  const session = new Session();
  const counts = [...Array.from({ length: 70 }, (_, i) => i), 1000, 1300, 1600, 3000, 3300, 6000, 7000];
  for (const count of counts) {
    const accesses = "n = m + 1; ".repeat(count);
    const program = `n = 0; m = 0;
      if (m) { ${accesses} n = "wrong" } else n = "right";
      while (m < 2) { if (m++) continue; ${accesses} n = [n, m]; }
      for (k of [1, 2]) { if (k > 1) { ${accesses} break } n = [k, n] }
      n = m > 5 ? (${accesses.replaceAll(";", ",")} 0) : m; n`;
    assert.equal(await session.value(program), "2", `${count} accesses`);
  }
  assert.equal(
    await session.value("var { a, b, c, d, e, f, g, h, i, j, k, l, m } = { l: 1, m: 2 }; [k, l, m]"),
    "[ undefined, 1, 2 ]",
  );
});
