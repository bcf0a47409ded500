import { deepEqual, equal, match, ok, throws } from "node:assert/strict";
import { Section } from "../../../../src/executor/wire/entry.ts";
import { ImageError } from "../../../../src/executor/wire/image_error.ts";
import { quoted } from "../../../../src/runtime/shell/quoted.ts";
import { Shell } from "./harness.ts";

Deno.test("variables, arrays, functions, aliases and the directory stay from script to script", async () => {
  const shell = new Shell();
  await shell.out(
    `x='a "b"'; declare -A m=([k]=v); a=(1 2); f() { echo "f $1 $x"; }; alias ll='ls -l'; mkdir d; cd d`,
  );
  equal(
    await shell.out(`echo "$x" \${m[k]} \${a[1]}; f y; pwd; alias ll`),
    `a "b" v 2\nf y a "b"\n/app/d\nalias ll='ls -l'\n`,
  );
});

Deno.test("options of set are those of one script", async () => {
  const shell = new Shell();
  equal((await shell.run("set -eu; false")).exitCode, 1);
  equal(await shell.out("false; echo $nope on"), "on\n");
});

Deno.test("what a script did before it exits stays", async () => {
  const shell = new Shell();
  equal((await shell.run("y=1; exit 3")).exitCode, 3);
  equal(await shell.out("echo $y"), "1\n");
});

Deno.test("an EXIT trap runs at the script's end, with its variables, and once", async () => {
  const shell = new Shell();
  const ran = await shell.run(`trap 'echo "bye $v"' EXIT; v=1; echo hi; exit 4`);
  deepEqual([ran.stdout, ran.exitCode], ["hi\nbye 1\n", 4]);
  equal(await shell.out("echo next"), "next\n");
});

Deno.test("output arrives statement by statement", async () => {
  const shell = new Shell();
  let writes = 0;
  await shell.run("echo one; sleep 0.01; echo two >&2; sleep 0.01; echo three", { onWrite: () => writes++ });
  equal(writes, 3);
});

Deno.test("every byte passes through pipes and files unchanged", async () => {
  const shell = new Shell();
  const all = Uint8Array.from({ length: 1024 }, (_, i) => i * 7);
  shell.fs.writeFile("/app/all", all);
  for (
    const script of [
      "cat all",
      "cat < all | cat",
      "base64 all | base64 -d",
      "gzip -c all | gunzip",
      "gzip -k all; zcat all.gz",
      "tar c all | tar xO",
      "zip -q a.zip all; unzip -p a.zip",
      "xxd -p all | xxd -r -p",
      "cp all copy; cat copy",
      "python3 -c 'import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())' < all",
      "node -e 'process.stdout.write(require(\"fs\").readFileSync(0))' < all",
      "tee again < all > /dev/null; cat again",
    ]
  ) {
    const { bytes, stderr } = await shell.run(script);
    deepEqual(bytes, all, `${script}: ${stderr}`);
  }
});

Deno.test("python runs code, files, modules and standard input, with arguments and exit codes", async () => {
  const shell = new Shell();
  for (
    const [script, printed] of [
      [`python3 -c 'import sys; print(sys.argv)' a 'b c'`, "['-c', 'a', 'b c']\n"],
      ["echo 'print(1 + 1)' | python3", "2\n"],
      ["echo 'print(2)' | python - x", "2\n"],
      ["printf 'a\\nb\\n' | python3 -c 'import sys; print(sys.stdin.read().split())'", "['a', 'b']\n"],
      [
        "mkdir -p lib; echo 'N = 7' > lib/m.py; echo 'import m, sys; print(m.N, sys.argv[1], __name__)' > lib/x.py; " +
        "python3 lib/x.py z",
        "7 z __main__\n",
      ],
      [`echo '{"a":1}' | python3 -m json.tool --compact`, '{"a":1}\n'],
      [
        "export V=hi; cd /tmp; python3 -c 'import os; print(os.environ[\"V\"], os.getcwd())'; cd /app",
        "hi /tmp\n",
      ],
    ] as const
  ) equal(await shell.out(script), printed);
  equal((await shell.run("python3 -c 'import sys; sys.exit(5)'")).exitCode, 5);
  const failed = await shell.run("python3 -c '1/0'");
  equal(failed.exitCode, 1);
  match(failed.stderr, /Traceback[^]*<string>", line 1[^]*ZeroDivisionError/);
  equal((await shell.run("python3 nope.py")).exitCode, 2);
  equal((await shell.run("y=1; python3 -c 'print(y)'")).exitCode, 1);
  match(await shell.out("python3 -V"), /^Python 3\.\d+\.\d+\n$/);
  const absent = await shell.run("python3 -m nope");
  deepEqual([absent.exitCode, absent.stderr], [1, "/usr/bin/python3: No module named nope\n"]);
});

Deno.test("options and variables of python3 say what they say elsewhere", async () => {
  const shell = new Shell();
  const DEBUG = "import sys; print(__debug__, sys.flags.optimize)";
  const WARNS = "import warnings; warnings.warn(chr(120)); print(1)";
  await shell.out(`cat >m.py <<'PY'
no Python
import sys; assert len(sys.argv) > 2; print(sys.argv)
PY
mkdir lib; echo 'name = "found"' >lib/helper.py`);
  for (
    const [script, printed] of [
      ["python3 -c 'assert False' 2>/dev/null; echo $?", "1\n"],
      ["python3 -O -c 'assert False'; echo $?", "0\n"],
      [`python3 -OO -c '${DEBUG}'; PYTHONOPTIMIZE=1 python3 -c '${DEBUG}'`, "False 2\nFalse 1\n"],
      [`PYTHONOPTIMIZE=1 python3 -Ec '${DEBUG}'`, "True 0\n"],
      ["python3 -uxO m.py a", "['m.py', 'a']\n"],
      [`python3 -W ignore -c '${WARNS}' 2>&1`, "1\n"],
      [`python3 -Werror -c '${WARNS}' 2>&1 | tail -1`, "UserWarning: x\n"],
      [`PYTHONWARNINGS=error python3 -c '${WARNS}' 2>&1 | tail -1`, "UserWarning: x\n"],
      [`PYTHONWARNINGS=error python3 -W ignore -c '${WARNS}' 2>&1`, "1\n"],
      [
        'python3 -bb -c \'b"a" == "a"\' 2>&1 | tail -1',
        "BytesWarning: Comparison between bytes and string\n",
      ],
      [
        "python3 -X dev -X a=b -c 'import sys; print(sys.flags.dev_mode, sys._xoptions)'",
        "True {'dev': True, 'a': 'b'}\n",
      ],
      ["PYTHONPATH=lib:/x python3 -c 'import helper; print(helper.name)'", "found\n"],
      [
        "cd lib; python3 -c 'import helper'; python3 -Pc 'import helper' 2>&1 | tail -1 | cut -c1-19; cd ..",
        "ModuleNotFoundError\n",
      ],
      ["echo 'print(2)' | python3 -m_nope - 2>&1; true", "/usr/bin/python3: No module named _nope\n"],
      ["echo 'print(__name__)' | python3 -Bs -", "__main__\n"],
      [
        "python3 missing.py 2>&1; true",
        "python3: can't open file '/app/missing.py': [Errno 2] No such file or directory\n",
      ],
    ] as const
  ) equal(await shell.out(script), printed, script);
  equal((await shell.run("python3 -Z")).exitCode, 2);
  const app =
    "mkdir app; echo 'import sys; print(__name__, sys.argv)' >app/__main__.py; python3 app a; python3 -m app b";
  equal(await shell.out(app), "__main__ ['app', 'a']\n__main__ ['/app/app/__main__.py', 'b']\n");
  equal(
    await shell.out("python3 -m zipapp app -o a.pyz -p python3; python3 a.pyz c"),
    "__main__ ['a.pyz', 'c']\n",
  );
  match(await shell.out("python3 -m http.server --help"), /^usage: server\.py /);
});

Deno.test("a process of python ends as elsewhere: atexit's functions, finalizers, files that nobody has closed", async () => {
  const shell = new Shell();
  const program = `import atexit, sys
class Thing:
    def __del__(self): print("finalizer")
thing, atexit_said = Thing(), atexit.register(print, "atexit")
file = open("kept", "w"); file.write("written")
print("end")
`;
  await shell.out(`cat >ends.py <<'PY'\n${program}PY`);
  equal(await shell.out("python3 ends.py; cat kept"), "end\natexit\nfinalizer\nwritten");
  const failed = await shell.run("(cat ends.py; echo 'sys.exit(4)') >exits.py; python3 exits.py");
  deepEqual([failed.exitCode, failed.stdout], [4, "end\natexit\nfinalizer\n"]);
  const raised = await shell.run("(cat ends.py; echo '1 / 0') >raises.py; python3 raises.py");
  deepEqual([raised.exitCode, raised.stdout], [1, "end\natexit\nfinalizer\n"]);
});

Deno.test("node runs code and files, and has a process", async () => {
  const shell = new Shell();
  for (
    const [script, printed] of [
      [
        `echo 'console.log(process.argv.slice(2), process.env.V)' > a.js; V=1 node a.js p q`,
        "[ 'p', 'q' ] 1\n",
      ],
      [`echo in | node -e 'process.stdin.on("data", (d) => console.log(String(d).trim() + 1))'`, "in1\n"],
      [`TZ=Asia/Tokyo node -p 'new Date(0).getHours()'; node -p 'new Date(0).getHours()'`, "9\n0\n"],
      [`echo 6 | node -p '7 * require("fs").readFileSync(0, "utf8")'`, "42\n"],
      [
        `cd /tmp; echo t > t; node -p 'process.cwd() + require("fs").readFileSync("t", "utf8")'; cd /app`,
        "/tmpt\n\n",
      ],
    ] as const
  ) equal(await shell.out(script), printed);
  const exited = await shell.run("node -e 'console.log(1); process.exit(3); console.log(2)'");
  deepEqual([exited.stdout, exited.stderr, exited.exitCode], ["1\n", "", 3]);
  const failed = await shell.run("qjs -e 'throw new Error(\"bad\")'");
  equal(failed.exitCode, 1);
  match(failed.stderr, /Error: bad/);
});

Deno.test("node runs files in TypeScript and what they import, tsx and ts-node code too", async () => {
  const shell = new Shell();
  await shell.run(`
    mkdir -p /app/p; cd /app/p
    echo 'export interface A { x: number }; export const a: A = { x: 41 };' > a.ts
    printf 'import { a, A } from "./a";\\nconst b: A = a;\\nconsole.log(b.x + 1, process.argv.length);\\n' > main.ts
    printf '/** @jsx h */ const h = (t: string) => t; console.log(<b/>)' > view.tsx
    echo 'const x: number = ; ' > bad.mts`);
  for (
    const [script, printed] of [
      ["cd /app/p; node main.ts arg", "42 3\n"],
      ["cd /app/p; tsx ./main.ts; ts-node main.ts", "42 2\n42 2\n"],
      ["node /app/p/view.tsx", "b\n"],
      ["ts-node -e 'const n: number = 1; console.log(n as any)'", "1\n"],
      ["echo 'let s: string = \"in\"; console.log(s)' | tsx", "in\n"],
    ] as const
  ) equal(await shell.out(script), printed, script);
  const failed = await shell.run("node /app/p/bad.mts");
  equal(failed.exitCode, 1);
  match(failed.stderr, /\/app\/p\/bad\.mts:1\n.*SyntaxError: Unexpected token/s);
});

Deno.test("a program that its own modules import or require runs once, and is the module that they get", async () => {
  const shell = new Shell();
  const files = {
    "main.cjs": "console.log('main'); exports.early = 1; require('./part'); exports.late = 2;",
    "part.js": "console.log(require('./main.cjs'), require.main.exports === require('./main.cjs'));",
    "mixed.cjs": "console.log('mixed'); exports.a = 1; import('./asks.mjs');",
    "asks.mjs": "import mixed from './mixed.cjs'; console.log(mixed);",
    "main.mjs":
      "import { b, later } from './part.mjs'; export const a = 1; export function hi() { return 'hi'; } console.log(b, later(), import.meta.main);",
    "part.mjs": "import { a, hi } from './main.mjs'; export const b = hi(); export const later = () => a;",
    "main.ts":
      "import { type B, b } from './types'; export const a: number = 1; export enum E { x } console.log(b() satisfies B);",
    "types.ts":
      "import { a, E } from './main.ts'; export type B = number[]; export const b = () => [a, E.x];",
    "circle.mjs": "import './circle.cjs';",
    "circle.cjs": "try { require('./circle.mjs'); } catch (error) { console.log(error.code); }",
    "again.mjs": "export * from './leaf.mjs'; console.log(typeof this);",
    "leaf.mjs": "import fs from 'fs'; export const leaf = fs.existsSync('leaf.mjs');",
  };
  for (const [name, text] of Object.entries(files)) {
    shell.fs.writeFile(`/app/${name}`, new TextEncoder().encode(text));
  }
  for (
    const [name, printed] of [
      ["main.cjs", "main\n{ early: 1 } true\n"],
      ["mixed.cjs", "mixed\n{ a: 1 }\n"],
      ["main.mjs", "hi 1 true\n"],
      ["main.ts", "[ 1, 0 ]\n"],
      ["circle.mjs", "ERR_REQUIRE_CYCLE_MODULE\n"],
      ["again.mjs", "undefined\n"],
    ] as const
  ) equal(await shell.out(`node ${name}`), printed, name);
});

Deno.test("node --check reads a program without running it, or what it imports", async () => {
  const shell = new Shell();
  const files = {
    "good.js": "console.log('ran'); require('./nowhere'); return;",
    "good.mjs": "import x from './nowhere.mjs'; export * from './nothing.mjs'; console.log('ran'); await 1;",
    "good.ts": "import { type A } from './nowhere'; const n: number = 1; console.log('ran');",
    "waits.js": "const x = await Promise.resolve(1); console.log('ran');",
    "bad.js": "console.log('ran');\nconst b = ;",
    "twice.js": "const x = 1; const x = 2;",
    "bad.mjs": "import 'fs';\nconst b = ;",
    "bad.ts": "console.log('ran');\nconst n: number = ;",
  };
  for (const [name, text] of Object.entries(files)) {
    shell.fs.writeFile(`/app/${name}`, new TextEncoder().encode(text));
    const ran = await shell.run(name.startsWith("b") ? `node -c ${name}` : `node --check ${name}`);
    const isGood = /good|waits/.test(name);
    deepEqual([ran.stdout, ran.exitCode], ["", isGood ? 0 : 1], name);
    match(ran.stderr, isGood ? /^$/ : new RegExp(`/app/${name}:\\d[^]*SyntaxError: `), name);
  }
});

Deno.test("children are killed by timers that come before they end, and read what is written when nothing else is left", async () => {
  const shell = new Shell();
  const run = (code: string) =>
    shell.out(`node -e ${quoted(`const { spawn, exec } = require("child_process"); ${code}`)}`);
  equal(
    await run(
      `const k = spawn("sleep", ["1"]); setTimeout(() => console.log(k.kill()), 10); k.on("exit", (...a) => console.log(...a, k.kill()));`,
    ),
    "true\nnull SIGTERM false\n",
  );
  equal(
    await run(
      `const stop = new AbortController(); const k = spawn("sleep", ["1"], { signal: stop.signal }); setTimeout(() => stop.abort(), 10);
      k.on("error", (e) => console.log(e.name)).on("exit", (...a) => console.log(...a));
      spawn("sleep", ["1"], { signal: AbortSignal.abort() }).on("error", () => console.log("never"));`,
    ),
    "never\nAbortError\nnull SIGTERM\n",
  );
  equal(
    await run(
      `exec("sleep 5", { timeout: 50 }, (e) => console.log(e.killed, e.signal)); spawn("sleep", ["5"], { timeout: 50 }).on("exit", (...a) => console.log(...a));`,
    ),
    "true SIGTERM\nnull SIGTERM\n",
  );
  equal(
    await run(
      `const c = spawn("cat"); c.stdin.write("line\\n"); c.stdout.on("data", (d) => console.log(String(d).trim())); c.on("close", (code) => console.log(code));`,
    ),
    "line\n0\n",
  );
  equal(
    await run(
      `const from = spawn("echo", ["piped"]), to = spawn("cat"); from.stdout.pipe(to.stdin); to.stdout.on("data", (d) => console.log(String(d).trim()));`,
    ),
    "piped\n",
  );
  equal(
    await run(
      `const c = spawn("cat"); c.stdin.write("a"); c.stdout.on("data", () => c.stdin.write("b")); c.stdin.on("error", (e) => console.log(e.code));`,
    ),
    "EPIPE\n",
  );
});

Deno.test("node --test runs the tests that its options name, and tells of them as they say", async () => {
  const shell = new Shell();
  const text = `const { test, describe, it } = require("node:test");
    test("good", () => {}); test("bad", () => { throw new Error("x"); }); describe("suite", () => { it("one", () => {}); });`;
  shell.fs.writeFile("/app/a.test.js", new TextEncoder().encode(text));
  const told = async (options: string) => {
    const { stdout } = await shell.run(`node --test ${options}`);
    return stdout.split("\n").filter((line) =>
      /^ *(ok|not ok|[✔✖﹣▶]|[.X]+$|TAP|\d+\.\.)/.test(line) && line.trim() !== "..."
    )
      .map((line) => line.trim().replace(/ \(\d.*?ms\)/, "")).join("\n");
  };
  equal(
    await told("--test-reporter=tap"),
    "TAP version 13\nok 1 - good\nnot ok 2 - bad\nok 1 - one\n1..1\nok 3 - suite\n1..3",
  );
  match(await told("--test-reporter dot"), /^\.X\.\.$/m);
  match(await told("--test-name-pattern=one"), /﹣ good[^]*﹣ bad[^]*✔ one/);
  match(await told("--test-skip-pattern '/BAD/i'"), /✔ good[^]*﹣ bad[^]*✔ one/);
  match(await told("--test-only"), /﹣ good/);
  const only =
    `require("node:test").describe("s", () => { const { it } = require("node:test"); it("a", () => {}); it.only("b", () => {}); });`;
  shell.fs.writeFile("/app/only.test.js", new TextEncoder().encode(only));
  match(await told("--test-only only.test.js"), /﹣ a[^]*✔ b/);
  shell.fs.unlink("/app/only.test.js");
  for (
    const option of ["--experimental-test-coverage", "--test-reporter=junit", "--test-shard=1/2", "--watch"]
  ) {
    const ran = await shell.run(`node --test ${option}`);
    equal(ran.exitCode, 9, option);
    match(ran.stderr, / is not here: /);
  }
});

Deno.test("node has the environment of --env-file, and refuses what would change how a program runs and is not here", async () => {
  const shell = new Shell();
  shell.fs.writeFile("/app/.env", new TextEncoder().encode("A=1\nB=of the file\n"));
  shell.fs.writeFile("/app/b.js", new TextEncoder().encode("console.log(process.env.A, process.env.B)"));
  equal(
    await shell.out("B=mine node --env-file=.env b.js; node --env-file .env b.js"),
    "1 mine\n1 of the file\n",
  );
  for (
    const options of [
      "--env-file=nowhere",
      "--require ./b.js",
      "-r ./b.js",
      "--import=./b.js",
      "--conditions=x",
      "--help",
    ]
  ) {
    const ran = await shell.run(`node ${options} b.js`);
    deepEqual([ran.exitCode, ran.stdout], [9, ""], options);
    match(ran.stderr, / is not here: |nowhere: not found/, options);
  }
  equal(await shell.out("node --import tsx --no-warnings --input-type module b.js"), "undefined undefined\n");
});

Deno.test("node --test looks for tests in the directories that it is given", async () => {
  const shell = new Shell();
  await shell.out(`mkdir -p test/sub lib; for name in test/a.js test/sub/b.test.js lib/c.test.js lib/d.js; do
    echo "require('node:test')('$name', () => {})" > $name; done`);
  const tested = async (names: string) =>
    [...(await shell.out(`node --test ${names}`)).matchAll(/✔ (\S+)/g)].map(([, name]) => name);
  deepEqual(await tested("test"), ["test/a.js", "test/sub/b.test.js"]);
  deepEqual(await tested("./lib/ test/a.js test/"), ["lib/c.test.js", "test/a.js", "test/sub/b.test.js"]);
  for (const names of ["nowhere", "test --test-name-pattern=b"]) {
    const ran = await shell.run(`node --test ${names}`);
    equal(ran.stdout, "", names);
    match(ran.stderr, /Could not find '\/app\/nowhere'|options come before the files/);
    ok(ran.exitCode !== 0, names);
  }
});

Deno.test("a promise that is rejected and not handled ends node with 1, process.exit with its code", async () => {
  const shell = new Shell();
  const rejected = await shell.run(
    "node -e 'Promise.reject(new Error(\"lost\")); setTimeout(() => console.log(1), 5)'; echo $?",
  );
  deepEqual([rejected.stdout], ["1\n"]);
  match(rejected.stderr, /Error: lost/);
  equal(await shell.out("node -e 'try { process.exit(4) } catch { console.log(1) }'; echo $?"), "4\n");
});

Deno.test("node --test tells of the tests in files, and fails with them", async () => {
  const shell = new Shell();
  const write = (name: string, text: string) =>
    shell.fs.writeFile(`/app/${name}`, new TextEncoder().encode(text));
  write("good.test.js", "require('node:test')('adds', () => require('assert').equal(1 + 1, 2));");
  write(
    "bad.test.mjs",
    "import { describe, it } from 'node:test'; describe('s', () => { it('no', () => { throw new Error('bad'); }); });",
  );
  write("other.js", "throw new Error('this is no test');");
  const good = await shell.run("node --test good.test.js");
  equal(good.exitCode, 0);
  match(good.stdout, /✔ adds[^]*ℹ tests 1\n[^]*ℹ pass 1\nℹ fail 0\n/);
  const all = await shell.run("node --test");
  equal(all.exitCode, 1);
  match(all.stdout, /▶ s\n {2}✖ no[^]*ℹ tests 2\n[^]*ℹ pass 1\nℹ fail 1\n[^]*failing tests:[^]*Error: bad/);
  const alone = await shell.run("node bad.test.mjs");
  deepEqual([alone.exitCode, /ℹ fail 1\n/.test(alone.stdout)], [1, true]);
  write("broken.test.js", "throw new Error('early');");
  const broken = await shell.run("node --test broken.test.js");
  equal(broken.exitCode, 1);
  match(broken.stderr, /early/);
});

Deno.test("npm makes a package.json, runs its scripts, and npx what packages bring", async () => {
  const shell = new Shell();
  const script = (text: string) => shell.fs.writeFile("/app/p/package.json", new TextEncoder().encode(text));
  await shell.out("mkdir -p p/node_modules/hi/bin");
  match(await shell.out("cd /app/p; npm init -y"), /"name": "p"/);
  deepEqual((await shell.run("cd /app/p; npm test")).exitCode, 1);
  script(
    JSON.stringify({
      name: "p",
      version: "2.0.0",
      scripts: {
        pretest: "echo before",
        test: "node -e 'console.log(\"grün\", process.argv.length)'",
        bad: "exit 4",
      },
    }),
  );
  const ran = await shell.run("cd /app/p; npm test -- 'a b'");
  deepEqual([ran.exitCode, ran.stdout], [
    0,
    "\n> p@2.0.0 test\n> node -e 'console.log(\"grün\", process.argv.length)' 'a b'\n\nbefore\ngrün 2\n",
  ]);
  equal((await shell.run("cd /app/p; npm run bad")).exitCode, 4);
  match(
    (await shell.run("cd /app/p; npm run nope")).stderr,
    /Missing script: "nope". There are: pretest, test, bad/,
  );
  shell.fs.writeFile(
    "/app/p/node_modules/hi/package.json",
    new TextEncoder().encode('{"name":"hi","bin":{"hello":"bin/x.js"}}'),
  );
  shell.fs.writeFile(
    "/app/p/node_modules/hi/bin/x.js",
    new TextEncoder().encode("#!/usr/bin/env node\nconsole.log('hi', process.argv[2]);"),
  );
  equal(await shell.out("cd /app/p; npx hello you"), "hi you\n");
  const absent = await shell.run("npx nothing");
  equal(absent.exitCode, 127);
  match(absent.stderr, /^npm error: /);
});

Deno.test("a program of the shell ends with the exit code that it sets, and is told so", async () => {
  const shell = new Shell();
  const ran = await shell.run(
    `node -e 'process.on("exit", (code) => console.log("exit", code)); process.exitCode = 3'`,
  );
  deepEqual([ran.stdout, ran.exitCode], ["exit 3\n", 3]);
});

Deno.test("fuel of a script is its own and that of the interpreters it runs, and is bounded", async () => {
  const shell = new Shell();
  const { outcome } = await shell.run(
    "python3 -c 'sum(range(100000))'; node -e 'for (let i = 0; i < 1e5; i++);'",
  );
  ok(outcome.fuelConsumed > 100_000, `${outcome.fuelConsumed}`);
  const spent = await shell.run("python3 -c 'while True: pass'; echo on", { fuelBudget: 5_000_000 });
  deepEqual([spent.outcome.status, spent.outcome.heap, spent.stdout], ["out_of_fuel", "kept", ""]);
  const counts = [];
  for (const fresh of [new Shell(), new Shell()]) {
    counts.push((await fresh.run("seq 3")).outcome.fuelConsumed);
  }
  ok(counts[0]! > 0 && counts[0] === counts[1], `${counts}`);
  const loop = await shell.run("while :; do :; done", { fuelBudget: 5_000_000 });
  deepEqual([loop.outcome.status, loop.outcome.heap], ["out_of_fuel", "kept"]);
});

const BAD_ARCHIVES = `
import tarfile, zipfile, io
def add(t, name, **more):
    i = tarfile.TarInfo(name); i.size = 2
    for k, v in more.items(): setattr(i, k, v)
    t.addfile(i, io.BytesIO(b'no') if i.type == tarfile.REGTYPE else None)
with tarfile.open('bad.tar', 'w') as t:
    add(t, '../../tmp/a'); add(t, '/tmp/b'); add(t, 'x/../../../tmp/c')
    add(t, 'link', type=tarfile.SYMTYPE, linkname='/tmp', size=0); add(t, 'link/d')
    add(t, 'hard', type=tarfile.LNKTYPE, linkname='../../secret', size=0)
with zipfile.ZipFile('bad.zip', 'w') as z:
    for n in ('../../tmp/e', '/tmp/f', '..\\\\..\\\\tmp\\\\g'): z.writestr(n, 'no')
`;

Deno.test("an archive's names lead nowhere but below the directory it is extracted to", async () => {
  const shell = new Shell();
  shell.fs.writeFile("/app/make.py", new TextEncoder().encode(BAD_ARCHIVES));
  await shell.out("python3 make.py; echo s > secret; mkdir out");
  for (const script of ["tar xf bad.tar -C out", "unzip -q -o bad.zip -d out"]) {
    equal((await shell.run(script)).exitCode, 2, script);
  }
  equal(await shell.out("ls -A /tmp"), "");
  equal(
    await shell.out("ls out/tmp; readlink out/link; ls -A out | sort | head -1"),
    "b\nf\n/tmp\n..\\..\\tmp\\g\n",
  );
});

Deno.test("an archive that would fill the workspace is refused, and leaves nothing half-written", async () => {
  const shell = new Shell({ maxBytes: 4 << 20 });
  await shell.out(`python3 -c "
import gzip, zipfile
open('b.gz', 'wb').write(gzip.compress(bytes(10_000_000)))
zipfile.ZipFile('b.zip', 'w', zipfile.ZIP_DEFLATED).writestr('b', bytes(10_000_000))
"`);
  for (const script of ["gunzip -k b.gz", "zcat b.gz", "unzip b.zip", "tar xf b.gz"]) {
    const { exitCode, stderr } = await shell.run(script);
    ok(exitCode !== 0 && /bytes come out/.test(stderr), `${script}: ${exitCode} ${stderr}`);
  }
  equal(await shell.out("ls"), "b.gz\nb.zip\n");
});

Deno.test("a write that exceeds the quota fails and keeps what was there", async () => {
  const shell = new Shell({ maxBytes: 1 << 20 });
  await shell.out("echo old > f; head -c 600000 /dev/zero > a");
  ok((await shell.run("cp a b")).exitCode !== 0);
  ok((await shell.run("cat a a a > f")).exitCode !== 0);
  equal(await shell.out("wc -c < a"), "600000\n");
});

Deno.test("a rollback goes to what was captured last, else to a fresh shell; a restore goes on elsewhere", async () => {
  const shell = new Shell();
  await shell.out("x=1; cd /tmp");
  shell.runtime.rollback();
  equal(await shell.out("echo ${x-none}; pwd"), "none\n/app\n");
  await shell.out("x=2; f() { echo f$x; }");
  const entries = shell.runtime.beginCapture().commit().map((entry) => ({
    ...entry,
    bytes: entry.bytes!.slice(),
  }));
  await shell.out("x=3; unset -f f");
  shell.runtime.rollback();
  equal(await shell.out("echo $x; f"), "2\nf2\n");
  const elsewhere = new Shell();
  elsewhere.runtime.restore(entries);
  equal(await elsewhere.out("f"), "f2\n");
});

/** A shell that goes on from what another one is, and what it lacks. */
function elsewhere(shell: Shell): { shell: Shell; lost: string | undefined } {
  const entries = shell.runtime.beginCapture().commit().map((entry) => ({
    ...entry,
    bytes: entry.bytes!.slice(),
  }));
  const other = new Shell();
  return { lost: other.runtime.restore(entries), shell: other };
}

/** Definitions of `f`. */
const FUNCTIONS: Readonly<Record<string, string>> = {
  "a here-document at its end": "f() { cat <<EOF\nx $1 `echo y`\nEOF\n}",
  "a quoted here-document": "f() { cat <<'E O F'\nhi $1 `y`\nE O F\n}",
  "here-documents in a pipeline": "f() { cat <<-A | sed s/a/b/ - <<B\n\tone\n\tA\ntwo\nB\n}",
  "a here-document in a subshell": "f() ( cat <<X\na $1\nX\n)",
  "a here-document in a substitution": 'f() { x=$(cat <<X\na\nX\n); echo "$x"; }',
  "a here-document before ||": "f() { false && cat <<X || echo b\nz\nX\n}",
  "a here-document whose text follows the function": "f() { for i in 1 2; do cat <<E; done; }\nhi\nE",
  "a line feed in $''": "f() { printf '<%s>' $'x\\n' $'\\t' ' \\ '; }",
  "quotes of all kinds": 'f() { echo \'it\'\\\'\'s\' "a\\"b $1" \\* "$(echo ")")"; }',
  "a case that falls through": "f() { case $1 in a|b) echo x;;& *) echo y;& z) echo z;; esac; }",
  "redirections of its own": "f() { echo x; echo y >&2; } 2>&1",
  "arithmetic":
    "f() { for ((i = 0; i < 3; i++)); do echo $((i ** 2)) $((16#ff)); done; (( n += 2 )); echo $n; }",
  "a test with a pattern":
    "f() { [[ 'a1' =~ ^(a)([0-9])$ ]] && echo ${BASH_REMATCH[2]} ${1:-\"}\"} ${1/a/b}; }",
  "braces and process substitutions": "f() { cat <(echo {1..3}{a,b}) <(echo ~); }",
  "another function in it": "f() { g() { cat <<E\ninner\nE\n}; g; }",
};

Deno.test("functions of every form do elsewhere what they did here", async () => {
  for (const [form, definition] of Object.entries(FUNCTIONS)) {
    const shell = new Shell();
    await shell.out(definition);
    const moved = elsewhere(shell);
    const expected = await shell.run("f a; f a");
    equal(moved.lost, undefined, form);
    const { stdout, stderr, exitCode } = await moved.shell.run("f a; f a");
    deepEqual([stdout, stderr, exitCode], [expected.stdout, expected.stderr, expected.exitCode], form);
    ok(expected.exitCode === 0, `${form}: ${expected.stderr}`);
  }
});

Deno.test("names of functions and values of variables that no script could repeat go on elsewhere", async () => {
  const shell = new Shell();
  await shell.out(
    "function a-b { echo dash; }; x.y() { echo dot; }",
  );
  await shell.out("x=$'\\ud800'; y=$'\\xff\\xfe'; declare -A m; m[$x]=1; m[$'\\n']=2; z=$(printf '\\x01')");
  const probe = 'a-b; x.y; printf \'%s\' "$x" "$y" "$z" ${#m[@]} | od -c';
  const expected = await shell.out(probe);
  const moved = elsewhere(shell);
  equal(moved.lost, undefined);
  equal(await moved.shell.out(probe), expected);
});

Deno.test("a state that is no shell's leaves a fresh shell after a rollback", () => {
  const shell = new Shell();
  for (const text of ["", "{", "null", '{"functions":"f() { :; }"}', '{"functions":[{"type":"If"}]}']) {
    const entry = { section: Section.shellState, a: 0, b: 0, bytes: new TextEncoder().encode(text) };
    throws(() => shell.runtime.restore([entry]), ImageError);
    shell.runtime.rollback();
    deepEqual(shell.runtime.beginCapture().commit(), []);
  }
});

Deno.test("a shell that was never used is no part of the image", () => {
  const pending = new Shell().runtime.beginCapture();
  deepEqual([pending.imageBytes, pending.commit()], [0, []]);
});

Deno.test("bc calculates", async () => {
  const shell = new Shell();
  for (
    const [expression, value] of [
      ["1+2*3", "7"],
      ["scale=3; 10/3", "3.333"],
      ["2^64", "18446744073709551616"],
      ["-7%3", "-1"],
      ["sqrt(2)", "1"],
      ["x=4; x*x", "16"],
      ["3>2", "1"],
      ["(1+2)*(3+4)", "21"],
      ["1.5*1.5", "2.2"],
      ["2^-1", "0"],
    ] as const
  ) equal(await shell.out(`echo '${expression}' | bc`), `${value}\n`, expression);
});

Deno.test("an error of bc's is said where it is, ends its line, and is the exit code", async () => {
  const { stdout, stderr, exitCode } = await new Shell().run(
    "printf 'define f(x) { return 1 / x }\\n1; f(0); 2\\n)\\ng(1)\\n2^10\\n' | bc",
  );
  equal(stdout, "1\n1024\n");
  equal(
    stderr,
    "Runtime error (func=f): Divide by zero\n" +
      "(standard_in) 3: syntax error\n" +
      "Runtime error (func=(main)): Function g not defined.\n",
  );
  equal(exitCode, 1);
});

Deno.test("bc calculates while its input comes, and ends with its reader", async () => {
  const shell = new Shell();
  equal(await shell.out("yes 1+1 | bc | head -n 2"), "2\n2\n");
  equal(await shell.out("printf 2^5 | bc"), "32\n");
  equal(await shell.out("seq 200000 | paste -sd+ | bc"), "20000100000\n");
});

Deno.test("what bc calculates is fuel", async () => {
  const { outcome } = await new Shell().run("echo 'while (1) x++' | bc", { fuelBudget: 50_000_000 });
  equal(outcome.status, "out_of_fuel");
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
    "Filesystem     1K-blocks  Used Available Use% Mounted on\nwasmbox             8192  2049      6144  26% /\n" +
      "Filesystem      Size  Used Avail Use% Mounted on\nwasmbox         8.0M  2.1M  6.0M  26% /\nwasmbox         8.0M  2.1M  6.0M  26% /\n" +
      "wasmbox           500     3   497    1% /\n8 3 6\n",
  );
  const refused = await shell.run("df nope; df ''; df /data; df --sync");
  equal(refused.exitCode, 1);
  match(
    refused.stderr,
    /nope: No such file[^]*df: : No such file[^]*\/data: how much room is there is not known[^]*unrecognized option '--sync'/,
  );
});

Deno.test("what answers to --version says whose code it is, and what can't work here says that", async () => {
  const shell = new Shell();
  match(
    (await shell.run("sort --version")).stdout,
    /^sort \(GNU coreutils\) 9\.1\nNot that program's code: .*\n$/,
  );
  match((await shell.run("curl --version")).stdout, /^curl .*there is no network here/);
  match((await shell.run("rsync a b")).stderr, /There is no network here; `cp -r` copies/);
});
