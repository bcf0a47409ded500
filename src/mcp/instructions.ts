/** What a model is told about the server as a whole, for the tools that there are. */

import type { ToolSettings } from "../config/tool_settings.ts";
import type { Tool } from "./tool.ts";

const GENERAL = [
  "wasmbox runs Python, JavaScript, TypeScript and shell in an isolated sandbox without access to the host. State stays: variables, functions and files (in /app) " +
  "of one call are there in the next call of the same session.",
];

/** A line for each tool that needs more than its description; in the order in which they are told. */
const BY_TOOL: readonly (readonly [tool: string, line: string])[] = [
  [
    "execute_code",
    "Use execute_code to compute, to work on data and to test code. The value of a last expression comes back as `result`: " +
    "no print is needed. `status` says how the run ended and `state` what became of the variables; `error` says what to do.",
  ],
  ["execute_command", "Use execute_command for shell commands over the session's files."],
  [
    "write_file",
    "Use write_file and read_file for files of the session, rather than printing or pasting them in code.",
  ],
  [
    "execute_code",
    "In Python numpy, pandas, matplotlib, Pillow and lxml can be imported, unless this build was made without them. " +
    "plt.show() shows a chart, display(chart) one of pygal.",
  ],
  [
    "install_package",
    "list_packages shows what can be imported. Well-known Python packages are installed when a program imports them, " +
    "where the server allows it; install_package gets others.",
  ],
  [
    "cancel_execution",
    "A call that takes too long can be stopped with cancel_execution; its variables are kept.",
  ],
];

const IMPLICIT =
  "Without session_id everything happens in your default session (on stateless connections: in a new one, " +
  "whose id is in the reply); give a session_id to keep tasks apart.";
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
