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

/** Gives a stream what it was told to read or write: a path, or what is open. */
function attach(stream, path, given) {
  stream.handle = handleOf(given.fd);
  stream.handle?.on("close", () => stream.close());
  stream.fd = stream.handle ? stream.handle.fd : given.fd ?? null;
  if (path !== undefined) stream.path = path;
  stream.autoClose = given.autoClose ?? true;
}

function open(stream, callback) {
  if (stream.fd !== null) return callback();
  try {
    stream.fd = sync.openSync(stream.path, stream.flags, stream.mode);
  } catch (error) {
    return later(callback, error);
  }
  later(() => {
    callback();
    stream.emit("open", stream.fd);
    stream.emit("ready");
  });
}

function letGo(stream, error, callback) {
  const { fd, handle } = stream;
  stream.fd = null;
  if (handle) return void handle.close().then(() => callback(error), callback);
  if (fd !== null) closeQuietly(fd);
  callback(error);
}

export class ReadStream extends Readable {
  constructor(path, options) {
    // What is wrong is told before anything is set going: it would be opened.
    const given = streamOptions(options);
    const place = given.fd === undefined || given.fd === null ? pathOf(path) : undefined;
    super({ highWaterMark: 64 * 1024, ...given, emitClose: given.emitClose ?? true });
    attach(this, place, given);
    this.flags = given.flags ?? "r";
    this.start = given.start;
    this.end = given.end ?? Infinity;
    this.pos = this.start;
    this.bytesRead = 0;
  }
  _construct(callback) {
    open(this, callback);
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
    letGo(this, error, callback);
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
    attach(this, place, given);
    this.flags = given.flags ?? "w";
    this.mode = given.mode ?? 0o666;
    this.start = this.pos = given.start;
    this.bytesWritten = 0;
  }
  _construct(callback) {
    open(this, callback);
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
    letGo(this, error, callback);
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
