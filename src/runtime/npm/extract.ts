/** Unpacks the tarball of a package. */

import { type FileSystem, FsError } from "../../fs/file_system.ts";
import { makeFile, placeFor, UnsafeEntry } from "../../archive/extract.ts";
import { TooLarge } from "../../archive/collector.ts";
import { DamagedArchive } from "../../archive/damaged.ts";
import { gunzip } from "../../archive/gzip.ts";
import { readTar, type TarEntry } from "../../archive/tar_format.ts";
import type { StopSign } from "../../control/stop_sign.ts";
import { NpmError } from "./error.ts";

/** What nothing here reads. Types and source maps are half of the files of many packages. */
const USELESS = /\.(map|flow)$/;
/** What TypeScript's compiler reads alone. */
const TYPES = /\.d\.[cm]?ts$/;
const NATIVE = /(^|\/)binding\.gyp$|\.node$/;

/**
 * @param path Where it goes; there is nothing yet.
 * @param about Name and version, for people, whether types are of use, and what becomes of native code.
 * @returns The first file of native code that was left out, if any.
 * @throws {NpmError} corrupt, native, full. @throws {Stopped}
 */
export function extract(
  fs: FileSystem,
  tarball: Uint8Array,
  path: string,
  { name, version, typed, native }: {
    readonly name: string;
    readonly version: string;
    readonly typed: boolean;
    readonly native: "refused" | "left out";
  },
  stop: StopSign,
): string | undefined {
  fs.mkdir(path, { recursive: true });
  let leftOut: string | undefined;
  try {
    // What comes out is bounded twice: all at once by what the workspace could hold, and file by file by what it does.
    for (const entry of readTar(gunzip(tarball, stop, fs.quota.maxBytes).bytes)) {
      stop.checkNow();
      if (entry.type !== "file") continue; // as npm does, which leaves links out
      if (NATIVE.test(entry.name)) {
        leftOut ??= inside(entry);
        if (native === "left out") continue;
        const message = `${name} ${version} has native code (${inside(entry)}): only JavaScript can run here`;
        throw new NpmError("native", message, name);
      }
      if (USELESS.test(entry.name) || !typed && TYPES.test(entry.name)) continue;
      const place = placeFor(fs, path, inside(entry));
      if (place !== path) makeFile(fs, place, entry.bytes, 0o644 | entry.mode & 0o111);
    }
  } catch (error) {
    if (error instanceof FsError && error.code === "ENOSPC" || error instanceof TooLarge) {
      throw new NpmError("full", `the workspace has no room for ${name} ${version}`, name);
    }
    if (error instanceof FsError || error instanceof UnsafeEntry || error instanceof DamagedArchive) {
      throw new NpmError("corrupt", `the tarball of ${name} ${version} is damaged: ${error.message}`, name);
    }
    throw error;
  }
  return leftOut;
}

/** A package lies in a directory of its tarball, mostly called `package`. */
function inside({ name }: TarEntry): string {
  return name.replace(/^(\.\/)?[^/]+\//, "");
}
