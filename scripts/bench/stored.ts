/** Sessions that a store keeps: what going back, copying, waking and being kept cost. */

import { childrenOf, type Command, residentMegabytes, TestServer } from "../../tests/support/harness.ts";
import { StoredServers } from "../../tests/support/stored_server.ts";
import { type Row, sample, timed } from "./stats.ts";

const RUNS = 9;
const HIBERNATED = 5000;
const LIVE = 50;
const WAKES = 100;
/** A heap of ten million bytes that are not all alike. */
const TEN_MB = "import random\ndata = random.Random(1).randbytes(10_000_000)";

/** Calls a tool that must succeed. @returns Milliseconds. */
function call(server: TestServer, tool: string, args: Record<string, unknown>): Promise<number> {
  return timed(async () => {
    const { isError, text } = await server.call(tool, args);
    if (isError) throw new Error(text);
  });
}

/** What the store has of a session, in bytes. */
async function bytesOf(servers: StoredServers, session: string): Promise<number> {
  let bytes = 0;
  for await (const principal of Deno.readDir(`${servers.path}/sessions`)) {
    const directory = `${servers.path}/sessions/${principal.name}/${session}`;
    for await (const { name } of Deno.readDir(directory)) {
      bytes += (await Deno.stat(`${directory}/${name}`)).size;
    }
  }
  return bytes;
}

async function warmCalls(servers: StoredServers): Promise<Row[]> {
  await using memory = await TestServer.start(servers.server);
  await using stored = await servers.start();
  const times = { memory: [] as number[], stored: [] as number[] };
  for (const server of [memory, stored]) await server.python("x = 1");
  for (let run = 0; run < 8 * RUNS; run++) {
    times.memory.push(await timed(() => memory.python("x = 1")));
    times.stored.push(await timed(() => stored.python("x = 1")));
  }
  await servers.stop(stored);
  return [
    {
      what: "warm execute_code('x = 1') whose reply waits for the disk (fsync)",
      value: sample(times.stored),
      unit: "ms",
    },
    { what: "… of a session in memory, in turns", value: sample(times.memory), unit: "ms" },
  ];
}

async function heavySession(servers: StoredServers): Promise<Row[]> {
  const times: Record<"checkpoint" | "fork" | "first" | "restore" | "back", number[]> = {
    checkpoint: [],
    fork: [],
    first: [],
    restore: [],
    back: [],
  };
  const server = await servers.start();
  await server.python(TEN_MB, { session_id: "heavy" });
  for (let run = 0; run < RUNS; run++) {
    const session_id = "heavy";
    const fork = `fork-${run}`;
    times.checkpoint.push(await call(server, "checkpoint_session", { session_id, name: "c" }));
    times.fork.push(await call(server, "fork_session", { session_id, new_session_id: fork }));
    times.first.push(await timed(() => server.python("len(data)", { session_id: fork })));
    await call(server, "destroy_session", { session_id: fork });
    await server.python("y = 1", { session_id });
    times.restore.push(await call(server, "restore_session", { session_id, checkpoint: "c" }));
    times.back.push(await timed(() => server.python("len(data)", { session_id })));
  }
  await servers.stop(server);
  const woken = await wakes(servers, "heavy", "prepared");
  return [
    { what: "checkpoint of a session with a heap of 10 MB", value: sample(times.checkpoint), unit: "ms" },
    { what: "… a fork of it", value: sample(times.fork), unit: "ms", goal: 20 },
    { what: "… the fork's first result", value: sample(times.first), unit: "ms" },
    { what: "… going back to the checkpoint", value: sample(times.restore), unit: "ms" },
    { what: "… its next result", value: sample(times.back), unit: "ms" },
    {
      what: "… its first result in another server, whose executor is up",
      value: sample(woken),
      unit: "ms",
    },
  ];
}

/** How long a server is left alone until its executor has prepared for a session, ms. */
const PREPARED_MS = 1500;

/**
 * Wakes a session in new servers, each of which has an executor already.
 *
 * @param at Once that executor is prepared for a session, or right after another session has taken what was prepared.
 */
async function wakes(
  servers: StoredServers,
  session_id: string | undefined,
  at: "prepared" | "after another",
): Promise<number[]> {
  const times: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const server = await servers.start();
    if (at === "prepared") await new Promise((resolve) => setTimeout(resolve, PREPARED_MS));
    else await server.python("1", { session_id: "other" });
    times.push(await timed(() => server.python("1", session_id === undefined ? {} : { session_id })));
    await servers.stop(server);
  }
  return times;
}

/** The session that calls on stdio name by no id, which a new server brings back before the first of them. */
async function ownSession(servers: StoredServers): Promise<Row[]> {
  const first = await servers.start();
  await first.python(TEN_MB);
  await servers.stop(first);
  return [{
    what: "a client's own session, of 10 MB: its first result 1.5 s after its next server's start",
    value: sample(await wakes(servers, undefined, "prepared")),
    unit: "ms",
  }];
}

async function smallSessions(servers: StoredServers): Promise<Row[]> {
  const first = await servers.start();
  for (const code of ["x = 1", "def f(n): return n + x", "f(2)"]) {
    await first.python(code, { session_id: "small" });
  }
  await servers.stop(first);
  const bytes = await bytesOf(servers, "small");
  const woken = await wakes(servers, "small", "prepared");
  const second = await wakes(servers, "small", "after another");
  return [
    {
      what: "a hibernated session of three small calls, in the store",
      value: sample([bytes / 1000]),
      unit: "kB",
      goal: 200,
    },
    {
      what: "… its first result in another server, whose executor is up",
      value: sample(woken),
      unit: "ms",
      goal: 60,
    },
    {
      what: "… right after that server's first session, which took the Worker that was ready",
      value: sample(second),
      unit: "ms",
    },
  ];
}

/** Sessions that nobody forked, which hold the same data and the same library. */
async function alikeSessions(servers: StoredServers): Promise<Row[]> {
  const sizes: number[] = [];
  for (const session_id of ["alike-0", "alike-1", "alike-2", "alike-3"]) {
    const before = await takenBy(servers);
    const server = await servers.start();
    await server.python(
      "import random, sympy\nopen('data.bin', 'wb').write(random.Random(1).randbytes(4_000_000))",
      { session_id },
    );
    await servers.stop(server);
    sizes.push((await takenBy(servers) - before) / 1000);
  }
  return [
    {
      what: "a session with sympy imported and 4 MB of data, in the store",
      value: sample(sizes.slice(0, 1)),
      unit: "kB",
    },
    { what: "… another one like it", value: sample(sizes.slice(1)), unit: "kB" },
  ];
}

/** What the store takes on the disk, in bytes; of files with several names once. */
async function takenBy(servers: StoredServers): Promise<number> {
  const { stdout } = await new Deno.Command("du", { args: ["-sb", servers.path] }).output();
  return parseInt(new TextDecoder().decode(stdout)) || 0; // it is made with the first session
}

async function manySessions(servers: StoredServers): Promise<Row[]> {
  const key = "WASMBOX_POLICY_MAX_SESSIONS_PER_CLIENT";
  const usual = Deno.env.get(key);
  Deno.env.set(key, String(LIVE));
  const server = await servers.start();
  await server.python("x = 1", { session_id: "live-0" });
  for (let made = 0; made < HIBERNATED;) {
    const { structured } = await server.call("fork_session", { session_id: "live-0", count: 8 });
    made += (structured["session_ids"] as string[]).length;
  }
  if (usual === undefined) Deno.env.delete(key);
  else Deno.env.set(key, usual);
  const listed = await timed(() => server.call("list_sessions"));
  const sessions = await server.sessions();
  const asleep = sessions.filter(({ state }) => state === "hibernated").slice(0, WAKES);
  const times: number[] = [];
  for (const { session_id } of asleep) times.push(await timed(() => server.python("x", { session_id })));
  const resident = residentMegabytes(server.transport.pid!);
  const executors = childrenOf(server.transport.pid!).map(residentMegabytes);
  const all = executors.reduce((sum, megabytes) => sum + megabytes, resident);
  await servers.stop(server);
  times.sort((a, b) => a - b);
  const late = times[Math.floor(0.99 * times.length)]!;
  return [
    {
      what: `wake beside ${HIBERNATED} hibernated sessions and ${LIVE} live ones, of which one has to go`,
      value: sample(times),
      unit: "ms",
    },
    { what: "… its 99th percentile", value: sample([late]), unit: "ms", goal: 200 },
    { what: "… memory (PSS) of the server process", value: sample([resident]), unit: "MB" },
    { what: `… with that of its ${LIVE} live sessions`, value: sample([all]), unit: "MB", goal: 1500 },
    { what: "… list_sessions", value: sample([listed]), unit: "ms" },
  ];
}

/** @param server What starts wasmbox. */
export async function storedSessions(server: Command): Promise<Row[]> {
  const rows: Row[] = [];
  for (const measure of [warmCalls, heavySession, ownSession, smallSessions, alikeSessions, manySessions]) {
    await using servers = await StoredServers.make({}, {}, server);
    rows.push(...await measure(servers));
  }
  return rows;
}
