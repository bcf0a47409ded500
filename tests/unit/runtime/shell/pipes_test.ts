/** What programs read of pipes, and who reads what they print. */

import { equal, match } from "node:assert/strict";
import { Shell } from "./harness.ts";

const FOREVER = {
  python: `python3 -c 'import itertools\nfor i in itertools.count(): print(i)'`,
  javascript: `node -e 'for (let i = 0;; i++) console.log(i)'`,
};

for (const [language, endless] of Object.entries(FOREVER)) {
  Deno.test(`a program in ${language} that prints for ever ends with its reader`, async () => {
    const shell = new Shell();
    equal(await shell.out(`${endless} | head -n 2; echo "\${PIPESTATUS[@]}"`), "0\n1\n141 0\n");
    equal(await shell.out(`${endless} | head -c 3; echo "\${PIPESTATUS[@]}"`), "0\n1141 0\n");
  });
}

Deno.test("a program whose reader goes when all is written has ended as it did", async () => {
  equal(
    await new Shell().out(`python3 -c 'print("a\\n" * 9)' | head -n 1; echo "\${PIPESTATUS[@]}"`),
    "a\n0 0\n",
  );
});

Deno.test("a program that prints more than can be held is ended, and told why", async () => {
  const { stdout, stderr } = await new Shell().run(
    `python3 -c 'while True: print("x" * 2**20)' | tail -n 1; echo "\${PIPESTATUS[0]}"`,
  );
  equal(stdout, "1\n");
  match(stderr, /printed more than 64 MiB/);
});

Deno.test("input that a program does not read is there for what comes after it", async () => {
  const shell = new Shell();
  equal(await shell.out(`seq 3 | (python3 -c 'print("-")'; node -e ''; cat)`), "-\n1\n2\n3\n");
  equal(await shell.out(`seq 3 | (python3 -c 'print(input())'; cat)`), "1\n");
});

Deno.test("more input than can be held is an error, not a part of it", async () => {
  const { exitCode, stdout, stderr } = await new Shell().run("yes | python3 -c 'print(input())'");
  equal(exitCode, 1);
  equal(stdout, "");
  match(stderr, /its input is larger than 64 MiB/);
});
