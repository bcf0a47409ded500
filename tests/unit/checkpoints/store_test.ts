/** What every store has to do. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { imageBudget, ImageTooLarge } from "../../../src/checkpoints/image_budget.ts";
import { DirectoryStore } from "../../../src/checkpoints/directory_store.ts";
import { Keys } from "../../../src/checkpoints/keys.ts";
import { MemoryStore } from "../../../src/checkpoints/memory_store.ts";
import { ValkeyStore } from "../../../src/checkpoints/valkey_store.ts";
import type { CheckpointStore } from "../../../src/checkpoints/store.ts";
import { DEFAULT_LIMITS } from "../../../src/config/limits.ts";
import { entryBytes, entryKey, type ImageEntry } from "../../../src/executor/wire/entry.ts";
import { NO_VALKEY, VALKEY_MISSING, ValkeyServer } from "../../support/valkey_server.ts";
import { BASES, entry, held, KEY, MIB, noise, openHistory, shown, text } from "./histories.ts";

/** Few keys, so that later entries replace earlier ones. */
const someEntry: fc.Arbitrary<ImageEntry> = fc.record({
  section: fc.integer({ min: 1, max: 2 }),
  a: fc.nat(3),
  b: fc.nat(1),
  bytes: fc.option(fc.uint8Array({ maxLength: 60 }), { freq: 3 }),
});

/** Contents of which there are few, at any place: enough of them are stored by what they are. */
const someContents = fc.array(fc.record({ a: fc.nat(30), content: fc.nat(5) }), {
  minLength: 8,
  maxLength: 30,
})
  .map((all) =>
    all.map(({ a, content }) => ({ section: 3, a, b: 0, bytes: noise(content, 64 * 1024 - content) }))
  );

/** What is done to a session, beside that it changes. */
const someStep = fc.oneof(
  { weight: 6, arbitrary: fc.record({ change: fc.array(someEntry, { maxLength: 8 }) }) },
  { weight: 2, arbitrary: fc.record({ change: someContents }) },
  { weight: 1, arbitrary: fc.record({ name: fc.constantFrom("a", "b") }) },
  { weight: 1, arbitrary: fc.record({ back: fc.constantFrom("a", "b") }) },
  { weight: 1, arbitrary: fc.record({ undo: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ forget: fc.constantFrom("a", "b") }) },
);

/** Makes a store; what it needs ends with the test. */
type Make = (directory: string, test: AsyncDisposableStack) => CheckpointStore | Promise<CheckpointStore>;

const STORES: Readonly<Record<string, Make>> = {
  memory: () => new MemoryStore(imageBudget({ ...DEFAULT_LIMITS, checkpointsMaxBytes: 1000 * MIB })),
  directory: (path) =>
    DirectoryStore.open({
      path,
      maxBytes: 1000 * MIB,
      segmentMaxBytes: 1000 * MIB,
      fsync: false,
      keys: Keys.parse(Keys.generate()),
    }),
  valkey: async (_directory, test) =>
    await ValkeyStore.open({
      url: test.use(await ValkeyServer.start()).url,
      prefix: "test",
      leaseMs: 15_000,
      segmentMaxBytes: 1000 * MIB,
      keys: Keys.parse(Keys.generate()),
    }),
};

for (const [name, makeStore] of Object.entries(STORES)) {
  const storeTest = (title: string, test: (store: CheckpointStore) => Promise<void>) =>
    Deno.test({
      name: `[${name}] ${title}${name === "valkey" ? VALKEY_MISSING : ""}`,
      ignore: name === "valkey" && NO_VALKEY,
      async fn() {
        await using resources = new AsyncDisposableStack();
        const directory = await Deno.makeTempDir();
        resources.defer(() => Deno.remove(directory, { recursive: true }));
        await using store = await makeStore(directory, resources);
        await test(store);
      },
    });

  storeTest("an image is all that was appended, and can be taken back to what it was", async (store) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(someStep, { maxLength: 40 }),
        fc.integer({ min: 0, max: 4 }),
        async (steps, undoDepth) => {
          let history = await openHistory(store, { undoDepth });
          type Image = ReadonlyMap<string, ImageEntry>;
          let past: Image[] = [new Map()];
          const named = new Map<string, Image[]>();
          for (const step of steps) {
            if ("change" in step) {
              const next = new Map(past.at(-1));
              for (const each of step.change) {
                if (each.bytes === null) next.delete(entryKey(each));
                else next.set(entryKey(each), each);
              }
              past.push(next);
              await history.append(BASES, step.change);
              await history.compact();
            } else if ("name" in step) {
              await history.name(step.name);
              named.set(step.name, [...past]);
            } else if ("forget" in step) {
              assert.equal(await history.forget(step.forget), named.delete(step.forget));
            } else if ("back" in step) {
              assert.equal(await history.goBack({ name: step.back }), named.has(step.back));
              past = [...named.get(step.back) ?? past];
            } else {
              const possible = step.undo <= history.undoable;
              assert.equal(await history.goBack({ undo: step.undo }), possible);
              if (possible) past = past.slice(0, -step.undo);
            }
            const image = past.length === 1 ? undefined : shown(past.at(-1)!.values());
            assert.deepEqual(await held(history), image);
            if (store.durable) {
              await history.release();
              history = await openHistory(store, { undoDepth });
              assert.deepEqual(await held(history), image);
            }
          }
          await history.delete();
          assert.equal(await store.has(KEY), false);
        },
      ),
      { numRuns: store.durable ? 30 : 200 },
    );
  });

  storeTest("an image is never larger than allowed", async (store) => {
    const history = await openHistory(store, { maxBytes: 1000 });
    await history.append(BASES, [entry(1, 500)]);
    await assert.rejects(history.append(BASES, [entry(2, 500)]), ImageTooLarge);
    await history.clear();
    assert.equal(await held(history), undefined);
    await history.append(BASES, [entry(3, 500)]);
    assert.deepEqual(await held(history), shown([entry(3, 500)]));
  });

  storeTest("long histories are put together, and what can be undone stays apart", async (store) => {
    const history = await openHistory(store, { undoDepth: 3 });
    for (let change = 1; change <= 100; change++) {
      await history.append(BASES, [text(change % 7, `${change}`)]);
      await history.compact();
    }
    assert.equal(history.undoable, 3);
    assert.equal(await history.goBack({ undo: 4 }), false);
    assert.equal(await history.goBack({ undo: 3 }), true);
    const image = [91, 92, 93, 94, 95, 96, 97].map((change) => text(change % 7, `${change}`));
    assert.deepEqual(await held(history), shown(image));
  });

  storeTest(
    "what a session was before it went back to nothing does not count for what it becomes",
    async (store) => {
      const history = await openHistory(store, { maxBytes: 1000 });
      await history.append(BASES, [entry(1, 600)]);
      assert.equal(await history.goBack({ undo: 1 }), true);
      await history.append(BASES, [entry(2, 600)]);
      assert.deepEqual(await held(history), shown([entry(2, 600)]));
    },
  );

  storeTest("what is replaced over and over does not pile up", async (store) => {
    const history = await openHistory(store);
    for (let change = 0; change < 12; change++) {
      const bytes = crypto.getRandomValues(new Uint8Array(60_000));
      await history.append(BASES, Array.from({ length: 50 }, (_, a) => entry(a, bytes)));
      await history.compact();
      const stored = history.storedBytes;
      assert.ok(
        stored < 2 * 50 * entryBytes(60_000) + 8 * MIB,
        `${stored} bytes after ${change + 1} changes`,
      );
    }
    assert.equal((await held(history))?.length, 50);
  });

  storeTest("a fork has what its origin had, and from then on a life of its own", async (store) => {
    const origin = await openHistory(store);
    await origin.append(BASES, [text(1, "one")]);
    await origin.append(BASES, [text(2, "two")]);
    const options = { ...origin.options, key: { ...KEY, sessionId: "fork" } };
    const fork = (await origin.fork(options))!;
    const early = (await origin.fork({ ...options, key: { ...KEY, sessionId: "early" } }, { undo: 1 }))!;
    await fork.append(BASES, [text(3, "three")]);
    await origin.append(BASES, [text(1, "other")]);
    await origin.delete();
    assert.deepEqual(await held(fork), shown([text(1, "one"), text(2, "two"), text(3, "three")]));
    assert.deepEqual(await held(early), shown([text(1, "one")]));
    const none = { ...options, key: { ...KEY, sessionId: "none" } };
    assert.equal(await fork.fork(none, { name: "nothing" }), undefined);
  });

  storeTest("sessions share nothing, be their names what they may", async (store) => {
    const keys = [
      KEY,
      { ...KEY, principal: "q" },
      { ...KEY, sessionId: "S" },
      { principal: "p/s", sessionId: ".." },
      { principal: "p".repeat(5000), sessionId: "s" },
    ];
    const histories = await Promise.all(keys.map((key) => openHistory(store, { key })));
    for (const [a, history] of histories.entries()) await history.append(BASES, [entry(a, 10)]);
    await histories[0]!.delete();
    for (const [a, history] of histories.entries()) {
      if (a > 0) assert.deepEqual(await held(history), shown([entry(a, 10)]));
    }
  });

  storeTest("entries without bytes are charged for what holding them costs", async (store) => {
    const history = await openHistory(store, { maxBytes: MIB });
    const entries = Array.from({ length: 10_000 }, (_, a) => entry(a, 0));
    await assert.rejects(history.append(BASES, entries), ImageTooLarge);
  });

  storeTest("a large image gives way to others while it is put together", async (store) => {
    const history = await openHistory(store);
    await history.append(BASES, Array.from({ length: 20_000 }, (_, a) => entry(a, 0)));
    let turns = 0;
    const others = setInterval(() => turns++, 0);
    assert.equal((await held(history))?.length, 20_000);
    clearInterval(others);
    assert.ok(turns >= 3, `${turns} turns`);
  });
}
