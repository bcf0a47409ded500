/** What becomes of what a durable store has when later changes find no room. */

import assert from "node:assert/strict";
import { Budget } from "../../../src/budget.ts";
import { Checkpoints } from "../../../src/checkpoints/checkpoints.ts";
import { DirectoryStore } from "../../../src/checkpoints/directory_store.ts";
import { ImageTooLarge } from "../../../src/checkpoints/image_budget.ts";
import { Keys } from "../../../src/checkpoints/keys.ts";
import { encodeEntries, type ImageEntry } from "../../../src/executor/wire/entry.ts";
import { BASES, entry, held, MIB, openHistory, shown, text } from "./histories.ts";

async function inStore(
  test: (reopen: (maxBytes?: number) => Promise<Checkpoints>, path: string, budget: Budget) => Promise<void>,
  budgetBytes = 200_000,
): Promise<void> {
  const path = await Deno.makeTempDir();
  try {
    const options = { path, maxBytes: MIB, segmentMaxBytes: 10 * MIB, fsync: false };
    const store = await DirectoryStore.open({ ...options, keys: Keys.parse(Keys.generate()) });
    const budget = new Budget(() => budgetBytes, () => new ImageTooLarge("checkpoints_max_bytes", 0));
    const reopen = async (maxBytes = 10 * MIB) => {
      const history = await openHistory(store, { budget, maxBytes });
      const arriving = new Budget(() => null, () => new ImageTooLarge("checkpoints_max_bytes", 0));
      return new Checkpoints(history, { checkpointMaxBytes: maxBytes }, arriving);
    };
    await test(reopen, path, budget);
  } finally {
    await Deno.remove(path, { recursive: true });
  }
}

async function changed(
  checkpoints: Checkpoints,
  change: number,
  entries: readonly ImageEntry[],
): Promise<void> {
  checkpoints.change(change);
  for (const batch of encodeEntries(entries, 60_000)) checkpoints.receive(batch);
  checkpoints.commit(change, true, BASES);
  await checkpoints.caughtUp();
}

const noise = (count: number) =>
  Array.from({ length: count }, (_, a) => entry(100 + a, crypto.getRandomValues(new Uint8Array(60_000))));

Deno.test("an image that outgrows what it may hold stays in the store as it was before, and that is told", () =>
  inStore(async (reopen) => {
    const checkpoints = await reopen(100_000);
    await checkpoints.begin();
    await changed(checkpoints, 1, [text(1, "one")]);
    assert.equal(checkpoints.notDurable, undefined);
    await changed(checkpoints, 2, noise(1));
    await changed(checkpoints, 3, [entry(200, 60_000)]); // too much together
    assert.equal(checkpoints.state, "behind");
    assert.match(checkpoints.notDurable ?? "", /larger than a checkpoint may be/);
    await changed(checkpoints, 4, [text(1, "lost")]); // does not fit on what is kept
    assert.equal(checkpoints.lost("it was killed"), true);
    assert.equal(checkpoints.takeLoss()?.state, "rolled_back");
    assert.ok(await checkpoints.begin());
    await changed(checkpoints, 5, [text(2, "goes on")]);
    assert.equal(checkpoints.notDurable, undefined);
    await checkpoints.release();
    const next = await reopen();
    const image = await held(next.history);
    assert.ok(image?.includes(shown([text(1, "one")])[0]!));
    assert.ok(image?.includes(shown([text(2, "goes on")])[0]!));
    assert.equal(image?.length, 3);
  }));

Deno.test("a full store and a full server cost no more than what was not stored, and give the budget back", () =>
  inStore(async (reopen, _path, budget) => {
    const checkpoints = await reopen();
    await checkpoints.begin();
    await changed(checkpoints, 1, [text(1, "one")]);
    for (let change = 2; change < 12; change++) await changed(checkpoints, change, noise(12)); // of a store of 1 MiB
    assert.notEqual(checkpoints.notDurable, undefined);
    assert.equal(checkpoints.state, "behind");
    assert.ok(budget.fits(200_000));
    await checkpoints.release();
    const next = await reopen();
    assert.ok((await held(next.history))?.includes(shown([text(1, "one")])[0]!));
    await next.forget();
  }));

Deno.test("a capture that is stored only later is durable only then", () =>
  inStore(async (reopen) => {
    const checkpoints = await reopen();
    await checkpoints.begin();
    checkpoints.change(1);
    for (const batch of encodeEntries([text(1, "one")], 60_000)) checkpoints.receive(batch);
    checkpoints.commit(1, true, BASES);
    assert.match(checkpoints.notDurable ?? "", /yet to take/);
    await checkpoints.caughtUp();
    assert.equal(checkpoints.notDurable, undefined);
    await checkpoints.release();
  }));

Deno.test("a change whose executor is lost before it was captured is not durable, though all that is captured is", () =>
  inStore(async (reopen) => {
    const checkpoints = await reopen();
    await checkpoints.begin();
    await changed(checkpoints, 1, [text(1, "one")]);
    checkpoints.change(2);
    checkpoints.lost("it was killed");
    checkpoints.abandon();
    await checkpoints.caughtUp();
    assert.match(checkpoints.notDurable ?? "", /its process was lost/);
    assert.equal(checkpoints.takeLoss()?.state, "rolled_back");
    assert.equal(checkpoints.notDurable, undefined);
    await checkpoints.release();
  }));

Deno.test("a session that is forgotten while it is brought back is not taken for a damaged one, of which something is kept", () =>
  inStore(async (reopen, path) => {
    for (let turns = 0; turns < 12; turns++) {
      const before = await reopen();
      await before.begin();
      for (let change = 1; change < 9; change++) await changed(before, change, [text(change, "one")]);
      await before.release();
      const checkpoints = await reopen();
      const begun = checkpoints.begin();
      for (let turn = 0; turn < turns; turn++) await Deno.stat(path); // as long as a piece is read
      await Promise.all([begun, checkpoints.forget()]);
      assert.equal(checkpoints.takeLoss(), undefined);
    }
    assert.deepEqual(await Array.fromAsync(Deno.readDir(`${path}/aside`)), []);
  }));

Deno.test("a damaged old segment is no reason not to store what comes", () =>
  inStore(async (reopen, path) => {
    const checkpoints = await reopen();
    await checkpoints.begin();
    await changed(checkpoints, 1, [text(1, "one")]);
    for await (const { name: principal } of Deno.readDir(`${path}/sessions`)) {
      for await (const { name } of Deno.readDir(`${path}/sessions/${principal}/s`)) {
        if (name.endsWith(".segment")) {
          await Deno.writeTextFile(`${path}/sessions/${principal}/s/${name}`, "damaged");
        }
      }
    }
    for (let change = 2; change < 40; change++) await changed(checkpoints, change, [text(change, "more")]);
    assert.equal(checkpoints.state, "current");
    assert.equal(checkpoints.notDurable, undefined);
    await checkpoints.release();
  }));

Deno.test("what a full store could not take is put together, and needs no room for what was replaced since", () =>
  inStore(async (reopen) => {
    const checkpoints = await reopen();
    const { history } = checkpoints;
    await history.append(BASES, [text(1, "one")]);
    await history.append(BASES, noise(30));
    await history.append(BASES, [text(3, "three")]);
    assert.match(history.notDurable ?? "", /full/);
    await history.append(BASES, [...noise(30).map(({ a }) => entry(a, null)), text(1, "other")]);
    assert.equal(history.notDurable, undefined);
    // Between those there is nothing to go back to.
    assert.equal(history.undoable, 0);
    await history.append(BASES, [text(4, "four")]);
    assert.equal(history.undoable, 1);
    assert.equal(await history.goBack({ undo: 2 }), false);
    await checkpoints.release();
    const next = await reopen();
    assert.deepEqual(
      await held(next.history),
      shown([text(1, "other"), text(3, "three"), text(4, "four")]),
    );
    assert.equal(next.history.undoable, 1);
  }, 10 * MIB));
