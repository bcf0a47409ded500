import { deepEqual, equal } from "node:assert/strict";
import { isOpen, olderThan } from "../../../../src/runtime/python/older.ts";

Deno.test("older releases are counted down by minor releases, then by a major one", () => {
  deepEqual([0, 1, 2].map((tries) => olderThan("4.25.1", tries)), ["<4.25", "<4.25", "<4"]);
  deepEqual([0, 2].map((tries) => olderThan("0.9.3", tries)), ["<0.9", "<0.9"]);
  equal(olderThan("7", 0), "<7");
  equal(olderThan("2026.10.18", 0), "<2026.10");
  equal(olderThan("1!2.3", 0), "<1!2.3");
  equal(olderThan("unknown", 0), undefined);
});

Deno.test("a version that was asked for is not open, however the project is spelled", () => {
  equal(isOpen("Foo.Bar", ["foo_bar>=1", "other==2"]), true);
  equal(isOpen("foo-bar", ["foo_bar[extra]==1.0"]), false);
  equal(isOpen("foo-bar", ["foo-bar===1.0"]), false);
  equal(isOpen("foo-bar", ["foo-bar @ https://example.invalid/foo.whl"]), false);
  equal(isOpen("foo-bar", ['foo-bar>=1; python_version == "3.13"']), true);
});
