/** Many servers, one Valkey: a session is where it is asked for, once. */

import assert from "node:assert/strict";
import { eventually } from "../support/eventually.ts";
import { UNDER_TEST } from "../support/harness.ts";
import { ValkeyProxy } from "../support/valkey_proxy.ts";
import { NO_VALKEY, VALKEY_MISSING } from "../support/valkey_server.ts";
import { ValkeyServers } from "../support/valkey_servers.ts";

function valkeyTest(title: string, test: (servers: ValkeyServers) => Promise<void>) {
  Deno.test({
    name: `[${UNDER_TEST}] ${title}${VALKEY_MISSING}`,
    ignore: NO_VALKEY,
    async fn() {
      await using servers = await ValkeyServers.make();
      await test(servers);
    },
  });
}

/** On stdio each server has a default session of its own. */
const AT = { session_id: "shared" };

valkeyTest("a session goes from server to server with each call, with all that it has", async (servers) => {
  const [first, second] = await Promise.all([servers.start(), servers.start()]);
  const begun = await first.call("execute_code", {
    ...AT,
    code: "import itertools\ng = itertools.count()\nopen('a.txt', 'w').write('kept')\nnext(g)",
  });
  assert.equal(begun.structured["durable"], true);
  for (const [count, server] of [second, first, second, second, first].entries()) {
    const { result, notice, session_created } = await server.python("next(g), open('a.txt').read()", AT);
    assert.deepEqual([result, notice, session_created], [`(${count + 1}, 'kept')`, null, false]);
  }
  await second.call("destroy_session", AT);
  assert.equal((await first.python("'g' in dir()", AT)).result, "False");
});

valkeyTest("a session that is busy stays where it is, and comes once it is idle", async (servers) => {
  const [first, second] = await Promise.all([servers.start(), servers.start()]);
  const { reply } = await first.begin("python", "print('up', flush=True)\nx = 0\nwhile True: x += 1", AT);
  const refused = await second.call("execute_code", { ...AT, code: "x" });
  assert.match(refused.text, /another server is at work in it/);
  assert.equal((refused.structured["error"] as { retryable?: boolean } | undefined)?.retryable, true);
  await first.call("cancel_execution", AT);
  await reply;
  assert.equal((await second.python("1 + 1", AT)).result, "2");
});

valkeyTest(
  "when a server was killed another goes on with its sessions, and tells what ran",
  async (servers) => {
    const [first, second] = await Promise.all([servers.start(), servers.start()]);
    await first.python("x = 41", AT);
    const { reply } = await first.begin("python", "x = 0\nprint('up', flush=True)\nwhile True: pass", AT);
    reply.catch(() => {});
    await servers.crash(first);
    const { result, notice } = await second.python("x + 1", AT);
    assert.equal(result, "42");
    assert.match(notice ?? "", /was running when the server ended.*: what it did is lost/);
  },
);

valkeyTest(
  "a server that was stopped for longer than its lease does not overwrite what came after it",
  async (servers) => {
    const [first, second] = await Promise.all([servers.start(), servers.start()]);
    await first.python("x = 1", AT);
    const late = first.python("x = 'late'\nimport time\ntime.sleep(0.5)", AT);
    await eventually("it runs", async () => (await first.sessions())[0]?.running[0]?.phase === "running");
    servers.signal(first, "SIGSTOP");
    await eventually("the other has it", async () => {
      const { isError, structured } = await second.call("execute_code", { ...AT, code: "x += 1; x" });
      return !isError && structured["result"] === "2";
    });
    servers.signal(first, "SIGCONT");
    const { status, ...reply } = await late as typeof late extends Promise<infer R>
      ? R & { durable?: boolean }
      : never;
    assert.ok(status !== "completed" || reply.durable === false, status);
    for (const [count, server] of [second, first, second].entries()) {
      assert.equal((await server.python("x += 1; x", AT)).result, String(count + 3));
    }
  },
);

valkeyTest(
  "while Valkey is gone calls run and say that they are not durable; then they are again",
  async (servers) => {
    const server = await servers.start();
    const durable = async (code: string) => {
      const { structured, isError } = await server.call("execute_code", { ...AT, code });
      assert.equal(isError, false);
      return structured["durable"];
    };
    assert.equal(await durable("x = [1]"), true);
    await servers.valkey.kill();
    assert.equal(await durable("x.append(2)"), false);
    assert.match((await server.python("x.append(3)", AT)).notice ?? "", /the store can't be reached/);
    const other = await server.call("execute_code", { code: "1", session_id: "new" });
    assert.match(other.text, /STORE_UNAVAILABLE|can't be stored or fetched/);
    await servers.valkey.run();
    await eventually("it is durable again", () => durable("x"));
    await servers.crash(server);
    assert.equal((await (await servers.start()).python("x", AT)).result, "[1, 2, 3]");
  },
);

valkeyTest(
  "what was not stored while Valkey could not be reached is stored without another call",
  async (servers) => {
    using network = new ValkeyProxy(servers.valkey.port);
    const server = await servers.start(network.url);
    await server.python("x = 1", AT);
    network.cut();
    assert.equal((await server.call("execute_code", { ...AT, code: "x = 2" })).structured["durable"], false);
    network.heal();
    const second = await servers.start();
    await eventually("the other has it", async () => {
      const { structured } = await second.call("execute_code", { ...AT, code: "x" });
      return structured["result"] === "2";
    });
  },
);
