/** Programs of builds with scipy, as `scipy_test` and `sklearn_test` run them. */

import assert from "node:assert/strict";
import { type Reply, UNDER_TEST } from "./harness.ts";
import { hasScipy } from "./science.ts";
import { sharedServer } from "./shared.ts";

let sessions = 0;

/** A test that is ignored where a build has no scipy. */
export function testWithScipy(name: string, fn: (t: Deno.TestContext) => Promise<void>): void {
  Deno.test({ name: `[${UNDER_TEST}] ${name}`, ignore: !hasScipy(), fn });
}

/** Runs programs one after another in a session of its own. @returns The last one's reply. */
export async function inSession(...programs: string[]): Promise<Reply> {
  const server = await sharedServer();
  const session_id = `scipy_${++sessions}`;
  let reply: Reply | undefined;
  for (const program of programs) reply = await server.python(program, { session_id, timeout: 60 });
  await server.call("destroy_session", { session_id });
  return reply!;
}

export function completed(reply: Reply): Reply {
  assert.equal(reply.status, "completed", JSON.stringify(reply.error));
  return reply;
}
