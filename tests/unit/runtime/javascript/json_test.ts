/** What JSON's errors say, as they say it in Node 20. */

import assert from "node:assert/strict";
import { Session } from "../../../support/javascript_harness.ts";

const FAULTS: readonly (readonly [text: string, message: string])[] = [
  ["not json", `Unexpected token 'o', "not json" is not valid JSON`],
  ["{bad json}", "Expected property name or '}' in JSON at position 1"],
  ['{"a": 1,}', "Expected double-quoted property name in JSON at position 8"],
  ["[1,2", "Expected ',' or ']' after array element in JSON at position 4"],
  ["", "Unexpected end of JSON input"],
  ['{"a":', "Unexpected end of JSON input"],
  ['{"a" 1}', "Expected ':' after property name in JSON at position 5"],
  ["[1,]", `Unexpected token ']', "[1,]" is not valid JSON`],
  ["undefined", '"undefined" is not valid JSON'],
  ['"abc', "Unterminated string in JSON at position 4"],
  ['{"a":1}}', "Unexpected non-whitespace character after JSON at position 7"],
  ["01", "Unexpected number in JSON at position 1"],
  ["-", "No number after minus sign in JSON at position 1"],
  ['{"a":"b\n"}', "Bad control character in string literal in JSON at position 7"],
  ['"\\x"', "Bad escaped character in JSON at position 2"],
  [
    "<!DOCTYPE html><html><body>Not found</body></html>",
    `Unexpected token '<', "<!DOCTYPE "... is not valid JSON`,
  ],
  [
    '{"name": "x", "list": [1, 2, oops], "more": "text here"}',
    `Unexpected token 'o', ..."": [1, 2, oops], "mo"... is not valid JSON`,
  ],
];

Deno.test("what is wrong with a text is said in V8's words", async () => {
  const session = new Session();
  const told = await session.stdout(
    `for (const text of ${
      JSON.stringify(FAULTS.map(([text]) => text))
    }) try { JSON.parse(text); } catch (e) { console.log(JSON.stringify(e.message), e instanceof SyntaxError); }`,
  );
  assert.deepEqual(
    told.trimEnd().split("\n"),
    FAULTS.map(([, message]) => `${JSON.stringify(message)} true`),
  );
});

Deno.test("deep texts and long ones are looked through as well", async () => {
  const session = new Session();
  assert.equal(
    await session.value(
      `let e1; try { JSON.parse("[".repeat(400) + "x"); } catch (e) { e1 = e.message; }
      let e2; try { JSON.parse("[" + "1,".repeat(1e5) + "]"); } catch (e) { e2 = e.message; } [e1, e2].join("|")`,
    ),
    `\`Unexpected token 'x', ..."[[[[[[[[[[x" is not valid JSON|Unexpected token ']', ..."1,1,1,1,1,]" is not valid JSON\``,
  );
});

Deno.test("a circle is told by its properties", async () => {
  const session = new Session();
  assert.equal(
    await session.stdout(
      `const b = { x: { y: [1, {}] } }; b.x.y[1].back = b.x; class K {} const k = new K(); k.self = k;
      for (const each of [b, k, { n: 1n }]) try { JSON.stringify(each); } catch (e) { console.log(e.message); }`,
    ),
    `Converting circular structure to JSON
    --> starting at object with constructor 'Object'
    |     property 'y' -> object with constructor 'Array'
    |     index 1 -> object with constructor 'Object'
    --- property 'back' closes the circle
Converting circular structure to JSON
    --> starting at object with constructor 'K'
    --- property 'self' closes the circle
Do not know how to serialize a BigInt
`,
  );
});
