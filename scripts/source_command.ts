/** wasmbox from source, for scripts that measure it. */

import type { Command } from "../tests/support/harness.ts";
import { repository } from "./assets/paths.ts";

/** Starts a server over stdio. @param args Further flags of `serve`. */
export function sourceCommand(...args: readonly string[]): Command {
  return {
    command: Deno.execPath(),
    args: [
      "run",
      "--quiet",
      "--no-prompt",
      `--config=${repository}/deno.json`,
      ...["read", "write", "net", "env", "run", "sys"].map((name) => `--allow-${name}`),
      `${repository}/main.ts`,
      "serve",
      "--stdio",
      ...args,
    ],
  };
}
