import assert from "node:assert/strict";
import { settled } from "../../../src/mcp/terminal_text.ts";

Deno.test("lines that are written over again and again are shown as they looked at last", () => {
  const bar = Array.from({ length: 11 }, (_, at) => `\r${at * 10}%|${"#".repeat(at).padEnd(10)}| ${at}/10`);
  assert.equal(settled(`begin\n${bar.join("")}\nend\n`), "begin\n100%|##########| 10/10\nend\n");
  assert.equal(settled("\rloading\r       \rdone"), "done");
  assert.equal(settled("a longer one\rshort"), "shortger one");
  assert.equal(settled("a longer one\r\x1b[Kshort"), "short");
  assert.equal(settled("a longer one\rshort\x1b[K"), "short");
  assert.equal(settled("gone\x1b[2K\rnew"), "new");
});

Deno.test("line ends of another system and text without any rewriting stay", () => {
  assert.equal(settled("a  \nb\n"), "a  \nb\n");
  assert.equal(settled("a\r\nb\r\n"), "a\nb\n");
});
