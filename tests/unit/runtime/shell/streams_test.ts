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
    ["tail shows the last lines of", `${lines} | tail -n 2 | wc -c`, "2000\n"],
    ["tail shows what follows so many lines of", `${lines} | tail -n +95999 | wc -c`, "2000\n"],
    ["tail shows the last bytes of", `${zeros} | tail -c 70000 | wc -c`, "70000\n"],
    ["cksum sums", `${zeros} | cksum`, "1497263203 96000000\n"],
    [
      "sha256sum sums",
      `${zeros} | sha256sum`,
      "0037aa866f12a55584ed5e8119192e8bc2024a2d59ab1db027bd36b2590b7501  -\n",
    ],
    ["join finds the lines of", `${lines} | join -v 1 - <(echo y) | wc -c`, `${MORE}\n`],
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
  // Its buffers double: whether this takes 114 or 134 MiB is where they come to lie.
  const shell = new Shell({ memoryBytes: 160 << 20 });
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

Deno.test("a loop that reads a large file does not copy it for each line", async () => {
  const shell = new Shell({ memoryBytes: 128 << 20 });
  await shell.out("yes line | head -c 20000000 >large");
  const { outcome, stdout } = await shell.run(
    'for i in {1..2000}; do read -r line; : "$line"; done <large; echo "$line"',
    { fuelBudget: 2_000_000_000 },
  );
  equal(outcome.status, "completed");
  equal(stdout, "line\n");
});

Deno.test("tail does not follow a file that nobody else writes, and says what to do", async () => {
  const { stdout, stderr, exitCode } = await new Shell().run("echo a >log; tail -f log");
  equal(stdout, "");
  match(stderr, /^tail: following a file \(-f\) is not supported/);
  equal(exitCode, 1);
});
