/** `node`, and what comes with it, in the shell. */

import { deepEqual, equal, match } from "node:assert/strict";
import { quoted } from "../../../../src/runtime/shell/quoted.ts";
import { Shell } from "./harness.ts";

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

Deno.test("what a file declares is its own, and it knows itself as a module", async () => {
  const shell = new Shell();
  for (
    const [file, code, printed] of [
      [
        "own.js",
        "const a = 1; let b; class C {} function f() {} var v;\nconsole.log(['a', 'b', 'C', 'f', 'v'].map((name) => name in globalThis).join());",
        "false,false,false,false,false\n",
      ],
      [
        "self.js",
        "console.log(this === module.exports, arguments.length, require.main === module)",
        "true 5 true\n",
      ],
      [
        "early.js",
        "#!/usr/bin/env node\n'use strict';\nif (1) { console.log('out'); return; }\nconsole.log('not here')",
        "out\n",
      ],
      ["waits.js", "const one = await Promise.resolve(1); console.log(one)", "1\n"],
      [
        "late.js",
        "setTimeout(() => console.log(kept), 1); const kept = 'kept'; process.on('exit', () => console.log('over'))",
        "kept\nover\n",
      ],
      [
        "lost.js",
        "try { early } catch (error) { console.log(error.name) } const early = 1",
        "ReferenceError\n",
      ],
      ["fails.js", "\n\nnull.x", ""],
    ] as const
  ) {
    shell.write({ [file]: code });
    const { stdout, stderr } = await shell.run(`node ${file}`);
    equal(stdout, printed, stderr);
    if (file === "fails.js") match(stderr, /fails\.js:3/);
  }
});

Deno.test("a file that requires is CommonJS, whoever imports it", async () => {
  const shell = new Shell();
  await shell.run("mkdir -p sub");
  shell.write({
    "lib.js": "exports.x = 1",
    "sub/needs.js": "const lib = require('../lib'); console.log(lib.x)",
    "a.mjs": "import './sub/needs.js'",
    "b.cjs": "import('./sub/needs.js').then(() => console.log('there'))",
  });
  equal(await shell.out("node a.mjs; node b.cjs"), "1\n1\nthere\n");
});

Deno.test("a program runs files by their paths, as far as they may be run", async () => {
  const shell = new Shell();
  const code = `const { execFileSync, spawn, spawnSync } = require("child_process");
    console.log(String(execFileSync("/tmp/own.sh", ["a"])).trim(), String(execFileSync("./own.sh", { cwd: "/tmp" })).trim(), String(execFileSync("/usr/bin/printf", ["x"])));
    for (const file of ["/tmp/not.sh", "/tmp/missing.sh", "/tmp"]) console.log(spawnSync(file).error.message);
    spawn("/tmp/not.sh").on("error", (error) => console.log(error.code, error.errno)).on("close", (code) => console.log(code));`;
  await shell.run(
    `printf '#!/bin/sh\\necho "own $1"\\n' > /tmp/own.sh; cp /tmp/own.sh /tmp/not.sh; chmod +x /tmp/own.sh`,
  );
  equal(
    await shell.out(`node -e ${quoted(code)}`),
    "own a own x\nspawnSync /tmp/not.sh EACCES\nspawnSync /tmp/missing.sh ENOENT\nspawnSync /tmp EACCES\n" +
      "EACCES -13\n-13\n",
  );
});

Deno.test("a file of CommonJS may return at its top level, as in Node", async () => {
  const shell = new Shell();
  await shell.run(
    `printf 'exports.a = 1;\\nif (process.argv.length < 9) { console.log(this === exports, module.exports, __filename); return; }\\nconsole.log("no");\\n' > r.js
    printf 'function f() { throw new Error("here"); }\\n\\nif (f()) return;\\n' > e.js
    printf 'return;\\nconst x = ;\\n' > bad.js`,
  );
  equal(await shell.out("node r.js"), "true { a: 1 } /app/r.js\n");
  match((await shell.run("node e.js")).stderr, /Error: here\n {4}at f \(\/app\/e\.js:1:/);
  match((await shell.run("node bad.js")).stderr, /SyntaxError/);
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
  shell.write(files);
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
      `const c = spawn("head", ["-n", "1"]); c.stdin.write("a\\n"); c.on("exit", () => c.stdin.write("b", (e) => console.log(e.code)));`,
    ),
    "ERR_STREAM_DESTROYED\n",
  );
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

Deno.test("npm makes a package.json, runs its scripts, and npx what packages bring", async () => {
  const shell = new Shell();
  const script = (text: string) => shell.write({ "p/package.json": text });
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
    "\n> p@2.0.0 pretest\n> echo before\n\nbefore\n" +
    "\n> p@2.0.0 test\n> node -e 'console.log(\"grün\", process.argv.length)' 'a b'\n\ngrün 2\n",
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

Deno.test("npm pkg reads and changes package.json, and npm version its version", async () => {
  const shell = new Shell();
  await shell.out("mkdir q");
  shell.write({ "q/package.json": '{"name":"q","version":"1.2.3","scripts":{"a":"echo a"}}' });
  equal(
    await shell.out(
      "cd q; npm pkg set scripts.b='echo b=c' type=module 'keywords[]=x' 'private=true'; npm pkg set n=5 --json; npm pkg delete scripts.a; npm pkg get scripts.b; npm pkg get name version; npm version minor; npm pkg get zz; npm pkg get keywords private n scripts",
    ),
    '"echo b=c"\n{\n  "name": "q",\n  "version": "1.2.3"\n}\nv1.3.0\n{}\n' +
      '{\n  "keywords": [\n    "x"\n  ],\n  "private": "true",\n  "n": 5,\n  "scripts": {\n    "b": "echo b=c"\n  }\n}\n',
  );
  match((await shell.run("cd q; npm pkg set nothing")).stderr, /usage: npm pkg get/);
  match((await shell.run("cd q; npm version later")).stderr, /npm version takes a version/);
  const odd = await shell.run(
    "cd q; npm pkg delete keywords.foo 'keywords[]'; npm pkg set keywords.foo=x 'keywords[4000000000]=x' || npm pkg get keywords; npm pkg set 'of[].a=1' 'of[].a=2'; npm pkg get of",
  );
  equal(odd.stdout, '[\n  "x"\n]\n[\n  {\n    "a": "1"\n  },\n  {\n    "a": "2"\n  }\n]\n');
  match(odd.stderr, /Can't add property keywords.foo to an Array/);
});

Deno.test("npm version commits and tags nothing but the version, and nothing beside other changes", async () => {
  const shell = new Shell();
  await shell.out("mkdir q; cd q; git init -q; echo a > f; touch untracked");
  shell.write({ "q/package.json": '{"name":"q","version":"1.2.3"}' });
  const dirty = await shell.run(
    "cd q; git add f package.json; git commit -qm one; echo b > f; npm version patch; echo $?; npm pkg get version",
  );
  equal(dirty.stdout, '1\n"1.2.3"\n');
  match(dirty.stderr, /^npm error Git working directory not clean\.$/m);
  equal(
    await shell.out(
      "cd q; git checkout -q f; npm version -m 'release %s' minor && git log -1 --format=%s --name-only; git tag; git status -s",
    ),
    "v1.3.0\nrelease 1.3.0\n\npackage.json\nv1.3.0\n?? untracked\n",
  );
});

Deno.test("npm pkg changes what a key names and nothing else, and refuses what would be lost", async () => {
  const shell = new Shell();
  const given = '{"name":"q","files":["f","g"],"bin":{"a.b":"c"}}';
  const after = async (command: string) => {
    shell.write({ "package.json": given });
    const { stdout, stderr } = await shell.run(
      `npm pkg ${command}; node -p 'JSON.stringify(require("./package.json"))'`,
    );
    return (stderr || stdout).trim();
  };
  equal(await after("get 'bin[a.b]'"), `"c"\n${given}`);
  equal(await after("set 'bin[a.b]=d'"), given.replace('"c"', '"d"'));
  equal(await after("set 'a[].b=x'"), given.replace(/}$/, ',"a":[{"b":"x"}]}'));
  equal(await after("delete 'files[]' files.length name.x 'files[7]'"), given);
  for (
    const [command, why] of [
      ["set files.x=1", /Can't add property files.x to an Array/],
      ["set name.x=1", /name already exists and is not an Array or Object/],
      ["set 'files[4294967290]=x'", /too far beyond the end, which is at 2/],
      ["set files=", /usage: npm pkg/],
    ] as const
  ) {
    match(await after(command), why);
    equal(new TextDecoder().decode(shell.fs.readFile("/app/package.json")), given);
  }
});

Deno.test("scripts of npm know what they are of, and get what stands after their name", async () => {
  const shell = new Shell();
  await shell.out("mkdir q");
  shell.write({
    "q/package.json": JSON.stringify({
      name: "q",
      version: "1.2.3",
      scripts: {
        preshow: "echo $npm_lifecycle_event",
        show: "echo $npm_package_name $npm_package_version $npm_lifecycle_event",
        test: "echo t",
      },
    }),
  });
  equal(await shell.out("cd q; npm run -s show one -- --two one"), "preshow\nq 1.2.3 show one --two one\n");
  equal(await shell.out("cd q; npm run -s -- show one -- one"), "preshow\nq 1.2.3 show one -- one\n");
  equal(await shell.out("cd q; npm run -s show one -- one"), "preshow\nq 1.2.3 show one one\n");
  equal(
    await shell.out("cd q; npm run"),
    "Lifecycle scripts included in q@1.2.3:\n  test\n    echo t\navailable via `npm run`:\n" +
      "  preshow\n    echo $npm_lifecycle_event\n  show\n    echo $npm_package_name $npm_package_version $npm_lifecycle_event\n",
  );
});

Deno.test("a program of node's may be named without its extension, or by its directory", async () => {
  const shell = new Shell();
  await shell.out("mkdir -p d e f/lib");
  shell.write({
    "m.js": "console.log(__filename)",
    "d/index.js": "console.log('index')",
    "e/package.json": '{"main":"x.js"}',
    "e/x.js": "console.log('main')",
    "f/package.json": '{"main":"lib/x"}',
    "f/index.js": "console.log('another')",
    "f/lib/x.js": "console.log('main without extension')",
  });
  equal(
    await shell.out("node m; node ./d; node e; node f; node -p 'process.argv.length' -- a"),
    "/app/m.js\nindex\nmain\nmain without extension\n2\n",
  );
});

Deno.test("what exec prints is text in the encoding asked for, up to as much as is asked for", async () => {
  const shell = new Shell();
  const code =
    `const { exec, execFile } = require("child_process"); const run = require("util").promisify(exec);
    (async () => {
      for (const encoding of ["utf8", "hex", "buffer", null]) console.log((await run("printf hi", { encoding })).stdout);
      const child = execFile("echo", ["x"], { encoding: "buffer" }, (_error, stdout) => console.log(JSON.stringify(stdout)));
      child.stdout.setEncoding("utf8"); await new Promise((resolve) => child.on("close", resolve));
      exec("echo y").stdout.on("data", (chunk) => console.log(typeof chunk));
      for (const command of ["echo hello world", "echo hello world >&2"]) {
        await run(command, { maxBuffer: 5 }).catch(({ code, message, stdout, stderr }) => console.log(code, message, [stdout, stderr]));
      }
    })();`;
  equal(
    await shell.out(`node -e ${quoted(code)}`),
    'hi\n6869\n<Buffer 68 69>\n<Buffer 68 69>\n"x\\n"\nstring\n' +
      "ERR_CHILD_PROCESS_STDIO_MAXBUFFER stdout maxBuffer length exceeded [ 'hello', '' ]\n" +
      "ERR_CHILD_PROCESS_STDIO_MAXBUFFER stderr maxBuffer length exceeded [ '', 'hello' ]\n",
  );
});

Deno.test("node --test fails for a suite whose hook fails", async () => {
  const shell = new Shell();
  await shell.run(
    `printf 'const { describe, it, before } = require("node:test"); describe("s", () => { before(() => { throw 1; }); it("x", () => {}); });' > h.test.js`,
  );
  const ran = await shell.run("node --test h.test.js");
  equal(ran.exitCode, 1);
  match(ran.stdout, /cancelled 1/);
});

Deno.test("a pipeline that leads to standard output ends, and what is written after it comes too", async () => {
  const shell = new Shell();
  const code =
    `const { pipeline, Readable, Transform } = require("stream"); const later = require("stream/promises");
    const upper = new Transform({ transform(chunk, _encoding, done) { done(null, String(chunk).toUpperCase()); } });
    pipeline(process.stdin, upper, process.stdout, async (error) => {
      console.log("piped", error); await later.pipeline(Readable.from(["a", "b"]), process.stdout); console.log("|"); process.stdout.end("end", () => console.log("ed"));
    });`;
  equal(await shell.out(`echo in | node -e ${quoted(code)}`), "IN\npiped undefined\nab|\nended\n");
});
