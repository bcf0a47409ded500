/** How soon an executor computes as fast as it ever will: its engine optimises what it has seen. */

import { TestServer } from "../../tests/support/harness.ts";
import type { Subject } from "./calls.ts";
import { definitions } from "./programs.ts";
import { geometricMean, type Row, sample } from "./stats.ts";

/** Runs of each program, one after another, of which the last few say what it comes to. */
const RUNS = 100;
const SETTLED = 10;

const TIMED = `
import time
def timed(program):
    begun = time.perf_counter()
    program()
    return time.perf_counter() - begun
`;

/** Each program in an executor of its own that has run nothing before. */
export async function warmUp(subject: Subject): Promise<Row[]> {
  const names: string[] = await inNewExecutor(subject, "[p.__name__ for p in PROGRAMS]");
  const ratios = new Map<string, readonly [number, number]>();
  for (const name of names) {
    const times: number[] = await inNewExecutor(
      subject,
      `[timed(${name}) for _ in range(${RUNS})]`,
    );
    const settled = sample(times.slice(-SETTLED)).median;
    ratios.set(name, [times[0]! / settled, times[1]! / settled]);
  }
  const [first, second] = [0, 1].map((run) => [...ratios.values()].map((both) => both[run]!));
  const slowest = [...ratios].reduce((a, b) => b[1][1] > a[1][1] ? b : a);
  return [
    {
      what:
        `CPU: a program's second run in a new executor, against its ${RUNS}th, mean of ${names.length} programs`,
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

/** What an expression comes to beside the programs, in an executor that has run nothing before. */
async function inNewExecutor<Value>(subject: Subject, expression: string): Promise<Value> {
  await using server = await TestServer.start(subject.server);
  const code = `${await definitions()}\n${TIMED}\nprint(json.dumps(${expression}))`;
  const reply = await server.python(code, { timeout: 120 });
  if (reply.status !== "completed") throw new Error(JSON.stringify(reply));
  return JSON.parse(reply.stdout);
}
