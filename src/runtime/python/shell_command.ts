/** What programs have the session's shell do. */

import { quoted } from "../shell/quoted.ts";
import type { Waiting } from "./answer.ts";

/** The host call by which a program has a script run while it waits; see `../script_request.ts`. */
export const SHELL_RUN = "shell.run";

/** What a program is told that waits for a shell where there is none. */
export const NO_SHELL = 'shell commands can\'t be run from here: use execute_code with language="shell"';

/** What it is told whose command printed more than can be handed over. */
export const TOO_MUCH_OUTPUT =
  "the command printed more than a program can take over: let it write to a file, and read that";

/**
 * The script that runs a program's command: where the program is, with what it has put into its environment, and in a
 * subshell, so that the session's own shell stays as it is.
 */
export function scriptOf({ command, cwd, environ }: Waiting): string {
  const exports = Object.entries(environ)
    .filter(([name]) => /^[A-Za-z_]\w*$/.test(name))
    .map(([name, value]) => `export ${name}=${quoted(value)}`);
  return ["(", `cd ${quoted(cwd)}`, ...exports, command, ")"].join("\n");
}
