/** Where a path leads that has come to a mounted tree. */

import { FsError } from "../errors.ts";
import { SYMLINK_HOPS_MAX } from "../names.ts";
import type { Mount, Names, RemoteStat } from "./mount.ts";

/** A place in a mounted tree; without `stat` there is nothing, but the directory of its last name exists. */
export interface RemotePlace {
  readonly mount: Mount;
  readonly names: Names;
  readonly stat: RemoteStat | undefined;
  /** Of a symlink that was not followed; null if it is not told. */
  readonly target: string | null;
  /** The path ends in a slash: only a directory will do. */
  readonly slash: boolean;
}

/** A path that leads out of the mounted tree again. */
export interface Outside {
  readonly path: string;
}

/**
 * Walks on in a mounted tree. Symlinks are resolved here, name by name, so that one never leads further than any path
 * of the session does.
 *
 * @throws {FsError} ENOENT (a name before the last), ENOTDIR, ELOOP, EACCES (a symlink whose target is not told)
 */
export function walkMount(
  mount: Mount,
  rest: readonly string[],
  follow: boolean,
  slash: boolean,
  path: string,
  recently?: "recently",
): RemotePlace | Outside {
  const names: string[] = [];
  const pending = rest.filter((name) => name !== ".");
  for (let hops = 0;;) {
    const up = pending.indexOf("..");
    const batch = pending.splice(0, up < 0 ? pending.length : up);
    const found = mount.source.look([...names, ...batch], recently);
    if (found.kind === "symlink") {
      const index = found.index - names.length;
      const last = index === batch.length - 1 && pending.length === 0;
      if (last && !follow && !slash) {
        return { mount, names: [...names, ...batch], stat: found.stat, target: found.target, slash };
      }
      if (found.target === null) throw new FsError("EACCES", path);
      if (++hops > SYMLINK_HOPS_MAX) throw new FsError("ELOOP", path);
      if (last && found.target.endsWith("/")) slash = true;
      const target = found.target.split("/").filter((name) => name !== "" && name !== ".");
      pending.unshift(...target, ...batch.slice(index + 1));
      names.push(...batch.slice(0, index));
      continue;
    }
    names.push(...batch);
    if (found.kind === "missing") {
      if (found.index < names.length - 1 || pending.length > 0) throw new FsError("ENOENT", path);
      return { mount, names, stat: undefined, target: null, slash };
    }
    if (pending.length === 0) {
      if (slash && found.stat.type !== "directory") throw new FsError("ENOTDIR", path);
      return { mount, names, stat: found.stat, target: null, slash };
    }
    if (found.stat.type !== "directory") throw new FsError("ENOTDIR", path);
    pending.shift(); // ".."
    if (names.pop() === undefined) {
      const parent = mount.path.slice(0, mount.path.lastIndexOf("/"));
      return { path: `${parent}/${pending.join("/")}${slash ? "/" : ""}` };
    }
  }
}
