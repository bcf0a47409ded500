/** The commands that just-bash lacks, or has otherwise. */

import type { Command } from "../just_bash.ts";
import type { Tools } from "./tools.ts";

export function commandTable(_tools: Tools): Command[] {
  return [];
}
