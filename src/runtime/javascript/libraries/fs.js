/** `fs` and `fs/promises`: callbacks, promises and streams over what `fs_sync.js` does. */
import buffer from "./buffer.js";
import { abortError, checkFunction } from "./errors.js";
import { constants, signalOf } from "./fs_options.js";
import { Dirent, Stats } from "./fs_stats.js";
import { realpathNative, refused, sync } from "./fs_sync.js";
import { ReadStream, WriteStream } from "./fs_streams.js";
import { Dir } from "./fs_trees.js";
import stream from "./stream.js";
import { builtins } from "./builtins.js";
import { hooks, host, platform } from "./runtime.js";

const { Buffer } = buffer;
const { Readable } = stream;
const later = (callback, ...args) => hooks.told(callback, ...args);
/** What has been done is told when the loop comes round, as what Node's threads have done. */
const toldLater = () => new Promise((resolve) => later(resolve));
async function promised(work, signal) {
  let result;
  try {
    result = work();
  } catch (error) {
    await toldLater();
    throw error;
  }
  await toldLater();
  if (signal?.aborted) throw abortError(signal);
  return result;
}
/** What is called with an error, or with null and a result. */
function withCallback(name, method) {
  return {
    [name](...args) {
      const callback = args.pop();
      // As in Node, where a call of one argument has a callback that is not there.
      checkFunction(args.length === 0 && typeof callback !== "function" ? undefined : callback, "cb");
      const signal = signalOf(args.at(-1));
      let result;
      try {
        if (signal?.aborted) throw abortError(signal);
        result = method(...args);
      } catch (error) {
        if (error instanceof TypeError || error instanceof RangeError) throw error;
        later(callback, error);
        return;
      }
      later(() => {
        if (signal?.aborted) callback(abortError(signal));
        else if (result === undefined) callback(null);
        else callback(null, result);
      });
    },
  }[name];
}

const fs = { constants, Dir, Dirent, Stats, ...sync, ...refused };
const { F_OK, R_OK, W_OK, X_OK } = constants;
Object.assign(fs, { F_OK, R_OK, W_OK, X_OK });
for (const [name, method] of Object.entries(sync)) {
  if (name === "existsSync") continue;
  fs[name.slice(0, -"Sync".length)] = withCallback(name.slice(0, -"Sync".length), method);
}
fs.realpath.native = withCallback("realpath", realpathNative);
fs.exists = function exists(path, callback) {
  checkFunction(callback, "cb");
  later(callback, sync.existsSync(path));
};
fs.exists[Symbol.for("nodejs.util.promisify.custom")] = (path) => Promise.resolve(sync.existsSync(path));
fs.rmdir = withCallback("rmdir", sync.rmdirSync);
fs.read = function read(fd, ...args) {
  const callback = args.pop();
  checkFunction(callback, "cb");
  let [buffer, offset, length, position] = args;
  if (!ArrayBuffer.isView(buffer)) {
    ({ buffer = Buffer.alloc(16384), offset, length, position } = buffer ?? {});
  }
  try {
    const count = sync.readSync(fd, buffer, offset, length, position);
    later(callback, null, count, buffer);
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) throw error;
    later(callback, error);
  }
};
fs.write = function write(fd, data, ...args) {
  const callback = args.pop();
  checkFunction(callback, "cb");
  try {
    later(callback, null, sync.writeSync(fd, data, ...args), data);
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) throw error;
    later(callback, error);
  }
};
const several = (bytes) => ({
  value: (...args) =>
    new Promise((resolve, reject) =>
      bytes.call(
        fs,
        ...args,
        (error, count, buffer) =>
          error ? reject(error) : resolve({
            [bytes.name.startsWith("read") ? "bytesRead" : "bytesWritten"]: count,
            [bytes.name.endsWith("v") ? "buffers" : "buffer"]: buffer,
          }),
      )
    ),
});
for (const name of ["readv", "writev"]) {
  fs[name] = {
    [name](fd, buffers, ...args) {
      const callback = args.pop();
      checkFunction(callback, "cb");
      try {
        later(callback, null, sync[`${name}Sync`](fd, buffers, ...args), buffers);
      } catch (error) {
        if (error instanceof TypeError || error instanceof RangeError) throw error;
        later(callback, error);
      }
    },
  }[name];
}
for (const name of ["read", "write", "readv", "writev"]) {
  Object.defineProperty(fs[name], Symbol.for("nodejs.util.promisify.custom"), several(fs[name]));
}

class FileHandle extends builtins.events {
  #fd;
  constructor(fd) {
    super();
    this.#fd = fd;
  }
  get fd() {
    return this.#fd;
  }
  /** Its number, as long as it is open. */
  #open(syscall) {
    if (this.#fd >= 0) return this.#fd;
    throw Object.assign(new Error("file closed"), { code: "EBADF", syscall });
  }
  async read(buffer, offset, length, position) {
    const fd = this.#open("read");
    if (!ArrayBuffer.isView(buffer)) {
      ({ buffer = Buffer.alloc(16384), offset, length, position } = buffer ?? {});
    }
    return await promised(() => ({
      bytesRead: sync.readSync(fd, buffer, offset, length, position),
      buffer,
    }));
  }
  async readv(buffers, position) {
    const fd = this.#open("readv");
    return await promised(() => ({ bytesRead: sync.readvSync(fd, buffers, position), buffers }));
  }
  async write(data, ...args) {
    const fd = this.#open("write");
    return await promised(() => ({ bytesWritten: sync.writeSync(fd, data, ...args), buffer: data }));
  }
  async writev(buffers, position) {
    const fd = this.#open("writev");
    return await promised(() => ({ bytesWritten: sync.writevSync(fd, buffers, position), buffers }));
  }
  async readFile(options) {
    return await promises.readFile(this.#open("readFile"), options);
  }
  async writeFile(data, options) {
    return await promises.writeFile(this.#open("writeFile"), data, options);
  }
  async appendFile(data, options) {
    return await promises.writeFile(this.#open("writeFile"), data, options);
  }
  async stat(options) {
    return await promises.fstat(this.#open("fstat"), options);
  }
  async truncate(length) {
    return await promises.ftruncate(this.#open("ftruncate"), length);
  }
  async chmod(mode) {
    return await promises.fchmod(this.#open("fchmod"), mode);
  }
  async chown(uid, gid) {
    return await promises.fchown(this.#open("fchown"), uid, gid);
  }
  async utimes(atime, mtime) {
    return await promises.futimes(this.#open("futimes"), atime, mtime);
  }
  async sync() {
    await promised(() => sync.fsyncSync(this.#open("fsync")));
  }
  async datasync() {
    await promised(() => sync.fdatasyncSync(this.#open("fdatasync")));
  }
  async close() {
    if (this.#fd < 0) return;
    const fd = this.#fd;
    this.#fd = -1;
    await promised(() => sync.closeSync(fd));
    this.emit("close");
  }
  createReadStream(options) {
    return new ReadStream("", { ...options, fd: this });
  }
  createWriteStream(options) {
    return new WriteStream("", { ...options, fd: this });
  }
  readLines(options) {
    return hooks.modules.readline.createInterface({
      input: this.createReadStream(options),
      crlfDelay: Infinity,
    });
  }
  readableWebStream() {
    return Readable.toWeb(this.createReadStream());
  }
  async [Symbol.asyncDispose ?? Symbol.for("nodejs.asyncDispose")]() {
    await this.close();
  }
}

const promises = { constants };
for (const [name, method] of Object.entries(sync)) {
  const short = name.slice(0, -"Sync".length);
  promises[short] = {
    async [short](...args) {
      const signal = signalOf(args.at(-1));
      if (signal?.aborted) throw abortError(signal);
      const first = args[0] instanceof FileHandle ? args[0].fd : args[0];
      return await promised(() => method(...args.length > 0 ? [first, ...args.slice(1)] : []), signal);
    },
  }[short];
}
for (const name of ["exists", "read", "write", "readv", "writev", "close", "fsync", "fdatasync"]) {
  delete promises[name];
}
promises.realpath = async function realpath(path, options) {
  return await promised(() => realpathNative(path, options));
};
promises.open = async function open(path, flags, mode) {
  return await promised(() => new FileHandle(sync.openSync(path, flags, mode)));
};
const writeFile = promises.writeFile;
promises.writeFile = {
  async writeFile(path, data, options) {
    if (
      typeof data === "object" && data !== null && !ArrayBuffer.isView(data) &&
      (data[Symbol.asyncIterator] || data[Symbol.iterator])
    ) {
      const parts = [];
      const encoding = typeof options === "string" ? options : options?.encoding;
      for await (const part of data) {
        parts.push(typeof part === "string" ? Buffer.from(part, encoding) : part);
      }
      return await writeFile(path, Buffer.concat(parts), options);
    }
    return await writeFile(path, data, options);
  },
}.writeFile;
promises.watch = function watch() {
  return refused.watch();
};
const shown = new Set([
  "constants",
  "access",
  "appendFile",
  "chmod",
  "chown",
  "copyFile",
  "cp",
  "lchmod",
  "lchown",
  "link",
  "lstat",
  "lutimes",
  "mkdir",
  "mkdtemp",
  "open",
  "opendir",
  "readFile",
  "readdir",
  "readlink",
  "realpath",
  "rename",
  "rm",
  "rmdir",
  "stat",
  "statfs",
  "symlink",
  "truncate",
  "unlink",
  "utimes",
  "watch",
  "writeFile",
]);
for (const name of Object.keys(promises)) {
  if (!shown.has(name)) Object.defineProperty(promises, name, { enumerable: false });
}
fs.promises = promises;

// Functions, since old code calls them without `new`.
const callable = (Class) => new Proxy(Class, { apply: (_target, _self, args) => new Class(...args) });
Object.assign(fs, {
  ReadStream: callable(ReadStream),
  WriteStream: callable(WriteStream),
  FileReadStream: callable(ReadStream),
  FileWriteStream: callable(WriteStream),
  createReadStream: function createReadStream(path, options) {
    return new ReadStream(path, options);
  },
  createWriteStream: function createWriteStream(path, options) {
    return new WriteStream(path, options);
  },
  openAsBlob: (path) => Promise.resolve(new platform.Blob([sync.readFileSync(path)])),
});
void host;
export { promises };
export default fs;
