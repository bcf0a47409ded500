/** How soon an executor computes as fast as it ever will: its engine optimises what it has seen. */

import { TestServer } from "../../tests/support/harness.ts";
import type { Subject } from "./calls.ts";
import { definitions } from "./programs.ts";
import { geometricMean, type Row, sample } from "./stats.ts";

/** Runs of each program, one after another, of which the last few say what it comes to. */
const RUNS = 100;
const SETTLED = 10;
/** What an executor that is idle runs for itself has ended by then. */
const IDLE_MS = 8000;

const TIMED = `
import time
def timed(program):
    begun = time.perf_counter()
    program()
    return time.perf_counter() - begun
`;

/** Each program in an executor of its own that has run nothing before, and in one that has had time to prepare. */
export async function warmUp(subject: Subject): Promise<Row[]> {
  const names: string[] = await inNewExecutor(subject, 0, "[p.__name__ for p in PROGRAMS]");
  return [...await slowness(subject, names, 0), ...await slowness(subject, names, IDLE_MS)];
}

async function slowness(subject: Subject, names: readonly string[], idleMs: number): Promise<Row[]> {
  const ratios = new Map<string, readonly [number, number]>();
  for (const name of names) {
    const times: number[] = await inNewExecutor(subject, idleMs, `[timed(${name}) for _ in range(${RUNS})]`);
    const settled = sample(times.slice(-SETTLED)).median;
    ratios.set(name, [times[0]! / settled, times[1]! / settled]);
  }
  const [first, second] = [0, 1].map((run) => [...ratios.values()].map((both) => both[run]!));
  const slowest = [...ratios].reduce((a, b) => b[1][1] > a[1][1] ? b : a);
  const since = idleMs === 0 ? "called at once" : `called after ${idleMs / 1000} s`;
  return [
    {
      what:
        `CPU: a program's second run in a new executor that is ${since}, against its ${RUNS}th, mean of ${names.length} programs`,
      value: { ...sample(second!), median: geometricMean(second!) },
      unit: "×",
      goal: 1.2,
    },
    { what: `… of ${slowest[0]}, the slowest`, value: sample([slowest[1][1]]), unit: "×" },
    {
      what: "… a program's first run, likewise",
      value: { ...sample(first!), median: geometricMean(first!) },
      unit: "×",
    },
  ];
}

/** What an expression comes to beside the programs, in an executor that nobody has asked for anything before. */
async function inNewExecutor<Value>(subject: Subject, idleMs: number, expression: string): Promise<Value> {
  await using server = await TestServer.start(subject.server);
  await new Promise((resolve) => setTimeout(resolve, idleMs));
  const code = `${await definitions()}\n${TIMED}\nprint(json.dumps(${expression}))`;
  const reply = await server.python(code, { timeout: 120 });
  if (reply.status !== "completed") throw new Error(JSON.stringify(reply));
  return JSON.parse(reply.stdout);
}
