/** Who may do what: a session is one user, whose all of its files are; the system's are root's. */

import { FsError } from "./errors.ts";
import { type Inode, isOfSystem } from "./inode.ts";

/** What is wished for, as the bits of a mode. For directories: listing, changing entries, going through. */
export const permission = { read: 4, write: 2, search: 1 } as const;

/** @param wish Bits of {@link permission}. @throws {FsError} EACCES */
export function checkPermission(node: Inode, wish: number, path = ""): void {
  // What would change the system is refused as such: EROFS.
  const granted = isOfSystem(node.ino) ? node.mode | permission.write : node.mode >> 6;
  if ((granted & wish) !== wish) throw new FsError("EACCES", path);
}
