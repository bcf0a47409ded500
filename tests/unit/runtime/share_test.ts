/** share and shared: what one language hands over, the other one gets, and a later execution, and nothing else. */

import { deepEqual, equal, match, ok } from "node:assert/strict";
import { createJavaScriptRuntime } from "../../../src/runtime/javascript/javascript.ts";
import { assets } from "../../support/javascript_harness.ts";
import { Session } from "../../support/python_harness.ts";

/** A session of Python, with JavaScript on the same files. */
class Pair {
  readonly session = new Session();
  readonly #javascript = createJavaScriptRuntime(this.session.host, assets);
  #execution = 1000;

  async python(code: string): Promise<string | null> {
    const ran = await this.session.run(code);
    ok(ran.status === "completed", JSON.stringify(ran));
    return ran.result;
  }

  async pythonError(code: string): Promise<string> {
    const ran = await this.session.run(code);
    ok(ran.status === "failed", JSON.stringify(ran));
    return `${ran.error.type}: ${ran.error.message}`;
  }

  async #run(code: string) {
    this.session.cell.enter(++this.#execution);
    const ran = await this.#javascript.execute({ code, filename: "<js>", resultMaxBytes: 10_000 });
    this.session.cell.leave();
    return ran;
  }

  async javascript(code: string): Promise<string | null> {
    const ran = await this.#run(code);
    ok(ran.status === "completed", JSON.stringify(ran));
    return ran.result;
  }

  async javascriptError(code: string): Promise<string> {
    const ran = await this.#run(code);
    ok(ran.status === "failed", JSON.stringify(ran));
    return `${ran.error.type}: ${ran.error.message}`;
  }
}

/** A value in Python, and as JavaScript shows it. */
const VALUES: readonly (readonly [python: string, javascript: string])[] = [
  ["None", "null"],
  ["True", "true"],
  ["-3", "-3"],
  ["2**53 - 1", "9007199254740991"],
  ["-2**200", `-${2n ** 200n}n`],
  ["1.5e300", "1.5e+300"],
  ["-0.0", "-0"],
  ["float('nan')", "NaN"],
  ["float('-inf')", "-Infinity"],
  ["'é\\0\\ud800\\n'", "'é\\x00\\ud800\\n'"],
  ["b'\\0\\xff'", "Uint8Array(2) [ 0, 255 ]"],
  ["[1, [2, [b'x']]]", "[ 1, [ 2, [ [Uint8Array] ] ] ]"],
  ["{'$type': 'int', 'value': '0x1'}", "{ '$type': 'int', value: '0x1' }"],
  ["{'': {'__proto__': 1}}", "{ '': { ['__proto__']: 1 } }"],
];

Deno.test("values go from Python to JavaScript and back, the same", async () => {
  const pair = new Pair();
  for (const [python, javascript] of VALUES) {
    await pair.python(`share("v", ${python})`);
    equal(await pair.javascript(`shared("v")`), javascript, python);
    await pair.javascript(`share("w", shared("v"))`);
    equal(await pair.python(`repr(shared("w"))`), await pair.python(`repr(${python})`), python);
  }
});

Deno.test("large bytes are handed over as they are, and replaced as a whole", async () => {
  const pair = new Pair();
  await pair.python(`share("big", bytes(range(256)) * 4000)`);
  equal(
    await pair.javascript(`const b = shared("big"); b.length + " " + b[255] + " " + b[1_023_999]`),
    "'1024000 255 255'",
  );
  await pair.javascript(`share("big", new Float32Array([1]).buffer)`);
  equal(await pair.python(`shared("big")`), "b'\\x00\\x00\\x80?'");
  equal(await pair.python(`share("_b.c-1", 0); shared_names()`), "['_b.c-1', 'big']");
  equal(await pair.javascript(`sharedNames()`), "[ '_b.c-1', 'big' ]");
});

Deno.test("what can't be handed over is an error that says why, and leaves what was there", async () => {
  const pair = new Pair();
  await pair.python(`share("v", 1)`);
  const cases: readonly (readonly [code: string, error: RegExp])[] = [
    [`share("v", {1, 2})`, /^TypeError: a value of type set can't be shared/],
    [`share("v", {"a": [object()]})`, /^TypeError: a value of type object \(at \.a\[0\]\) can't/],
    [`share("v", {1: 2})`, /^TypeError: a dict with a key of type int can't be shared/],
    [`a = []; a.append(a); share("v", a)`, /^ValueError: the value is nested more than 200 levels/],
    [`share("../v", 1)`, /^ValueError: a name must be/],
    [`share("v" * 101, 1)`, /^ValueError: a name must be/],
    [`shared("none")`, /^KeyError: .*nothing is shared as 'none'; shared: v/],
    [`share("v", bytes(100_000_000))`, /^OSError: .*No space left/],
  ];
  for (const [code, error] of cases) match(await pair.pythonError(code), error);
  const inJavaScript: readonly (readonly [code: string, error: RegExp])[] = [
    [`share("v", undefined)`, /^TypeError: a value of type undefined can't/],
    [`share("v", { a: [new Map()] })`, /^TypeError: a value of type Map \(at \.a\[0\]\) can't/],
    [`const a = []; a.push(a); share("v", a)`, /^RangeError: the value is nested/],
    [`share("", 1)`, /^TypeError: a name must be/],
    [`shared("none")`, /^ReferenceError: nothing is shared as 'none'; shared: v/],
    [`share("v", () => 1)`, /^TypeError: a value of type function can't/],
  ];
  for (const [code, error] of inJavaScript) match(await pair.javascriptError(code), error);
  equal(await pair.python(`import os; shared("v"), os.listdir("/shared")`), "(1, ['v'])");
});

Deno.test("a file that is no shared value is an error, not a value", async () => {
  const pair = new Pair();
  await pair.python(`share("v", 1); open("/shared/v", "w").write("{oops")`);
  match(await pair.pythonError(`shared("v")`), /JSONDecodeError/);
  match(await pair.javascriptError(`shared("v")`), /^SyntaxError/);
  deepEqual(await pair.python(`share("v", 2); shared("v")`), "2");
});
