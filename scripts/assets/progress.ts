/** Progress of the build, on stderr: a server's stdout carries protocol only. */

import { duration, type Step } from "./steps.ts";

const encoder = new TextEncoder();
/** The steps of the build that is under way. */
let plan: readonly Step[] = [];

function print(text: string): void {
  Deno.stderr.writeSync(encoder.encode(text));
}

/** Prints one line of its own. */
export function note(text: string): void {
  print(`assets: ${text}\n`);
}

/** Tells {@link step} which steps there are: it counts them from now on, and says how long each will take. */
export function announce(steps: readonly Step[]): void {
  plan = steps;
}

/** Runs one step, with a line that says what it is and, once it has ended, the time it took. */
export async function step<T>(step: Step, run: () => Promise<T>): Promise<T> {
  const start = performance.now();
  const at = plan.indexOf(step);
  const count = at < 0 ? "" : `step ${at + 1} of ${plan.length}, `;
  const about = step.seconds === undefined ? "" : `, about ${duration(step.seconds)}`;
  print(`assets: ${count}${step.what}${about} … `);
  try {
    const result = await run();
    const seconds = (performance.now() - start) / 1000;
    print(`${seconds < 10 ? seconds.toFixed(1) : seconds.toFixed(0)} s\n`);
    return result;
  } catch (error) {
    print("failed\n");
    throw error;
  }
}
