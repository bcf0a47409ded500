/** Has a session move: here to another instance of its own, which has no numpy, so that builds without science are tested too. */

import assert from "node:assert/strict";
import { errorOf, Session } from "../../../support/python_harness.ts";

export const MOVE = "try: import numpy\nexcept ImportError: pass\n";

/** Runs programs, then one that the session has to move for. */
export async function moved(
  before: readonly string[],
  after: string,
  session = new Session({ moves: true }),
) {
  for (const program of before) await session.value(program);
  const outcome = await session.run(`${MOVE}${after}`);
  assert.equal(outcome.status, "completed", JSON.stringify(errorOf(outcome)));
  assert.equal(outcome.moved, true, errorOf(outcome)?.message);
  return "result" in outcome ? outcome.result : undefined;
}
