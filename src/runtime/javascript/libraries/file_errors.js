/** Failures of the file system as Node tells them. */
import { invalidArgType, invalidArgValue } from "./errors.js";
import { systemErrors } from "./util.js";
import { asBuffer } from "./buffer.js";
import { hooks } from "./runtime.js";
import { resolve } from "./path.js";

export function systemError(code, syscall, path, dest) {
  const known = systemErrors.get(code);
  const shown = (name) => name === undefined ? "" : ` '${name}'`;
  const error = new Error(
    `${code}: ${known?.message ?? "the operation failed"}, ${syscall}${shown(path)}${
      dest === undefined ? "" : ` ->${shown(dest)}`
    }`,
  );
  error.errno = known?.number ?? -1;
  error.code = code;
  error.syscall = syscall;
  if (path !== undefined) error.path = path;
  if (dest !== undefined) error.dest = dest;
  return error;
}

/** What Node itself refuses, in the system's words. */
export class SystemError extends Error {
  static {
    Object.defineProperty(this.prototype, "name", {
      value: "SystemError",
      writable: true,
      configurable: true,
    });
  }
}

/** Calls the host; its failure gets the caller's stack and Node's fields. @param path As the program gave it. */
export function system(call, syscall, path, dest) {
  try {
    return call();
  } catch (caught) {
    if (typeof caught?.code !== "string") throw caught;
    throw systemError(caught.code, syscall, path, dest);
  }
}

/** A path as text, as the program gave it. */
export function pathText(path, name = "path") {
  let text = path;
  if (path instanceof URL) {
    if (path.protocol !== "file:") {
      const error = new TypeError("The URL must be of scheme file");
      error.code = "ERR_INVALID_URL_SCHEME";
      throw error;
    }
    text = decodeURIComponent(path.pathname);
  } else if (path instanceof Uint8Array) text = hooks.decodeUtf8(path, false);
  if (typeof text !== "string") throw invalidArgType(name, ["string", "Buffer", "URL"], path);
  if (text.includes("\0")) {
    throw invalidArgValue(name, path, "must be a string, Uint8Array, or URL without null bytes");
  }
  return text;
}

/** Where it is. Nothing is at the empty path, which is not the current directory's. */
export const located = (text) => text === "" ? "" : resolve(text);

const BAD_FD = "The value of";
export function fdOf(fd) {
  if (typeof fd !== "number") throw invalidArgType("fd", "number", fd);
  if (!Number.isInteger(fd) || fd < 0 || fd > 2 ** 31 - 1) {
    const error = new RangeError(
      `${BAD_FD} "fd" is out of range. It must be >= 0 && <= 2147483647. Received ${fd}`,
    );
    error.code = "ERR_OUT_OF_RANGE";
    throw error;
  }
  return fd;
}

/** Bytes to be written: of a string in its encoding, or of a view. */
export function dataBytes(data, encoding, encode) {
  if (typeof data === "string") return encode(data, encoding ?? "utf8");
  if (ArrayBuffer.isView(data)) {
    return asBuffer(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  }
  throw invalidArgType("data", ["string", "Buffer", "TypedArray", "DataView"], data);
}
