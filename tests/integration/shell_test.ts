/** The shell as a client sees it: by both tools, beside the other languages, stopped, lost and rolled back. */

import assert from "node:assert/strict";
import { inTime } from "../support/eventually.ts";
import { childrenOf, type Reply, TestServer, UNDER_TEST } from "../support/harness.ts";
import { sharedServer } from "../support/shared.ts";

/** One command that looks at nothing until it ends: only a hard stop ends it. */
const STUBBORN = "jq -n 'last(range(1e12))'";

async function shell(
  server: TestServer,
  command: string,
  more: Record<string, unknown> = {},
  options = {},
): Promise<Reply> {
  const { structured, isError } = await server.call("execute_command", { command, ...more }, options);
  return { ...structured, isError } as unknown as Reply;
}

Deno.test(`[${UNDER_TEST}] a session that runs Python gets a shell without losing anything, and keeps it`, async () => {
  const server = await sharedServer();
  await server.python("x = [1]; f = open('log', 'w'); f.write('a')");
  await server.javascript("let y = 1");
  const first = await shell(server, "v=shell; cat log; echo hi; ls; (exit 3)");
  assert.deepEqual([first.status, first.exit_code, first.stdout], ["failed", 3, "hi\nlog\n"]);
  assert.equal((await server.python("x.append(2); f.write('b'); f.close(); x")).result, "[1, 2]");
  assert.equal((await server.javascript("++y")).result, "2");
  const second = await server.call("execute_code", { language: "shell", code: "echo $v; cat log" });
  assert.equal(second.structured["stdout"], "shell\nab");
  assert.equal(second.structured["state"], "kept");
});

Deno.test(`[${UNDER_TEST}] a shell that is interrupted keeps its variables; its output comes as progress`, async () => {
  const server = await sharedServer();
  const seen: string[] = [];
  const controller = new AbortController();
  const started = Promise.withResolvers<unknown>();
  const running = shell(server, "v=1; echo started; while :; do :; done", { session_id: "s" }, {
    signal: controller.signal,
    onProgress: (text: string) => {
      seen.push(text);
      started.resolve(text);
    },
  });
  await inTime("the script prints", Promise.race([started.promise, running]));
  controller.abort();
  await assert.rejects(running);
  assert.deepEqual(seen, ["started\n"]);
  assert.equal((await shell(server, "echo $v", { session_id: "s" })).stdout, "1\n");
  const late = await shell(server, "v=2; sleep 100", { session_id: "s", timeout: 2 });
  assert.deepEqual([late.status, late.exit_code, late.state, late.stderr], ["timeout", 124, "kept", ""]);
  assert.equal((await shell(server, "echo $v", { session_id: "s" })).stdout, "2\n");
});

Deno.test(`[${UNDER_TEST}] a command that does not heed a stop is ended in its shell, and the session goes on from before it`, async () => {
  await using server = await TestServer.start();
  await server.python("x = 1");
  await shell(server, "f() { echo f $v; }; v=1; cd /tmp; echo kept > kept");
  const [before] = childrenOf(server.transport.pid ?? 0);
  const hit = await shell(server, `v=2; echo lost > kept; ${STUBBORN}`, { timeout: 0.5 });
  assert.deepEqual([hit.status, hit.exit_code, hit.state], ["timeout", 124, "rolled_back"]);
  assert.equal((await shell(server, "f; pwd; cat kept")).stdout, "f 1\n/tmp\nkept\n");
  assert.equal((await server.python("x")).result, "1");
  assert.ok(childrenOf(server.transport.pid ?? 0).includes(before ?? 0), "its process went on");
});

Deno.test(`[${UNDER_TEST}] variables, functions and files of a shell survive its process, and on_failure rolls them back`, async () => {
  await using server = await TestServer.start();
  await shell(server, "f() { echo f $v; }; v=1; declare -A m=([k]=x); echo a > a");
  const failed = await shell(server, "v=2; unset -f f; echo b > a; false", { on_failure: "rollback" });
  assert.deepEqual([failed.status, failed.state], ["failed", "rolled_back"]);
  assert.equal((await shell(server, "f; cat a")).stdout, "f 1\na\n");
  await server.checkpointed();
  for (const pid of childrenOf(server.transport.pid ?? 0)) Deno.kill(pid, "SIGKILL");
  const again = () => shell(server, "f; cat a; echo ${m[k]}");
  let after = await again();
  // It may have been sent to the process that was being killed.
  if (after.error?.error_code === "EXECUTOR_LOST") after = await again();
  assert.deepEqual([after.stdout, after.notice], ["f 1\na\nx\n", null]);
});

Deno.test(`[${UNDER_TEST}] a flood of output is cut while it fills, and says so`, async () => {
  const server = await sharedServer();
  const reply = await shell(server, "yes | head -c 3000000; echo end >&2");
  assert.deepEqual([reply.status, reply.truncated, reply.stderr], [
    "completed",
    { stdout: true, stderr: false },
    "end\n",
  ]);
  const [{ size }] = (reply as unknown as { output_files: [{ size: number }] }).output_files;
  assert.ok(size > 1024 * 1024 - 10 && size < 1024 * 1024 + 100);
  assert.ok(/^y\ny\n/.test(reply.stdout) && /y\ny\n$/.test(reply.stdout));
});

Deno.test(`[${UNDER_TEST}] an event for a script is refused, as a script has no handler`, async () => {
  const server = await sharedServer();
  const { isError, text } = await server.call("execute_code", { language: "shell", code: "true", event: 1 });
  assert.ok(isError);
  assert.match(text, /no handler/);
});
