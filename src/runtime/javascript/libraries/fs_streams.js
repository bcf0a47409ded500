/** Streams of `fs`: of a path, or of what is open. */
import buffer from "./buffer.js";
import { checkInteger, invalidArgType, outOfRange } from "./errors.js";
import { pathText } from "./file_errors.js";
import { encodingOf, signalOf } from "./fs_options.js";
import { sync } from "./fs_sync.js";
import stream from "./stream.js";
import { hooks, platform } from "./runtime.js";

const { Buffer } = buffer;
const { Readable, Writable } = stream;
const later = (callback, ...args) => hooks.told(callback, ...args);
/** What a FileHandle is given as, beside the numbers of open files. */
const handleOf = (fd) => typeof fd === "object" && fd !== null ? fd : undefined;

const placeOf = (value, name) => {
  if (value !== undefined && value !== Infinity) checkInteger(value, name, 0);
};
const pathOf = (path) => typeof path === "string" || path instanceof Uint8Array ? path : pathText(path);
/** The options of a stream: an encoding, or several of them. */
function streamOptions(options) {
  if (options === undefined || options === null || typeof options === "function") return {};
  if (typeof options !== "string" && typeof options !== "object") {
    throw invalidArgType("options", ["string", "Object"], options);
  }
  const given = {};
  if (typeof options === "string") given.encoding = options;
  // Those of its prototypes too, as in Node.
  else for (const name in options) given[name] = options[name];
  encodingOf(given);
  signalOf(given);
  placeOf(given.start, "start");
  placeOf(given.end, "end");
  if (given.start > given.end) {
    throw outOfRange("start", `<= "end" (here: ${given.end})`, given.start);
  }
  given.autoDestroy = given.autoClose ?? given.autoDestroy ?? true;
  return given;
}

export class ReadStream extends Readable {
  constructor(path, options) {
    // What is wrong is told before anything is set going: it would be opened.
    const given = streamOptions(options);
    const place = given.fd === undefined || given.fd === null ? pathOf(path) : undefined;
    super({ highWaterMark: 64 * 1024, ...given, emitClose: given.emitClose ?? true });
    this.handle = handleOf(given.fd);
    this.handle?.on("close", () => this.close());
    this.fd = this.handle ? this.handle.fd : given.fd ?? null;
    if (place !== undefined) this.path = place;
    this.flags = given.flags ?? "r";
    this.start = given.start;
    this.end = given.end ?? Infinity;
    this.pos = this.start;
    this.bytesRead = 0;
    this.autoClose = given.autoClose ?? true;
  }
  _construct(callback) {
    if (this.fd !== null) return callback();
    try {
      this.fd = sync.openSync(this.path, this.flags);
    } catch (error) {
      return later(callback, error);
    }
    later(() => {
      callback();
      this.emit("open", this.fd);
      this.emit("ready");
    });
  }
  _read(size) {
    if (this.handle?.fd < 0) return;
    const left = this.pos === undefined ? this.end - this.bytesRead + 1 : this.end - this.pos + 1;
    const buffer = Buffer.alloc(Math.max(0, Math.min(size, left)));
    let count;
    try {
      count = buffer.length === 0 ? 0 : sync.readSync(this.fd, buffer, 0, buffer.length, this.pos);
    } catch (error) {
      if (this.autoClose) this.destroy(error);
      else this.emit("error", error);
      return;
    }
    if (this.pos !== undefined) this.pos += count;
    this.bytesRead += count;
    // What is read is kept as long as a part of it: a few bytes must not keep the room for many.
    const read = count === buffer.length ? buffer : Buffer.from(buffer.subarray(0, count));
    later(() => this.push(count === 0 ? null : read));
  }
  _destroy(error, callback) {
    const { fd, handle } = this;
    this.fd = null;
    if (handle) return void handle.close().then(() => callback(error), callback);
    if (fd !== null) closeQuietly(fd);
    callback(error);
  }
  close(callback) {
    if (callback) this.once("close", callback);
    this.destroy();
  }
  get pending() {
    return this.fd === null;
  }
}

export class WriteStream extends Writable {
  constructor(path, options) {
    const given = streamOptions(options);
    const place = given.fd === undefined || given.fd === null ? pathOf(path) : undefined;
    super({
      decodeStrings: true,
      ...given,
      defaultEncoding: given.encoding,
      emitClose: given.emitClose ?? true,
    });
    this.handle = handleOf(given.fd);
    this.handle?.on("close", () => this.close());
    this.fd = this.handle ? this.handle.fd : given.fd ?? null;
    if (place !== undefined) this.path = place;
    this.flags = given.flags ?? "w";
    this.mode = given.mode ?? 0o666;
    this.start = this.pos = given.start;
    this.bytesWritten = 0;
    this.autoClose = given.autoClose ?? true;
  }
  _construct(callback) {
    if (this.fd !== null) return callback();
    try {
      this.fd = sync.openSync(this.path, this.flags, this.mode);
    } catch (error) {
      return later(callback, error);
    }
    later(() => {
      callback();
      this.emit("open", this.fd);
      this.emit("ready");
    });
  }
  _write(chunk, _encoding, callback) {
    try {
      const count = sync.writeSync(this.fd, chunk, 0, chunk.length, this.pos);
      if (this.pos !== undefined) this.pos += count;
      this.bytesWritten += count;
    } catch (error) {
      return callback(error);
    }
    later(callback);
  }
  _destroy(error, callback) {
    const { fd, handle } = this;
    this.fd = null;
    if (handle) return void handle.close().then(() => callback(error), callback);
    if (fd !== null) closeQuietly(fd);
    callback(error);
  }
  close(callback) {
    if (callback) {
      if (this.closed) return void platform.process.nextTick(callback);
      this.once("close", callback);
    }
    if (!this.autoClose) this.on("finish", this.destroy);
    this.end();
  }
  get pending() {
    return this.fd === null;
  }
}
function closeQuietly(fd) {
  try {
    sync.closeSync(fd);
  } catch (error) {
    if (error.code !== "EBADF") throw error;
  }
}
