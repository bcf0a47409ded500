/** What options make of `node`: programs that are only read, and files that are tested. */

import { deepEqual, equal, match, ok } from "node:assert/strict";
import { Shell } from "./harness.ts";

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
    shell.write({ [name]: text });
    const ran = await shell.run(name.startsWith("b") ? `node -c ${name}` : `node --check ${name}`);
    const isGood = /good|waits/.test(name);
    deepEqual([ran.stdout, ran.exitCode], ["", isGood ? 0 : 1], name);
    match(ran.stderr, isGood ? /^$/ : new RegExp(`/app/${name}:\\d[^]*SyntaxError: `), name);
  }
});

Deno.test("node --test runs the tests that its options name, and tells of them as they say", async () => {
  const shell = new Shell();
  const text = `const { test, describe, it } = require("node:test");
    test("good", () => {}); test("bad", () => { throw new Error("x"); }); describe("suite", () => { it("one", () => {}); });`;
  shell.write({ "a.test.js": text });
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
  shell.write({ "only.test.js": only });
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

Deno.test("tests that take too long are cancelled, which fails", async () => {
  const shell = new Shell();
  shell.write({
    "a.test.js": `require("node:test")("slow", () => new Promise((done) => setTimeout(done, 200)));`,
  });
  for (const command of ["node --test --test-timeout=20", "node --test-timeout=20 a.test.js"]) {
    const ran = await shell.run(command);
    equal(ran.exitCode, 1, command);
    match(ran.stdout, /ℹ tests 1\n[^]*ℹ fail 0\nℹ cancelled 1\n[^]*test timed out after 20ms/);
  }
});

Deno.test("node has the environment of --env-file, and refuses what would change how a program runs and is not here", async () => {
  const shell = new Shell();
  shell.write({ ".env": "A=1\nB=of the file\n" });
  shell.write({ "b.js": "console.log(process.env.A, process.env.B)" });
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

Deno.test("node --test tells of the tests in files, and fails with them", async () => {
  const shell = new Shell();
  const write = (name: string, text: string) => shell.write({ [name]: text });
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
