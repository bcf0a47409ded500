/** The tree every session starts with. */

import { FileSystem, type FileSystemOptions } from "./file_system.ts";
import type { LayerFile, LayerNode } from "./layer.ts";

/** Working directory of every language, and the part of the tree that is the user's. */
export const WORKING_DIRECTORY = "/app";

/**
 * Where the packages go that are installed in a session. Every Python has it on its path, before what is bundled; it is
 * made when the first one comes.
 */
export const SITE_PACKAGES = "/opt/python/lib/python3.13/site-packages";

/**
 * Where npm's packages go that are installed in a session. Like {@link SITE_PACKAGES} it is outside the user's part of
 * the tree: what is installed clutters no listing, and every program finds it, wherever it lies.
 */
export const NODE_MODULES = "/opt/node/lib/node_modules";

/** Which packages those are, in the form of npm's own lock files. */
export const NPM_RECORD = `${NODE_MODULES}/.package-lock.json`;

/** Where pip lies, as a zip for `sys.path`. It is on nobody's path. */
export const PIP = "/usr/lib/python3.13/pip.zip";

/** Packages for Python as zips, shared by all sessions. */
export interface PythonPackages {
  /** Those that every session can import. */
  readonly bundled: LayerFile;
  /** The package tzdata; a zip of its own, since the list of a zip is read as a whole. */
  readonly tzdata: LayerFile;
  readonly pip: LayerFile;
}

export interface LayoutOptions extends FileSystemOptions {
  /** What stands below `/usr`, read-only: interpreters' libraries, shared by all sessions. */
  readonly usr?: Readonly<Record<string, LayerNode>>;
}

/** Makes a session's file system: `/app` and `/tmp`, writable; `/usr` and `/dev`, read-only. */
export function createFileSystem(options: LayoutOptions): FileSystem {
  const fs = new FileSystem(options);
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
  fs.mkdir(WORKING_DIRECTORY);
  fs.mkdir("/tmp", { mode: 0o1777 });
  return fs;
}

/** The part of {@link LayoutOptions.usr} that CPython needs. @param stdlib The standard library as a zip. */
export function pythonLayer(stdlib: Uint8Array, packages?: PythonPackages): Record<string, LayerNode> {
  const zips = Object.entries(packages ?? {}).map(([name, file]): [string, LayerNode] => [
    `${name}.zip`,
    { type: "file", ...file },
  ]);
  return {
    lib: {
      type: "directory",
      entries: {
        "python313.zip": { type: "file", bytes: stdlib },
        "python3.13": {
          type: "directory",
          entries: { "lib-dynload": { type: "directory", entries: {} }, ...Object.fromEntries(zips) },
        },
      },
    },
  };
}
