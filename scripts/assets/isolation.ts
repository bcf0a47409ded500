/** Ends the programs of a build together with the build, however that ends. */

import { run, tryRun } from "./process.ts";

/** The kernel kills the first process of a process namespace when we die, and with it all others in there. */
export const NAMESPACES: readonly string[] = [
  "setpriv",
  "--pdeathsig",
  "KILL",
  "unshare",
  "--mount",
  "--pid",
  "--fork",
  "--kill-child",
];

/** It may be told before it knows what it started. */
const WATCH = `
  job= told=
  stop() { told=1; [ -z "$job" ] || kill -KILL -- "-$job"; }
  trap stop TERM INT HUP
  set -m
  "$@" <&0 & job=$!
  set +m
  [ -z "$told" ] || stop
  wait "$job"
`;

/** Where no namespaces can be had, a shell that is told of our death kills the process group of what it started. */
export const WATCHDOG: readonly string[] = [
  "setpriv",
  "--pdeathsig",
  "TERM",
  "bash",
  "-c",
  WATCH,
  "watchdog",
];

/**
 * What to put before a command so that it and all it starts die with us. With namespaces (nearly everywhere but in
 * containers), mounts it makes vanish too; without, {@link releaseMounts} is for those. Empty where neither can be had.
 */
export async function isolation(): Promise<readonly string[]> {
  for (const prefix of [NAMESPACES, WATCHDOG]) {
    if (await tryRun([...prefix, "true"]) !== undefined) return prefix;
  }
  return [];
}

/**
 * Unmounts whatever is mounted below a directory that is about to be removed: a build that was killed may have left it,
 * and to remove what is in there would be to remove what is in the system.
 *
 * @throws {AssetsError} if something can't be unmounted.
 */
export async function releaseMounts(directory: string): Promise<void> {
  const real = await Deno.realPath(directory).catch(() => directory); // it may not be there at all
  const mounts = await tryRun(["cat", "/proc/self/mountinfo"]) ?? "";
  const below = mounts.split("\n").map((line) => unescaped(line.split(" ")[4] ?? ""))
    .filter((path) => path.startsWith(`${real}/`));
  for (const path of below.reverse()) await run(`unmounting ${path}`, { argv: ["umount", path] });
}

/** Blanks and the like are octal in that file (proc(5)). */
function unescaped(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_, digits) => String.fromCharCode(parseInt(digits, 8)));
}
