/** Directories of sessions that were damaged, swapped, put back or cut short by a crash. */

import assert from "node:assert/strict";
import { DirectoryStore, type DirectoryStoreOptions } from "../../../src/checkpoints/directory_store.ts";
import { decodeHead, encodeHead } from "../../../src/checkpoints/head.ts";
import type { History } from "../../../src/checkpoints/history.ts";
import { Keys } from "../../../src/checkpoints/keys.ts";
import { ImageRefused, type SessionKey, SessionTaken } from "../../../src/checkpoints/store.ts";
import { eventually } from "../../support/eventually.ts";
import { BASES, entry, held, KEY, MIB, openHistory, shown, text } from "./histories.ts";

const keys = Keys.parse(Keys.generate());

/** A directory, and stores on it: each is what another server would have. */
class Place implements AsyncDisposable {
  private constructor(readonly path: string) {}

  static async make(): Promise<Place> {
    return new Place(await Deno.makeTempDir());
  }

  store(options: Partial<DirectoryStoreOptions> = {}): Promise<DirectoryStore> {
    return DirectoryStore.open({
      path: `${this.path}/store`,
      maxBytes: 1000 * MIB,
      segmentMaxBytes: 1000 * MIB,
      fsync: true,
      keys,
      ...options,
    });
  }

  async open(key: SessionKey = KEY, options: Partial<DirectoryStoreOptions> = {}): Promise<History> {
    return await openHistory(await this.store(options), { key });
  }

  /** What another server finds of a session; then it has let it go. */
  async found(key: SessionKey = KEY, options: Partial<DirectoryStoreOptions> = {}) {
    const history = await this.open(key, options);
    const image = await held(history);
    const loss = history.takeLoss();
    await history.place.release();
    return { image, loss };
  }

  async directory(key: SessionKey = KEY): Promise<string> {
    return (await this.store()).directoryOf(key);
  }

  async aside(): Promise<string[]> {
    return (await Array.fromAsync(Deno.readDir(`${this.path}/store/aside`))).map(({ name }) => name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.path, { recursive: true });
  }
}

async function copy(from: string, to: string): Promise<void> {
  await Deno.remove(to, { recursive: true }).catch(() => {});
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    await (isDirectory ? copy : Deno.copyFile)(`${from}/${name}`, `${to}/${name}`);
  }
}

/** A session of three changes that nobody has open. */
async function threeChanges(place: Place, key: SessionKey = KEY): Promise<void> {
  const history = await place.open(key);
  for (const [a, value] of ["one", "two", "three"].entries()) await history.append(BASES, [text(a, value)]);
  await history.release();
}

const THREE = shown([text(0, "one"), text(1, "two"), text(2, "three")]);
const TWO = shown([text(0, "one"), text(1, "two")]);

Deno.test("a head that is cut short or changed anywhere is refused, kept aside, and its name is free again", async () => {
  await using place = await Place.make();
  await threeChanges(place);
  const directory = await place.directory();
  const whole = await Deno.readFile(`${directory}/head`);
  await copy(directory, `${place.path}/good`);
  const bad = [
    ...Array.from({ length: whole.length }, (_, length) => whole.slice(0, length)),
    ...Array.from({ length: 60 }, (_, i) => {
      const changed = whole.slice();
      changed[Math.floor(i * whole.length / 60)]! ^= 1;
      return changed;
    }),
  ];
  for (const [index, head] of bad.entries()) {
    await copy(`${place.path}/good`, directory);
    await Deno.writeFile(`${directory}/head`, head);
    const store = await place.store({ fsync: false });
    await assert.rejects(openHistory(store), ImageRefused, `${index}`);
    assert.equal(await store.has(KEY), false);
    if (index % 50 === 0) assert.equal((await place.found(KEY, { fsync: false })).image, undefined);
  }
  const kept = await Promise.all(
    (await place.aside()).map((name) => Deno.readFile(`${place.path}/store/aside/${name}/head`)),
  );
  assert.deepEqual(kept.map(String).sort(), bad.map(String).sort());
});

Deno.test("of a last segment that is cut short or changed, what was before it is used, told, and the rest kept aside", async () => {
  await using place = await Place.make();
  await threeChanges(place);
  const directory = await place.directory();
  await copy(directory, `${place.path}/good`);
  const head = decodeHead(await Deno.readFile(`${directory}/head`), keys);
  const last = `${head.segments.at(-1)!.id}.segment`;
  const whole = await Deno.readFile(`${directory}/${last}`);
  const changed = whole.slice();
  changed[whole.length - 1]! ^= 1;
  for (
    const bytes of [...Array.from({ length: whole.length }, (_, end) => whole.slice(0, end)), changed, null]
  ) {
    await copy(`${place.path}/good`, directory);
    if (bytes) await Deno.writeFile(`${directory}/${last}`, bytes);
    else await Deno.remove(`${directory}/${last}`);
    const { image, loss } = await place.found(KEY, { fsync: false });
    assert.deepEqual(image, TWO);
    assert.equal(loss?.state, "rolled_back");
    assert.match(
      loss.notice,
      /What the last change of the session did was lost: a part of its image is (damaged|missing)\. .*kept aside/,
    );
  }
});

Deno.test("a session whose first segment is damaged begins anew, is told so, and can be stored again", async () => {
  await using place = await Place.make();
  await threeChanges(place);
  const directory = await place.directory();
  const head = decodeHead(await Deno.readFile(`${directory}/head`), keys);
  await Deno.writeFile(`${directory}/${head.segments[0]!.id}.segment`, new Uint8Array(10));
  const history = await place.open();
  assert.equal(await held(history), undefined);
  assert.equal(history.takeLoss()?.state, "reset");
  await history.append(BASES, [text(9, "again")]);
  await history.release();
  assert.deepEqual((await place.found()).image, shown([text(9, "again")]));
});

Deno.test("another session's or another principal's directory is refused under this one's name", async () => {
  const others = [{ ...KEY, sessionId: "other" }, { ...KEY, principal: "somebody else" }];
  for (const other of others) {
    await using place = await Place.make();
    await threeChanges(place, other);
    await copy(await place.directory(other), await place.directory());
    await assert.rejects(place.open(), { name: "ImageRefused", message: "it is another session's" });
    assert.equal((await place.found()).image, undefined);
    assert.deepEqual((await place.found(other)).image, THREE);
    assert.deepEqual((await (await place.store()).list(KEY.principal)).map(({ sessionId }) => sessionId), [
      ...other.principal === KEY.principal ? [other.sessionId] : [],
    ]);
  }
});

Deno.test("an older copy of a session that is put back is refused as such", async () => {
  await using place = await Place.make();
  const history = await place.open();
  await history.append(BASES, [text(0, "one")]);
  await copy(await place.directory(), `${place.path}/old`);
  await history.append(BASES, [text(1, "two")]);
  await history.release();
  await copy(`${place.path}/old`, await place.directory());
  await assert.rejects(place.open(), { name: "ImageRefused", message: /older than what was stored last/ });
  assert.equal((await place.aside()).length, 1);
});

Deno.test("keys can be replaced as long as the old ones are there; without them sessions are refused", async () => {
  await using place = await Place.make();
  await threeChanges(place);
  const [oldKey, newKey] = [Keys.generate(), Keys.generate()];
  const other = { ...KEY, sessionId: "rotated" };
  const first = await place.open(other, { keys: Keys.parse(oldKey) });
  await first.append(BASES, [text(1, "old")]);
  await first.release();
  const second = await place.open(other, { keys: Keys.parse(newKey + oldKey) });
  await second.append(BASES, [text(2, "new")]);
  await second.release();
  const rotated = await place.found(other, { keys: Keys.parse(newKey) });
  assert.deepEqual(rotated.image, shown([text(1, "old"), text(2, "new")]));
  await assert.rejects(place.open(KEY, { keys: Keys.parse(newKey) }), {
    name: "ImageRefused",
    message: "it was signed with a key that this server does not have",
  });
});

Deno.test("an envelope of a format that is not known is told apart from damage and from none", async () => {
  for (
    const [head, reason] of [
      ["wasmbox-session-2 name mac\n{}", /another version of wasmbox wrote it/],
      ["something else\n", /it has no envelope/],
      ["", /cut short/],
      ["x".repeat(1000), /cut short/],
    ] as const
  ) {
    await using place = await Place.make();
    await threeChanges(place);
    await Deno.writeTextFile(`${await place.directory()}/head`, head);
    await assert.rejects(place.open(), { name: "ImageRefused", message: reason });
  }
});

Deno.test("what a head is signed for can't be another text of the same key", () => {
  const head = { key: KEY, generation: 1, segments: [], checkpoints: [], facts: FACTS };
  const bytes = encodeHead(head, keys);
  const json = bytes.subarray(bytes.indexOf(10) + 1);
  const { name, mac } = keys.sign(json);
  const forged = new TextEncoder().encode(
    `wasmbox-session-1 ${name} ${mac}\n${new TextDecoder().decode(json)}`,
  );
  assert.throws(() => decodeHead(forged, keys), ImageRefused);
  assert.deepEqual(decodeHead(bytes, keys, KEY), head);
});

const FACTS = { createdAt: 1, lastUsedAt: 2, executed: 3, fuelConsumed: 4, languages: [], copied: [] };

Deno.test("whatever step of storing a crash comes after, the session is as it was acknowledged, and what is left over goes", async () => {
  await using place = await Place.make();
  const store = await place.store();
  const history = await openHistory(store);
  await history.append(BASES, [text(0, "one")]);
  await history.append(BASES, [text(1, "two")]);
  const directory = await place.directory();
  const { put, commit, remove } = history.place;
  const states: { step: string; image: string[] }[] = [];
  const keep = async (step: string, image: string[]) => {
    await copy(directory, `${place.path}/crash-${states.length}`);
    states.push({ step, image });
  };
  // Each step of storing, as the place does it, and a copy of what is there before and after.
  Object.assign(history.place, {
    put: async (segment: Parameters<typeof put>[0]) => {
      await keep("before put", TWO);
      const record = await put.call(history.place, segment);
      await keep("after put", TWO);
      return record;
    },
    commit: async (head: Parameters<typeof commit>[0]) => {
      await commit.call(history.place, head);
      await keep("after commit", THREE);
    },
    remove: async (...which: Parameters<typeof remove>) => {
      await remove.call(history.place, ...which);
      await keep("after remove", THREE);
    },
  });
  await history.append(BASES, [text(2, "three")]);
  await history.place.release();
  for (const [index, { step, image }] of states.entries()) {
    await copy(`${place.path}/crash-${index}`, directory);
    await Deno.writeTextFile(`${directory}/head.new`, "half a he");
    if (!step.startsWith("after commit") && !step.startsWith("after remove")) {
      await Deno.remove((await place.store()).generationFile(directory)).catch(() => {}); // this one was not written yet
    }
    assert.deepEqual((await place.found()).image, image, step);
    const files = (await Array.fromAsync(Deno.readDir(directory))).map(({ name }) => name);
    assert.equal(files.filter((name) => name.endsWith(".segment")).length, image.length, step);
    assert.ok(!files.includes("head.new"));
  }
});

Deno.test("a session that one store has open is refused to others until it is let go", async () => {
  await using place = await Place.make();
  const mine = await place.open();
  await mine.append(BASES, [text(0, "one")]);
  await assert.rejects(place.open(), SessionTaken);
  await mine.release();
  const theirs = await place.open();
  await assert.rejects(place.open(), SessionTaken);
  await theirs.delete();
  assert.equal((await place.found()).image, undefined);
});

Deno.test("of many that want a session at once one has it", async () => {
  await using place = await Place.make();
  await threeChanges(place);
  for (let round = 0; round < 20; round++) {
    const claims = await Promise.allSettled(Array.from({ length: 8 }, () => place.open()));
    const won = claims.filter((claim) => claim.status === "fulfilled");
    assert.equal(won.length, 1);
    for (const claim of claims) {
      if (claim.status === "rejected") assert.ok(claim.reason instanceof SessionTaken, `${claim.reason}`);
    }
    if (round % 2 === 0) await won[0]!.value.release();
    else {
      await won[0]!.value.delete();
      await threeChanges(place);
    }
  }
});

Deno.test("when it is full, those unused the longest go first, with checkpoints last, and none that is open", async () => {
  await using place = await Place.make();
  const gone: string[] = [];
  const store = await place.store({ maxBytes: 4 * MIB, evicted: ({ sessionId }) => gone.push(sessionId) });
  const noise = () => crypto.getRandomValues(new Uint8Array(60_000));
  const fill = async (sessionId: string) => {
    const history = await openHistory(store, { key: { ...KEY, sessionId } });
    await history.append(BASES, Array.from({ length: 16 }, (_, a) => entry(a, noise())));
    return history;
  };
  const named = await fill("named");
  await named.name("keep");
  await named.release();
  const open = await fill("open");
  for (const name of ["a", "b", "c", "d"]) {
    await (await fill(name)).release();
    await new Promise((resolve) => setTimeout(resolve, 2)); // another millisecond
  }
  assert.deepEqual(gone, ["a", "b"]);
  await (await fill("e")).release();
  await (await fill("f")).release();
  const last = [await fill("g"), await fill("h")];
  assert.deepEqual(gone, ["a", "b", "c", "d", "e", "f"].slice(0, gone.length));
  last.push(await fill("i"));
  assert.ok(gone.includes("named"));
  const refused = await fill("j");
  assert.match(refused.notDurable ?? "", /the store is full/);
  assert.equal(open.notDurable, undefined);
  await last[0]!.delete();
  await refused.save();
  assert.equal(refused.notDurable, undefined);
  for (const history of [open, refused, ...last.slice(1)]) await history.delete();
  assert.ok(store.usage.total < MIB, `${store.usage.total} bytes are left`);
});

Deno.test("what earlier servers left is looked at beside the first change, and room is made once it is known", async () => {
  await using place = await Place.make();
  const gone: string[] = [];
  const options = { maxBytes: MIB, evicted: ({ sessionId }: SessionKey) => gone.push(sessionId) };
  const large = () => [entry(0, crypto.getRandomValues(new Uint8Array(60_000)))];
  const fill = async (history: History) => {
    for (let change = 0; change < 10; change++) await history.append(BASES, large());
  };
  const old = await place.open({ ...KEY, sessionId: "old" });
  await fill(old);
  await old.release();
  const directory = await place.directory({ ...KEY, sessionId: "old" });
  const [head, aside, pipe] = ["head", "aside", "pipe"].map((name) => `${directory}/${name}`) as [
    string,
    string,
    string,
  ];
  await Deno.rename(head, aside);
  await new Deno.Command("mkfifo", { args: [head] }).output(); // who reads it waits until somebody writes
  const own = await place.open(KEY, options);
  await fill(own);
  assert.deepEqual([own.notDurable, gone], [undefined, []]);
  await Deno.rename(head, pipe);
  await Deno.rename(aside, head);
  (await Deno.open(pipe, { read: true, write: true })).close(); // which waits for nobody
  await eventually("room is made", () => gone.length > 0);
  assert.deepEqual(gone, ["old"]);
  await own.append(BASES, large());
  assert.equal(own.notDurable, undefined);
  await own.delete();
});

Deno.test("what a server that was killed left of a session that it forgot takes no room, and nothing of its successor", async () => {
  await using place = await Place.make();
  const [gone, kept] = [{ ...KEY, sessionId: "gone" }, { ...KEY, sessionId: "kept" }];
  for (const key of [gone, KEY]) await threeChanges(place, key);
  await Deno.remove(`${await place.directory(gone)}/head`); // which goes first
  await Deno.remove(await place.directory(), { recursive: true });
  const own = await place.open(kept);
  await own.append(BASES, [text(0, "one")]);
  const there = async () => await Deno.stat(await place.directory(gone)).then(() => true, () => false);
  await eventually("what is left of it is removed", there, (is) => !is);
  await own.release();

  // As far as generations were kept, they count changes that the session of that name does not have.
  const anew = await place.open(KEY, { fsync: false });
  await anew.append(BASES, [text(0, "anew")]);
  await anew.release();
  assert.deepEqual((await place.found()).image, shown([text(0, "anew")]));
});

Deno.test("what a store can't take now stays as it was there, and is stored once it can", async () => {
  await using place = await Place.make();
  const history = await place.open();
  await history.append(BASES, [text(0, "one"), text(1, "two")]);
  const directory = await place.directory();
  await Deno.rename(directory, `${directory}-away`);
  await history.append(BASES, [text(2, "three")]);
  assert.match(history.notDurable ?? "", /can't be used/);
  await assert.rejects(held(history), { name: "StoreUnavailable" });
  await Deno.rename(`${directory}-away`, directory);
  await history.append(BASES, []);
  assert.equal(history.notDurable, undefined);
  await history.release();
  assert.deepEqual((await place.found()).image, THREE);
});

Deno.test("a session that can't be forgotten is not said to be gone", async () => {
  await using place = await Place.make();
  const history = await place.open();
  await history.append(BASES, [text(0, "one")]);
  const head = `${await place.directory()}/head`;
  await Deno.remove(head);
  await Deno.mkdir(`${head}/not-empty`, { recursive: true });
  await assert.rejects(history.delete(), { name: "StoreUnavailable" });
});
