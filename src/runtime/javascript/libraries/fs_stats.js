/** What is known of a file: `Stats`, `Dirent`. */
import { located, pathText, system } from "./file_errors.js";
import { constants } from "./fs_options.js";
import { host } from "./runtime.js";

const FORMATS = { file: constants.S_IFREG, directory: constants.S_IFDIR, symlink: constants.S_IFLNK };

class StatsBase {
  isFile() {
    return is(this, constants.S_IFREG);
  }
  isDirectory() {
    return is(this, constants.S_IFDIR);
  }
  isSymbolicLink() {
    return is(this, constants.S_IFLNK);
  }
  isFIFO() {
    return false;
  }
  isSocket() {
    return false;
  }
  isCharacterDevice() {
    return is(this, constants.S_IFCHR);
  }
  isBlockDevice() {
    return false;
  }
}
const is = ({ mode }, format) => (Number(mode) & constants.S_IFMT) === format;

export class Stats extends StatsBase {
  constructor(fields) {
    super();
    const { size, mode, ino, nlink, atimeMs, mtimeMs, ctimeMs } = fields;
    Object.assign(this, {
      dev: 1,
      mode: (mode & 0o7777) | (FORMATS[fields.type] ?? constants.S_IFREG),
      nlink,
      uid: 0,
      gid: 0,
      rdev: 0,
      blksize: 4096,
      ino,
      size,
      blocks: Math.ceil(size / 512),
      atimeMs,
      mtimeMs,
      ctimeMs,
      birthtimeMs: ctimeMs,
    });
    for (const name of ["atime", "mtime", "ctime", "birthtime"]) {
      this[name] = new Date(Math.round(this[`${name}Ms`]));
    }
  }
}
class BigIntStats extends StatsBase {
  constructor(fields) {
    super();
    for (const [name, value] of Object.entries(new Stats(fields))) {
      if (value instanceof Date) this[name] = value;
      else this[name] = BigInt(Math.floor(value));
    }
    for (const name of ["atime", "mtime", "ctime", "birthtime"]) {
      this[`${name}Ns`] = BigInt(Math.round(fields[`${name === "birthtime" ? "ctime" : name}Ms`] * 1000)) *
        1000n;
    }
  }
}
export class Dirent {
  #type;
  constructor(name, parent, type) {
    this.name = name;
    this.parentPath = parent;
    this.path = parent;
    this.#type = type;
  }
  isFile() {
    return this.#type === "file";
  }
  isDirectory() {
    return this.#type === "directory";
  }
  isSymbolicLink() {
    return this.#type === "symlink";
  }
  isFIFO() {
    return false;
  }
  isSocket() {
    return false;
  }
  isCharacterDevice() {
    return false;
  }
  isBlockDevice() {
    return false;
  }
}

export function statOf(path, options, follow, syscall) {
  const text = pathText(path);
  let fields;
  try {
    fields = JSON.parse(system(() => host.stat(located(text), follow), syscall, text));
  } catch (error) {
    if (options?.throwIfNoEntry === false && (error.code === "ENOENT" || error.code === "ENOTDIR")) {
      return undefined;
    }
    throw error;
  }
  return options?.bigint ? new BigIntStats(fields) : new Stats(fields);
}
/** "file", "directory", …; undefined if there is nothing. */
export const typeOf = (place) => {
  try {
    return JSON.parse(host.stat(place, 0)).type;
  } catch (error) {
    if (typeof error?.code === "string") return undefined;
    throw error;
  }
};
