/** Programs in Python, each a test by its name, and what they print: as elsewhere. */

import { deepEqual, equal, match } from "node:assert/strict";
import { VirtualClock } from "../../src/control/guest_clock.ts";
import { errorOf, Session } from "./python_harness.ts";

/** `prints` is a pattern if it begins with `^`. Where it depends on who is slower, time is what the programs do. */
export type Program = readonly [what: string, code: string, prints: string, clock?: "virtual"];

export function testPrograms(programs: readonly Program[]): void {
  for (const [what, code, prints, clock] of programs) {
    Deno.test(what, async () => {
      const outcome = await new Session(clock && { clock: (cell) => new VirtualClock(cell) }).run(code);
      equal(errorOf(outcome)?.traceback, undefined);
      if (prints.startsWith("^")) match(outcome.stdout, new RegExp(prints));
      else deepEqual([outcome.stdout, outcome.stderr], [prints, ""]);
    });
  }
}
