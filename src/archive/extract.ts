/** Where the entries of an archive may go: below the directory that they are extracted to, by whatever names. */

import { type FileSystem, FsError } from "../fs/file_system.ts";

/** An entry is refused; the others are still extracted. */
export class UnsafeEntry extends Error {
  override name = "UnsafeEntry";
}

/**
 * The path at which an entry is made; its directories are there afterwards.
 *
 * A leading `/` is dropped. `..` is refused, and so is a way through a symlink: an archive could have brought it, and it
 * could lead anywhere in the session's files.
 *
 * @throws {UnsafeEntry} @throws {FsError}
 */
export function placeFor(fs: FileSystem, root: string, name: string): string {
  const parts = name.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.includes("..")) throw new UnsafeEntry(`${name}: a name with '..' is not extracted`);
  if (parts.length === 0) return root;
  let directory = root;
  for (const part of parts.slice(0, -1)) {
    directory = `${directory}/${part}`;
    makeDirectory(fs, directory, name);
  }
  return `${directory}/${parts.at(-1)}`;
}

export function makeDirectory(fs: FileSystem, path: string, name: string): void {
  if (!fs.exists(path, { follow: false })) return fs.mkdir(path);
  const { type } = fs.stat(path, { follow: false });
  if (type === "symlink") throw new UnsafeEntry(`${name}: the way leads through a symbolic link`);
  if (type !== "directory") throw new FsError("ENOTDIR", path);
}

/** Makes a file where an entry stands; a link of that name is replaced, not followed. */
export function makeFile(fs: FileSystem, path: string, bytes: Uint8Array, mode: number): void {
  if (fs.exists(path, { follow: false }) && fs.stat(path, { follow: false }).type === "symlink") {
    fs.unlink(path);
  }
  fs.writeFile(path, bytes, { mode });
  fs.chmod(path, mode & 0o777);
}
