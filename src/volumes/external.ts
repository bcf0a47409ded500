/** Single files of the host as one directory, read-only. */

import type { VolumeAnswer, VolumeRequest, WireStat } from "../host_calls/volume.ts";
import { FsError } from "../fs/errors.ts";
import { openFile, readPiece, readSmall, typeOf, versionOf, wireStat } from "./host_files.ts";
import type { Readable, Versioned } from "./volume.ts";

export class ExternalFiles implements Readable {
  readonly #files: ReadonlyMap<string, string>;

  /** @param files Their paths, absolute and without symlinks, by their names. */
  constructor(files: ReadonlyMap<string, string>) {
    this.#files = files;
  }

  async look(names: readonly string[]): Promise<VolumeAnswer<"look">> {
    if (names.length === 0) return { kind: "found", stat: DIRECTORY };
    const path = this.#files.get(names[0]!);
    if (path === undefined) return { kind: "missing", index: 0 };
    const stat = wireStat(await Deno.lstat(path), false);
    if (stat.type === "symlink") throw new FsError("ELOOP");
    if (names.length > 1) throw new FsError("ENOTDIR");
    return { kind: "found", stat };
  }

  async entries(names: readonly string[], entries: readonly string[]): Promise<VolumeAnswer<"entries">> {
    const looks = entries.map((name) => this.look([...names, name]).catch(() => undefined));
    const found = await Promise.all(looks);
    return { stats: found.map((look) => look?.kind === "found" ? look.stat : null) };
  }

  async list(names: readonly string[], after: string | null): Promise<VolumeAnswer<"list">> {
    if (names.length > 0) throw new FsError("ENOTDIR");
    const sorted = [...this.#files].filter(([name]) => after === null || name > after)
      .sort(([a], [b]) => a < b ? -1 : 1);
    const typed = sorted.map(async ([name, path]): Promise<[string, WireStat["type"]][]> => {
      const stat = await Deno.lstat(path).catch(() => undefined);
      return stat ? [[name, typeOf(stat)]] : [];
    });
    return { entries: (await Promise.all(typed)).flat(), more: false };
  }

  async read({ names, id, position, length, known }: VolumeRequest<"read">) {
    const path = names.length === 1 ? this.#files.get(names[0]!) : undefined;
    if (path === undefined) throw new FsError("ENOENT");
    using opened = await openFile(path, id, false);
    const version = versionOf(opened.stat);
    return { version, bytes: version === known ? undefined : await readPiece(opened, position, length) };
  }

  files(names: readonly string[], files: readonly Versioned[]): Promise<(Uint8Array | undefined)[]> {
    const path = (name: string) => names.length === 0 ? this.#files.get(name) : undefined;
    return readSmall(files.map(({ name, version }) => ({ path: path(name), version })));
  }
}

const DIRECTORY: WireStat = {
  type: "directory",
  size: 0,
  mode: 0o555,
  links: 1,
  atime: 0,
  mtime: 0,
  ctime: 0,
  id: 0,
  version: 0,
};
