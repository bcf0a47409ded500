/** What a model is told about the server as a whole, for the tools that there are. */

import type { ToolSettings } from "../config/tool_settings.ts";
import type { Tool } from "./tool.ts";

const GENERAL = [
  "wasmbox runs Python, JavaScript, TypeScript and shell in an isolated sandbox: no network, no access to the host. " +
  "Variables, functions and files (in /app) stay for the session's next calls.",
];

/** A line for each tool that needs more than its description; in the order in which they are told. */
const BY_TOOL: readonly (readonly [tool: string, line: string])[] = [
  [
    "execute_code",
    "Replies of execute_code: `result` is the last expression's value (no print is needed), `status` says how the run ended, " +
    "`state` what became of the variables, `error` what to do.",
  ],
  [
    "write_file",
    "Use write_file and read_file for files, rather than pasting them in code or printing them.",
  ],
  [
    "install_package",
    "Well-known Python packages are installed when a program imports them, where the server allows it; " +
    "install_package gets others, list_packages shows what is there.",
  ],
  [
    "get_execution",
    "For long work give background: true, and ask get_execution for its output and its end; use another session_id meanwhile.",
  ],
  ["cancel_execution", "cancel_execution stops a call that takes too long; its variables are kept."],
];

const IMPLICIT =
  "Without session_id calls share your default session (on stateless connections each gets a new one, named in the reply); " +
  "a session_id keeps tasks apart.";
const EXPLICIT =
  "Call create_session first, and give its session_id with every call: this server makes no sessions by itself.";

export function instructionsFor(tools: readonly Tool[], { requireSession }: ToolSettings): string {
  const names = new Set(tools.map((tool) => tool.name));
  return [
    ...GENERAL,
    requireSession ? EXPLICIT : IMPLICIT,
    ...BY_TOOL.filter(([tool]) => names.has(tool)).map(([, line]) => line),
  ].join("\n");
}
