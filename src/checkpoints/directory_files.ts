/** Files of a directory store. */

import { createHash } from "node:crypto";

/** Of a principal, whatever it is called. */
export function principalDirectory(principal: string): string {
  return createHash("sha256").update(principal).digest("hex").slice(0, 32);
}

/** Names that are their own directories', also where file systems know no capitals; what others are called is in their heads. */
const PLAIN = /^[a-z0-9_-]{1,100}$/;

/** Of a session, whatever it is called. */
export function sessionDirectory(sessionId: string): string {
  return PLAIN.test(sessionId) ? sessionId : `.${principalDirectory(sessionId)}`;
}

/** Where what is refused of a session's directory is kept, in the store's. */
export function asideName(directory: string): string {
  const at = new Date().toISOString().replace(/[:.]/g, "-");
  return `aside/${directory.split("/").slice(-2).join("-")}-${at}-${crypto.randomUUID().slice(0, 8)}`;
}

/** How long a lock is waited for: that of a server that was killed goes with its last thread. */
const LOCK_WAIT_MS = 500;

/** Locks that came too late and are still waited for. */
const waiting = new Set<string>();

/** Locks a file for this process, which the system ends with it. @returns False, and the file is closed, if another one has it. */
export async function lockOrClose(file: Deno.FsFile, path: string): Promise<boolean> {
  if (waiting.has(path)) { // one thread waits for it already: another would tell nothing else
    file.close();
    return false;
  }
  // Deno 2.6, on which executables may run, can't try: who comes too late has the lock for a moment, and gives it back.
  const locking = file.lock(true);
  const late = Promise.withResolvers<false>();
  const timer = setTimeout(() => late.resolve(false), LOCK_WAIT_MS);
  const locked = await Promise.race([locking.then(() => true, () => false), late.promise]);
  clearTimeout(timer);
  if (!locked) {
    waiting.add(path);
    const over = () => {
      waiting.delete(path);
      file.close();
    };
    void locking.then(over, over);
  }
  return locked;
}

export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return codes.includes(String((error as { code?: unknown } | null)?.code));
}

export async function readIfThere(path: string): Promise<Uint8Array | undefined> {
  try {
    return await Deno.readFile(path);
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  }
}

/** Writes a new file. @param fsync Whether it settles only once the disk has it. */
export async function writeAll(path: string, bytes: Uint8Array, fsync: boolean): Promise<void> {
  using file = await Deno.open(path, { write: true, create: true, truncate: true, mode: 0o600 });
  for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
  if (fsync) await file.syncData();
}

/** What is in a directory, as far as names go, is on the disk. */
export async function syncDirectory(path: string): Promise<void> {
  using directory = await Deno.open(path);
  await directory.sync();
}
