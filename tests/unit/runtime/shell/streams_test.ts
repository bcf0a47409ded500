/** Tools that hold nothing of what they read: more of it than the shell has memory goes through them. */

import { equal, match } from "node:assert/strict";
import { Shell } from "./harness.ts";

const MEMORY = 64 << 20;
const MORE = 96_000_000;
/** Lines of a thousand bytes. */
const lines = `yes "$(printf '%0999d' 1)" | head -c ${MORE}`;
const zeros = `head -c ${MORE} /dev/zero`;

for (
  const [name, script, printed] of [
    ["wc counts", `${zeros} | wc -c`, `${MORE}\n`],
    ["base64 writes and reads", `${zeros} | base64 | base64 -d | wc -c`, `${MORE}\n`],
    ["cmp compares", `${zeros} | cmp -n ${MORE} - /dev/zero && echo same`, "same\n"],
    [
      "hexdump shows",
      `${zeros} | hexdump -C`,
      "00000000  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00  |................|\n*\n05b8d800\n",
    ],
    ["xxd shows", `${zeros} | xxd -s ${MORE - 2}`, "05b8d7fe: 0000                                     ..\n"],
    ["paste joins lines of", `${lines} | paste - - | wc -lc`, "  48000 96000000\n"],
    ["comm compares lines of", `${lines} | comm -13 - <(echo y)`, "y\n"],
  ] as const
) {
  Deno.test(`${name} more than the shell can hold`, async () => {
    const { stdout, exitCode } = await new Shell({ memoryBytes: MEMORY }).run(script);
    equal(stdout, printed);
    equal(exitCode, 0);
  });
}

Deno.test("what od shows goes on as it comes", async () => {
  const shell = new Shell({ memoryBytes: 128 << 20 });
  equal(await shell.out("head -c 10000000 /dev/urandom | od -An -v -tx1 | wc -l"), "625000\n");
});

Deno.test("a tool that reads what has no end is stopped, and the shell goes on", async () => {
  const shell = new Shell();
  await shell.out("kept=yes");
  const { outcome } = await shell.runStopped("wc -c /dev/zero", 300);
  equal(outcome.status, "stopped");
  equal(await shell.out("echo $kept"), "yes\n");
});

Deno.test("comm tells of lines that are not sorted, by its exit code too", async () => {
  const { stdout, stderr, exitCode } = await new Shell().run(
    "comm -12 <(printf 'b\\na\\n') <(printf 'a\\nb\\n')",
  );
  equal(stdout, "b\n");
  equal(exitCode, 1);
  match(stderr, /^comm: file 1 is not in sorted order\n/);
});
