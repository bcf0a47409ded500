/**
 * What JavaScript of the Worker itself holds for a guest is bounded, since a full heap would take the process and every
 * session in it: whoever tries ends by itself, and is told why.
 */

import assert from "node:assert/strict";
import { childrenOf, ownMegabytes, type Reply, TestServer, UNDER_TEST } from "../support/harness.ts";
import { sharedServer } from "../support/shared.ts";

/** Beside a session that holds something in the same process: both must be there afterwards. */
function test(name: string, fn: (run: Run) => Promise<void>): void {
  Deno.test(`[${UNDER_TEST}] ${name}`, async () => {
    const server = await sharedServer();
    await server.javascript("globalThis.held = 'held'; 0", { session_id: "beside" });
    await server.python("held = ['held']", { session_id: "beside" });
    const before = executorsOf(server);
    await fn(async (language, code) => {
      const args = { language, code, session_id: "filler", timeout: 600 };
      return (await server.call("execute_code", args)).structured as unknown as Reply;
    });
    const beside = await server.javascript("held", { session_id: "beside" });
    assert.deepEqual([beside.result, beside.state, beside.notice], ["'held'", "kept", null]);
    assert.equal((await server.python("held", { session_id: "beside" })).result, "['held']");
    assert.deepEqual(executorsOf(server), before, "the process was replaced");
  });
}

type Run = (language: "javascript" | "shell", code: string) => Promise<Reply>;

function executorsOf(server: TestServer): number[] {
  return childrenOf(server.transport.pid ?? 0);
}

/** Memory ran out, whether the shell noticed it by itself or not, and the session has what it had. */
async function runsOut(run: Run, script: string): Promise<void> {
  await run("shell", "kept=1");
  const { status, state, stderr } = await run("shell", script);
  const told = status === "failed" && state === "kept" && /memory limit exceeded/.test(stderr);
  assert.ok(told || status === "out_of_memory" && state === "rolled_back", `${status} ${state} ${stderr}`);
  assert.equal((await run("shell", "echo $kept")).stdout, "1\n");
}

test("a script that fills memory with variables made by eval runs out of it", async (run) => {
  await runsOut(run, "x=$(printf '%01000000d' 1); for ((n = 0;; n++)); do eval \"v$n=\\$x\"; done");
});

test("a script that fills memory with functions made by eval runs out of it", async (run) => {
  await runsOut(
    run,
    "b=$(printf 'echo a; %.0s' {1..2000}); for ((n = 0;; n++)); do eval \"f$n() { $b }\"; done",
  );
});

test("a script that fills an array of awk's runs out of memory", async (run) => {
  await runsOut(run, "awk 'BEGIN { while (1) a[n++] = n \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxx\" }'");
});

/** A program that writes packages and imports one of them. */
const importing = (write: string, name: string) => `
const fs = require("fs");
const pack = (name, json) => {
  fs.mkdirSync("node_modules/" + name, { recursive: true });
  fs.writeFileSync("node_modules/" + name + "/package.json", typeof json === "string" ? json : JSON.stringify(json));
};
${write}
await import(${name});`;

/** The import failed with that, and the session goes on. */
async function refuses(run: Run, code: string, error: RegExp): Promise<void> {
  await run("javascript", "globalThis.kept = 1; 0");
  const reply = await run("javascript", code);
  assert.deepEqual([reply.status, reply.state], ["failed", "kept"], JSON.stringify(reply.error));
  assert.match(reply.error?.message ?? "", error);
  assert.equal((await run("javascript", "kept")).result, "1");
}

test("a target of exports with 150,000 stars is refused before it is expanded", async (run) => {
  const write = `pack("stars", { exports: { "./*": "./" + "*".repeat(150_000) } });`;
  await refuses(run, importing(write, `"stars/" + "x".repeat(3000)`), /invalid target .* is too long/);
});

test("a target of exports that becomes longer than a path is refused", async (run) => {
  const write = `pack("few", { exports: { "./*": "./" + "*".repeat(1000) } });`;
  await refuses(run, importing(write, `"few/" + "x".repeat(3000)`), /becomes longer than a path may be/);
});

test("exports with 30,000 patterns of stars are looked through in time, and say that there is nothing", async (run) => {
  const write = `pack("many", { exports: Object.fromEntries(
    Array.from({ length: 30_000 }, (_, n) => ["./" + "a".repeat(n % 9) + "*" + n, "./x.js"])) });`;
  await refuses(run, importing(write, `"many/" + "a".repeat(3000) + "!"`), /many/);
});

test("exports that nest without end are refused", async (run) => {
  const write = `pack("deep", '{"exports":' + '{"default":'.repeat(20_000) + '1' + "}".repeat(20_001));`;
  await refuses(run, importing(write, `"deep"`), /nests more than \d+ levels|is not JSON/);
});

test("a package.json of more than a megabyte is refused before it is parsed", async (run) => {
  const write = `pack("large", { exports: { "./x": "*".repeat(1_100_000) } });`;
  await refuses(run, importing(write, `"large/x"`), /larger than the \d+ bytes that are read/);
});

test("a module of more than 32 MB is refused", async (run) => {
  const write = `fs.writeFileSync("large.js", "/*" + "x".repeat(33 * 2 ** 20) + "*/");`;
  await refuses(run, importing(write, `"./large.js"`), /a module may have \d+/);
});

test("modules without end are refused when there are ten thousand", async (run) => {
  const write = `fs.mkdirSync("m", { recursive: true });
    for (let n = 0; n < 10_100; n++) {
      fs.writeFileSync("m/" + n + ".js", "export default " + n);
      await import("./m/" + n + ".js");
    }`;
  await refuses(run, importing(write, `"./m/0.js"`), /one module too many: a session has room for 10000/);
});

test("modules whose paths are as long as paths can be are refused by their length together", async (run) => {
  const write = `const long = Array(15).fill("d".repeat(250)).join("/");
    fs.mkdirSync(long, { recursive: true });
    for (let n = 0; n < 1000; n++) {
      fs.writeFileSync(long + "/" + n + ".js", "export default " + n);
      await import("./" + long + "/" + n + ".js");
    }`;
  await refuses(run, importing(write, `"fs"`), /one module too many: .* \d+ characters together/);
});

test("modules that all import each other are refused by their imports together", async (run) => {
  const write = `fs.mkdirSync("g", { recursive: true });
    const all = Array.from({ length: 450 }, (_, n) => "import './" + n + ".js';").join("");
    for (let n = 0; n < 450; n++) fs.writeFileSync("g/" + n + ".js", all);`;
  await refuses(run, importing(write, `"./g/0.js"`), /import each other more than 200000 times/);
});

Deno.test(`[${UNDER_TEST}] a thousand calls on one session don't make its executor grow`, async () => {
  await using server = await TestServer.start();
  const rss = () => {
    const [executor, ...others] = executorsOf(server);
    assert.ok(executor !== undefined && others.length === 0, "one executor");
    return ownMegabytes(executor);
  };
  for (let i = 0; i < 300; i++) await server.python("sum(range(100))");
  const before = rss();
  for (let i = 0; i < 1000; i++) await server.python("sum(range(100))");
  assert.ok(rss() < before * 1.1, `${before} MB grew to ${rss()} MB`);
});
