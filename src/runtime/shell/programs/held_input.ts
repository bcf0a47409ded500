/** The input of a program that can't wait where it reads. */

import type { Steps } from "../../steps.ts";
import type { SpawnRequest, Surroundings } from "./program.ts";
import type { StandardInput } from "./standard_input.ts";

/** Arguments by which programs are told to read their input. */
const READS_INPUT = /(^|[=@])-$/;

/**
 * All of it, before the program begins. Of a pipe whose end may never come, what comes at once, or all if the program is told to
 * read it.
 *
 * @param goesOn Whether the program can have the rest of such a pipe as it comes.
 */
export function* heldInput(
  { host: { clock } }: Surroundings,
  { fiber, leftOpen, stdin, args }: SpawnRequest,
  goesOn: boolean,
): Steps<StandardInput> {
  if (!fiber) return stdin;
  if (!leftOpen || !goesOn && args.some((arg) => READS_INPUT.test(arg))) return yield* stdin.held();
  return yield* stdin.gathered(function* (ms) {
    fiber.wantInput(false);
    yield { ms, clock };
  }, goesOn);
}
