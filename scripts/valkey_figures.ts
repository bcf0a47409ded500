/**
 * Writes docs/measured/VALKEY.md: what a store in Valkey costs, with a real one on this machine. Needs the permissions of
 * `deno task bench`, and Debian's valkey-server or redis-server; measures the executable that WASMBOX_EXECUTABLE names.
 */

import { TestServer } from "../tests/support/harness.ts";
import { ValkeyServers } from "../tests/support/valkey_servers.ts";
import { writeMeasured } from "./measured.ts";

const CALLS = 60;
const SESSIONS = 100;
/** Of the first run of a session, and what it starts. */
const WARM_UP = 5;
const BIG = "import os\nbig = os.urandom(10_000_000)";

interface Row {
  readonly what: string;
  /** Sorted. */
  readonly values: readonly number[];
  readonly unit: string;
}

const rows: Row[] = [];

function add(what: string, values: readonly number[], unit: string): void {
  rows.push({ what, values: [...values].sort((a, b) => a - b), unit });
}

async function timed(calls: number, call: (at: number) => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let at = 0; at < calls + WARM_UP; at++) {
    const started = performance.now();
    await call(at);
    if (at >= WARM_UP) times.push(performance.now() - started);
  }
  return times;
}

async function usedMemory({ valkey }: ValkeyServers): Promise<number> {
  return Number(/^used_memory:(\d+)/m.exec(await valkey.ask("INFO memory"))?.[1]);
}

/** What servers have sent: scripts, and what goes beside them. */
async function requests({ valkey }: ValkeyServers): Promise<number> {
  const stats = await valkey.ask("INFO commandstats");
  return [...stats.matchAll(/^cmdstat_(?:eval|set|getrange):calls=(\d+)/gm)].reduce(
    (sum, [, n]) => sum + Number(n),
    0,
  );
}

{
  await using server = await TestServer.start();
  add(
    "`x = 1`, sessions in the server's memory",
    await timed(CALLS, (at) => server.python(`x = ${at}`)),
    "ms",
  );
}
for (const appendfsync of ["everysec", "always"]) {
  await using servers = await ValkeyServers.make("--appendfsync", appendfsync);
  const server = await servers.start();
  const times = await timed(CALLS, (at) => server.python(`x = ${at}`));
  add(`… in Valkey, \`appendfsync ${appendfsync}\`: the reply waits until it has them`, times, "ms");
}
{
  await using servers = await ValkeyServers.make("--appendfsync", "everysec");
  const both = [await servers.start(), await servers.start()];
  const times = await timed(CALLS, (at) => both[at % 2]!.python(`x = ${at}`));
  add("… at the other of two servers each time: the session is handed over", times, "ms");
  const before = await requests(servers);
  for (let at = 0; at < CALLS; at++) await both[0]!.python(`x = ${at}`);
  add("requests to Valkey for a call at the same server", [(await requests(servers) - before) / CALLS], "");
  await both[0]!.python(BIG);
  const bigTimes = await timed(10, async (at) => {
    await both[at % 2]!.python(`x = ${at}`);
  });
  add("hand-over of a session with 10 MB that can't be compressed", bigTimes, "ms");
  add(
    "`big = os.urandom(10_000_000)`, until Valkey has it",
    await timed(5, () => both[0]!.python(BIG)),
    "ms",
  );
}
{
  await using servers = await ValkeyServers.make("--appendfsync", "everysec");
  const server = await servers.start();
  const empty = await usedMemory(servers);
  for (let at = 0; at < SESSIONS; at++) await server.python("x = 1", { session_id: `s${at}` });
  const small = (await usedMemory(servers) - empty) / SESSIONS / 1000;
  add("Valkey's memory for a session with `x = 1`", [small], "KB");
  for (let run = 0; run < 20; run++) {
    for (let at = 0; at < SESSIONS / 10; at++) {
      await server.python(`x${run} = ${run}`, { session_id: `s${at}` });
    }
  }
  const after = (await usedMemory(servers) - empty - small * 1000 * 0.9 * SESSIONS) /
    (SESSIONS / 10) / 1000;
  add("… after 20 more runs, with what can be undone", [after], "KB");
}

const shown = (value: number, unit: string) => `${Number(value.toPrecision(3))}${unit && ` ${unit}`}`;
const lines = rows.map(({ what, values, unit }) => {
  const at = (share: number) =>
    shown(values[Math.min(values.length - 1, Math.floor(values.length * share))]!, unit);
  return `| ${what} | ${at(0.5)} | ${values.length > 1 ? at(0.9) : ""} |`;
});
const table = ["| measured | median | p90 |", "| --- | --- | --- |", ...lines].join("\n");
console.log(table);
await writeMeasured("VALKEY", "scripts/valkey_figures.ts", table);
