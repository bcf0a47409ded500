/** Programs tried on copies of a session. */

import assert from "node:assert/strict";
import { eventually } from "../support/eventually.ts";
import { UNDER_TEST } from "../support/harness.ts";
import { sharedServer } from "../support/shared.ts";
import { StoredServers } from "../support/stored_server.ts";

interface Branches {
  branches: { status: string; stdout: string; result: string | null }[];
  kept: number | null;
}

Deno.test(`[${UNDER_TEST}] of programs tried side by side the first that succeeds is what the session becomes`, async () => {
  const server = await sharedServer();
  const session_id = "branches";
  const { structured, text, isError } = await server.call("execute_code", {
    session_id,
    code: "data = [3, 1, 2]\nopen('f.txt', 'w').write('before')",
    branches: ["raise ValueError('no')", "data.sort(); open('f.txt', 'w').write('sorted')", "data.clear()"],
  });
  assert.equal(isError, false);
  const { branches, kept } = structured as unknown as Branches;
  assert.deepEqual([branches.map(({ status }) => status), kept], [["failed", "completed", "completed"], 1]);
  assert.match(text, /branch 0: failed[\s\S]*ValueError: no[\s\S]*branch 1: completed, kept/);
  const after = await server.python("data, open('f.txt').read()", { session_id });
  assert.equal(after.result, "([1, 2, 3], 'sorted')");
  assert.deepEqual((await server.sessions()).filter(({ session_id: id }) => id.startsWith("session_")), []);
  await server.call("restore_session", { session_id, undo: 2 });
  assert.equal(
    (await server.python("data, open('f.txt').read()", { session_id })).result,
    "([3, 1, 2], 'before')",
  );
});

Deno.test(`[${UNDER_TEST}] the best branch is that of the highest number; none and a number choose as they say`, async () => {
  const server = await sharedServer();
  const session_id = "best";
  const branches = ["x = 'low'; 1", "x = 'high'; 30", "x = 'text'; 'forty'"];
  const keep = async (keep: string | number) => {
    const { structured } = await server.call("execute_code", { session_id, code: "x = 0", branches, keep });
    return [(structured as unknown as Branches).kept, (await server.python("x", { session_id })).result];
  };
  assert.deepEqual(await keep("best"), [1, "'high'"]);
  assert.deepEqual(await keep("none"), [null, "0"]);
  assert.deepEqual(await keep(2), [2, "'text'"]);
  const none = await server.call("execute_code", { session_id, code: "x = 1", branches, keep: 5 });
  assert.match(none.text, /keep is 5: the branches are 0 to \d/);
  const last = await server.call("execute_code", { session_id, code: "x = 1", branches, keep: "last" });
  assert.match(last.text, /keep: .*"first_success"\|"best"/);
  assert.equal((await server.python("x", { session_id })).result, "'text'", "nothing was run");
});

Deno.test(`[${UNDER_TEST}] of what each branch prints at length the first and the last are in the reply, as of any run`, async () => {
  const server = await sharedServer();
  const code = "print('x' * 900_000); import sys; print('y' * 90_000, file=sys.stderr)";
  const { structured } = await server.call("execute_code", {
    session_id: "long-branches",
    code: "",
    branches: [code, code],
    keep: "none",
  });
  const { branches } = structured as unknown as { branches: { stdout: string; stderr: string }[] };
  for (const { stdout, stderr } of branches) {
    assert.match(stdout, /^x{15000}\n\[… 870001 characters left out …\]\nx{14999}\n$/);
    assert.match(stderr, /^y{5000}\n\[… 80001 characters left out …\]\ny{4999}\n$/);
  }
});

Deno.test(`[${UNDER_TEST}] who cancels what a session does, or ends it, stops its branches`, async () => {
  const server = await sharedServer();
  for (const tool of ["cancel_execution", "destroy_session"]) {
    const at = { session_id: `stopped-by-${tool}` };
    await server.python("x = 1", at);
    const branched = server.call("execute_code", {
      ...at,
      code: "",
      branches: ["while True: pass"],
      timeout: 30,
    });
    const running = async () => (await server.sessions()).flatMap((session) => session.running).length;
    await eventually("the branch runs", running, (count) => count > 0);
    await server.call(tool, at);
    assert.match(
      (await branched).text,
      tool === "cancel_execution" ? /branch 0: cancelled/ : /was ended|cancelled/,
    );
    assert.equal(await running(), 0);
  }
});

Deno.test(`[${UNDER_TEST}] branches of a session that nothing has run in, in other languages, and of a first step that fails`, async () => {
  const server = await sharedServer();
  const js = await server.call("execute_code", {
    session_id: "js",
    language: "javascript",
    code: "",
    branches: ["let v = 1; v", "let w = 2; w"],
  });
  assert.deepEqual((js.structured as unknown as Branches).branches.map(({ result }) => result), ["1", "2"]);
  assert.equal((await server.javascript("v", { session_id: "js" })).result, "1");
  const failed = await server.call("execute_code", { code: "1 / 0", session_id: "js", branches: ["1"] });
  assert.equal(failed.structured["status"], "failed");
  assert.equal("branches" in failed.structured, false);
  const none = await server.call("execute_code", { code: "x = 1", session_id: "js", branches: [] });
  assert.deepEqual([none.structured["status"], "branches" in none.structured], ["completed", false]);
});

Deno.test(`[${UNDER_TEST}] what was kept of branches is in the store before it is told`, async () => {
  await using servers = await StoredServers.make();
  const before = await servers.start();
  await before.call("execute_code", { code: "x = [1]", branches: ["x.append(2)", "x.append(3)"], keep: 1 });
  await servers.crash(before);
  const after = await servers.start();
  assert.equal((await after.python("x")).result, "[1, 3]");
  assert.deepEqual((await after.sessions()).map(({ session_id }) => session_id), ["default"]);
});
