/** How soon an executor computes as fast as it ever will: its engine optimises what it has seen. */

import { TestServer } from "../../tests/support/harness.ts";
import type { Subject } from "./calls.ts";
import { definitions } from "./programs.ts";
import { geometricMean, type Row, sample } from "./stats.ts";

/** Runs of each program, one after another, of which the last few say what it comes to. */
const RUNS = 100;
const SETTLED = 10;

/** Each program in an executor of its own that has run nothing before. */
export async function warmUp(subject: Subject): Promise<Row[]> {
  const code = await definitions();
  const names: string[] = JSON.parse(await inNewExecutor(subject, code, "[p.__name__ for p in PROGRAMS]"));
  const ratios = new Map<string, readonly [number, number]>();
  for (const name of names) {
    const times: number[] = JSON.parse(
      await inNewExecutor(
        subject,
        code,
        `import time
times = []
for _ in range(${RUNS}):
    begun = time.perf_counter()
    ${name}()
    times.append(time.perf_counter() - begun)
times`,
      ),
    );
    const settled = sample(times.slice(-SETTLED)).median;
    ratios.set(name, [times[0]! / settled, times[1]! / settled]);
  }
  const [first, second] = [0, 1].map((run) => [...ratios.values()].map((both) => both[run]!));
  const slowest = [...ratios].reduce((a, b) => b[1][1] > a[1][1] ? b : a);
  return [
    {
      what:
        `CPU: a program's second run in a new executor, against its ${RUNS}th, of ${names.length} programs`,
      value: { ...sample(second!), median: geometricMean(second!) },
      unit: "×",
      goal: 1.2,
    },
    { what: `… of ${slowest[0]}, the slowest`, value: sample([slowest[1][1]]), unit: "×" },
    {
      what: "… a program's first run",
      value: { ...sample(first!), median: geometricMean(first!) },
      unit: "×",
    },
  ];
}

/** @returns The last expression's value, a list, as JSON. */
async function inNewExecutor(subject: Subject, definitions: string, code: string): Promise<string> {
  await using server = await TestServer.start(subject.server);
  const reply = await server.python(`${definitions}\n${code}`, { timeout: 120 });
  if (reply.status !== "completed") throw new Error(JSON.stringify(reply));
  return (reply.result ?? "").replaceAll("'", '"');
}
