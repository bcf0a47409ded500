/** What sessions of one principal hold alike is stored once. */

import assert from "node:assert/strict";
import { DirectoryStore, type DirectoryStoreOptions } from "../../../src/checkpoints/directory_store.ts";
import type { History } from "../../../src/checkpoints/history.ts";
import { Keys } from "../../../src/checkpoints/keys.ts";
import type { CheckpointStore } from "../../../src/checkpoints/store.ts";
import { ValkeyStore } from "../../../src/checkpoints/valkey_store.ts";
import type { ImageEntry } from "../../../src/executor/wire/entry.ts";
import { eventually } from "../../support/eventually.ts";
import { NO_VALKEY, VALKEY_MISSING, ValkeyServer } from "../../support/valkey_server.ts";
import { BASES, entry, held, KEY, MIB, noise, openHistory, shown, text } from "./histories.ts";

const keys = Keys.parse(Keys.generate());
const PIECE = 50_000;

/** A data set that takes 4 MB, at these places and those that follow. */
function dataSet(seed: number, from = 0): ImageEntry[] {
  return Array.from({ length: 80 }, (_, index) => entry(from + index, noise(seed * 1000 + index, PIECE)));
}

const DATA_BYTES = 80 * PIECE;

interface Stored {
  readonly store: CheckpointStore;
  /** What it takes, all in all. */
  bytes(): Promise<number>;
}

class Directory implements AsyncDisposable {
  private constructor(readonly path: string) {}

  static async make(): Promise<Directory> {
    return new Directory(await Deno.makeTempDir());
  }

  async open(options: Partial<DirectoryStoreOptions> = {}): Promise<DirectoryStore> {
    const path = `${this.path}/store`;
    return await DirectoryStore.open({
      path,
      maxBytes: 1000 * MIB,
      segmentMaxBytes: 1000 * MIB,
      fsync: false,
      keys,
      ...options,
    });
  }

  /** Of its files, each once. */
  async bytes(): Promise<number> {
    const { stdout } = await new Deno.Command("du", { args: ["-sb", `${this.path}/store`] }).output();
    return parseInt(new TextDecoder().decode(stdout));
  }

  /** Files below a directory of the store, with their names. */
  async files(below: string): Promise<string[]> {
    const found: string[] = [];
    const look = async (path: string): Promise<void> => {
      for await (const { name, isDirectory } of Deno.readDir(path)) {
        if (isDirectory) await look(`${path}/${name}`);
        else found.push(`${path}/${name}`);
      }
    };
    await look(`${this.path}/store/${below}`).catch(() => {}); // not there: none
    return found;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.path, { recursive: true });
  }
}

function bothStores(title: string, test: (stored: Stored) => Promise<void>) {
  Deno.test(`[directory] ${title}`, async () => {
    await using directory = await Directory.make();
    await test({ store: await directory.open(), bytes: () => directory.bytes() });
  });
  Deno.test({
    name: `[valkey] ${title}${VALKEY_MISSING}`,
    ignore: NO_VALKEY,
    async fn() {
      await using valkey = await ValkeyServer.start();
      const options = { prefix: "test", leaseMs: 15_000, segmentMaxBytes: 1000 * MIB, keys };
      await using store = await ValkeyStore.open({ url: valkey.url, ...options });
      const bytes = async () => {
        const script = "local n = 0 for _, k in ipairs(redis.call('KEYS', '*')) do " +
          "if redis.call('TYPE', k).ok == 'string' then n = n + redis.call('STRLEN', k) end end return n";
        return parseInt((await valkey.ask(`EVAL "${script}" 0`)).replace(":", ""));
      };
      await test({ store, bytes });
    },
  });
}

function open(store: CheckpointStore, sessionId: string, principal = KEY.principal): Promise<History> {
  return openHistory(store, { key: { principal, sessionId } });
}

bothStores(
  "sessions that hold the same take little more room than one, and each has all of it",
  async ({ store, bytes }) => {
    const first = await open(store, "first");
    await first.append(BASES, [text(1, "mine"), ...dataSet(1, 100)]);
    const alone = await bytes();
    assert.ok(alone > DATA_BYTES, `${alone}`);
    const others = await Promise.all(["a", "b", "c"].map(async (name, index) => {
      const history = await open(store, name);
      // At other places, and with something else around it.
      await history.append(BASES, [
        entry(1, noise(7000 + index, PIECE)),
        ...dataSet(1, 200 + index),
        entry(2, noise(8000 + index, PIECE)),
      ]);
      return history;
    }));
    assert.ok(await bytes() < alone + 0.4 * DATA_BYTES, `${alone}, then ${await bytes()}`);
    await first.delete();
    await others[0]!.delete();
    for (const [index, history] of others.entries()) {
      if (index === 0) continue;
      const image = [entry(1, noise(7000 + index, PIECE)), ...dataSet(1, 200 + index)];
      assert.deepEqual(await held(history), shown([...image, entry(2, noise(8000 + index, PIECE))]));
      await history.delete();
    }
    assert.ok(await bytes() < 0.1 * DATA_BYTES, `${await bytes()} bytes are left`);
  },
);

bothStores("two principals share nothing", async ({ store, bytes }) => {
  for (const principal of ["one", "other"]) {
    const history = await open(store, "s", principal);
    await history.append(BASES, dataSet(2));
    await history.release();
  }
  assert.ok(await bytes() > 2 * DATA_BYTES);
});

bothStores(
  "what a session has in two of its changes stays as long as one of them does",
  async ({ store, bytes }) => {
    const history = await openHistory(store, { undoDepth: 3 });
    await history.append(BASES, dataSet(3, 0));
    await history.append(BASES, dataSet(3, 1000));
    await history.name("both");
    assert.ok(await bytes() < 1.5 * DATA_BYTES);
    await history.goBack({ undo: 1 });
    assert.deepEqual(await held(history), shown(dataSet(3, 0)));
    await history.forget("both");
    assert.deepEqual(await held(history), shown(dataSet(3, 0)));
    for (let change = 0; change < 40; change++) {
      await history.append(BASES, [text(5000, `${change}`)]);
      await history.compact();
    }
    await history.release();
    const again = await open(store, KEY.sessionId);
    assert.deepEqual(await held(again), shown([...dataSet(3, 0), text(5000, "39")]));
  },
);

Deno.test("a damaged chunk is not passed on to sessions that come later", async () => {
  await using directory = await Directory.make();
  const store = await directory.open();
  const first = await open(store, "first");
  await first.append(BASES, dataSet(4));
  for (const path of await directory.files("chunks")) {
    const bytes = await Deno.readFile(path);
    bytes[bytes.length >> 1]! ^= 1;
    await Deno.writeFile(path, bytes); // in place: the first session's, too
  }
  const second = await open(store, "second");
  await second.append(BASES, dataSet(4));
  assert.deepEqual(await held(second), shown(dataSet(4)));
  assert.equal(await held(first), undefined);
  assert.match(first.takeLoss()?.notice ?? "", /a part of its image is damaged.*kept aside/);
});

Deno.test("a store that was copied without its links has all of every session", async () => {
  await using directory = await Directory.make();
  const store = await directory.open();
  for (const name of ["a", "b"]) {
    const history = await open(store, name);
    await history.append(BASES, dataSet(5));
    await history.release();
  }
  await using other = await Directory.make();
  await new Deno.Command("cp", { args: ["-r", `${directory.path}/store`, `${other.path}/store`] }).output();
  const copied = await other.open();
  for (const name of ["a", "b"]) {
    const history = await open(copied, name);
    assert.deepEqual(await held(history), shown(dataSet(5)));
    await history.append(BASES, [text(1000, name)]);
    await history.release();
  }
  // What was there is looked at, but no change waits for that.
  await eventually(
    "nobody leads to what nobody else has",
    () => other.files("chunks"),
    (chunks) => chunks.length === 0,
  );
});

Deno.test("what several sessions have counts once for how full the store is, and room is made until there is some", async () => {
  await using directory = await Directory.make();
  const gone: string[] = [];
  const store = await directory.open({
    maxBytes: 3 * DATA_BYTES,
    evicted: ({ sessionId }) => gone.push(sessionId),
  });
  for (let index = 0; index < 10; index++) {
    const history = await open(store, `same-${index}`);
    await history.append(BASES, dataSet(6));
    assert.equal(history.notDurable, undefined);
    await history.release();
    await new Promise((resolve) => setTimeout(resolve, 2)); // another millisecond
  }
  assert.deepEqual(gone, []);
  const others = [await open(store, "x"), await open(store, "y")];
  for (const [index, history] of others.entries()) {
    await history.append(BASES, dataSet(10 + index));
    assert.equal(history.notDurable, undefined);
  }
  assert.deepEqual(gone, Array.from({ length: 10 }, (_, index) => `same-${index}`));
  const bound = store.usage.total;
  const found = await directory.bytes();
  assert.ok(found < 3 * DATA_BYTES && bound >= found - 100_000, `${bound}, ${found}`);
  const full = await open(store, "z");
  await full.append(BASES, dataSet(20));
  assert.match(full.notDurable ?? "", /the store is full/);
  assert.equal(
    (await directory.files(`sessions`)).filter((path) => path.includes("/z/")).length,
    1,
    "its lock",
  );
});

Deno.test("of a change that a crash cut short nothing is left once the session is opened again", async () => {
  await using directory = await Directory.make();
  const store = await directory.open();
  const history = await open(store, "s");
  await history.append(BASES, dataSet(7));
  const before = await directory.bytes();
  // As if the server had ended between what is put and the head that names it.
  await history.place.put({ generation: 2, at: 1, bases: BASES, entries: dataSet(8) });
  await history.place.release();
  assert.ok(await directory.bytes() > before + 0.9 * DATA_BYTES);
  const next = await open(await directory.open(), "s");
  assert.deepEqual(await held(next), shown(dataSet(7)));
  assert.ok(await directory.bytes() < before + 0.1 * DATA_BYTES);
});
