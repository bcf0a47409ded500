/** Servers that share a Valkey: what one and two of them do, and what a session's way from one to the other takes. */

import type { TestServer } from "../../tests/support/harness.ts";
import { NO_VALKEY } from "../../tests/support/valkey_server.ts";
import { ValkeyServers } from "../../tests/support/valkey_servers.ts";
import { type Row, sample, timed } from "./stats.ts";

const SESSIONS = 8;
const ROUNDS = 5;
const ROUND_MS = 2000;
const MOVES = 40;

/** Calls in a second, each session's one after another. @param serverOf Which has a session. */
async function throughput(serverOf: (session: number) => TestServer): Promise<number> {
  let calls = 0;
  const end = performance.now() + ROUND_MS;
  await Promise.all(Array.from({ length: SESSIONS }, async (_, session) => {
    const args = { session_id: `s${session}` };
    while (performance.now() < end) {
      const { error } = await serverOf(session).python("x = 1", args);
      if (error) throw new Error(error.message);
      calls++;
    }
  }));
  return calls / ROUND_MS * 1000;
}

async function moves(from: TestServer, to: TestServer): Promise<number[]> {
  const times: number[] = [];
  for (let move = 0; move < MOVES; move++) {
    const server = move % 2 === 0 ? to : from;
    times.push(await timed(() => server.python("x", { session_id: "s0" })));
  }
  return times;
}

export async function sharedStore(): Promise<Row[]> {
  if (NO_VALKEY) {
    console.error("bench: there is no valkey-server nor redis-server: nothing of a shared store is measured");
    return [];
  }
  await using servers = await ValkeyServers.make();
  const [first, second] = await Promise.all([servers.start(), servers.start()]);
  const one: number[] = [];
  const two: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    // The first of each kind brings the sessions where they are to be.
    for (
      const [rates, serverOf] of [
        [one, () => first],
        [two, (session: number) => session % 2 === 0 ? first : second],
      ] as const
    ) {
      await Promise.all(
        Array.from({ length: SESSIONS }, (_, n) => serverOf(n).python("x = 1", { session_id: `s${n}` })),
      );
      rates.push(await throughput(serverOf));
    }
  }
  const times = await moves(first, second);
  return [
    { what: `warm calls of ${SESSIONS} sessions in a Valkey, one server`, value: sample(one), unit: "/s" },
    { what: "… two servers on the same processors", value: sample(two), unit: "/s" },
    { what: "a session goes to the other server with a call", value: sample(times), unit: "ms" },
  ];
}
