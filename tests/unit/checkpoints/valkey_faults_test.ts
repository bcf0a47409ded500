/** Servers that compete for one session while networks are cut and Valkey is killed: what they log is checked afterwards. */

import assert from "node:assert/strict";
import type { History } from "../../../src/checkpoints/history.ts";
import { Keys } from "../../../src/checkpoints/keys.ts";
import { SessionTaken, StoreUnavailable } from "../../../src/checkpoints/store.ts";
import { ValkeyStore } from "../../../src/checkpoints/valkey_store.ts";
import { decodeEntries } from "../../../src/executor/wire/entry.ts";
import { eventually } from "../../support/eventually.ts";
import { ValkeyProxy } from "../../support/valkey_proxy.ts";
import { NO_VALKEY, VALKEY_MISSING, ValkeyServer } from "../../support/valkey_server.ts";
import { BASES, MIB, openHistory, text } from "./histories.ts";

const SERVERS = 3;
const ROUNDS = 9;
/** In each round the others get so far. */
const PROGRESS = 3;
const LEASE_MS = 400;
/** A server that nobody asks keeps the session for so many changes. */
const TURN = 5;
const KEYS = Keys.parse(Keys.generate());

function openStore(url: string): Promise<ValkeyStore> {
  return ValkeyStore.open({ url, prefix: "test", leaseMs: LEASE_MS, segmentMaxBytes: MIB, keys: KEYS });
}

/** What was done to a session: the names of the changes, in order. */
async function read(history: History): Promise<string[]> {
  const image = await history.read();
  const [entry] = image ? [...image.batches()].flatMap(decodeEntries) : [];
  return entry?.bytes ? JSON.parse(new TextDecoder().decode(entry.bytes)) : [];
}

/** A server that changes the session whenever it has it. */
class Competitor {
  changes = 0;
  /** Every state that was said to be stored. */
  readonly acknowledged: string[][] = [];
  #wanted = false;

  constructor(readonly name: string, readonly network: ValkeyProxy, readonly store: ValkeyStore) {
    store.owner = { wanted: () => this.#wanted = true, lost: () => {}, available: () => {} };
  }

  async compete(done: AbortSignal): Promise<void> {
    while (!done.aborted) {
      try {
        await this.#turn(await openHistory(this.store), done);
      } catch (error) {
        if (!(error instanceof SessionTaken || error instanceof StoreUnavailable)) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve)); // others are in the same process
    }
  }

  async #turn(history: History, done: AbortSignal): Promise<void> {
    this.#wanted = false;
    try {
      const state = await read(history);
      for (let n = 0; n < TURN && !this.#wanted && !done.aborted && !history.place.lost; n++) {
        state.push(`${this.name}${this.changes++}`);
        await history.append(BASES, [text(1, JSON.stringify(state))]);
        if (history.notDurable === undefined) this.acknowledged.push([...state]);
      }
    } finally {
      await history.release();
    }
  }
}

Deno.test({
  name: `nothing that was acknowledged is lost or undone, whatever is cut and killed${VALKEY_MISSING}`,
  ignore: NO_VALKEY,
  async fn() {
    await using resources = new AsyncDisposableStack();
    const valkey = resources.use(await ValkeyServer.start());
    const servers: Competitor[] = [];
    for (let n = 0; n < SERVERS; n++) {
      const network = resources.use(new ValkeyProxy(valkey.port));
      servers.push(new Competitor("abc"[n]!, network, resources.use(await openStore(network.url))));
    }
    const done = new AbortController();
    const competing = Promise.all(servers.map((server) => server.compete(done.signal)));
    const progress = async (by: readonly Competitor[]) => {
      const count = () => by.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0);
      const before = count();
      await eventually("others go on", () => count() >= before + PROGRESS);
    };
    for (let round = 0; round < ROUNDS; round++) {
      const cut = servers[round % SERVERS]!;
      // In turns: for a while, so that what it sent arrives late; all but new connections; Valkey itself.
      if (round % 4 === 3) {
        await valkey.kill();
        await valkey.run();
        await progress(servers);
      } else {
        cut.network.cut({ all: round % 2 === 0 });
        await progress(servers.filter((server) => server !== cut));
        cut.network.heal();
      }
    }
    done.abort();
    await competing;

    await using last = await openStore(valkey.url);
    const end = await read(await openHistory(last));
    for (const state of servers.flatMap(({ acknowledged }) => acknowledged)) {
      assert.deepEqual(end.slice(0, state.length), state);
    }
    assert.equal(new Set(end).size, end.length);
    assert.ok(end.length > 0); // who gets a turn is chance
  },
});
