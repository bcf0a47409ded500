/** A random sequence of programs, the same for the same seed. */

import type { HeapLanguage } from "./session.ts";
import { KINDS } from "./objects.ts";

export interface Step {
  readonly language: HeapLanguage;
  readonly code: string;
}

export function randomSteps(seed: number, count: number): Step[] {
  let state = seed >>> 0;
  const below = (limit: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor(state / 2 ** 32 * limit);
  };
  const made = new Set<number>();
  return Array.from({ length: count }, () => {
    const index = below(KINDS.length);
    const { language, make, use } = KINDS[index]!;
    if (!made.has(index)) {
      made.add(index);
      return { language, code: make };
    }
    const code = use[below(use.length)]!.replaceAll("$n", String(1 + below(9)));
    return { language, code };
  });
}
