/** Progress of the build, on stderr: a server's stdout carries protocol only. */

import { duration, type Step } from "./steps.ts";

const encoder = new TextEncoder();
/** The steps of the build that is under way. */
let plan: readonly Step[] = [];
/** The one whose line is the last, and waits for its end. */
let open: Step | undefined;

function print(text: string): void {
  Deno.stderr.writeSync(encoder.encode(text));
}

/** Begins a line, also where the one before is that of a step that is not done yet. */
function begin(text: string): void {
  print(`${open ? "\n" : ""}assets: ${text}`);
  open = undefined;
}

/** Prints one line of its own. */
export function note(text: string): void {
  begin(`${text}\n`);
}

/** Says how a step ended: on its line, or, if others came after that, on one of its own. */
function end(step: Step, how: string): void {
  if (open !== step) begin(`${step.what} … `);
  print(`${how}\n`);
  open = undefined;
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
  begin(`${count}${step.what}${about} … `);
  open = step;
  try {
    const result = await run();
    const seconds = (performance.now() - start) / 1000;
    end(step, `${seconds < 10 ? seconds.toFixed(1) : seconds.toFixed(0)} s`);
    return result;
  } catch (error) {
    end(step, "failed");
    throw error;
  }
}
