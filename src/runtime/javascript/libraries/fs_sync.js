/** `fs`: what waits for nothing. Callbacks and promises are made of these. */
import { asBuffer, checkedEncoding, decode, encode } from "./buffer.js";
import { checkFunction, checkInteger, coded, invalidArgType, invalidArgValue, notHere } from "./errors.js";
import { dataBytes, fdOf, located, pathText, system, systemError } from "./file_errors.js";
import { hooks, host, platform } from "./runtime.js";

export const constants = {
  F_OK: 0,
  R_OK: 4,
  W_OK: 2,
  X_OK: 1,
  COPYFILE_EXCL: 1,
  COPYFILE_FICLONE: 2,
  COPYFILE_FICLONE_FORCE: 4,
  O_RDONLY: 0,
  O_WRONLY: 1,
  O_RDWR: 2,
  O_CREAT: 64,
  O_EXCL: 128,
  O_NOCTTY: 256,
  O_TRUNC: 512,
  O_APPEND: 1024,
  O_DIRECTORY: 65536,
  O_NOFOLLOW: 131072,
  O_SYNC: 1052672,
  S_IFMT: 61440,
  S_IFREG: 32768,
  S_IFDIR: 16384,
  S_IFCHR: 8192,
  S_IFBLK: 24576,
  S_IFIFO: 4096,
  S_IFLNK: 40960,
  S_IFSOCK: 49152,
  S_IRWXU: 448,
  S_IRUSR: 256,
  S_IWUSR: 128,
  S_IXUSR: 64,
  UV_FS_COPYFILE_EXCL: 1,
};
const FLAGS = {
  r: constants.O_RDONLY,
  "r+": constants.O_RDWR,
  w: constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC,
  "w+": constants.O_RDWR | constants.O_CREAT | constants.O_TRUNC,
  a: constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND,
  "a+": constants.O_RDWR | constants.O_CREAT | constants.O_APPEND,
};
const FORMATS = { file: constants.S_IFREG, directory: constants.S_IFDIR, symlink: constants.S_IFLNK };

function flagsOf(flags = "r") {
  if (typeof flags === "number") return flags;
  const plain = `${flags}`.replace(/s/g, "");
  const exclusive = plain.includes("x") ? constants.O_EXCL : 0;
  const known = FLAGS[plain.replace("x", "")];
  if (known === undefined) throw invalidArgValue("flags", flags);
  return known | exclusive;
}

const encodingOf = (options) => {
  const encoding = typeof options === "string" ? options : options?.encoding;
  if (encoding === undefined || encoding === null || encoding === "buffer") return undefined;
  try {
    return checkedEncoding(encoding);
  } catch {
    throw invalidArgValue("encoding", encoding, "is invalid encoding");
  }
};
const modeOf = (mode, fallback) => typeof mode === "string" ? parseInt(mode, 8) : mode ?? fallback;
const named = (text, options) => {
  const encoding = typeof options === "string" ? options : options?.encoding;
  return encoding === "buffer"
    ? encode(text, "utf8")
    : encoding
    ? decode(encode(text, "utf8"), encoding)
    : text;
};

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

function statOf(path, options, follow, syscall) {
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
const typeOf = (place) => {
  try {
    return JSON.parse(host.stat(place, 0)).type;
  } catch (error) {
    if (typeof error?.code === "string") return undefined;
    throw error;
  }
};

/** Open files: path, position and flags by their numbers, which go with the heap wherever it goes. */
const open = new Map();
const MOST_OPEN = 1000;
const STANDARD = new Set([0, 1, 2]);
function opened(fd, syscall) {
  const file = open.get(fdOf(fd));
  if (!file) throw systemError("EBADF", syscall);
  return file;
}
const sizeOf = (file, syscall) => JSON.parse(system(() => host.stat(file.place, 1), syscall)).size;

function readAll(path, options) {
  if (path === 0 || path === "/dev/stdin") return asBuffer(hooks.stdinBytes());
  if (typeof path === "number") {
    const file = opened(path, "read");
    const size = sizeOf(file, "read");
    const bytes = system(
      () => host.readAt(file.place, file.position, Math.max(0, size - file.position)),
      "read",
    );
    file.position = Math.max(file.position, size);
    return asBuffer(new Uint8Array(bytes));
  }
  const text = pathText(path);
  const flags = flagsOf(options?.flag);
  if (flags !== 0) {
    const fd = sync.openSync(path, options.flag);
    try {
      return readAll(fd);
    } finally {
      sync.closeSync(fd);
    }
  }
  const place = located(text);
  return asBuffer(
    new Uint8Array(system(
      () => host.readFile(place),
      typeOf(place) === "directory" ? "read" : "open",
      typeOf(place) === "directory" ? undefined : text,
    )),
  );
}

function writeAll(path, data, options, preset) {
  const encoding = encodingOf(options) ?? "utf8";
  const bytes = dataBytes(data, encoding, encode);
  if (typeof path === "number") {
    let at = 0;
    while (at < bytes.length) at += sync.writeSync(path, bytes, at);
    return;
  }
  const text = pathText(path);
  const flags = flagsOf(options?.flag ?? preset);
  const place = located(text);
  const plain = flags & ~constants.O_RDWR & ~constants.O_WRONLY;
  if (plain === (constants.O_CREAT | constants.O_TRUNC)) {
    system(() => host.writeFile(place, hooks.bufferOf(bytes)), "open", text);
  } else if (plain === (constants.O_CREAT | constants.O_APPEND)) {
    system(() => host.appendFile(place, hooks.bufferOf(bytes)), "open", text);
  } else {
    const fd = sync.openSync(path, flags);
    try {
      let at = 0;
      while (at < bytes.length) at += sync.writeSync(fd, bytes, at);
    } finally {
      sync.closeSync(fd);
    }
    return;
  }
  const mode = typeof options === "object" ? modeOf(options?.mode) : undefined;
  if (mode !== undefined) system(() => host.chmod(place, mode, 1), "chmod", text);
}

/** Directory by directory: what is in one comes after all that is beside it. */
function list(top, options) {
  const output = [];
  const queue = [{ text: top, prefix: "" }];
  for (const { text, prefix } of queue) {
    const entries = JSON.parse(system(() => host.readdir(located(text)), "scandir", text));
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

function copyTree(from, to, options) {
  const {
    recursive = false,
    force = true,
    errorOnExist = false,
    dereference = false,
    filter,
    preserveTimestamps = false,
  } = options;
  if (filter && !filter(from, to)) return;
  const stats = dereference ? sync.statSync(from) : sync.lstatSync(from);
  const there = typeOf(located(to));
  if (stats.isDirectory()) {
    if (!recursive) {
      throw coded(
        Error,
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
    for (const name of sync.readdirSync(from)) copyTree(`${from}/${name}`, `${to}/${name}`, options);
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
    sync.symlinkSync(sync.readlinkSync(from), to);
  } else {
    sync.copyFileSync(from, to);
    if (preserveTimestamps) sync.utimesSync(to, stats.atime, stats.mtime);
  }
}

const seconds = (time) => {
  const number = time instanceof Date ? time.getTime() / 1000 : +time;
  if (Number.isNaN(number)) throw invalidArgType("time", ["number", "string", "Date"], time);
  return number * 1000;
};
const watching = (name) =>
  function () {
    throw notHere(
      `fs.${name}`,
      "nothing here tells a program that files change",
      "Look at fs.statSync(path).mtimeMs when you need to know",
    );
  };

export const sync = {
  existsSync: (path) => {
    try {
      return host.exists(located(pathText(path))) === 1;
    } catch {
      return false;
    }
  },
  readFileSync(path, options) {
    const encoding = encodingOf(options);
    const bytes = readAll(path, typeof options === "string" ? undefined : options);
    return encoding === undefined ? bytes : decode(bytes, encoding);
  },
  writeFileSync: (path, data, options) => writeAll(path, data, options, "w"),
  appendFileSync: (path, data, options) => writeAll(path, data, options, "a"),
  readdirSync(path, options) {
    const text = pathText(path);
    return list(text, typeof options === "string" ? { encoding: options } : options);
  },
  opendirSync: (path, options) => new Dir(pathText(path), options),
  statSync: (path, options) => statOf(path, options, 1, "stat"),
  lstatSync: (path, options) => statOf(path, options, 0, "lstat"),
  fstatSync: (fd, options) => {
    if (STANDARD.has(fd)) {
      return new Stats({
        size: 0,
        mode: 0o620,
        ino: 1,
        nlink: 1,
        atimeMs: 0,
        mtimeMs: 0,
        ctimeMs: 0,
        type: "file",
      });
    }
    return statOf(opened(fd, "fstat").place, options, 1, "fstat");
  },
  statfsSync: () => ({
    type: 0,
    bsize: 4096,
    blocks: 65536,
    bfree: 65536,
    bavail: 65536,
    files: 20000,
    ffree: 20000,
  }),
  mkdirSync(path, options) {
    const text = pathText(path);
    const place = located(text);
    if (!options?.recursive) {
      system(() => host.mkdir(place, 0), "mkdir", text);
      return undefined;
    }
    let first = place;
    if (host.exists(place) === 1) first = undefined;
    else {
      for (let at = place; host.exists(at) !== 1; at = at.slice(0, at.lastIndexOf("/")) || "/") first = at;
    }
    system(() => host.mkdir(place, 1), "mkdir", text);
    return first;
  },
  mkdtempSync(prefix, options) {
    const text = pathText(prefix, "prefix");
    const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    for (;;) {
      const random = Array.from(new Uint8Array(host.random(6)), (byte) => letters[byte % letters.length])
        .join("");
      if (host.exists(located(text + random)) === 1) continue;
      system(() => host.mkdir(located(text + random), 0), "mkdtemp", `${text}XXXXXX`);
      return named(text + random, options);
    }
  },
  unlinkSync(path) {
    const text = pathText(path);
    system(() => host.unlink(located(text)), "unlink", text);
  },
  rmdirSync(path, options) {
    const text = pathText(path);
    if (options?.recursive) sync.rmSync(path, { recursive: true });
    else system(() => host.rmdir(located(text)), "rmdir", text);
  },
  rmSync(path, options) {
    const text = pathText(path);
    const place = located(text);
    if (!options?.recursive && typeOf(place) === "directory") {
      throw coded(
        Error,
        "ERR_FS_EISDIR",
        `Path is a directory: rm returned EISDIR (is a directory) ${text}`,
        { syscall: "rm", path: text },
      );
    }
    system(
      () => host.rm(place, options?.recursive ? 1 : 0, options?.force ? 1 : 0),
      typeOf(place) === undefined ? "lstat" : "rm",
      text,
    );
  },
  renameSync(from, to) {
    const [a, b] = [pathText(from, "oldPath"), pathText(to, "newPath")];
    system(() => host.rename(located(a), located(b)), "rename", a, b);
  },
  copyFileSync(from, to, mode = 0) {
    const [a, b] = [pathText(from, "src"), pathText(to, "dest")];
    if (mode & constants.COPYFILE_EXCL && host.exists(located(b)) === 1) {
      throw systemError("EEXIST", "copyfile", a, b);
    }
    const bytes = system(() => host.readFile(located(a)), "copyfile", a, b);
    const { mode: bits } = JSON.parse(host.stat(located(a), 1));
    system(() => host.writeFile(located(b), bytes), "copyfile", a, b);
    system(() => host.chmod(located(b), bits & 0o7777, 1), "copyfile", a, b);
  },
  cpSync(from, to, options = {}) {
    copyTree(
      pathText(from, "src").replace(/(?<=.)\/+$/, ""),
      pathText(to, "dest").replace(/(?<=.)\/+$/, ""),
      options,
    );
  },
  symlinkSync(target, path) {
    const [a, b] = [pathText(target, "target"), pathText(path)];
    system(() => host.symlink(a, located(b)), "symlink", a, b);
  },
  linkSync(from, to) {
    const [a, b] = [pathText(from, "existingPath"), pathText(to, "newPath")];
    system(() => host.link(located(a), located(b)), "link", a, b);
  },
  readlinkSync(path, options) {
    const text = pathText(path);
    return named(system(() => host.readlink(located(text)), "readlink", text), options);
  },
  realpathSync: Object.assign((path, options) => {
    const text = pathText(path);
    return named(system(() => host.realpath(located(text)), "lstat", text), options);
  }, {}),
  accessSync(path, mode = 0) {
    const text = pathText(path);
    const stats = JSON.parse(system(() => host.stat(located(text), 1), "access", text));
    if (mode & constants.X_OK && stats.type === "file" && !(stats.mode & 0o111)) {
      throw systemError("EACCES", "access", text);
    }
  },
  chmodSync(path, mode) {
    const text = pathText(path);
    system(() => host.chmod(located(text), modeOf(mode), 1), "chmod", text);
  },
  fchmodSync(fd, mode) {
    sync.chmodSync(opened(fd, "fchmod").place, mode);
  },
  lchmodSync() {},
  chownSync(path) {
    sync.accessSync(path);
  },
  lchownSync() {},
  fchownSync(fd) {
    opened(fd, "fchown");
  },
  utimesSync(path, atime, mtime) {
    const text = pathText(path);
    system(() => host.utimes(located(text), seconds(atime), seconds(mtime), 1), "utime", text);
  },
  lutimesSync(path, atime, mtime) {
    const text = pathText(path);
    system(() => host.utimes(located(text), seconds(atime), seconds(mtime), 0), "lutime", text);
  },
  futimesSync(fd, atime, mtime) {
    sync.utimesSync(opened(fd, "futime").place, atime, mtime);
  },
  truncateSync(path, length = 0) {
    if (typeof path === "number") return sync.ftruncateSync(path, length);
    const text = pathText(path);
    system(() => host.truncate(located(text), Math.max(0, length)), "open", text);
  },
  ftruncateSync(fd, length = 0) {
    const { place } = opened(fd, "ftruncate");
    system(() => host.truncate(place, Math.max(0, length)), "ftruncate");
  },
  openSync(path, flags = "r", mode = 0o666) {
    const text = pathText(path);
    const bits = flagsOf(flags);
    const place = located(text);
    const there = host.exists(place) === 1;
    if (there && bits & constants.O_CREAT && bits & constants.O_EXCL) {
      throw systemError("EEXIST", "open", text);
    }
    if (!there && !(bits & constants.O_CREAT)) throw systemError("ENOENT", "open", text);
    if (
      there && (bits & 3) !== 0 && typeOf(system(() => host.realpath(place), "open", text)) === "directory"
    ) {
      throw systemError("EISDIR", "open", text);
    }
    if (open.size >= MOST_OPEN) throw systemError("EMFILE", "open", text);
    if (!there) {
      system(() => host.writeFile(place, new ArrayBuffer(0)), "open", text);
      if (mode !== 0o666) system(() => host.chmod(place, modeOf(mode), 1), "open", text);
    } else if (bits & constants.O_TRUNC) system(() => host.truncate(place, 0), "open", text);
    let fd = 3;
    while (open.has(fd)) fd++;
    open.set(fd, { place, position: 0, flags: bits });
    return fd;
  },
  closeSync(fd) {
    if (STANDARD.has(fdOf(fd))) return;
    opened(fd, "close");
    open.delete(fd);
  },
  readSync(fd, buffer, offsetOrOptions, length, position) {
    if (!ArrayBuffer.isView(buffer)) {
      throw invalidArgType("buffer", ["Buffer", "TypedArray", "DataView"], buffer);
    }
    let offset = offsetOrOptions;
    if (typeof offset === "object" && offset !== null) ({ offset = 0, length, position } = offset);
    offset ??= 0;
    length ??= buffer.byteLength - offset;
    checkInteger(offset, "offset", 0, buffer.byteLength);
    checkInteger(length, "length", 0, buffer.byteLength - offset);
    const into = new Uint8Array(buffer.buffer, buffer.byteOffset + offset, length);
    if (fd === 0) return hooks.readStdin(into);
    const file = opened(fd, "read");
    if ((file.flags & 3) === constants.O_WRONLY) throw systemError("EBADF", "read");
    const current = position === null || position === undefined || Number(position) < 0;
    const from = current ? file.position : Number(position);
    const bytes = new Uint8Array(system(() => host.readAt(file.place, from, length), "read"));
    into.set(bytes);
    if (current) file.position += bytes.length;
    return bytes.length;
  },
  readvSync(fd, buffers, position) {
    let at = position;
    let count = 0;
    for (const buffer of buffers) {
      const read = sync.readSync(fd, buffer, 0, buffer.byteLength, at);
      count += read;
      if (typeof at === "number") at += read;
      if (read < buffer.byteLength) break;
    }
    return count;
  },
  writeSync(fd, data, offsetOrPosition, lengthOrEncoding, position) {
    let bytes;
    let at = position;
    if (typeof data === "string") {
      bytes = encode(data, lengthOrEncoding ?? "utf8");
      at = offsetOrPosition;
    } else {
      if (!ArrayBuffer.isView(data)) {
        throw invalidArgType("buffer", ["string", "Buffer", "TypedArray", "DataView"], data);
      }
      let [offset, length] = [offsetOrPosition, lengthOrEncoding];
      if (typeof offset === "object" && offset !== null) ({ offset, length, position: at } = offset);
      offset ??= 0;
      length ??= data.byteLength - offset;
      checkInteger(offset, "offset", 0, data.byteLength);
      checkInteger(length, "length", 0, data.byteLength - offset);
      bytes = new Uint8Array(data.buffer, data.byteOffset + offset, length);
    }
    if (fd === 1 || fd === 2) {
      host.writeBytes(fd, hooks.bufferOf(bytes));
      return bytes.length;
    }
    const file = opened(fd, "write");
    if ((file.flags & 3) === constants.O_RDONLY) throw systemError("EBADF", "write");
    if (file.flags & constants.O_APPEND) {
      system(() => host.appendFile(file.place, hooks.bufferOf(bytes)), "write");
    } else {
      const current = typeof at !== "number";
      system(() => host.writeAt(file.place, current ? file.position : at, hooks.bufferOf(bytes)), "write");
      if (current) file.position += bytes.length;
    }
    return bytes.length;
  },
  writevSync(fd, buffers, position) {
    let at = position;
    let count = 0;
    for (const buffer of buffers) {
      const written = sync.writeSync(fd, buffer, 0, buffer.byteLength, at);
      count += written;
      if (typeof at === "number") at += written;
    }
    return count;
  },
  fsyncSync(fd) {
    opened(fd, "fsync");
  },
  fdatasyncSync(fd) {
    opened(fd, "fdatasync");
  },
};
for (const [name, method] of Object.entries(sync)) Object.defineProperty(method, "name", { value: name });
sync.realpathSync.native = sync.realpathSync;

/** A directory that is read entry by entry. */
export class Dir {
  #entries;
  #closed = false;
  constructor(path, options) {
    this.path = path;
    this.#entries = list(path, { withFileTypes: true, recursive: options?.recursive });
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

export const refused = {
  watch: watching("watch"),
  watchFile: watching("watchFile"),
  unwatchFile() {},
};
