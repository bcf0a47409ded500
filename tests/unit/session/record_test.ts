/** What a session knows of itself. */

import assert from "node:assert/strict";
import { SessionRecord } from "../../../src/session/record.ts";

Deno.test("how long a session has been idle here does not depend on the time of day that another server had", () => {
  for (const years of [-10, 10]) {
    const record = new SessionRecord();
    const then = Date.now() + years * 365 * 86_400_000;
    record.goOn({ ...record.facts, lastUsedAt: then });
    assert.equal(record.lastUsedAt.getTime(), then);
    assert.ok(Math.abs(performance.now() - record.usedMs) < 60_000);
    record.used();
    assert.ok(Math.abs(Date.now() - record.lastUsedAt.getTime()) < 60_000);
  }
});
