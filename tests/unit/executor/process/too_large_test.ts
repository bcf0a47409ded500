/** What one side of the pipe does with what the other would not take. */

import assert from "node:assert/strict";
import { MAX_IMAGE_BATCH_BYTES, MAX_MESSAGE_BYTES } from "../../../../src/executor/wire/bounds.ts";
import { PIECE_BYTES } from "../../../../src/host_calls/bounds.ts";
import { FrameDecoder, FrameEncoder, TooLarge } from "../../../../src/executor/wire/frames.ts";
import { type FromExecutor, fromExecutor } from "../../../../src/executor/wire/from_executor.ts";
import { insteadOf } from "../../../../src/executor/process/too_large.ts";

Deno.test("what the other side would take for a breach of protocol is not sent at all", () => {
  const encoder = new FrameEncoder();
  // As JSON, a control character takes six bytes.
  assert.throws(() => encoder.message(1, "\x01".repeat(Math.ceil(MAX_MESSAGE_BYTES / 6))), TooLarge);
  assert.throws(() => encoder.bytes("bytes", 1, new Uint8Array(PIECE_BYTES + 1)), TooLarge);
  assert.throws(() => encoder.bytes("image", 1, new Uint8Array(MAX_IMAGE_BATCH_BYTES + 1)), TooLarge);
  const largest = encoder.message(1, "x".repeat(MAX_MESSAGE_BYTES - 2)); // and its quotes
  const bytes = [...new FrameDecoder().push(largest)].reduce((sum, { payload }) => sum + payload.length, 0);
  assert.equal(bytes, MAX_MESSAGE_BYTES);
});

const outcome: FromExecutor = {
  type: "outcome",
  execution: 7,
  outcome: {
    status: "completed",
    result: "x".repeat(1000),
    heap: "kept",
    fuelConsumed: 5,
    memoryBytes: 6,
  },
  rolledBack: false,
  programs: 0,
  dropped: { stdout: 9, stderr: 0 },
  changed: { files: [{ path: "a", change: "created", type: "file", size: 1 }], truncated: false },
  displays: {
    entries: [{ mimeType: "a/b", source: "display", size: 1, pixels: null, path: "a", note: null }],
    dropped: 2,
  },
  installed: [],
};

Deno.test("what goes instead is small, is of the protocol, and answers what was asked", () => {
  const entry = { path: "a", type: "file", size: 1, modified: 1, tag: null } as const;
  const messages: FromExecutor[] = [
    outcome,
    {
      type: "workspace",
      request: 3,
      answer: { kind: "listing", entries: Array(1000).fill(entry), next: null },
    },
    { type: "opened", lost: [] },
    { type: "lost", reason: "x".repeat(1000) },
  ];
  const instead = messages.map((message) => fromExecutor.parse(insteadOf(message, "too large")));
  assert.ok(instead.every((message) => JSON.stringify(message).length < 500));
  const [ended, answered, ...lost] = instead;
  assert.equal(ended?.type, "outcome");
  if (ended?.type === "outcome") {
    const { execution, dropped, rolledBack, changed, displays, outcome: { status, heap, ...rest } } = ended;
    assert.deepEqual([execution, status, heap, rolledBack], [7, "crashed", "kept", false]);
    assert.deepEqual([rest.fuelConsumed, rest.memoryBytes, dropped], [5, 6, { stdout: 9, stderr: 0 }]);
    assert.deepEqual([changed, displays], [{ files: [], truncated: true }, { entries: [], dropped: 3 }]);
  }
  assert.deepEqual(answered, {
    type: "workspace",
    request: 3,
    answer: { kind: "failed", code: "TOO_LARGE", message: "too large" },
  });
  assert.deepEqual(lost.map(({ type }) => type), ["lost", "lost"]);
});
