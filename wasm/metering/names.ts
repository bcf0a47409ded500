import { MeteringError } from "./error.ts";
import type { Sections } from "./sections.ts";

const FUNCTION_NAMES = 1;

/** The name of a function in the name section (spec §7.4.1), which is there for debugging and may be anything. */
export function functionName(sections: Sections, index: number): string | undefined {
  const names = sections.openNames();
  if (!names) return undefined;
  try {
    while (!names.done) {
      const subsection = names.byte();
      const content = names.sized();
      if (subsection !== FUNCTION_NAMES) continue;
      for (let left = content.u32(); left > 0; left--) {
        const named = content.u32();
        const name = content.name();
        if (named === index) return name;
      }
    }
  } catch (error) {
    if (!(error instanceof MeteringError)) throw error;
  }
  return undefined;
}
