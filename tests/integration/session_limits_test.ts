/** Limits of sessions: how many there are, how long each lasts, and what is told of its end. */

import assert from "node:assert/strict";
import { eventually } from "../support/eventually.ts";
import { UNDER_TEST } from "../support/harness.ts";
import { serve } from "../support/policy.ts";

function test(name: string, body: () => Promise<void>): void {
  Deno.test(`[${UNDER_TEST}] ${name}`, body);
}

const codeOf = (structured: Record<string, unknown>) =>
  (structured["error"] as { error_code: string } | null)?.error_code;

test("sessions are bounded in number, for a client and for the server", async () => {
  for (const policy of ["max_sessions_per_client = 2", "max_sessions = 2"]) {
    await using server = await serve(policy);
    await server.python("1", { session_id: "a" });
    await server.call("create_session", { session_id: "b" });
    const third = await server.call("execute_code", { code: "1", session_id: "c" });
    assert.equal(codeOf(third.structured), "TOO_MANY_SESSIONS");
    assert.equal((await server.python("1", { session_id: "a" })).result, "1");
    await server.call("destroy_session", { session_id: "b" });
    assert.equal((await server.python("1", { session_id: "c" })).result, "1");
  }
});

test("a session ends at its age, busy or not", async () => {
  await using server = await serve("session_max_age_seconds = 1");
  await server.call("create_session", { session_id: "old" });
  const busy = await server.python("while True: pass", { session_id: "old" });
  assert.deepEqual([busy.status, busy.state], ["cancelled", "reset"]);
  assert.match(busy.error!.message, /Its session was ended meanwhile: variables and files are gone/);
  const fresh = await server.python("1", { session_id: "old" });
  assert.deepEqual([fresh.session_created, fresh.state], [true, "reset"]);
  assert.match(fresh.notice ?? "", /as old as a session may be \(session_max_age_seconds: 1\).*began anew/);
  assert.deepEqual((await server.python("2", { session_id: "old" })).notice, null);
});

test("what a full budget of checkpoints keeps from being kept is told with its key", async () => {
  await using server = await serve("checkpoints_max_bytes = 4_000_000");
  await server.python("import os; x = os.urandom(2_500_000)", { session_id: "a" });
  await server.python("import os; x = os.urandom(2_500_000)", { session_id: "b" });
  const { text } = await server.call("checkpoint_session", { session_id: "b" });
  assert.match(text, /\(checkpoints_max_bytes: 4000000 bytes\)[^]*Destroy sessions/);
});

test("a session ends when it was idle for too long, and not while it works", async () => {
  await using server = await serve("session_idle_seconds = 0.3");
  const slept = await server.python("import time; x = 1; time.sleep(1); x", { session_id: "s" });
  assert.equal(slept.result, "1");
  await eventually("the session has ended", () => server.sessions(), (left) => left.length === 0);
  const anew = await server.python("'x' in globals()", { session_id: "s" });
  assert.deepEqual([anew.result, anew.state], ["False", "reset"]);
  assert.match(anew.notice ?? "", /idle for 0.3 s \(session_idle_seconds\).*began anew/);
});

test("that a session began anew is told by an installation too, be it one that fails", async () => {
  await using server = await serve("session_idle_seconds = 0.3");
  for (const package_name of ["packaging", "no such name"]) {
    await server.python("x = 1", { session_id: "s" });
    await eventually("the session has ended", () => server.sessions(), (left) => left.length === 0);
    const { text } = await server.call("install_package", { package_name, session_id: "s" });
    assert.match(text, /session_idle_seconds.*began anew/, package_name);
    await eventually("the session has ended", () => server.sessions(), (left) => left.length === 0);
  }
});

test("who waits for a program whose session is destroyed is told that nothing of it is kept", async () => {
  await using server = await serve("");
  const begun = Promise.withResolvers<void>();
  const options = { onProgress: () => begun.resolve() };
  const run = server.python("print('begun', flush=True)\nwhile True: pass", { session_id: "s" }, options);
  await begun.promise;
  await server.call("destroy_session", { session_id: "s" });
  const { status, state, error } = await run;
  assert.deepEqual([status, state], ["cancelled", "reset"]);
  assert.match(error!.message, /variables and files are gone/);
});
