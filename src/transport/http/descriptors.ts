/**
 * File descriptors, before they run out. The server inside takes one for each connection and does not survive having
 * none; how many a process may have is not to be learnt from Deno, but whether there are some left can be tried.
 */

/** A connection has three: the client's, and both ends inside. */
const OF_CONNECTION = 3;
/** After a trial so many connections may come before the next. */
const CONNECTIONS = 32;
/** What must be there for them, and for all else: executors, files, the log. */
const TRIED = CONNECTIONS * OF_CONNECTION + 32;

export class Descriptors {
  #since = 0;

  /** Whether there are enough for one connection more. @param connections How many there are; for few there always are. */
  suffice(connections: number): boolean {
    if (connections < CONNECTIONS) return true;
    if (this.#since === 0 && !canOpen(TRIED)) return false;
    this.#since = (this.#since + 1) % CONNECTIONS;
    return true;
  }
}

function canOpen(count: number): boolean {
  if (Deno.build.os === "windows") return true; // there are as many as memory holds
  const files: Deno.FsFile[] = [];
  try {
    while (files.length < count) files.push(Deno.openSync("/dev/null"));
    return true;
  } catch {
    return false;
  } finally {
    for (const file of files) file.close();
  }
}
