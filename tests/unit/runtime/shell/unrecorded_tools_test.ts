/** Tools that this machine may lack, so that no line of `lines.jsonl` has what they print. */

import { deepEqual, equal, match } from "node:assert/strict";
import { Shell } from "./harness.ts";

Deno.test("tree shows where links lead, and counts as tree 2 does", async () => {
  const shell = new Shell();
  await shell.out("mkdir -p t/d; touch t/a t/d/b; ln -s a t/l; ln -s d t/m; ln -s nowhere t/n");
  equal(
    await shell.out("tree t"),
    "t\n├── a\n├── d\n│   └── b\n├── l -> a\n├── m -> d\n└── n -> nowhere\n\n3 directories, 4 files\n",
  );
  equal(await shell.out("tree -d t"), "t\n├── d\n└── m -> d\n\n3 directories\n");
  equal(await shell.out("tree --noreport t/d t/d"), "t/d\n└── b\nt/d\n└── b\n");
});

Deno.test("parallel runs its command for each argument, in their order", async () => {
  const shell = new Shell();
  equal(await shell.out("parallel echo ::: a 'b c'"), "a\nb c\n");
  equal(await shell.out("parallel -j4 -k 'echo {1}-{2}' ::: a b ::: 1 2"), "a-1\na-2\nb-1\nb-2\n");
  equal(await shell.out("parallel echo {.} {/} {//} {/.} {#} ::: d/x.txt"), "d/x x.txt d x 1\n");
  equal(await shell.out("printf '%s\\n' 'x y' z | parallel 'echo [{}]; echo {#}'"), "[x y]\n1\n[z]\n2\n");
  equal(await shell.out("parallel --dry-run gzip {} ::: 'a b'"), "gzip 'a b'\n");
  equal(await shell.out("parallel --tag echo hi ::: a b"), "a\thi a\nb\thi b\n");
  equal(
    await shell.out("parallel ::: 'echo one' 'echo two'; echo 'echo three' | parallel"),
    "one\ntwo\nthree\n",
  );
  equal((await shell.run("parallel 'exit {}' ::: 0 1 2")).exitCode, 2);
  equal((await shell.run("parallel --colsep , echo ::: a,b")).exitCode, 255);
});

Deno.test("places of parallel's are those of one argument too, are filled once, and are refused where there is nothing for them", async () => {
  const shell = new Shell();
  equal(await shell.out("parallel echo {1/} {2.} {1//} ::: d/x.txt ::: y.z/w"), "x.txt y.z/w d\n");
  equal(await shell.out("parallel echo {1} {2} ::: '{2}' '{}' ::: z"), "{2} z\n{} z\n");
  const parts = "a.d/file a.d/x.tar.gz .hidden 'b c.txt'";
  const printed = "a.d/file file a.d\na.d/x.tar x.tar a.d\n  .\nb c b c .\n";
  equal(await shell.out(`parallel echo {.} {/.} {//} ::: ${parts}`), printed);
  equal(await shell.out(`printf '%s\\n' ${parts} | parallel echo {.} {1/.} {//}`), printed);
  equal(await shell.out("echo a | parallel echo \"'{}'\" {1..3} '{x}'"), "a 1 2 3 {x}\n");
  for (const words of ["{2} ::: a", "{-1} ::: a", "'{= s/a/b/ =}' ::: a", "::: a b :::+ c d", "{0}"]) {
    const ran = await shell.run(`echo line | parallel echo ${words}`);
    equal(ran.exitCode, 255, words);
    equal(ran.stdout, "", words);
  }
});

Deno.test("curl and wget name the address that can't be reached, whatever options come before it", async () => {
  const shell = new Shell();
  for (
    const command of [
      "curl -s -X POST -d a=1 http://x.y/z",
      "curl -H 'A: b' http://x.y/z",
      "wget -O f http://x.y/z",
    ]
  ) {
    const { stderr, exitCode } = await shell.run(command);
    match(stderr, /resolve http:\/\/x\.y\/z: there is no network here/);
    equal(exitCode, command.startsWith("curl") ? 6 : 4);
  }
});

Deno.test("jq has what later versions than the machine's have", async () => {
  const shell = new Shell();
  const script =
    `jq -nc '"", "a", "ab", "abc", "héllo" | @base32, (@base32 | @base32d)'; jq -nc '[1], 2 | toarray'`;
  deepEqual((await shell.out(script)).trimEnd().split("\n"), [
    ...[
      '""',
      '""',
      '"ME======"',
      '"a"',
      '"MFRA===="',
      '"ab"',
      '"MFRGG==="',
      '"abc"',
      '"NDB2S3DMN4======"',
      '"héllo"',
    ],
    "[1]",
    "[2]",
  ]);
  equal(await shell.out(`awk 'BEGIN { print toupper("straße é") }'`), "STRAßE É\n");
});
