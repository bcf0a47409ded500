/** The tree every session starts with. */

import { mimeTypesFile } from "../mime.ts";
import { FileSystem, type FileSystemOptions } from "./file_system.ts";
import type { LayerFile, LayerNode } from "./layer.ts";
import type { Mount } from "./mounts/mount.ts";
import { MountedFileSystem } from "./mounts/mounted_file_system.ts";

import { ALIASES, EXTERNAL, NODE_MODULES, NODE_MODULES_LINK, VOLUMES, WORKING_DIRECTORY } from "./places.ts";

/** Packages for Python as zips, shared by all sessions. */
export interface PythonPackages {
  /** Those that every session can import. */
  readonly bundled: LayerFile;
  /** The large ones among those: the list of a zip is read as a whole. */
  readonly mathematics: LayerFile;
  readonly more: LayerFile;
  /** The package tzdata. */
  readonly tzdata: LayerFile;
  readonly pip: LayerFile;
  /** The standard library's source text, for tracebacks and `inspect`. */
  readonly sources: LayerFile;
  /** Where the build has them: numpy and what stands on it. */
  readonly science?: LayerFile;
  /** Where the build has it. */
  readonly scipy?: LayerFile;
}

export interface LayoutOptions extends FileSystemOptions {
  /** What stands below `/usr`, read-only: interpreters' libraries, shared by all sessions. */
  readonly usr?: Readonly<Record<string, LayerNode>>;
  /** Trees that are elsewhere: each at {@link EXTERNAL} or at a name of its own below {@link VOLUMES}. */
  readonly mounts?: readonly Mount[];
}

/**
 * Makes a session's file system: `/app` and `/tmp`, writable; `/usr` and `/dev`, read-only; `/data` and `/external` for
 * what is mounted. These are there in any case, so that an image fits whatever else the operator maps later. Programs that
 * were written for other sandboxes find `/app` where it is there.
 */
export function createFileSystem({ mounts = [], ...options }: LayoutOptions): FileSystem {
  const fs = mounts.length > 0 ? new MountedFileSystem(options) : new FileSystem(options);
  fs.mountReadOnly("/usr", { type: "directory", entries: options.usr ?? {} });
  fs.mountReadOnly("/dev", {
    type: "directory",
    entries: {
      null: { type: "device", device: "null" },
      zero: { type: "device", device: "zero" },
      random: { type: "device", device: "random" },
      urandom: { type: "device", device: "random" },
    },
  });
  const names = mounts.filter(({ path }) => path !== EXTERNAL).map(({ path }) =>
    path.slice(VOLUMES.length + 1)
  );
  fs.mountReadOnly(VOLUMES, directoryOf(names));
  fs.mountReadOnly(EXTERNAL, directoryOf([]));
  if (fs instanceof MountedFileSystem) { for (const mount of mounts) fs.mount(mount); }
  for (const [place, tree] of Object.entries(aliases())) fs.mountReadOnly(place, tree);
  fs.mountReadOnly(NODE_MODULES_LINK, { type: "symlink", target: NODE_MODULES });
  fs.mkdir(WORKING_DIRECTORY);
  fs.mkdir("/tmp", { mode: 0o1777 });
  // Scripts that were written for a container put things there, in whatever language.
  fs.mkdir("/root");
  // Whoever cleans up thoroughly would leave the next call without a directory to be in.
  for (const path of [WORKING_DIRECTORY, "/tmp"]) fs.keep(path);
  return fs;
}

/** Below `/usr`: one of the places where Python's `mimetypes` looks for what its own table lacks. */
const MIME_TYPES = "local/etc/mime.types";

/** What stands in the root for them. */
function aliases(): Record<string, LayerNode> {
  const link: LayerNode = { type: "symlink", target: WORKING_DIRECTORY };
  return Object.fromEntries(ALIASES.map((path) => {
    const [place = "", name] = path.slice(1).split("/");
    return [`/${place}`, name ? { type: "directory", entries: { [name]: link } } : link];
  }));
}

function directoryOf(names: readonly string[]): LayerNode {
  const empty: LayerNode = { type: "directory", entries: {} };
  return { type: "directory", entries: Object.fromEntries(names.map((name) => [name, empty])) };
}

/**
 * The part of {@link LayoutOptions.usr} that CPython needs.
 *
 * @param stdlib The standard library as a zip.
 * @param files What packages want to find as files, by their paths below `/usr`.
 */
export function pythonLayer(
  stdlib: LayerFile,
  packages?: PythonPackages,
  files: Readonly<Record<string, LayerFile>> = {},
): Record<string, LayerNode> {
  const more = { ...files, [MIME_TYPES]: { bytes: mimeTypesFile() } };
  const zips = Object.entries(packages ?? {}).map(([name, file]): [string, LayerNode] => [
    `${name}.zip`,
    { type: "file", ...file },
  ]);
  return {
    ...treeOf(more),
    // What sys.executable names: programs look at it, as platform.libc_ver() does. Nothing can run it.
    bin: { type: "directory", entries: { python3: { type: "file", bytes: new Uint8Array(0) } } },
    lib: {
      type: "directory",
      entries: {
        "python313.zip": { type: "file", ...stdlib },
        "python3.13": {
          type: "directory",
          entries: { "lib-dynload": { type: "directory", entries: {} }, ...Object.fromEntries(zips) },
        },
      },
    },
  };
}

function treeOf(files: Readonly<Record<string, LayerFile>>): Record<string, LayerNode> {
  const root: Record<string, LayerNode> = {};
  for (const [path, file] of Object.entries(files)) {
    const names = path.split("/");
    const name = names.pop()!;
    let entries = root;
    for (const directory of names) {
      const node = entries[directory] ??= { type: "directory", entries: {} };
      if (node.type !== "directory") throw new TypeError(`${path} is below a file`);
      entries = node.entries as Record<string, LayerNode>;
    }
    entries[name] = { type: "file", ...file };
  }
  return root;
}
