import assert from "node:assert/strict";
import { withoutFence } from "../../../src/mcp/fenced.ts";

Deno.test("of code that is one block of Markdown what is inside is run, and any other code as it is", () => {
  for (
    const [code, inside] of [
      ["```python\nprint(1)\n```", "print(1)"],
      ["\n```\nls\necho 2\n```\n", "ls\necho 2"],
      ["~~~js\r\nx\r\n~~~", "x"],
      ["````md\n```\n````", "```"],
      ["```ts\n```", ""],
      ["```py\na\n```\nand\n```py\nb\n```", undefined],
      ["print('```')", undefined],
      ["x = '''\n```\n'''", undefined],
      ["```", undefined],
    ] as const
  ) assert.equal(withoutFence(code), inside ?? code, code);
});

Deno.test("a block that never ends is found out in no time, whatever is in it", () => {
  for (const rest of [" `", " ", "\n", "\r\n", "``` ", "\t\n"]) {
    for (const end of ["", "x"]) {
      const code = "```\n" + rest.repeat(500_000) + end;
      assert.equal(withoutFence(code), code);
    }
  }
});
