/** Messages that the protocol does not allow: what they cost, and how they are kept from being sent. */

import assert from "node:assert/strict";
import { z } from "zod";
import { DEFAULT_LIMITS } from "../../src/config/limits.ts";
import { WasmboxError } from "../../src/errors.ts";
import { replaceEntry } from "../../src/program/entries.ts";
import { SessionTable } from "../../src/session/table.ts";
import type { ExecutorEndCause } from "../../src/telemetry/events.ts";
import { UNDER_TEST } from "../support/harness.ts";

Deno.test("what an executor was asked when it broke the protocol costs no other executor", {
  ignore: UNDER_TEST !== "source",
}, async () => {
  replaceEntry("executor", new URL("./fixtures/rude_executor.ts", import.meta.url));
  const causes: ExecutorEndCause[] = [];
  const sessions = new SessionTable({
    limits: DEFAULT_LIMITS,
    observe: (event) => {
      if (event.type === "executor_ended") causes.push(event.cause);
    },
  });
  const session = await sessions.create("local", "s");
  await assert.rejects(session.files.list(".", { limit: 10 }), (error) => {
    assert.ok(error instanceof WasmboxError);
    assert.equal(error.info.error_code, "EXECUTOR_LOST");
    assert.match(error.message, /broke the protocol/);
    assert.equal(error.info.retryable, false);
    return true;
  });
  assert.deepEqual(causes, ["protocol"]);
  await sessions[Symbol.asyncDispose]();
});

Deno.test("what is too large for the pipe fails by itself, in either direction", {
  ignore: UNDER_TEST !== "source",
}, async () => {
  replaceEntry("executor", new URL("../../src/executor/process/main.ts", import.meta.url));
  const causes: ExecutorEndCause[] = [];
  const sessions = new SessionTable({
    // Beyond what a policy may allow: within that, nothing gets so large.
    limits: { ...DEFAULT_LIMITS, resultMaxBytes: 8 * 2 ** 20, codeMaxBytes: 64 * 2 ** 20 },
    operations: [{
      protocol: {
        name: "quotes",
        request: z.object({}),
        answer: z.string(),
        maxRequestBytes: 100,
        maxReplyBytes: 14 * 2 ** 20,
        maxConcurrent: 1,
      },
      timeoutMs: 10_000,
      handle: () => Promise.resolve('"'.repeat(6 * 2 ** 20)),
    }],
    observe: (event) => {
      if (event.type === "executor_ended") causes.push(event.cause);
    },
  });
  const session = await sessions.create("local", "s");
  const python = (code: string) =>
    session.execute({ language: "python", code, timeoutMs: 60_000, fuelBudget: null, onFailure: "keep" })
      .outcome;

  const answer = await python("x = 1\nclass R:\n  def __repr__(self): return '\\x01' * 4_000_000\nR()");
  assert.deepEqual([answer.status, answer.state, answer.error?.error_code], [
    "crashed",
    "kept",
    "INTERPRETER_CRASHED",
  ]);
  assert.match(answer.error?.message ?? "", /can't be sent at a time/);

  const reply = await python(
    "import _wasmbox\ntry: _wasmbox.host_call('quotes', b'{}')\nexcept Exception as error: print(error)",
  );
  assert.match(reply.stdout, /the answer of "quotes" is too large/, JSON.stringify(reply));

  const request = await python(`x = 2 #${"\x01".repeat(4_000_000)}`);
  assert.deepEqual([request.status, request.state, request.error?.error_code], [
    "crashed",
    "kept",
    "CODE_TOO_LARGE",
  ]);
  assert.equal((await python("x")).result, "1");
  assert.deepEqual(causes, []);
  await sessions[Symbol.asyncDispose]();
});
