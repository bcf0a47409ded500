/** Memory of files that are no more goes back, though V8 counts it for little. */

import assert from "node:assert/strict";
import { childrenOf, peakMegabytes, TestServer, UNDER_TEST } from "../support/harness.ts";

const FILES = 100;
/** 100 files of 1 MiB, twenty times: never more than one set of them at a time. */
const CHURN = `import os
megabyte = b'x' * (1 << 20)
for _ in range(20):
    for i in range(${FILES}):
        with open(f'f{i}', 'wb') as file:
            file.write(megabyte)
    for i in range(${FILES}):
        os.remove(f'f{i}')`;

Deno.test(`[${UNDER_TEST}] files that are written and removed again and again take the memory of those that there are`, async () => {
  await using server = await TestServer.start();
  const sessions = ["a", "b"];
  for (const session_id of sessions) await server.python("1", { session_id });
  const [executor] = childrenOf(server.transport.pid!);
  const before = peakMegabytes(executor!);
  const calls = sessions.map((session_id) => server.python(CHURN, { session_id, timeout: 600 }));
  for (const { status } of await Promise.all(calls)) assert.equal(status, "completed");
  const grew = peakMegabytes(executor!) - before;
  assert.ok(grew < 2 * sessions.length * FILES + 200, `it grew by ${grew} MB`);
});
