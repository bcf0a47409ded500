import assert from "node:assert/strict";
import { WasmboxError } from "../../../src/errors.ts";
import { lineDiff } from "../../../src/mcp/line_diff.ts";
import { applied, replacementsOf, type TextEdit } from "../../../src/mcp/text_edits.ts";
import { createTwoFilesPatch } from "diff";
import fc from "fast-check";

const MAX = 1_000_000;

const edit = (old: string, fresh: string, everywhere = false): TextEdit => ({ old, new: fresh, everywhere });

function edited(text: string, ...edits: TextEdit[]): string {
  return applied(text, replacementsOf(text, edits, MAX));
}

function refusal(text: string, ...edits: TextEdit[]): string {
  try {
    replacementsOf(text, edits, MAX);
  } catch (error) {
    assert.ok(error instanceof WasmboxError);
    return `${error.info.message} ${error.info.recovery_suggestions.join(" ")}`;
  }
  throw new Error("it was accepted");
}

Deno.test("edits apply to the text as it is, in any order", () => {
  assert.equal(edited("a b c", edit("c", "a"), edit("a", "b"), edit("b", "c")), "b c a");
  assert.equal(edited("x = 1\n", edit("x = 1\n", "")), "");
  assert.equal(edited("$& a", edit("a", "$&$1")), "$& $&$1");
  assert.equal(edited("aaaa", edit("aa", "b", true)), "bb");
});

Deno.test("lines of Windows are edited by lines that end plainly", () => {
  assert.equal(edited("a\r\nb\r\nc\r\n", edit("a\nb", "x\ny\nz")), "x\r\ny\r\nz\r\nc\r\n");
  assert.equal(edited("a\r\nb\n", edit("b\n", "c\n")), "a\r\nc\n");
});

Deno.test("what is not there, not unique, or overlaps is refused, with what to do", () => {
  assert.match(
    refusal("a\nb\n", edit("c", "")),
    /^edits\[0\]\.old_text is not in the file\. Nothing was changed\. Read/,
  );
  assert.match(
    refusal("a\n\tb()\n", edit("a", "x"), edit("    b()", "")),
    /^edits\[1\].* Line 2 is like it but for white space/,
  );
  assert.match(refusal("a\na\nb a", edit("a", "")), /occurs 3 times \(lines 1, 2, 3\).* set replace_all\.$/);
  assert.match(refusal("one two", edit("one t", ""), edit("two", "")), /^Two edits overlap in line 1/);
});

Deno.test("a text that repeats itself is searched in a moment, and can't be blown up", () => {
  const text = "a".repeat(MAX);
  assert.match(refusal(text, edit(`b${"a".repeat(MAX / 2)}`, "")), /is not in the file/);
  assert.match(refusal(text, edit("a", "b", true)), /occurs more than 20000 times/);
  const words = "a ".repeat(10_000);
  assert.match(refusal(words, edit("a", "a".repeat(1000), true)), /The file would have 10010000 characters/);
});

Deno.test("the diff of hundreds of thousands of lines is as short as any", () => {
  const text = "a\n".repeat(MAX / 2);
  const replacements = replacementsOf(text, [edit(text, "b\n".repeat(MAX / 2))], MAX);
  const diff = lineDiff(text, replacements);
  assert.match(diff, /^@@ -1,500000 \+1,500000 @@\n-a\n[\s\S]*characters left out[\s\S]*\n\+b$/);
  assert.ok(diff.length < 7_000);
});

Deno.test("the diff shows what changed in its lines, and neighbours together", () => {
  const text = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n";
  const replacements = replacementsOf(text, [
    edit("2\n3", "2\nthree\nand"),
    edit("6\n", ""),
    edit("13", "13!"),
  ], MAX);
  assert.equal(
    lineDiff(text, replacements),
    [
      "@@ -1,8 +1,8 @@",
      " 1",
      "-2",
      "-3",
      "+2",
      "+three",
      "+and",
      " 4",
      " 5",
      "-6",
      " 7",
      " 8",
      "@@ -11,4 +11,4 @@",
      " 11",
      " 12",
      "-13",
      "+13!",
      " 14",
    ].join("\n"),
  );
});

Deno.test("what the diff takes away and adds is what changed, whatever the edits are", () => {
  const words = fc.array(fc.constantFrom("a", "b", "\n", "cc", "\n\n"), { maxLength: 40 }).map((parts) =>
    parts.join("")
  );
  fc.assert(
    fc.property(words, fc.constantFrom("a", "b", "\n", "a\n", "cc"), words, (text, old, fresh) => {
      fc.pre(text.includes(old));
      const replacements = replacementsOf(text, [edit(old, fresh, true)], MAX);
      const after = applied(text, replacements);
      assert.equal(after, text.split(old).join(fresh));
      const count = (diff: string, mark: string) =>
        diff.split("\n").filter((line) => line.startsWith(mark)).length;
      const [ours, theirs] = [lineDiff(text, replacements), createTwoFilesPatch("", "", text, after)];
      // Lines that are replaced by themselves are shown as changed, so that the balance is what is the same.
      const balance = (diff: string) => count(diff, "+") - count(diff, "-");
      if (ours.length < 6000) assert.equal(balance(ours), balance(theirs.split("\n").slice(4).join("\n")));
    }),
  );
});
