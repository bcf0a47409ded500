/** Listings whose JSON is many times as large as the names in them. */

import assert from "node:assert/strict";
import { childrenOf, TestServer, UNDER_TEST } from "../support/harness.ts";

/** Fourteen directories within each other, and a thousand files in the last: 4 KB of control characters for each path. */
const CONTROL_CHARACTERS = `
import os
for i in range(14):
    os.mkdir("\\x01" * 255); os.chdir("\\x01" * 255)
for i in range(1000): open("%03d" % i + "\\x01" * 250, "w").close()
os.chdir("/app")
`;

Deno.test(`[${UNDER_TEST}] a thousand deep names of control characters are listed in pieces, at nobody's cost`, async () => {
  await using server = await TestServer.start();
  await server.python("secret = 42", { session_id: "victim" });
  assert.equal((await server.python(CONTROL_CHARACTERS, { session_id: "evil" })).status, "completed");
  const executors = childrenOf(server.transport.pid ?? 0);
  const up = Promise.withResolvers<void>();
  const victim = server.python(
    "import os, time\nprint('up')\nwhile not os.path.exists('end'): time.sleep(.05)\nsecret",
    { session_id: "victim", timeout: 120 },
    { onProgress: () => up.resolve() },
  );
  victim.catch(() => {}); // told below, if the test comes so far
  await up.promise;

  const paths = new Set<string>();
  let after: string | undefined;
  for (let piece = 0; piece < 3; piece++) {
    const args = { session_id: "evil", recursive: true, limit: 1000, ...(after !== undefined && { after }) };
    const { structured, isError, text } = await server.call("list_files", args);
    assert.equal(isError, false, text.slice(0, 1000));
    const entries = structured["entries"] as { path: string }[];
    assert.ok(entries.length > 20 && entries.length < 1000, `${entries.length} entries`);
    for (const { path } of entries) {
      assert.ok(!paths.has(path));
      paths.add(path);
    }
    after = structured["next"] as string;
  }

  await server.call("cancel_execution", { session_id: "victim" });
  assert.equal((await victim).status, "cancelled");
  assert.equal((await server.python("secret", { session_id: "victim" })).result, "42");
  assert.deepEqual(childrenOf(server.transport.pid ?? 0), executors);
});
