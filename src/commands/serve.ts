/** What both ways of serving share: flags, and mistakes in the configuration. */

import { loadPolicy } from "../config/load.ts";
import type { Policy } from "../config/limits.ts";
import { ConfigError } from "../config/policy.ts";

/** Flags of `serve`, as given on the command line. */
export interface ServeFlags {
  readonly policy?: string | undefined;
  readonly http?: boolean | undefined;
  readonly host?: string | undefined;
  readonly port?: string | undefined;
  readonly "token-file"?: string | undefined;
  readonly "allow-unauthenticated"?: boolean | undefined;
}

/**
 * Loads the policy and serves under it.
 *
 * @param executor A process that was started ahead.
 * @returns The exit code: 2 if the configuration has mistakes, which stderr tells.
 */
export async function serveUnderPolicy(
  flags: ServeFlags,
  executor: Deno.ChildProcess,
  serve: (policy: Policy) => Promise<void>,
): Promise<number> {
  try {
    await serve(await loadPolicy(flags.policy));
    return 0;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    executor.kill("SIGKILL");
    return 2;
  }
}
