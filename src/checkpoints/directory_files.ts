/** Files of a directory store. */

import { createHash } from "node:crypto";
import { ImageRefused, SessionTaken, StoreUnavailable } from "./store.ts";

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

const CHUNK = /^[0-9a-f]{64}$/;
const PART = /^(.+)\.(?:segment|chunk)$/;

/** A segment's or a chunk's, in a session's directory. */
export function fileOf(id: string): string {
  return `${id}.${CHUNK.test(id) ? "chunk" : "segment"}`;
}

/** Which segment or chunk a file is; undefined: none. */
export function partOf(file: string): string | undefined {
  return PART.exec(file)?.[1];
}

/** Where what is refused of a session's directory is kept, in the store's. */
export function asideName(directory: string): string {
  const at = new Date().toISOString().replace(/[:.]/g, "-");
  return `aside/${directory.split("/").slice(-2).join("-")}-${at}-${crypto.randomUUID().slice(0, 8)}`;
}

/** How long a lock is waited for: that of a server that was killed goes with its last thread. */
const LOCK_WAIT_MS = 500;

/** Until locks that came too late were had and given back, by their files. */
const waiting = new Map<string, Promise<void>>();

/** Locks a file for this process, which the system ends with it. @returns False, and the file is closed, if another one has it. */
export async function lockOrClose(file: Deno.FsFile, path: string): Promise<boolean> {
  // One thread waits for a lock at a time: more would tell nothing else.
  if (!await inTime(waiting.get(path) ?? Promise.resolve())) {
    file.close();
    return false;
  }
  // Deno 2.6, on which executables may run, can't try: who comes too late has the lock for a moment, and gives it back.
  const locking = file.lock(true);
  if (await inTime(locking)) return true;
  const over = locking.then(() => {}, () => {}).then(() => {
    if (waiting.get(path) === over) waiting.delete(path);
    file.close();
  });
  waiting.set(path, over);
  return false;
}

/** Whether something goes well before a lock is given up. */
async function inTime(work: Promise<void>): Promise<boolean> {
  const late = Promise.withResolvers<false>();
  const timer = setTimeout(() => late.resolve(false), LOCK_WAIT_MS);
  const done = await Promise.race([work.then(() => true, () => false), late.promise]);
  clearTimeout(timer);
  return done;
}

export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return codes.includes(String((error as { code?: unknown } | null)?.code));
}

/** What the file system said, as what it means here. */
export function unavailable(error: unknown): Error {
  if (error instanceof StoreUnavailable || error instanceof SessionTaken || error instanceof ImageRefused) {
    return error;
  }
  if (hasCode(error, "ENOSPC", "EDQUOT")) return new StoreUnavailable("the store's disk is full");
  const reason = error instanceof Error ? error.message : String(error);
  return new StoreUnavailable(`the store can't be used (${reason.slice(0, 200)})`);
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
