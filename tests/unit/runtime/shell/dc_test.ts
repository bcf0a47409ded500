/** `dc`, as GNU's 1.4.1 calculates. */

import { deepEqual, equal, match } from "node:assert/strict";
import { Shell } from "./harness.ts";

for (
  const [program, printed] of [
    ["2 3 + p 10 4 / p 2 k 10 4 / p", "5\n2\n2.50\n"],
    ["5 k 1 3 / p 2 v p _5 3 * p 7 3 % p", ".33333\n1.41421\n-15\n.00001\n"],
    ["2 100 ^ p", "1267650600228229401496703205376\n"],
    ["7 3 ~ f", "1\n2\n"],
    ["1 2 3 r f c z p", "2\n3\n1\n0\n"],
    ["16 o 255 p 2 o 10 p", "FF\n1010\n"],
    ["16 i FF 10 * p", "4080\n"],
    ["[hi]n 10P 65P 10P", "hi\nA\n"],
    ["[d 1 - d 1 <F *] sF 5 lF x p", "120\n"],
    ["[2 p] sa 1 1 =a 1 2 =a 1 2 !=a 3 p", "2\n2\n3\n"],
    ["[1p]sa [2p]sb 1 2 >aeb 2 1 >aeb", "1\n2\n"],
    ["1 2 :a 2 ;a p 5 Sx 6 Sx Lx p lx p", "1\n6\n5\n"],
    ["3 4 5 |p", "1\n"],
    ["12345 Z p 1.234 X p [abc] Z p 97 a p", "5\n3\n3\na\n"],
    ["[p q]x 9 p", ""],
    ["3 [1p 2Q 2p]x p", "1\n"],
    ["10 70 ^ p", `1${"0".repeat(68)}\\\n00\n`],
  ] as const
) {
  Deno.test(`dc: ${program}`, async () => {
    const shell = new Shell();
    const { stdout } = await shell.run(`dc -e '${program}'`);
    equal(stdout, printed);
  });
}

Deno.test("dc reads programs from its input, files and arguments, and lines by ?", async () => {
  const shell = new Shell();
  await shell.out("echo '1 2 + p' > a.dc");
  equal(await shell.out("echo '3 4 * p' | dc; dc a.dc; dc -f a.dc -e '5 p'"), "12\n3\n3\n5\n");
  equal(await shell.out("echo '20 1 +' | dc -e '? p'"), "21\n");
  equal(await shell.out(`printf '1\\n2\\n' | while read n; do dc -e "$n 1 + p"; done`), "2\n3\n");
});

Deno.test("an error of dc's is told, the rest goes on, and the exit code says so", async () => {
  const shell = new Shell();
  const ran = await shell.run("dc -e '1 0 / p + q p'");
  equal(ran.exitCode, 1);
  match(ran.stderr, /divide by zero[^]*/);
  const { stderr } = await shell.run("dc -e '!ls'");
  match(stderr, /! runs no commands here/);
});

Deno.test("a macro that calls itself for ever is stopped, one that calls itself deep inside is refused", async () => {
  const shell = new Shell();
  await shell.out("kept=1");
  const { outcome } = await shell.runStopped("dc -e '[lax]salax'", 60);
  deepEqual(`${outcome.status} ${outcome.heap}`, "stopped kept");
  const { exitCode, stderr } = await shell.run(
    "dc -e '[lax1p]salax' 2>&1 | head -c 100; dc -e '9 9 9 ^ ^ p'",
  );
  match(stderr, /100000 digits/);
  equal(exitCode, 1);
  equal(await shell.out("echo $kept"), "1\n");
});
