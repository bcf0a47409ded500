/** What sessions are called in Valkey; `valkey_scripts.ts` says what is under each name. */

import { principalDirectory, sessionDirectory } from "./directory_files.ts";
import type { SessionKey } from "./store.ts";

export interface SessionNames {
  /** Its own, inside its principal's. */
  readonly name: string;
  /** Of all keys of its principal's. */
  readonly root: string;
  /** Of its own key. */
  readonly session: string;
}

export function rootOf(prefix: string, principal: string): string {
  return `${prefix}:{${principalDirectory(principal)}}`;
}

export function sessionNames(prefix: string, { principal, sessionId }: SessionKey): SessionNames {
  const root = rootOf(prefix, principal);
  const name = sessionDirectory(sessionId);
  return { name, root, session: `${root}:s:${name}` };
}
