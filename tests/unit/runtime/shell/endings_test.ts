/** How programs of a script end is told: nothing is left out in silence. */

import { equal, match, ok } from "node:assert/strict";
import { Shell } from "./harness.ts";

const LARGE = `python3 -c "open('large', 'wb').write(b'a' * 30_000_000)"`;
const PROJECT =
  `echo '{"name":"p","version":"1.0.0","scripts":{"large":"cat large; cat large; cat large","fail":"echo so far; exit 3"}}' > package.json`;

for (
  const [what, script, bytes] of [
    ["python", `python3 -c "for _ in range(70): print('a' * (1 << 20))"`, 73_400_390],
    ["node", `node -e 'for (let i = 0; i < 70; i++) process.stdout.write("a".repeat(1 << 20))'`, 73_400_320],
    ["a script of npm's", `${LARGE}; ${PROJECT}; npm run large`, 90_000_052],
    [
      "a program by npx",
      `mkdir -p node_modules/big; echo '{"name":"big","version":"1.0.0","bin":"b.js"}' > node_modules/big/package.json;
      echo 'for (let i = 0; i < 70; i++) process.stdout.write("a".repeat(1 << 20))' > node_modules/big/b.js; npx big`,
      73_400_320,
    ],
  ] as const
) {
  Deno.test(`what ${what} prints is whole, however much it is`, async () => {
    const shell = new Shell({ maxBytes: 256 << 20 });
    const ran = await shell.run(`${script} > out; x=$?; wc -c < out; exit $x`);
    equal(ran.stdout.trim(), `${bytes}`);
    equal(ran.exitCode, 0);
  });
}

Deno.test("a script of npm's has its output and its exit code", async () => {
  const shell = new Shell();
  await shell.out(PROJECT);
  const ran = await shell.run("npm run fail");
  equal(ran.stdout, "\n> p@1.0.0 fail\n> echo so far; exit 3\n\nso far\n");
  equal(ran.exitCode, 3);
});

Deno.test("node --test does not leave out files that it did not look at", async () => {
  const shell = new Shell({ maxInodes: 20_000 });
  shell.fs.mkdir("/app/many");
  for (let n = 0; n <= 10_000; n++) shell.fs.writeFile(`/app/many/${n}`, new Uint8Array(0));
  const ran = await shell.run("node --test");
  equal(ran.exitCode, 1);
  match(ran.stderr, /there are more than 10000 files below \/app/);
});

for (
  const [what, script] of [
    ["python", "python3 -c 'while True: pass'"],
    ["node", "node -e 'for (;;);'"],
    ["a script of npm's", `echo '{"scripts":{"x":"while :; do :; done"}}' > package.json; npm run x`],
    ["tests of node's", "echo 'for (;;);' > a.test.js; node --test"],
  ] as const
) {
  Deno.test(`${what} that uses up the fuel is told, and nothing of the script comes after it`, async () => {
    const ran = await new Shell().run(`${script} || :; echo after`, { fuelBudget: 30_000_000 });
    equal(ran.outcome.status, "out_of_fuel");
    ok(!ran.stdout.includes("after"));
  });
}

Deno.test("a library that is not there is an error of the program that asks for it", async () => {
  const ran = await new Shell().run(`node -p 'require("crypto").generateKeyPairSync("ed25519")'`);
  equal(ran.exitCode, 1);
  match(ran.stderr, /this build has no library "ciphers"/);
});

Deno.test("a range error of the host's is not taken for a stack that overflowed", async () => {
  const { outcome } = await new Shell().run("echo x", {
    onWrite: () => {
      throw new RangeError("Invalid array length");
    },
  });
  equal(outcome.status, "crashed");
  match(outcome.status === "crashed" ? outcome.reason : "", /Invalid array length/);
});

for (
  const [script, reason] of [
    ["echo x > /usr/y", "/usr/y: Read-only file system"],
    ["echo x >> /usr/y", "/usr/y: Read-only file system"],
    ["x=$(head -c 3000000 /dev/zero | tr '\\0' x); echo $x > large", "large: No space left on device"],
  ] as const
) {
  Deno.test(`why a file can't be written is told in bash's words: ${script}`, async () => {
    const shell = new Shell({ maxBytes: 1 << 20 });
    const ran = await shell.run(script);
    match(ran.stderr, new RegExp(`: ${reason}\\n$`));
    equal(ran.exitCode, 1);
  });
}
