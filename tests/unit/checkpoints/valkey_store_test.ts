/** Several servers on one Valkey: who has a session, and what becomes of what a late one writes. */

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { ConfigError } from "../../../src/config/error.ts";
import { Keys } from "../../../src/checkpoints/keys.ts";
import { ImageRefused, type SessionKey, SessionLost, SessionTaken } from "../../../src/checkpoints/store.ts";
import { ValkeyStore } from "../../../src/checkpoints/valkey_store.ts";
import { eventually } from "../../support/eventually.ts";
import { ValkeyProxy } from "../../support/valkey_proxy.ts";
import { NO_VALKEY, VALKEY_MISSING, ValkeyServer } from "../../support/valkey_server.ts";
import { BASES, entry, held, KEY, MIB, openHistory, shown, text } from "./histories.ts";

const KEYS = Keys.parse(Keys.generate());
const LEASE_MS = 1000;

function openStore(url: string, keys = KEYS): Promise<ValkeyStore> {
  return ValkeyStore.open({ url, prefix: "test", leaseMs: LEASE_MS, segmentMaxBytes: 100 * MIB, keys });
}

function valkeyTest(title: string, test: (valkey: ValkeyServer) => Promise<void>, ...options: string[]) {
  Deno.test({
    name: title + VALKEY_MISSING,
    ignore: NO_VALKEY,
    async fn() {
      await using valkey = await ValkeyServer.start(...options);
      await test(valkey);
    },
  });
}

/** Names of keys that a store has, sorted. */
async function keysOf(valkey: ValkeyServer, pattern = "*"): Promise<string[]> {
  const answer = await valkey.ask(`KEYS ${pattern}`);
  return answer.split("\r\n").filter((line) => line.startsWith("test:")).sort();
}

/** What a store tells of its sessions. */
function told(store: ValkeyStore) {
  const wanted: SessionKey[] = [];
  const lost: SessionKey[] = [];
  store.owner = { wanted: (key) => wanted.push(key), lost: (key) => lost.push(key), available: () => {} };
  return { wanted, lost };
}

valkeyTest("a session that another server asks for goes there with all that it has", async (valkey) => {
  await using first = await openStore(valkey.url);
  await using second = await openStore(valkey.url);
  const history = await openHistory(first);
  await history.append(BASES, [text(1, "one")]);
  const asked: SessionKey[] = [];
  first.owner = {
    wanted: (key) => {
      asked.push(key);
      void history.release();
    },
    lost: () => {},
    available: () => {},
  };
  assert.deepEqual(await held(await openHistory(second)), shown([text(1, "one")]));
  assert.deepEqual(asked, [KEY]);
});

valkeyTest("a session that its server does not let go stays there", async (valkey) => {
  await using first = await openStore(valkey.url);
  await using second = await openStore(valkey.url);
  const history = await openHistory(first);
  await history.append(BASES, [text(1, "one")]);
  const { wanted, lost } = told(first);
  await assert.rejects(second.claim(KEY), SessionTaken);
  assert.deepEqual(wanted[0], KEY);
  await history.append(BASES, [text(2, "two")]);
  assert.equal(history.notDurable, undefined);
  assert.deepEqual(lost, []);
});

valkeyTest("the session of a server that has gone is free once its lease has run out", async (valkey) => {
  const first = await openStore(valkey.url);
  const history = await openHistory(first);
  await history.append(BASES, [text(1, "one")]);
  await history.runs(["execution 7"]);
  first.connection[Symbol.dispose](); // as a crash: nothing is released
  await using second = await openStore(valkey.url);
  const next = await openHistory(second);
  assert.deepEqual(await held(next), shown([text(1, "one")]));
  assert.match(next.takeLoss()?.notice ?? "", /execution 7 was running/);
  await first[Symbol.asyncDispose]();
  await next.append(BASES, [text(2, "two")]);
  assert.equal(next.notDurable, undefined);
});

valkeyTest("who was cut off until another server had the session can't overwrite it", async (valkey) => {
  using network = new ValkeyProxy(valkey.port);
  await using first = await openStore(network.url);
  await using second = await openStore(valkey.url);
  const { lost } = told(first);
  const late = await openHistory(first);
  await late.append(BASES, [text(1, "one")]);
  network.cut();
  const appended = late.append(BASES, [text(1, "late")]);
  const next = await openHistory(second);
  assert.deepEqual(await held(next), shown([text(1, "one")]));
  await next.append(BASES, [text(2, "two")]);
  network.heal();
  await appended;
  await late.append(BASES, [text(3, "later")]);
  await eventually("the first server knows", async () => {
    await late.save();
    return lost.length > 0;
  });
  assert.match(late.notDurable ?? "", /another server went on/);
  await assert.rejects(late.delete(), SessionLost);
  assert.deepEqual(await held(next), shown([text(1, "one"), text(2, "two")]));
  await next.append(BASES, [text(4, "four")]);
  assert.equal(next.notDurable, undefined);
});

valkeyTest("who was cut off goes on when nobody took the session meanwhile", async (valkey) => {
  using network = new ValkeyProxy(valkey.port);
  await using store = await openStore(network.url);
  const history = await openHistory(store);
  await history.append(BASES, [text(1, "one")]);
  network.cut();
  await history.append(BASES, [text(2, "two")]);
  assert.match(history.notDurable ?? "", /can't be reached/);
  await eventually("the lease has run out", async () => (await keysOf(valkey, "*:lease")).length === 0);
  network.heal();
  await eventually("it is stored", async () => {
    await history.save();
    return history.notDurable === undefined;
  });
  await history.release();
  assert.deepEqual(await held(await openHistory(store)), shown([text(1, "one"), text(2, "two")]));
});

valkeyTest("what was long under way does not undo what was stored after it", async (valkey) => {
  using network = new ValkeyProxy(valkey.port);
  const store = await openStore(network.url);
  const history = await openHistory(store);
  await history.append(BASES, [text(1, "one")]);
  network.cut({ all: false });
  await history.name("early"); // gave up waiting
  const before = network.connections;
  await eventually("it is stored by another connection", async () => {
    await history.save();
    return history.notDurable === undefined;
  });
  await history.append(BASES, [text(2, "two")]);
  network.heal();
  await eventually("all has arrived", () => network.connections < before);
  store.connection[Symbol.dispose]();
  await using second = await openStore(valkey.url);
  assert.deepEqual(await held(await openHistory(second)), shown([text(1, "one"), text(2, "two")]));
  await store[Symbol.asyncDispose]();
});

valkeyTest(
  "what was stored is there when Valkey was killed and is back; what was not is stored then",
  async (valkey) => {
    await using store = await openStore(valkey.url);
    let available = false;
    store.owner = { wanted: () => {}, lost: () => {}, available: () => available = true };
    const history = await openHistory(store);
    await history.append(BASES, [text(1, "one")]);
    await valkey.kill();
    await history.append(BASES, [text(2, "two")]);
    assert.match(history.notDurable ?? "", /can't be reached/);
    await valkey.run();
    await eventually("the store is back", () => available);
    await history.save();
    assert.equal(history.notDurable, undefined);
    await history.release();
    assert.deepEqual(await held(await openHistory(store)), shown([text(1, "one"), text(2, "two")]));
  },
);

valkeyTest("a history that can't be put together while Valkey is gone stays as it is", async (valkey) => {
  await using store = await openStore(valkey.url);
  const history = await openHistory(store, { undoDepth: 1 });
  for (let n = 0; n < 30; n++) await history.append(BASES, [text(n, `${n}`)]);
  await valkey.kill();
  await history.compact();
  await valkey.run();
  await eventually("it is stored", async () => {
    await history.save();
    return history.notDurable === undefined;
  });
  assert.equal((await held(history))?.length, 30);
});

valkeyTest("a store that is full says so, and takes more when sessions are gone", async (valkey) => {
  await using store = await openStore(valkey.url);
  const random = () => entry(1, new Uint8Array(randomBytes(50_000)));
  const other = await openHistory(store, { key: { ...KEY, sessionId: "other" } });
  await other.append(BASES, [random()]);
  const history = await openHistory(store);
  await history.append(BASES, [text(1, "one")]);
  await valkey.ask("CONFIG SET maxmemory 1mb");
  await history.append(BASES, [random()]);
  assert.match(history.notDurable ?? "", /full/);
  const [lease] = await keysOf(valkey, "*:s:s:lease");
  let before = Infinity;
  await eventually("its lease is renewed nevertheless", async () => {
    const left = Number((await valkey.ask(`PTTL ${lease}`)).slice(1));
    const longer = left > before;
    before = left;
    return longer;
  });
  await other.delete();
  await valkey.ask("CONFIG SET maxmemory 100mb");
  await history.save();
  assert.equal(history.notDurable, undefined);
});

valkeyTest("a fork takes no more room; what is deleted leaves nothing", async (valkey) => {
  await using store = await openStore(valkey.url);
  const origin = await openHistory(store);
  for (let n = 0; n < 5; n++) await origin.append(BASES, [text(n, `${n}`)]);
  const parts = await keysOf(valkey, "*:p:*");
  assert.equal(parts.length, 5);
  const fork = (await origin.fork({ ...origin.options, key: { ...KEY, sessionId: "fork" } }))!;
  assert.deepEqual(await keysOf(valkey, "*:p:*"), parts);
  await origin.delete();
  assert.equal((await held(fork))?.length, 5);
  await fork.delete();
  assert.deepEqual((await keysOf(valkey)).map((key) => key.replace(/\{.*\}/, "")), ["test::fence"]);
});

valkeyTest("a damaged part costs what came after it, and is kept aside", async (valkey) => {
  await using store = await openStore(valkey.url);
  const history = await openHistory(store);
  await history.append(BASES, [text(1, "one")]);
  await history.append(BASES, [text(2, "two")]);
  const [damaged] = await keysOf(valkey, "*:p:2-*");
  await valkey.ask(`SET ${damaged} something`);
  assert.deepEqual(await held(history), shown([text(1, "one")]));
  const { state, notice } = history.takeLoss()!;
  assert.equal(state, "rolled_back");
  assert.match(notice, /kept aside \(test:\{[0-9a-f]+\}:aside:s:\d+\)/);
  assert.equal((await keysOf(valkey, "*:aside:*")).length, 3);
});

valkeyTest(
  "what another key signed is refused as a whole, kept aside, and the name is free",
  async (valkey) => {
    await using store = await openStore(valkey.url);
    const history = await openHistory(store);
    await history.append(BASES, [text(1, "one")]);
    await history.release();
    await using other = await openStore(valkey.url, Keys.parse(Keys.generate()));
    assert.deepEqual(await other.list(KEY.principal), []);
    await assert.rejects(other.claim(KEY), ImageRefused);
    assert.equal(await held(await openHistory(other)), undefined);
    assert.equal((await keysOf(valkey, "*:aside:*")).length, 2);
  },
);

valkeyTest("a principal's sessions are listed, those used last first", async (valkey) => {
  await using store = await openStore(valkey.url);
  for (const [at, sessionId] of ["a", "b", "c"].entries()) {
    const facts = () => ({
      ...KEY,
      createdAt: 0,
      lastUsedAt: at,
      executed: 1,
      fuelConsumed: 0,
      languages: [],
      copied: [],
    });
    const history = await openHistory(store, { key: { ...KEY, sessionId }, facts });
    await history.append(BASES, [text(1, "one")]);
    if (sessionId === "b") await history.delete();
  }
  const listed = await store.list(KEY.principal);
  assert.deepEqual(listed.map(({ sessionId }) => sessionId), ["c", "a"]);
  assert.deepEqual(await store.list("another"), []);
});

valkeyTest(
  "a Valkey that would throw parts of sessions away is refused",
  async (valkey) => {
    await assert.rejects(openStore(valkey.url), (error: Error) => {
      assert.ok(error instanceof ConfigError);
      assert.match(error.message, /maxmemory-policy is "allkeys-lru"/);
      return true;
    });
  },
  "--maxmemory-policy",
  "allkeys-lru",
);

valkeyTest("a Valkey that does not answer keeps no server waiting for ever", async (valkey) => {
  valkey.signal("SIGSTOP");
  await assert.rejects(openStore(valkey.url), /can't be reached/);
});

valkeyTest("a wrong password is told, without the password", async (valkey) => {
  await valkey.ask("CONFIG SET requirepass hunter3");
  await assert.rejects(openStore(valkey.url.replace("//", "//:hunter2@")), (error: Error) => {
    assert.ok(error instanceof ConfigError);
    assert.match(error.message, /WRONGPASS/);
    assert.doesNotMatch(error.message, /hunter/);
    return true;
  });
  await assert.rejects(openStore(valkey.url), ConfigError);
  await using _store = await openStore(valkey.url.replace("//", "//:hunter3@"));
});
