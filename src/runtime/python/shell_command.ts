/** What programs have the session's shell do. */

import * as z from "zod/mini";
import { HostCallError, type ShellCommandOutcome } from "../runtime.ts";
import { quoted } from "../shell/quoted.ts";
import type { Waiting } from "./answer.ts";

/** The host call by which a program has a script run while it waits; the answer is {@link ScriptAnswer}. */
export const SHELL_RUN = "shell.run";
const scriptRequest = z.object({
  script: z.string(),
  /** Files that take what it prints; what has none is shown as the program's own. */
  files: z.object({ stdout: z.optional(z.string()), stderr: z.optional(z.string()) }),
  /** Seconds. */
  timeout: z.optional(z.number()),
});

/** @throws {HostCallError} if it is anything else. */
export function parseScriptRequest(bytes: Uint8Array): z.infer<typeof scriptRequest> {
  try {
    return scriptRequest.parse(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    throw new HostCallError("the request is invalid");
  }
}

export interface ScriptAnswer {
  readonly ending: ShellCommandOutcome["ending"];
  readonly exit_code: number;
  /** Whether the files have all that it printed. */
  readonly complete: boolean;
}

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
