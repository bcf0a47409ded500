import assert from "node:assert/strict";
import type { Budget } from "../../../src/budget.ts";
import { Checkpoints } from "../../../src/checkpoints/checkpoints.ts";
import { imageBudget, ImageTooLarge } from "../../../src/checkpoints/image_budget.ts";
import { MemoryStore } from "../../../src/checkpoints/memory_store.ts";
import { openHistory } from "./histories.ts";
import { DEFAULT_LIMITS } from "../../../src/config/limits.ts";
import { decodeEntries, encodeEntries, type ImageEntry } from "../../../src/executor/wire/entry.ts";
import { ImageError } from "../../../src/executor/wire/image_error.ts";

const BASES = { python: "p1", javascript: "j1" };

interface Fixture {
  readonly checkpoints: Checkpoints;
  readonly budget: Budget;
}

async function fixture(checkpointMaxBytes = 100_000, checkpointsMaxBytes = 1_000_000): Promise<Fixture> {
  const budget = imageBudget({ ...DEFAULT_LIMITS, checkpointsMaxBytes });
  const history = await openHistory(new MemoryStore(budget), { maxBytes: checkpointMaxBytes, budget });
  return { checkpoints: new Checkpoints(history, { checkpointMaxBytes }, budget), budget };
}

const entry = (a: number, value: string): ImageEntry => ({
  section: 1,
  a,
  b: 0,
  bytes: new TextEncoder().encode(value),
});

function arrive(checkpoints: Checkpoints, entries: readonly ImageEntry[]): void {
  for (const batch of encodeEntries(entries, 60_000)) {
    checkpoints.receive(batch);
    batch.fill(0); // nothing may keep a view of it
  }
}

/** One change of the session, whose checkpoint arrives whole. */
function changed(checkpoints: Checkpoints, change: number, entries: readonly ImageEntry[]): void {
  checkpoints.change(change);
  arrive(checkpoints, entries);
  checkpoints.commit(change, true, BASES);
}

/** What the next executor is given; undefined: it starts fresh. */
async function given(checkpoints: Checkpoints): Promise<Record<number, string> | undefined> {
  const image = await checkpoints.begin();
  if (!image) return undefined;
  const values: Record<number, string> = {};
  for await (const batch of image.batches()) {
    for (const { a, bytes } of decodeEntries(batch)) values[a] = new TextDecoder().decode(bytes ?? undefined);
  }
  return values;
}

Deno.test("the next executor goes on from the last checkpoint that arrived whole", async () => {
  const { checkpoints } = await fixture();
  assert.equal(await given(checkpoints), undefined);
  assert.equal(checkpoints.state, "none");
  changed(checkpoints, 1, [entry(1, "a"), entry(2, "b")]);
  assert.equal(checkpoints.state, "current");
  changed(checkpoints, 2, [entry(2, "c"), { ...entry(1, ""), bytes: null }]);
  checkpoints.change(3);
  arrive(checkpoints, [entry(3, "half")]);
  assert.equal(checkpoints.state, "behind");
  assert.equal(checkpoints.lost("it was killed"), true);
  assert.deepEqual(checkpoints.takeLoss(), {
    state: "rolled_back",
    notice: "What the last call did before was lost: it was killed.",
  });
  assert.equal(checkpoints.takeLoss(), undefined);
  assert.deepEqual(await given(checkpoints), { 2: "c" });
});

Deno.test("losing an executor right after a checkpoint was acknowledged loses nothing, stored already or not", async () => {
  const { checkpoints } = await fixture(10_000_000, 100_000_000);
  await given(checkpoints);
  changed(checkpoints, 1, Array.from({ length: 9000 }, (_, a) => entry(a, "x"))); // takes several turns to store
  assert.equal(checkpoints.lost("it was killed"), false);
  assert.equal(Object.keys(await given(checkpoints) ?? {}).length, 9000);
});

Deno.test("a call waits until the checkpoint of the one before is stored", async () => {
  const { checkpoints } = await fixture(10_000_000, 100_000_000);
  await given(checkpoints);
  await checkpoints.caughtUp(); // nothing to wait for
  changed(checkpoints, 1, Array.from({ length: 9000 }, (_, a) => entry(a, "x")));
  let turns = 0;
  const others = setInterval(() => turns++, 0);
  await checkpoints.caughtUp();
  clearInterval(others);
  assert.ok(turns > 0, "it did not wait");
  checkpoints.change(2);
  const released = checkpoints.caughtUp();
  checkpoints.abandon(); // the executor is lost
  await released;
});

Deno.test("a session too large for a checkpoint keeps the image of an earlier change", async () => {
  const { checkpoints } = await fixture();
  await given(checkpoints);
  changed(checkpoints, 1, [entry(1, "a")]);
  checkpoints.change(2);
  checkpoints.commit(2, false, BASES);
  checkpoints.change(3);
  checkpoints.commit(3, false, BASES);
  assert.equal(checkpoints.state, "behind");
  assert.equal(checkpoints.lost("it was killed"), true);
  assert.match(checkpoints.takeLoss()?.notice ?? "", /the last 2 calls/);
  assert.deepEqual(await given(checkpoints), { 1: "a" });
});

Deno.test("what exceeds the bounds while it arrives or when it is stored costs the image, and gives back all of the budget", async () => {
  for (const sizes of [[90_000, 90_000], [60_000, 60_000]]) {
    const { checkpoints, budget } = await fixture(100_000);
    await given(checkpoints);
    if (sizes[0] === 90_000) {
      checkpoints.change(1);
      for (const [a, size] of sizes.entries()) arrive(checkpoints, pieces(a, size)); // too much before it is whole
      checkpoints.commit(1, true, BASES);
    } else {
      for (const [a, size] of sizes.entries()) changed(checkpoints, a + 1, pieces(a, size)); // too much together
    }
    await checkpoints.caughtUp();
    assert.equal(checkpoints.state, "none");
    assert.equal(checkpoints.fallback, "reset");
    budget.take(1_000_000);
    budget.take(-1_000_000);
    assert.equal(checkpoints.lost("it was killed"), true);
    assert.equal(checkpoints.takeLoss()?.state, "reset");
    assert.equal(await given(checkpoints), undefined);
    changed(checkpoints, 9, [entry(1, "again")]);
    assert.deepEqual(await given(checkpoints), { 1: "again" });
  }
});

/** `size` bytes in entries of 30,000. */
function pieces(start: number, size: number): ImageEntry[] {
  return Array.from({ length: size / 30_000 }, (_, i) => entry(start * 100 + i, "x".repeat(30_000)));
}

Deno.test("an image that can't be stored after its executor was lost is told as lost, not silently fresh", async () => {
  const { checkpoints } = await fixture(100_000);
  await given(checkpoints);
  changed(checkpoints, 1, pieces(0, 60_000));
  changed(checkpoints, 2, pieces(1, 60_000)); // acknowledged; the store will refuse it
  assert.equal(checkpoints.lost("it was killed"), false);
  assert.equal(await given(checkpoints), undefined);
  assert.equal(checkpoints.takeLoss()?.state, "reset");
});

Deno.test("parts that could not be restored are told once, with what was lost before", async () => {
  const { checkpoints } = await fixture();
  await given(checkpoints);
  changed(checkpoints, 1, [entry(1, "a")]);
  checkpoints.change(2);
  checkpoints.lost("it was killed");
  checkpoints.restored([{ part: "python", whole: true, reason: "a page is missing" }]);
  assert.deepEqual(checkpoints.takeLoss(), {
    state: "reset",
    notice: "What the last call did before was lost: it was killed. " +
      "The session's Python variables could not be brought back: a page is missing. The rest of the session is kept.",
  });
});

Deno.test("bytes that are no entries are an ImageError, and cost nothing of what is stored", async () => {
  const { checkpoints } = await fixture();
  await given(checkpoints);
  changed(checkpoints, 1, [entry(1, "a")]);
  assert.throws(() => checkpoints.receive(new Uint8Array(7)), ImageError);
  checkpoints.lost("it broke the protocol");
  assert.deepEqual(await given(checkpoints), { 1: "a" });
});

Deno.test("the image says what its heaps are deltas of", async () => {
  const { checkpoints } = await fixture();
  await checkpoints.begin();
  changed(checkpoints, 1, [entry(1, "a")]);
  assert.deepEqual((await checkpoints.begin())?.bases, BASES);
});

Deno.test("a session that has ended holds nothing of the budget", async () => {
  const { checkpoints, budget } = await fixture();
  await given(checkpoints);
  changed(checkpoints, 1, pieces(0, 60_000));
  checkpoints.change(2);
  arrive(checkpoints, [entry(5, "half")]);
  await checkpoints.forget();
  budget.take(1_000_000);
  assert.throws(() => budget.take(1), ImageTooLarge);
});
