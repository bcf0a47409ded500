/** Everyday programs, as an agent writes them before it has read anything: each in a fresh session, at the first attempt. */

import assert from "node:assert/strict";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { TestServer, UNDER_TEST } from "../support/harness.ts";

const TASKS = fileURLToPath(new URL("../tasks/", import.meta.url));
/** What pytest says it took. */
const DURATION = /\d+\.\d+s/g;

Deno.test(`[${UNDER_TEST}] everyday programs run at the first attempt, and print what they print elsewhere`, async (t) => {
  await using server = await TestServer.start();
  const programs = [...Deno.readDirSync(TASKS)].map(({ name }) => name).filter((name) =>
    name.endsWith(".py")
  );
  assert.equal(programs.length, 25);
  for (const program of programs.sort()) {
    const name = basename(program, ".py");
    await t.step(name.replaceAll("_", " "), async () => {
      const code = await Deno.readTextFile(`${TASKS}${program}`);
      const expected = await Deno.readTextFile(`${TASKS}${name}.txt`);
      const reply = await server.python(code, { session_id: name, timeout: 60 });
      await server.call("destroy_session", { session_id: name });
      assert.equal(reply.status, "completed", JSON.stringify(reply.error));
      assert.equal(reply.stdout.trimEnd().replaceAll(DURATION, "0.00s"), expected.trimEnd());
    });
  }
});
