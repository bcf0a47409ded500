/** Directories and what lies below them: listed, read entry by entry, copied. */
import path from "./path.js";
import { checkFunction, coded } from "./errors.js";
import { located, system, SystemError } from "./file_errors.js";
import { named } from "./fs_options.js";
import { Dirent, typeOf } from "./fs_stats.js";
import { host, platform } from "./runtime.js";

/** Directory by directory: what is in one comes after all that is beside it. @param syscall What a failure names. */
export function list(top, options, syscall = "scandir") {
  const output = [];
  const queue = [{ text: top, prefix: "" }];
  for (const { text, prefix } of queue) {
    const entries = JSON.parse(system(() => host.readdir(located(text)), syscall, text));
    for (const [name, type] of entries.sort(([a], [b]) => a < b ? -1 : a > b ? 1 : 0)) {
      if (options?.withFileTypes) output.push(new Dirent(named(name, options), text, type));
      else output.push(named(prefix + name, options));
      if (options?.recursive && type === "directory") {
        queue.push({
          text: text.endsWith("/") ? text + name : `${text}/${name}`,
          prefix: `${prefix}${name}/`,
        });
      }
    }
  }
  return output;
}

/** @param sync What it is done by. */
export function copyTree(sync, from, to, options) {
  const {
    recursive = false,
    force = true,
    errorOnExist = false,
    dereference = false,
    filter,
    preserveTimestamps = false,
    verbatimSymlinks = false,
  } = options;
  if (filter && !filter(from, to)) return;
  const stats = dereference ? sync.statSync(from) : sync.lstatSync(from);
  const there = typeOf(located(to));
  if (stats.isDirectory()) {
    if (!recursive) {
      throw coded(
        SystemError,
        "ERR_FS_EISDIR",
        `Path is a directory: cp returned EISDIR (${from} is a directory (not copied)) ${from}`,
        { syscall: "cp", path: from },
      );
    }
    if (`${located(to)}/`.startsWith(`${located(from)}/`)) {
      throw coded(
        Error,
        "ERR_FS_CP_EINVAL",
        `Invalid src or dest: cp returned EINVAL (cannot copy ${from} to a subdirectory of self ${to}) ${to}`,
      );
    }
    if (there === undefined) sync.mkdirSync(to, { recursive: true });
    for (const name of sync.readdirSync(from)) copyTree(sync, `${from}/${name}`, `${to}/${name}`, options);
    return;
  }
  if (there !== undefined) {
    if (!force && errorOnExist) {
      throw coded(
        Error,
        "ERR_FS_CP_EEXIST",
        `Target already exists: cp returned EEXIST (${to} already exists) ${to}`,
      );
    }
    if (!force) return;
  } else sync.mkdirSync(located(to).slice(0, located(to).lastIndexOf("/")) || "/", { recursive: true });
  if (stats.isSymbolicLink()) {
    if (there !== undefined) sync.unlinkSync(to);
    const target = sync.readlinkSync(from);
    sync.symlinkSync(verbatimSymlinks ? target : path.resolve(path.dirname(located(from)), target), to);
  } else {
    sync.copyFileSync(from, to);
    if (preserveTimestamps) sync.utimesSync(to, stats.atime, stats.mtime);
  }
}

/** A directory that is read entry by entry. */
export class Dir {
  #entries;
  #closed = false;
  constructor(path, options) {
    this.path = path;
    this.#entries = list(path, { withFileTypes: true, recursive: options?.recursive }, "opendir");
  }
  #check() {
    if (this.#closed) throw coded(Error, "ERR_DIR_CLOSED", "Directory handle was closed");
  }
  readSync() {
    this.#check();
    return this.#entries.shift() ?? null;
  }
  read(callback) {
    if (callback) {
      this.#check();
      checkFunction(callback);
      const entry = this.readSync();
      platform.process.nextTick(() => callback(null, entry));
      return undefined;
    }
    return Promise.resolve().then(() => this.readSync());
  }
  closeSync() {
    this.#check();
    this.#closed = true;
  }
  close(callback) {
    if (callback) {
      this.closeSync();
      platform.process.nextTick(callback, null);
      return undefined;
    }
    return Promise.resolve().then(() => this.closeSync());
  }
  async *entries() {
    for (let entry = await this.read(); entry; entry = await this.read()) yield entry;
    this.#closed = true;
  }
  [Symbol.asyncIterator]() {
    return this.entries();
  }
}
