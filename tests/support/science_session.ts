/** Sessions with numpy and its kind, for the tests of builds that have them. */

import assert from "node:assert/strict";
import { type Reply, UNDER_TEST } from "./harness.ts";
import { hasScience } from "./science.ts";
import { sharedServer } from "./shared.ts";

/** A test of builds with numpy. */
export function test(name: string, fn: (t: Deno.TestContext) => Promise<void>): void {
  Deno.test({ name: `[${UNDER_TEST}] ${name}`, ignore: !hasScience(), fn });
}

/** Runs programs one after another in a session of its own. @returns The last one's reply. */
export async function inSession(
  ...programs: string[]
): Promise<Reply & { displays: { mime_type: string }[] }> {
  const server = await sharedServer();
  const session_id = crypto.randomUUID();
  let reply: Reply | undefined;
  for (const program of programs) reply = await server.python(program, { session_id, timeout: 60 });
  await server.call("destroy_session", { session_id });
  return reply as Reply & { displays: { mime_type: string }[] };
}

/** @returns The reply, if its program ended well. */
export function completed(reply: Reply): Reply {
  assert.equal(reply.status, "completed", JSON.stringify(reply.error));
  return reply;
}

/** Runs programs one after another in a session of its own. @returns What the last one prints, which ends well. */
export async function printed(...programs: string[]): Promise<string> {
  return completed(await inSession(...programs)).stdout;
}

/** Runs programs one after another in a session of its own. @returns The value of the last one, which ends well. */
export async function resultOf(...programs: string[]): Promise<string | null> {
  return completed(await inSession(...programs)).result;
}
