/** Other systems' names for tools that do the same here. */

import type { Tool } from "../../tool.ts";

/** Name there, title, and name here. */
const ALIASES = [
  ["stop_session", "Stop a session", "destroy_session"],
  ["get_active_sessions", "Get active sessions", "list_sessions"],
  ["list_available_packages", "List available packages", "list_packages"],
] as const;

/** Those of tools that there are. */
export function aliasesOf(tools: readonly Tool[]): Tool[] {
  return ALIASES.flatMap(([name, title, of]) => {
    const tool = tools.find((tool) => tool.name === of);
    return tool ? [{ ...tool, name, title, description: `The same as ${of}. ${tool.description}` }] : [];
  });
}
