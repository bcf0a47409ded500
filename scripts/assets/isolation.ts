/** Ends the programs of a build together with the build. */

import { tryRun } from "./process.ts";

const PREFIX = ["setpriv", "--pdeathsig", "KILL", "unshare", "--mount", "--pid", "--fork", "--kill-child"];

/**
 * What to put before a command so that it and all it starts die with us, and mounts it makes vanish with it; empty
 * where namespaces can't be had (in most containers).
 */
export async function isolation(): Promise<readonly string[]> {
  return await tryRun([...PREFIX, "true"]) === undefined ? [] : PREFIX;
}
