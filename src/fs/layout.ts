/** The tree every session starts with. */

import { FileSystem, type FileSystemOptions } from "./file_system.ts";
import type { LayerNode } from "./layer.ts";

/** Working directory of every language, and the part of the tree that is the user's. */
export const WORKING_DIRECTORY = "/app";

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
export function pythonLayer(stdlib: Uint8Array): Record<string, LayerNode> {
  return {
    lib: {
      type: "directory",
      entries: {
        "python313.zip": { type: "file", bytes: stdlib },
        "python3.13": {
          type: "directory",
          entries: { "lib-dynload": { type: "directory", entries: {} } },
        },
      },
    },
  };
}
