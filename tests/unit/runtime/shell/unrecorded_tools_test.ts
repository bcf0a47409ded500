/** Tools that no line of `lines.jsonl` has: this machine may lack them, or they have something of their own to tell here. */

import { deepEqual, equal, match } from "node:assert/strict";
import { Shell } from "./harness.ts";

Deno.test("tree shows where links lead, and counts as tree 2 does", async () => {
  const shell = new Shell();
  await shell.out("mkdir -p t/d; touch t/a t/d/b; ln -s a t/l; ln -s d t/m; ln -s nowhere t/n");
  equal(
    await shell.out("tree t"),
    "t\n├── a\n├── d\n│\u00a0\u00a0 └── b\n├── l -> a\n├── m -> d\n└── n -> nowhere\n\n3 directories, 4 files\n",
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
    match(stderr, /resolve host(?:: | address ')x\.y'?: there is no network here/);
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

Deno.test("jq's numbers are as they were written until something is made of them, or have no exponent any more", async () => {
  const shell = new Shell();
  const numbers = "[1.0,1.50,1e3,1E-7,100000000000000000000,-0,1e1000,12345678901234567890]";
  equal(
    await shell.out(`jq -c '., map(. + 0)' <<< '${numbers}'; jq -c '.[0]' <<< '[nan]'; jq -n '1e3, 2.50'`),
    "[1.0,1.50,1000,1e-07,100000000000000000000,-0,1.7976931348623157e+308,12345678901234567890]\n" +
      "[1,1.5,1000,1e-07,1e+20,0,1.7976931348623157e+308,12345678901234567000]\nnull\n1000\n2.50\n",
  );
});

Deno.test("what rebase would have to ask for is refused", async () => {
  const shell = new Shell();
  const ran = await shell.run(
    "git init -q; git commit -q --allow-empty -m one; git rebase -i HEAD",
  );
  equal(ran.exitCode, 1);
  match(ran.stderr, /GIT_SEQUENCE_EDITOR is the command that changes the list/);
});

Deno.test("fd finds files by patterns of their names, sorted, and says what it can't take", async () => {
  const shell = new Shell();
  await shell.out(
    "mkdir -p a/b c; touch a/x.py a/b/Y.py c/z.txt .hid 'sp ace.md'; chmod +x a/x.py; ln -s c/z.txt l",
  );
  for (
    const [command, found] of [
      ["fd", "a/ a/b/ a/b/Y.py a/x.py c/ c/z.txt l sp ace.md"],
      ["fd PY", ""],
      ["fd -i PY", "a/b/Y.py a/x.py"],
      ["fd '^[xy]'", "a/b/Y.py a/x.py"],
      ["fd -e .py -d 2", "a/x.py"],
      ["fd -t d -E b", "a/ c/"],
      ["fd -t l -t x", "a/x.py l"],
      ["fd -g '*.TXT' c -a; fd -g '*.txt' c -a", "/app/c/z.txt"],
      ["fd . a c --min-depth 2", "a/b/Y.py"],
      ["fd -F . -H -d 1", ".hid sp ace.md"],
      ["fd -p 'a/b'", "a/b/ a/b/Y.py"],
      ["fd -q py && fd -q nope || fd -1", "a/"],
      ["mkdir -p /app/o/p; cd /app/o; ln -s .. p/q; ln -s ../p p/r; ln -s p s; fd -L", "p/ s/"],
    ] as const
  ) equal((await shell.out(`cd /app; ${command}`)).trimEnd().replaceAll("\n", " "), found, command);
  for (const wrong of ["fd '['", "fd a/b", "fd -t q", "fd x nodir", "fd -x rm"]) {
    const { exitCode, stderr } = await shell.run(wrong);
    deepEqual([exitCode, stderr.startsWith("fd: ")], [1, true], wrong);
  }
});

Deno.test("du counts once what it comes upon again, and is not led round by links", async () => {
  const shell = new Shell();
  await shell.out(
    "mkdir -p o/p; head -c 10000 /dev/zero > o/p/f; ln -s .. o/p/q; ln -s ../p o/p/r; ln -s p o/s",
  );
  equal(await shell.out("du -L o"), "16\to/p\n20\to\n");
  equal(await shell.out("du -Ll o"), "16\to/p\n16\to/s\n36\to\n");
  equal(await shell.out("du o o; du o/p o"), "16\to/p\n20\to\n16\to/p\n4\to\n");
});

Deno.test("what would run a command otherwise runs it as it is", async () => {
  const shell = new Shell();
  equal(
    await shell.out('echo a | stdbuf -oL -e 0 sed s/a/b/; setsid -w echo "c  d"; ionice -c 3 nice echo e'),
    "b\nc  d\ne\n",
  );
  equal(
    await shell.out("printf 'a\\r\\nb\\r\\n' > w; dos2unix w; unix2dos < w | od -An -c | tr -s ' '"),
    " a \\r \\n b \\r \\n\n",
  );
  deepEqual((await shell.run("stdbuf -oL; setsid")).exitCode, 125);
});

Deno.test("openssl says what it has, and what has the rest", async () => {
  const shell = new Shell();
  match((await shell.run("openssl version")).stdout, /^OpenSSL 3\..*wasmbox/);
  for (const line of ["openssl genrsa 2048", "openssl dgst -sha3-256 /dev/null"]) {
    const { stderr, exitCode } = await shell.run(line);
    match(stderr, /Here are base64, dgst[^]*hashlib/);
    equal(exitCode, 1);
  }
  const { stderr, exitCode } = await shell.run("openssl enc -aes-256-cbc -in /dev/null -k x");
  match(stderr, /no ciphers here/);
  equal(exitCode, 1);
  equal((await shell.run("echo 'no base64!' | openssl base64 -d")).exitCode, 1);
});

Deno.test("df tells what the session's files may take, and nothing of what is mapped into it", async () => {
  const shell = new Shell({ maxBytes: 8 << 20, maxInodes: 500 });
  const ran = await shell.run(
    "head -c 2M /dev/zero > f; df; df -h /app /tmp; df -i | tail -n 1; df -m f | awk 'NR==2{print $2,$3,$4}'",
  );
  equal(
    ran.stdout,
    "Filesystem     1K-blocks  Used Available Use% Mounted on\nwasmbox             8192  2050      6143  26% /\n" +
      "Filesystem      Size  Used Avail Use% Mounted on\nwasmbox         8.0M  2.1M  6.0M  26% /\nwasmbox         8.0M  2.1M  6.0M  26% /\n" +
      "wasmbox           500     4   496    1% /\n8 3 6\n",
  );
  const refused = await shell.run("df nope; df ''; df /data; df --nope");
  equal(refused.exitCode, 1);
  match(
    refused.stderr,
    /nope: No such file[^]*df: : No such file[^]*\/data: how much room is there is not known[^]*unrecognized option '--nope'/,
  );
});

Deno.test("what answers to --version says whose code it is, and what can't work here says that", async () => {
  const shell = new Shell();
  match(
    (await shell.run("sort --version")).stdout,
    /^sort \(GNU coreutils\) 9\.1\nNot that program's code: .*\n$/,
  );
  match((await shell.run("curl --version")).stdout, /^curl .*there is no network here/);
  for (const [name, exitCode] of [["host:x", 255], ["me@host:/x", 255], ["rsync://host/x", 10]] as const) {
    const refused = await shell.run(`rsync -av ${name} y`);
    match(refused.stderr, /there is no network here; both sides must be local/);
    equal(refused.exitCode, exitCode);
  }
});
