/** What executors do while nobody asks them for anything. */

import assert from "node:assert/strict";
import { eventually } from "../support/eventually.ts";
import { childrenOf, processorTicks, TestServer, UNDER_TEST } from "../support/harness.ts";

const ticksOf = (server: TestServer) => processorTicks(childrenOf(server.transport.pid!)[0]);

/** More than an executor's start takes, and less than its programs. */
const MUCH = 200;

/** @param warmUp As the variable has it; without, as wasmbox has it by itself. */
const start = (warmUp = "") => TestServer.start(undefined, {}, { WASMBOX_POLICY_WARM_UP: warmUp });

Deno.test(`[${UNDER_TEST}] an executor that nobody asks for anything computes for itself, and no session sees of it`, async () => {
  await using server = await start();
  await eventually("it has computed", () => ticksOf(server), (ticks) => ticks > MUCH);
  const { result, memory_bytes } = await server.python("sorted(set(globals()) - {'__builtins__'})");
  await using other = await start("false");
  const cold = await other.python("sorted(set(globals()) - {'__builtins__'})");
  assert.deepEqual([result, memory_bytes], [cold.result, cold.memory_bytes]);
});

Deno.test(`[${UNDER_TEST}] who asks for something while it does so is answered, and goes on as if it had not`, async () => {
  await using server = await start();
  // Each of its programs that is interrupted is its last: there are seven.
  for (let call = 0; call < 3; call++) {
    const before = ticksOf(server);
    await eventually("it computes", () => ticksOf(server), (ticks) => ticks > before + 10);
    assert.equal((await server.python(`x = ${call}; x + 1`)).result, String(call + 1));
    assert.equal((await server.python("x")).result, String(call));
  }
});

Deno.test(`[${UNDER_TEST}] where it is not to, an executor that nobody asks for anything rests`, async () => {
  await using resting = await start("false");
  await resting.python("1");
  const before = ticksOf(resting);
  await using server = await start();
  // Far more than what is made ahead in both, such as the next session's Worker, takes of a busy machine.
  await eventually("another one has computed", () => ticksOf(server), (ticks) => ticks > 2 * MUCH);
  assert.ok(ticksOf(resting) < before + MUCH, `${before} → ${ticksOf(resting)}`);
});

Deno.test(`[${UNDER_TEST}] the programs that executors run for themselves run to their end in a session's own heap`, async () => {
  const texts: Record<"python" | "javascript", string[]> = JSON.parse(
    await Deno.readTextFile(new URL("../../wasm/dist/warm_up.json", import.meta.url)),
  );
  await using server = await TestServer.start();
  for (const language of ["python", "javascript"] as const) {
    assert.ok(texts[language].length > 0);
    for (const [at, code] of texts[language].entries()) {
      const { status, error } = await server.run(language, code, { session_id: `${language}-${at}` });
      assert.deepEqual([language, at, status, error], [language, at, "completed", null]);
    }
  }
});
