import type { FileSystem } from "../fs/file_system.ts";
import { ALIASES, WORKING_DIRECTORY } from "../fs/places.ts";
import type { StopSign } from "../control/stop_sign.ts";

/** A file, directory or link, with the name that it gets in an archive. */
export interface Found {
  readonly path: string;
  readonly name: string;
  readonly type: "file" | "directory" | "symlink" | "device";
}

/**
 * What stands at `path` and below, directories before what is in them, by name. Symlinks are not followed, but for one that
 * is another name of the working directory and what was asked for: `/workspace` means what is in it.
 */
export function walk(fs: FileSystem, path: string, name: string, stop: StopSign): Generator<Found> {
  const alias = (ALIASES as readonly string[]).includes(path);
  return below(fs, alias ? WORKING_DIRECTORY : path, name, stop);
}

function* below(fs: FileSystem, path: string, name: string, stop: StopSign): Generator<Found> {
  stop.check();
  const { type } = fs.stat(path, { follow: false });
  yield { path, name, type };
  if (type !== "directory") return;
  const names = fs.readdir(path).map((entry) => entry.name).sort();
  for (const child of names) yield* below(fs, `${path}/${child}`, `${name}/${child}`, stop);
}
