/** `fs`: what waits for nothing. Callbacks and promises are made of these. */
import { asBuffer, encode } from "./buffer.js";
import { decode } from "./encodings.js";
import { checkInteger, coded, invalidArgType, notHere } from "./errors.js";
import { dataBytes, located, pathText, system, SystemError, systemError } from "./file_errors.js";
import { descriptors, opened, sizeOf, streamOf } from "./fs_descriptors.js";
import { descriptorNamed } from "./fs_devices.js";
import { constants, encodingOf, flagsOf, modeOf, modeOfNew, named } from "./fs_options.js";
import { statOf, Stats, typeOf } from "./fs_stats.js";
import { copyTree, Dir, list } from "./fs_trees.js";
import { hooks, host } from "./runtime.js";

function readAll(path, options) {
  if (streamOf(path) === 0) return asBuffer(hooks.stdinBytes());
  if (typeof path === "number") {
    const file = opened(path, "fstat");
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
  if (flags !== 0 || descriptorNamed(located(text)) !== undefined) {
    const fd = descriptors.openSync(path, options?.flag);
    try {
      return readAll(fd);
    } finally {
      descriptors.closeSync(fd);
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
    while (at < bytes.length) at += descriptors.writeSync(path, bytes, at);
    return;
  }
  const text = pathText(path);
  const flags = flagsOf(options?.flag ?? preset);
  const place = located(text);
  const named = descriptorNamed(place) !== undefined;
  const mode = typeof options === "object" ? options?.mode : undefined;
  const made = modeOfNew(mode, "file");
  const isNew = made !== undefined && !named && host.exists(place) !== 1;
  const plain = named ? undefined : flags & ~constants.O_RDWR & ~constants.O_WRONLY;
  if (plain === (constants.O_CREAT | constants.O_TRUNC)) {
    system(() => host.writeFile(place, hooks.bufferOf(bytes)), "open", text);
  } else if (plain === (constants.O_CREAT | constants.O_APPEND)) {
    system(() => host.appendFile(place, hooks.bufferOf(bytes)), "open", text);
  } else {
    const fd = descriptors.openSync(path, flags, mode);
    try {
      let at = 0;
      while (at < bytes.length) at += descriptors.writeSync(fd, bytes, at);
    } finally {
      descriptors.closeSync(fd);
    }
    return;
  }
  if (isNew) system(() => host.chmod(place, made, 1), "open", text);
}

const seconds = (time) => {
  const number = time instanceof Date ? time.getTime() / 1000 : +time;
  if (Number.isNaN(number)) throw invalidArgType("time", ["number", "string", "Date"], time);
  return number * 1000;
};
/** Everything has one owner here. */
function checkOwner(uid, gid) {
  checkInteger(uid, "uid", -1, 2 ** 32 - 1);
  checkInteger(gid, "gid", -1, 2 ** 32 - 1);
}
const watching = (name) =>
  function () {
    throw notHere(
      `fs.${name}`,
      "nothing here tells a program that files change",
      "Look at fs.statSync(path).mtimeMs when you need to know",
    );
  };

const streamStats = () =>
  new Stats({ size: 0, mode: 0o620, ino: 1, nlink: 1, atimeMs: 0, mtimeMs: 0, ctimeMs: 0, type: "file" });
function isOpen(fd) {
  try {
    return streamOf(fd) !== undefined || opened(fd, "stat") !== undefined;
  } catch {
    return false;
  }
}
function statNamed(path, options, follow, syscall) {
  const named = descriptorNamed(located(pathText(path)));
  if (named === undefined || !isOpen(named)) return statOf(path, options, follow, syscall);
  return sync.fstatSync(named, options);
}

export const sync = {
  ...descriptors,
  existsSync: (path) => {
    try {
      const place = located(pathText(path));
      const named = descriptorNamed(place);
      return named === undefined ? host.exists(place) === 1 : isOpen(named);
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
    encodingOf(options);
    const text = pathText(path);
    return list(text, typeof options === "string" ? { encoding: options } : options);
  },
  opendirSync: (path, options) => new Dir(pathText(path), options),
  statSync: (path, options) => statNamed(path, options, 1, "stat"),
  lstatSync: (path, options) => statNamed(path, options, 0, "lstat"),
  fstatSync: (fd, options) => {
    if (streamOf(fd) !== undefined) return streamStats();
    return statOf(opened(fd, "fstat").place, options, 1, "fstat");
  },
  statfsSync(path, options) {
    sync.accessSync(path);
    const fields = {
      type: 0,
      bsize: 4096,
      blocks: 65536,
      bfree: 65536,
      bavail: 65536,
      files: 20000,
      ffree: 20000,
    };
    if (options?.bigint) { for (const name in fields) fields[name] = BigInt(fields[name]); }
    return fields;
  },
  mkdirSync(path, options) {
    const text = pathText(path);
    const place = located(text);
    const isObject = typeof options === "object" && options !== null;
    const mode = modeOfNew(isObject ? options.mode : options, "directory");
    const { recursive = false } = isObject ? options : {};
    if (typeof recursive !== "boolean") throw invalidArgType("options.recursive", "boolean", recursive);
    const above = (at) => at.slice(0, at.lastIndexOf("/")) || "/";
    const isThere = host.exists(place) === 1;
    let first;
    if (!recursive) system(() => host.mkdir(place, 0), "mkdir", text);
    else {
      let at = place;
      if (!isThere) { for (; host.exists(at) !== 1; at = above(at)) first = at; }
      if (first !== undefined && !sync.statSync(at).isDirectory()) {
        throw systemError("ENOTDIR", "mkdir", text);
      }
      system(() => host.mkdir(place, 1), "mkdir", text);
    }
    if (mode === undefined || recursive && isThere) return first;
    for (let at = place;; at = above(at)) {
      system(() => host.chmod(at, mode, 1), "mkdir", text);
      if (first === undefined || at === first) return first;
    }
  },
  mkdtempSync(prefix, options) {
    encodingOf(options);
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
    if (options?.recursive && typeOf(located(text)) === "directory") sync.rmSync(path, { recursive: true });
    else system(() => host.rmdir(located(text)), "rmdir", text);
  },
  rmSync(path, options) {
    const text = pathText(path);
    if (text === "" && options?.force) return;
    const place = located(text);
    if (!options?.recursive && typeOf(place) === "directory") {
      throw coded(
        SystemError,
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
      sync,
      pathText(from, "src").replace(/(?<=.)\/+$/, ""),
      pathText(to, "dest").replace(/(?<=.)\/+$/, ""),
      options,
    );
  },
  symlinkSync(target, path, type) {
    if (type !== undefined && type !== null && !["dir", "file", "junction"].includes(type)) {
      throw coded(
        Error,
        "ERR_FS_INVALID_SYMLINK_TYPE",
        `Symlink type must be one of "dir", "file", or "junction". Received "${type}"`,
      );
    }
    const [a, b] = [pathText(target, "target"), pathText(path)];
    system(() => host.symlink(a, located(b)), "symlink", a, b);
  },
  linkSync(from, to) {
    const [a, b] = [pathText(from, "existingPath"), pathText(to, "newPath")];
    system(() => host.link(located(a), located(b)), "link", a, b);
  },
  readlinkSync(path, options) {
    encodingOf(options);
    const text = pathText(path);
    return named(system(() => host.readlink(located(text)), "readlink", text), options);
  },
  // As in Node, whose own walk begins at the current directory, where the system's function finds nothing at "".
  realpathSync: (path, options) => {
    encodingOf(options);
    const text = pathText(path);
    return named(system(() => host.realpath(located(text || ".")), "lstat", text), options);
  },
  accessSync(path, mode = 0) {
    const text = pathText(path);
    const named = descriptorNamed(located(text));
    if (named !== undefined && isOpen(named)) return;
    const stats = JSON.parse(system(() => host.stat(located(text), 1), "access", text));
    if (mode & constants.X_OK && stats.type === "file" && !(stats.mode & 0o111)) {
      throw systemError("EACCES", "access", text);
    }
  },
  chmodSync(path, mode) {
    const text = pathText(path);
    const bits = modeOf(mode);
    system(() => host.chmod(located(text), bits, 1), "chmod", text);
  },
  fchmodSync(fd, mode) {
    sync.chmodSync(opened(fd, "fchmod").place, mode);
  },
  chownSync(path, uid, gid) {
    checkOwner(uid, gid);
    sync.accessSync(path);
  },
  lchownSync(path, uid, gid) {
    checkOwner(uid, gid);
    sync.lstatSync(path);
  },
  fchownSync(fd, uid, gid) {
    checkOwner(uid, gid);
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
};
for (const [name, method] of Object.entries(sync)) Object.defineProperty(method, "name", { value: name });
export function realpathNative(path, options) {
  const text = pathText(path);
  return named(system(() => host.realpath(located(text)), "realpath", text), options);
}
sync.realpathSync.native = realpathNative;

export const refused = {
  watch: watching("watch"),
  watchFile: watching("watchFile"),
  unwatchFile() {},
};
