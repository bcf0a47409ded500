/** What a caller is told when a session came back from its image without all of its parts. */

import type { PartLoss } from "../image/part.ts";
import type { Loss } from "./loss.ts";

/** Parts in the caller's words; any other is called by its name. */
const WORDS: Readonly<Record<string, string>> = {
  files: "files",
  python: "Python variables",
  javascript: "JavaScript variables",
  shell: "shell variables and functions",
  clock: "clock and random numbers",
  unknown: "state of a kind that is not known here",
};

/** Without it a session starts anew in nothing that programs keep. */
const CLOCK = "clock";

/** @param parts At least one. */
export function lossOf(parts: readonly PartLoss[]): Loss {
  const sentences = parts.map(({ part, whole, reason }) => {
    const what = `The session's ${WORDS[part] ?? part}`;
    return whole ? `${what} could not be brought back: ${reason}.` : `${what} came back without ${reason}.`;
  });
  const reset = parts.some(({ part, whole }) => whole && part !== CLOCK);
  return {
    state: reset ? "reset" : "rolled_back",
    notice: [...sentences, "The rest of the session is kept."].join(" "),
  };
}
