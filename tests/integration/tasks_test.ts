/** Everyday programs, as an agent writes them before it has read anything: each in a fresh session, at the first attempt. */

import assert from "node:assert/strict";
import { TestServer, UNDER_TEST } from "../support/harness.ts";
import { tasksOf } from "../support/tasks.ts";

/** What pytest says it took. */
const DURATION = /\d+\.\d+s/g;

Deno.test(`[${UNDER_TEST}] everyday programs run at the first attempt, and print what they print elsewhere`, async (t) => {
  await using server = await TestServer.start();
  const tasks = [...await tasksOf("."), ...await tasksOf("javascript")];
  assert.equal(tasks.length, 25 + 54);
  for (const { name, language, code, expected } of tasks) {
    await t.step(name, async () => {
      const session_id = name.replaceAll(" ", "_");
      const reply = await server.run(language, code, { session_id, timeout: 60 });
      await server.call("destroy_session", { session_id });
      assert.equal(reply.status, "completed", JSON.stringify(reply.error));
      assert.equal(reply.stdout.trimEnd().replaceAll(DURATION, "0.00s"), expected);
    });
  }
});
