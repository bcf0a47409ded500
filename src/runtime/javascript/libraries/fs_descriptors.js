/** Open files: what `fs` does by their numbers. */
import { encode } from "./buffer.js";
import { checkInteger, invalidArgType, invalidArgValue, outOfRange } from "./errors.js";
import { fdOf, located, pathText, system, systemError } from "./file_errors.js";
import { descriptorNamed } from "./fs_devices.js";
import { constants, flagsOf, modeOfNew } from "./fs_options.js";
import { typeOf } from "./fs_stats.js";
import { hooks, host } from "./runtime.js";

/**
 * Open files: path, position and flags by their numbers, which go with the heap wherever it goes. One that was opened by the name
 * of a standard stream has its number as `stream`.
 */
const open = new Map();
const MOST_OPEN = 1000;
export const STANDARD = new Set([0, 1, 2]);
/** The standard stream that a number stands for, if any. */
export const streamOf = (fd) => STANDARD.has(fd) ? fd : open.get(fd)?.stream;
export function opened(fd, syscall) {
  const file = open.get(fdOf(fd));
  if (!file) throw systemError("EBADF", syscall);
  return file;
}
/** Where an open file is. */
export const placeOf = (fd) => opened(fd, "spawn").place;
export const sizeOf = (file, syscall) => JSON.parse(system(() => host.stat(file.place, 1), syscall)).size;

function added(file) {
  let fd = 3;
  while (open.has(fd)) fd++;
  open.set(fd, file);
  return fd;
}

/** A stream once more: it has no position, and nothing to be truncated. */
function openStream(stream, flags, text) {
  const wrong = stream === 0 ? constants.O_WRONLY : constants.O_RDONLY;
  if ((flags & 3) === wrong) throw systemError("EACCES", "open", text);
  if (open.size >= MOST_OPEN) throw systemError("EMFILE", "open", text);
  return added({ place: "/dev/null", position: 0, flags, stream });
}

function checkPosition(position) {
  if (position === null || position === undefined) return;
  if (typeof position === "bigint") {
    if (position >= -1n && position <= BigInt(Number.MAX_SAFE_INTEGER)) return;
    throw outOfRange("position", `>= -1 && <= ${Number.MAX_SAFE_INTEGER}`, position);
  }
  if (typeof position !== "number") throw invalidArgType("position", ["integer", "bigint"], position);
  checkInteger(position, "position", -1);
}
function checkViews(buffers) {
  if (!Array.isArray(buffers) || !buffers.every((each) => ArrayBuffer.isView(each))) {
    throw invalidArgType("buffers", "ArrayBufferView[]", buffers);
  }
}

export const descriptors = {
  openSync(path, flags, mode) {
    const text = pathText(path);
    const bits = flagsOf(flags ?? "r");
    const made = modeOfNew(mode, "file");
    let place = located(text);
    const named = descriptorNamed(place);
    if (named !== undefined) {
      if (bits & constants.O_CREAT && bits & constants.O_EXCL) throw systemError("EEXIST", "open", text);
      const stream = streamOf(named);
      if (stream !== undefined) return openStream(stream, bits, text);
      if (!open.has(named)) throw systemError("ENOENT", "open", text);
      place = open.get(named).place;
    }
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
      if (made !== undefined) system(() => host.chmod(place, made, 1), "open", text);
    } else if (bits & constants.O_TRUNC) system(() => host.truncate(place, 0), "open", text);
    return added({ place, position: 0, flags: bits });
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
    checkInteger(offset, "offset", 0);
    if (length === 0) return 0;
    if (buffer.byteLength === 0) {
      throw invalidArgValue("buffer", buffer, "is empty and cannot be written");
    }
    checkInteger(offset, "offset", 0, buffer.byteLength);
    checkInteger(length, "length", 0, buffer.byteLength - offset);
    checkPosition(position);
    const into = new Uint8Array(buffer.buffer, buffer.byteOffset + offset, length);
    const stream = streamOf(fd);
    if (stream === 0) return hooks.readStdin(into);
    const file = opened(fd, "read");
    if (stream !== undefined || (file.flags & 3) === constants.O_WRONLY) throw systemError("EBADF", "read");
    const current = position === null || position === undefined || Number(position) < 0;
    const from = current ? file.position : Number(position);
    const bytes = new Uint8Array(system(() => host.readAt(file.place, from, length), "read"));
    into.set(bytes);
    if (current) file.position += bytes.length;
    return bytes.length;
  },
  readvSync(fd, buffers, position) {
    checkViews(buffers);
    let at = position;
    let count = 0;
    for (const buffer of buffers) {
      const read = descriptors.readSync(fd, buffer, 0, buffer.byteLength, at);
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
      bytes = encode(data, typeof lengthOrEncoding === "string" ? lengthOrEncoding : "utf8");
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
    const stream = streamOf(fd);
    if (stream === 1 || stream === 2) {
      host.writeBytes(stream, hooks.bufferOf(bytes));
      return bytes.length;
    }
    const file = opened(fd, "write");
    if (stream === 0 || (file.flags & 3) === constants.O_RDONLY) throw systemError("EBADF", "write");
    if (file.flags & constants.O_APPEND) {
      system(() => host.appendFile(file.place, hooks.bufferOf(bytes)), "write");
    } else {
      const current = typeof at !== "number" || at < 0;
      system(() => host.writeAt(file.place, current ? file.position : at, hooks.bufferOf(bytes)), "write");
      if (current) file.position += bytes.length;
    }
    return bytes.length;
  },
  writevSync(fd, buffers, position) {
    checkViews(buffers);
    let at = position;
    let count = 0;
    for (const buffer of buffers) {
      const written = descriptors.writeSync(fd, buffer, 0, buffer.byteLength, at);
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
