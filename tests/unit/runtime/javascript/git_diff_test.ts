/** The comparison of lines and the merge of texts that git has here, on edits that nobody has thought of. */

import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { diffLines } from "../../../../src/runtime/javascript/libraries/git/diff_lines.js";

const line = fc.constantFrom("", "}", "{", "  a", "  b", "    c", "x", "y");
const compared = (a: readonly string[], b: readonly string[]) => diffLines(a, b) as [Uint8Array, Uint8Array];
const text = fc.array(line, { maxLength: 60 });

/** What stays of a side. */
const kept = (lines: readonly string[], changed: Uint8Array) => lines.filter((_, at) => !changed[at]);

Deno.test("what stays of two texts is the same on both sides", () => {
  fc.assert(fc.property(text, text, (a, b) => {
    const [dropped, added] = compared(a, b);
    deepEqual(kept(a, dropped), kept(b, added));
  }));
});

Deno.test("texts that are the same have no changes, and one against nothing is all changed", () => {
  fc.assert(fc.property(text, (a) => {
    ok(compared(a, [...a]).every((changed) => !changed.includes(1)));
    const [dropped, added] = compared(a, []);
    deepEqual([dropped.every((each) => each === 1), added.length], [true, 0]);
  }));
});

Deno.test("a function that is put between others is one run of lines from its head to its end", () => {
  const f = (name: string) => [`int ${name}() {`, "  return 0;", "}", ""];
  const [dropped, added] = compared([...f("a"), ...f("c")], [...f("a"), ...f("b"), ...f("c")]);
  equal(dropped.join(""), "0".repeat(8));
  equal(added.join(""), "000011110000");
});

Deno.test("texts of many lines that have little in common are compared in bounded time", () => {
  const many = (step: number) => Array.from({ length: 20_000 }, (_, at) => `${(at * step) % 5003}`);
  const [dropped, added] = compared(many(7), many(11));
  deepEqual(kept(many(7), dropped), kept(many(11), added));
});
