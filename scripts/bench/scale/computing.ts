/** Many sessions that compute at once: what they do together, how evenly, and who waits beside them. */

import type { TestServer } from "../../../tests/support/harness.ts";
import { type Row, type Sample, sample, timed } from "../stats.ts";
import { MOST_SESSIONS, SESSIONS_RAISED, type Start } from "./limits.ts";
import { native, WORK } from "./work.ts";

/** How many compute at once, and for how many seconds: a thread among hundreds gets its turn seldom. */
const CROWDS: readonly (readonly [number, number])[] = [[1, 3], [8, 4], [64, 8], [MOST_SESSIONS, 16]];
/** Until they begin, in seconds: by then all calls have arrived, and each session has a Worker of its own. */
const LEAD_IN = 1;
const LEAD_IN_EACH = 0.15;
/** What throughput is compared with: enough for all processors. */
const FULL = 8;
const CPU_BOUND = 8;
const SMALL_CALLS = 300;
/** Sessions that take turns, and for how long, with the limits that servers have. */
const QUEUED = { sessions: 64, ms: 6000, work: 2000 };

export interface Crowd {
  readonly sessions: number;
  /** Units of work a second, of all together. */
  readonly throughput: number;
  /** Work of the session that did most, against the one that did least. */
  readonly spread: number;
  /** Until each of the sessions had a Worker of its own, from the calls on, ms. */
  readonly begun: Sample;
}

/** Runs a program that must succeed. @returns Its last expression's value. */
export async function ran(server: TestServer, session_id: string, code: string): Promise<string> {
  const reply = await server.python(code, { session_id });
  if (reply.status !== "completed") throw new Error(`${session_id}: ${JSON.stringify(reply)}`);
  return reply.result ?? "";
}

function shareOf(counts: readonly number[], seconds: number): Omit<Crowd, "begun"> {
  const { min, max } = sample(counts);
  const all = counts.reduce((sum, count) => sum + count, 0);
  return { sessions: counts.length, throughput: all / seconds, spread: max / Math.max(min, 1) };
}

/** @param server With this many sessions by the names s0, s1 … */
export async function crowds(server: TestServer): Promise<Crowd[]> {
  const all: Crowd[] = [];
  for (let i = 0; i < MOST_SESSIONS; i++) await ran(server, `s${i}`, WORK);
  for (const [sessions, seconds] of CROWDS) {
    const called = Date.now() / 1000;
    const begin = called + LEAD_IN + sessions * LEAD_IN_EACH;
    const code = `[time.time() - ${called}, compete(${begin}, ${seconds})]`;
    const told = await Promise.all(Array.from({ length: sessions }, (_, i) => ran(server, `s${i}`, code)));
    const [begun, counts] = [0, 1].map((at) => told.map((result) => JSON.parse(result)[at]));
    all.push({ ...shareOf(counts!, seconds), begun: sample(begun!.map((s) => s * 1000)) });
  }
  return all;
}

/** Sessions whose calls wait for one another, as many at a time as a client may have running by default. */
async function queued(start: Start): Promise<Omit<Crowd, "begun">> {
  await using server = await start(SESSIONS_RAISED);
  const { sessions, ms, work } = QUEUED;
  const names = Array.from({ length: sessions }, (_, i) => `q${i}`);
  for (const name of names) await ran(server, name, WORK);
  const end = performance.now() + ms;
  const counts = await Promise.all(names.map(async (name) => {
    let calls = 0;
    for (; performance.now() < end; calls++) await ran(server, name, `work(${work / 100})`);
    return calls;
  }));
  return shareOf(counts, ms / 1000);
}

/** Calls of one session while others compute. @returns Milliseconds. */
async function besideOthers(start: Start): Promise<number[]> {
  const server = await start();
  const running: Promise<unknown>[] = [];
  try {
    for (let i = 0; i < CPU_BOUND; i++) {
      const { reply } = await server.begin("python", "print('up')\nwhile True: pass", {
        session_id: `busy${i}`,
      });
      running.push(reply.catch(() => {}));
    }
    const times: number[] = [];
    for (let i = 0; i < SMALL_CALLS + 20; i++) {
      const ms = await timed(() => ran(server, "small", "1 + 1"));
      if (i >= 20) times.push(ms);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return times;
  } finally {
    await server.call("cancel_execution").catch(() => {});
    for (let i = 0; i < CPU_BOUND; i++) {
      await server.call("cancel_execution", { session_id: `busy${i}` }).catch(() => {});
    }
    await Promise.all(running);
    await server[Symbol.asyncDispose]();
  }
}

/** The same by native processes: how evenly the machine itself shares its processors. Nothing without python3. */
async function nativeRows(): Promise<Row[]> {
  const [sessions, seconds] = [64, 8];
  const begin = Date.now() / 1000 + 4 * LEAD_IN + 2 * sessions * LEAD_IN_EACH; // they start first
  const counts = await native(sessions, begin, seconds);
  if (!counts) return [];
  const value = sample([shareOf(counts, seconds).spread]);
  return [{ what: `${sessions} native processes computing at once: likewise`, value, unit: "×" }];
}

export function crowdRows(all: readonly Crowd[]): Row[] {
  const full = all.find(({ sessions }) => sessions === FULL);
  return all.flatMap(({ sessions, throughput, spread, begun }): Row[] => {
    const what = `${sessions} session${sessions === 1 ? "" : "s"} computing at once`;
    const rows: Row[] = [{ what: `${what}: work`, value: sample([throughput]), unit: "units/s" }];
    if (sessions === 1) return rows;
    rows.push({ what: "… until each had a Worker of its own", value: begun, unit: "ms" });
    rows.push({
      what: "… the session that did most, against the one that did least",
      value: sample([spread]),
      unit: "×",
      goal: 1.1,
    });
    if (full && sessions > FULL) {
      const value = sample([full.throughput / throughput]);
      rows.push({ what: `… ${FULL} sessions' work against theirs`, value, unit: "×", goal: 1.1 });
    }
    return rows;
  });
}

/** What needs servers of its own. */
export async function besides(start: Start): Promise<Row[]> {
  const times = (await besideOthers(start)).sort((a, b) => a - b);
  const p99 = times[Math.floor(times.length * 0.99)] ?? NaN;
  const turns = await queued(start);
  return [
    ...await nativeRows(),
    { what: `\`1 + 1\` beside ${CPU_BOUND} CPU-bound sessions`, value: sample(times), unit: "ms" },
    { what: "… its 99th percentile", value: sample([p99]), unit: "ms", goal: 20 },
    {
      what: `${QUEUED.sessions} sessions that take turns, eight at a time, in calls of some milliseconds`,
      value: sample([turns.throughput]),
      unit: "calls/s",
    },
    {
      what: "… the session with the most calls, against the one with the fewest",
      value: sample([turns.spread]),
      unit: "×",
      goal: 1.1,
    },
  ];
}
