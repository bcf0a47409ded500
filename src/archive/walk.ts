import { FsError } from "../fs/errors.ts";
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
 *
 * @param follow Whether others are, too, as long as that leads to no directory that it lies in.
 * @throws {FsError} ELOOP, if so many are met by following as no tree may have: a few directories that lead to each other do.
 */
export function walk(
  fs: FileSystem,
  path: string,
  name: string,
  stop: StopSign,
  { follow = false }: { readonly follow?: boolean } = {},
): Generator<Found> {
  const alias = (ALIASES as readonly string[]).includes(path);
  return below(fs, {
    path: alias ? WORKING_DIRECTORY : path,
    name,
    stop,
    follow,
    within: [],
    met: { count: 0 },
  });
}

interface Visit {
  readonly path: string;
  readonly name: string;
  readonly stop: StopSign;
  readonly follow: boolean;
  /** The directories that it lies in, by the paths that no symlink is in. */
  readonly within: readonly string[];
  /** Of the whole walk. */
  readonly met: { count: number };
}

function* below(fs: FileSystem, visit: Visit): Generator<Found> {
  const { path, name, stop, follow, within, met } = visit;
  stop.check();
  if (follow && ++met.count > fs.quota.maxInodes) throw new FsError("ELOOP", path);
  const { type } = fs.stat(path, { follow: follow && fs.exists(path) });
  if (type !== "directory") return yield { path, name, type };
  const real = follow ? fs.realpath(path) : path;
  if (within.includes(real)) return;
  yield { path, name, type };
  const names = fs.readdir(path).map((entry) => entry.name).sort();
  for (const child of names) {
    yield* below(fs, {
      ...visit,
      path: `${path}/${child}`,
      name: `${name}/${child}`,
      within: [...within, real],
    });
  }
}
