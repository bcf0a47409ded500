import assert from "node:assert/strict";
import { childrenOf, procFile, residentMegabytes, serverCommand, TestServer, UNDER_TEST } from "./harness.ts";

function executorOf(server: TestServer): number {
  const [executor, ...others] = childrenOf(server.transport.pid ?? 0);
  assert.ok(executor !== undefined && others.length === 0, "one executor");
  return executor;
}

Deno.test(`[${UNDER_TEST}] an executor that is killed over and over is replaced each time`, async () => {
  await using server = await TestServer.start();
  for (let i = 0; i < 5; i++) {
    let reply = await server.javascript(`${i} + 1`);
    if (reply.status === "crashed") { // sent before the server knew
      assert.equal(reply.error?.retryable, true);
      reply = await server.javascript(`${i} + 1`);
    }
    assert.equal(reply.result, String(i + 1));
    Deno.kill(executorOf(server), "SIGKILL");
  }
});

Deno.test(`[${UNDER_TEST}] nothing that the server started outlives it, even if it is killed`, async () => {
  const { command, args } = serverCommand();
  const child = new Deno.Command(command, { args, stdin: "piped", stdout: "null", stderr: "inherit" })
    .spawn();
  let executors: number[] = [];
  while (executors.length === 0) executors = childrenOf(child.pid);
  child.kill("SIGKILL");
  await child.status;
  await child.stdin.close().catch(() => {});
  while (/State:\s+[^ZX]/.test(procFile(`${executors[0]}/status`)));
});

Deno.test(`[${UNDER_TEST}] doctor proves the installation, and that executors have no permissions left`, async () => {
  const { command, args } = serverCommand();
  const { stdout, code } = await new Deno.Command(command, { args: [...args, "doctor"], stderr: "inherit" })
    .output();
  const text = new TextDecoder().decode(stdout);
  assert.equal(code, 0, text);
  assert.match(text, /executor: ready after \d+ ms, no permissions left: ok/);
  assert.match(text, /python, warm run: [\d.]+ ms: ok/);
  assert.match(text, /javascript, warm run: [\d.]+ ms: ok/);
  assert.match(text, /Deno 2\.\d+\.\d+, V8 /);
});

Deno.test(`[${UNDER_TEST}] the command line answers --version, --help and mistakes`, async () => {
  const { command, args } = serverCommand();
  const run = async (...more: string[]) => {
    const { stdout, stderr, code } = await new Deno.Command(command, { args: [...args, ...more] }).output();
    return { code, out: new TextDecoder().decode(stdout), err: new TextDecoder().decode(stderr) };
  };
  assert.match((await run("--version")).out, /^wasmbox \d+\.\d+\.\d+\n$/);
  assert.match((await run("--help")).out, /Usage: wasmbox/);
  const unknown = await run("fly");
  assert.deepEqual([unknown.code, unknown.out], [2, ""]);
  assert.match(unknown.err, /unknown command "fly"/);
});

Deno.test(`[${UNDER_TEST}] a thousand calls on one session don't make its executor grow`, async () => {
  await using server = await TestServer.start();
  const rss = () => residentMegabytes(executorOf(server));
  for (let i = 0; i < 300; i++) await server.python("sum(range(100))");
  const before = rss();
  for (let i = 0; i < 1000; i++) await server.python("sum(range(100))");
  assert.ok(rss() < before * 1.1, `${before} MB grew to ${rss()} MB`);
});
