/** Sessions that come back from their checkpoints without a part of them, and how they say so. */

import assert from "node:assert/strict";
import { killExecutors, type Reply, TestServer, UNDER_TEST } from "../support/harness.ts";

const SPOILED = new URL("./fixtures/spoiled/server.ts", import.meta.url);

/** Once more if it was sent to a process that was being killed. */
async function settled(call: () => Promise<Reply>): Promise<Reply> {
  const reply = await call();
  return reply.error?.error_code === "EXECUTOR_LOST" ? await call() : reply;
}

Deno.test("a part that is spoiled is lost by itself, is told of once, and is sound in the next checkpoint", {
  ignore: UNDER_TEST !== "source",
}, async () => {
  await using server = await TestServer.start(SPOILED);
  await server.python("x = [1]; f = open('kept.txt', 'w+'); f.write('kept'); f.flush()");
  await server.javascript("let y = 1");
  await killExecutors(server);
  const probe = () => server.python("x.append(2); f.seek(0); (x, f.read())");
  const reply = await settled(probe);
  assert.deepEqual([reply.status, reply.state, reply.result], ["completed", "reset", "([1, 2], 'kept')"]);
  assert.equal(
    reply.notice,
    "The session's attic could not be brought back: the roof leaks. The rest of the session is kept.",
  );
  const next = await server.javascript("++y");
  assert.deepEqual([next.result, next.state, next.notice], ["2", "kept", null]);
  await killExecutors(server);
  const later = await settled(probe);
  assert.deepEqual([later.result, later.state, later.notice], ["([1, 2, 2], 'kept')", "kept", null]);
});

Deno.test(`[${UNDER_TEST}] functions of the shell, whatever is in them, are there after the loss of their process`, async () => {
  await using server = await TestServer.start();
  const shell = async (command: string) => {
    const { structured, isError } = await server.call("execute_command", { command });
    return { ...structured, isError } as unknown as Reply;
  };
  await server.python("x = 1");
  await shell(`v=2; huge() { echo {1..${"9".repeat(400)}}; }; f() { cat <<E\n$v\nE\n}`);
  await killExecutors(server);
  const reply = await settled(() => shell("f"));
  assert.deepEqual([reply.stdout, reply.state], ["2\n", "kept"]);
  assert.match((await shell("declare -f huge")).stdout, /9{400}/);
  assert.equal((await server.python("x")).result, "1");
});
