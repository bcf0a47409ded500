import assert from "node:assert/strict";
import { settled, withoutSteps } from "../../../src/mcp/terminal_text.ts";

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

Deno.test("of what pip says, what was installed and what went wrong is left", () => {
  const said = `Looking in indexes: https://example.org/simple
Collecting httpx==0.27
  Downloading httpx-0.27.0-py3-none-any.whl (75 kB)
Requirement already satisfied: idna in /app/.packages (from httpx==0.27) (3.10)
Requirement already satisfied: attrs in /usr/lib/python3.13 (25.1)
WARNING: httpx 0.27 was yanked
Installing collected packages: h11, httpx
Successfully installed h11-0.16.0 httpx-0.27.0
done
`;
  assert.equal(
    withoutSteps(said),
    `Requirement already satisfied: attrs in /usr/lib/python3.13 (25.1)
WARNING: httpx 0.27 was yanked
Successfully installed h11-0.16.0 httpx-0.27.0
done
`,
  );
});

Deno.test("a program that says the like, and a failed installation, are shown whole", () => {
  for (
    const said of [
      "Collecting data\n  Downloading a\n",
      "Collecting a\nERROR: No matching distribution found for a\n",
    ]
  ) {
    assert.equal(withoutSteps(said), said);
  }
});
