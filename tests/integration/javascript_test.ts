/** JavaScript and TypeScript through the real server: how they are asked for, how they end, and where they go on. */

import assert from "node:assert/strict";
import { childrenOf, TestServer, UNDER_TEST } from "../support/harness.ts";
import { eventually } from "../support/eventually.ts";

Deno.test(`[${UNDER_TEST}] JavaScript and TypeScript in sessions`, async (t) => {
  await using server = await TestServer.start();

  await t.step("languages answer to the names that people use", async () => {
    for (
      const [name, code, language] of [
        ["typescript", "const a: number = 1; a", "javascript"],
        ["ts", "type A = string; 'x' as A", "javascript"],
        ["js", "1", "javascript"],
        ["node", "1", "javascript"],
        ["py", "1", "python"],
        ["python3", "1", "python"],
        ["sh", "true", "shell"],
        ["bash", "true", "shell"],
      ] as const
    ) {
      const reply = await server.run(name, code);
      assert.deepEqual([reply.status, reply.language], ["completed", language], name);
    }
    const { isError } = await server.call("execute_code", { code: "1", language: "cobol" });
    assert.equal(isError, true);
  });

  await t.step("what is TypeScript only if it says so is taken for it", async () => {
    const code = "const use = <T>(x: T): T => x;\nconst n = use<number>(41); n + 1";
    assert.equal((await server.run("typescript", code)).result, "42");
    // As JavaScript these are comparisons.
    assert.match((await server.javascript("use<number>(41)")).error?.message ?? "", /number is not defined/);
    assert.equal((await server.run("typescript", "use<number>(41)")).result, "41");
  });

  await t.step("an unhandled rejection fails a call with its stack, and the state is kept", async () => {
    const reply = await server.javascript(
      "kept = 1\nasync function load() { throw new TypeError('no') }\nload()\n2",
    );
    assert.deepEqual([reply.status, reply.exit_code, reply.state], ["failed", 1, "kept"]);
    assert.match(reply.error?.traceback ?? "", /TypeError: no\n {4}at load \(<execution \d+>:2/);
    assert.equal((await server.javascript("kept")).result, "1");
  });

  await t.step("process.exit gives the exit code, and the state is kept", async () => {
    const reply = await server.javascript("kept = 2; require('process').exit(3); kept = 4");
    assert.deepEqual([reply.status, reply.exit_code, reply.state], ["failed", 3, "kept"]);
    const success = await server.javascript("kept++; require('process').exit(0)");
    assert.deepEqual([success.status, success.exit_code, success.state], ["completed", 0, "kept"]);
    assert.equal((await server.javascript("kept")).result, "3");
  });

  await t.step("timers that a program leaves when it ends early are told of, and end with it", async () => {
    const forever = await server.javascript(
      "ticks = 0; setInterval(() => ticks++, 5); setTimeout(() => {}, 1e6); 0",
      {
        timeout: 1,
      },
    );
    assert.deepEqual([forever.status, forever.state], ["timeout", "kept"]);
    assert.match(forever.notice ?? "", /2 timers that the program had set .* ended with it/);
    const failed = await server.javascript("setTimeout(() => console.log('never'), 5); throw new Error('x')");
    assert.match(failed.notice ?? "", /A timer that the program had set/);
    const next = await server.javascript(
      "const seen = ticks; await new Promise((f) => setTimeout(f, 30)); seen === ticks",
    );
    assert.deepEqual([next.result, next.stdout, next.notice], ["true", "", null]);
  });

  await t.step("a connection that was refused and nobody caught tells why, and of no timers", async () => {
    const asked = ["'http://localhost:9'", "'http://localhost:9', { signal: AbortSignal.timeout(60_000) }"];
    for (const code of [...asked.map((args) => `fetch(${args})`), `await fetch(${asked[0]}); 1`]) {
      const { status, notice, error } = await server.javascript(code);
      assert.deepEqual([status, notice, error?.message], ["failed", null, "TypeError: fetch failed"], code);
      assert.match(
        error?.traceback ?? "",
        /^TypeError: fetch failed \{\n {2}\[cause\]: \[?Error: connect ECONNREFUSED 127\.0\.0\.1:9\]? \{[^]*code: 'ECONNREFUSED'/,
      );
    }
    const idle = await server.javascript("setTimeout(() => {}, 1e6).unref(); throw new Error('x')");
    assert.equal(idle.notice, null);
  });

  await t.step("a session that is rolled back goes back to the base image or to its checkpoint", async () => {
    const fresh = { session_id: "rolled" };
    const failed = await server.javascript("a = 1; throw new Error()", { ...fresh, on_failure: "rollback" });
    assert.equal(failed.state, "rolled_back");
    assert.equal((await server.javascript("typeof a", fresh)).result, "'undefined'");
    await server.javascript("b = [1]; Array.prototype.map = null; 0", fresh);
    await server.javascript("b = null; throw new Error()", { ...fresh, on_failure: "rollback" });
    assert.equal((await server.javascript("[b.length, typeof [].map].join()", fresh)).result, "'1,object'");
  });

  await t.step("navigator is Node's, and says the same on any machine", async () => {
    const { result } = await server.javascript(
      `const { userAgent, language, languages, hardwareConcurrency, platform } = navigator;
       const made = (() => { try { return new Navigator() } catch (e) { return e.code } })();
       [userAgent, language, languages.join(), hardwareConcurrency, platform, made, Object.keys(navigator).length].join(" ")`,
    );
    assert.equal(result, "'Node.js/20 en-US en-US 1 Linux wasm32 ERR_ILLEGAL_CONSTRUCTOR 0'");
  });

  await t.step("what one session makes of the image, no other one sees", async () => {
    await server.javascript("Array.prototype.map = null; console.log = null; JSON.parse = null; 0", {
      session_id: "spoiler",
    });
    const reply = await server.run("typescript", "console.log([1].map((x: number) => JSON.parse(`${x}`)))", {
      session_id: "bystander",
    });
    assert.deepEqual([reply.status, reply.stdout], ["completed", "[ 1 ]\n"]);
  });

  await t.step("a heap goes on in another process, with its classes, closures and types", async () => {
    const moving = { session_id: "moving" };
    await server.run(
      "typescript",
      "enum E { A = 'a' }\nclass C { #n = 1; next(): number { return ++this.#n } }\nconst c = new C(); c.next();\n" +
        "const later: Promise<number> = new Promise((f) => { globalThis.settle = f });\nconst drawn = Math.random();",
      moving,
    );
    const [before] = childrenOf(server.transport.pid ?? 0);
    await eventually(
      "the session is checkpointed",
      async () =>
        (await server.sessions()).some(({ session_id, checkpoint }) =>
          session_id === "moving" && checkpoint === "current"
        ),
    );
    Deno.kill(before!, "SIGKILL");
    let reply = await server.javascript(
      "settle(5); [c.next(), E.A, await later, drawn !== Math.random()].join()",
      moving,
    );
    if (reply.status !== "completed") {
      reply = await server.javascript(
        "settle(5); [c.next(), E.A, await later, drawn !== Math.random()].join()",
        moving,
      );
    }
    assert.equal(reply.result, "'3,a,5,true'");
  });
});

Deno.test(`[${UNDER_TEST}] child_process runs commands of the session's shell, and tells of them as Node does`, async () => {
  await using server = await TestServer.start();
  const fixture = (name: string) => new URL(`./fixtures/child_process.${name}`, import.meta.url);
  const reply = await server.javascript(await Deno.readTextFile(fixture("js")));
  assert.equal(reply.status, "completed", reply.error?.traceback ?? "");
  assert.equal(reply.stdout, await Deno.readTextFile(fixture("txt")));
  const stopped = await server.javascript(
    "kept = 1; require('child_process').execSync('while :; do :; done')",
    { timeout: 1 },
  );
  assert.deepEqual([stopped.status, stopped.state], ["timeout", "kept"]);
  assert.equal((await server.javascript("kept")).result, "1");
});

Deno.test(`[${UNDER_TEST}] a command that is killed as soon as it is told of does not run`, async () => {
  await using server = await TestServer.start();
  const { stdout } = await server.javascript(`const { spawn } = require("child_process");
const killed = spawn("echo ran >ran", { shell: true });
killed.on("spawn", () => console.log(killed.kill()));
killed.on("exit", (...how) => console.log(...how));
const caller = new AbortController();
const aborted = spawn("echo ran >ran", { shell: true, signal: caller.signal });
aborted.on("spawn", () => caller.abort());
aborted.on("error", ({ name }) => console.log(name));
const absent = spawn("no-such-command");
absent.on("error", ({ code }) => console.log(code, absent.pid, require("fs").existsSync("ran")));`);
  assert.deepEqual(stdout.split("\n").sort(), [
    "",
    "AbortError",
    "ENOENT undefined false",
    "null SIGTERM",
    "true",
  ]);
});

Deno.test(`[${UNDER_TEST}] processes of child_process run beside the program, are talked to, serve, and go on with later calls`, async () => {
  await using server = await TestServer.start();
  const session_id = "children";
  const talked = await server.javascript(
    `const { spawn } = require("child_process");
const said = [];
const ask = (child, ...lines) => new Promise((resolve) => {
  const got = [];
  child.stdout.on("data", (data) => {
    got.push(...String(data).trim().split("\\n"));
    if (lines.length > 0) child.stdin.write(lines.shift() + "\\n");
    else resolve(got);
  });
  child.stdin.write(lines.shift() + "\\n");
});
const ended = (child) => new Promise((resolve) => child.on("close", (...how) => resolve(how)));
globalThis.shell = spawn("bash");
said.push(await ask(shell, "x=5; echo set", "echo $((x + 1))"));
const python = spawn("python3", ["-uc", "import sys\\nfor line in sys.stdin: print(line.upper(), end='')"]);
said.push(await ask(python, "a", "b"));
python.stdin.end();
said.push(await ended(python));
const node = spawn("node", ["-e", "process.stdin.on('data', (data) => console.log(String(data).trim() + '!'))"]);
said.push(await ask(node, "c", "d"));
said.push(node.kill(), await ended(node));
const printed = spawn("python3", ["-uc", "import time\\nprint(1); time.sleep(0.3); print(2)"]);
const times = [];
printed.stdout.on("data", () => times.push(performance.now()));
await ended(printed);
said.push(times.length, times[1] - times[0] > 200);
const log = require("fs").openSync("both.log", "w");
require("child_process").spawnSync("sh", ["-c", "echo out; echo err >&2"], { stdio: ["ignore", log, log] });
said.push(require("fs").readFileSync("both.log", "utf8"));
const counted = spawn("bash", ["-c", "for ((i = 0; i < 60000; i++)); do :; done; echo $i | cat"]);
said.push(await new Promise((resolve) => counted.stdout.on("data", (data) => resolve(String(data).trim()))));
said.push(await ended(spawn("sh", ["-c", "exit 7"])), await ended(spawn("sh", ["-c", "kill -9 $$"])));
const timed = spawn("node", ["-e", "setTimeout(() => { console.log('late'); process.exit(4) }, 700)"]);
timed.stdout.on("data", (data) => said.push(String(data).trim()));
const alive = process.kill(timed.pid, 0);
  said.push(alive, await ended(timed));
JSON.stringify(said)`,
    { session_id },
  );
  assert.equal(
    talked.result,
    `'[["set","6"],["A","B"],[0,null],["c!","d!"],true,[null,"SIGTERM"],2,true,"out\\\\nerr\\\\n","60000",[7,null],[null,"SIGKILL"],"late",true,[4,null]]'`,
    talked.error?.traceback ?? talked.stderr,
  );
  const served = await server.javascript(
    `const fs = require("fs");
fs.writeFileSync("server.js", "let n = 0; require('http').createServer((q, r) => r.end('hi ' + ++n)).listen(3210, () => console.log('up'))");
globalThis.server = spawn("node", ["server.js"], { stdio: ["ignore", fs.openSync("server.log", "a"), "ignore"], detached: true });
server.unref();`,
    { session_id },
  );
  assert.match(served.notice!, /goes? on: while later calls run or wait/);
  const asked = await server.run("shell", "curl -s localhost:3210; cat server.log", { session_id });
  assert.equal(asked.stdout, "hi 1up\n");
  const after = await server.javascript(
    `const text = await (await fetch("http://localhost:3210")).text();
const how = ended(server);
server.kill();
JSON.stringify([text, await how, await ask(shell, "echo $x")])`,
    { session_id },
  );
  assert.equal(after.result, `'["hi 2",[null,"SIGTERM"],["5"]]'`);
});
