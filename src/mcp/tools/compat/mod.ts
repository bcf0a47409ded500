/** The profile "compat": the tools and parameters of other systems, over the functions of the default profile. */

import type { Tool } from "../../tool.ts";
import { aliasesOf } from "./aliases.ts";
import { getMetrics } from "./get_metrics.ts";
import { getSessions } from "./get_sessions.ts";
import { getVolumePath } from "./get_volume_path.ts";
import { withTemplateAndFlavor } from "./parameters.ts";
import { resetAllSessions } from "./reset_all_sessions.ts";

/** Tools that make sessions, and so can be told of what kind. */
const MAKES_SESSIONS = ["execute_code", "execute_command", "create_session"];

const HANDLERS =
  "A `handler(event)` or `handler(event, context)` that the code defines is called, with an empty event if none is given.";

/** @param tools Of the default profile. */
export function compatTools(tools: readonly Tool[]): readonly Tool[] {
  return [
    ...tools.map(callingHandlers).map((tool) =>
      MAKES_SESSIONS.includes(tool.name) ? withTemplateAndFlavor(tool) : tool
    ),
    getSessions,
    ...aliasesOf(tools),
    resetAllSessions,
    getVolumePath,
    getMetrics,
  ];
}

/** Says what execute_code does under this profile. */
function callingHandlers(tool: Tool): Tool {
  return tool.name === "execute_code" ? { ...tool, description: `${tool.description} ${HANDLERS}` } : tool;
}
