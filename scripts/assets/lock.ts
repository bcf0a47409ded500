/** One build at a time. */

import { note } from "./progress.ts";

/**
 * Runs `body` while no other process holds `path`; waits for one that does.
 *
 * The lock is the kernel's (flock), so that of a process that died is free at once, whatever it left behind.
 */
export async function withLock<T>(path: string, body: () => Promise<T>): Promise<T> {
  using file = await Deno.open(path, { create: true, write: true });
  if (!await file.tryLock(true)) {
    note("another build is running; waiting for it");
    await file.lock(true);
  }
  return await body();
}
