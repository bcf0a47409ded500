/** What git's commands work with: the session's files, output, environment, and how they fail. */
import { hooks, host } from "../runtime.js";

/** A command that ends with a message; what it says goes to standard error as it is. */
export class Failure extends Error {
  constructor(message, exitCode) {
    super(message);
    this.exitCode = exitCode;
  }
}
export const fatal = (message, exitCode = 128) => new Failure(`fatal: ${message}\n`, exitCode);
export const failed = (message, exitCode = 1) => new Failure(`error: ${message}\n`, exitCode);

/** What the command was started with; set by its first step. */
export const started = { cwd: "/", env: {} };

const FLUSH_AT = 65536;
const waiting = { 1: [], 2: [] };
const lengths = { 1: 0, 2: 0 };

export const encode = (text) => hooks.encodeUtf8(text);
/** @returns undefined if the bytes are no UTF-8. */
export function decodeStrictly(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
export const decode = (bytes) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);

function write(stream, data) {
  const bytes = typeof data === "string" ? encode(data) : data;
  if (stream === 1 && collecting) return void collecting.push(bytes);
  waiting[stream].push(bytes);
  lengths[stream] += bytes.length;
  if (lengths[stream] >= FLUSH_AT) flush(stream);
}
function flush(stream) {
  const pieces = waiting[stream].splice(0);
  lengths[stream] = 0;
  if (pieces.length > 0) host.writeBytes(stream, hooks.bufferOf(concat(pieces)));
}
/** @param data Text, or bytes. */
export const out = (data) => write(1, data);
export const note = (data) => write(2, data);
/** What something prints, which is not printed then. */
export async function captured(print) {
  flush(1);
  const before = collecting;
  collecting = [];
  try {
    await print();
    return concat(collecting);
  } finally {
    collecting = before;
  }
}
let collecting;
export function flushAll() {
  flush(1);
  flush(2);
}

export function concat(parts) {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

const isAbsent = (error) => ["ENOENT", "ENOTDIR"].includes(error?.code);
function unlessAbsent(call) {
  try {
    return call();
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** @returns undefined if there is nothing of that name. */
export const lstat = (path) => {
  const found = unlessAbsent(() => host.stat(path, 0));
  return found && JSON.parse(found);
};
export const stat = (path) => {
  const found = unlessAbsent(() => host.stat(path, 1));
  return found && JSON.parse(found);
};
export const isDirectory = (path) => stat(path)?.type === "directory";
export const isFile = (path) => stat(path)?.type === "file";
/** @returns undefined if there is no such file. */
export const readBytes = (path) =>
  path === "/dev/null" ? new Uint8Array(0) : unlessAbsent(() => new Uint8Array(host.readFile(path)));
export const readText = (path) => {
  const bytes = readBytes(path);
  return bytes && decode(bytes);
};
/** Pairs of names and types; empty if there is no such directory. */
export const list = (path) => JSON.parse(unlessAbsent(() => host.readdir(path)) ?? "[]");
export const readLink = (path) => host.readlink(path);
export const makeDirectory = (path) => void host.mkdir(path, 1);

export function writeBytes(path, bytes) {
  try {
    host.writeFile(path, hooks.bufferOf(bytes));
  } catch (error) {
    if (!isAbsent(error)) throw error;
    makeDirectory(parentOf(path));
    host.writeFile(path, hooks.bufferOf(bytes));
  }
}
export const writeText = (path, text) => writeBytes(path, encode(text));
export function appendText(path, text) {
  makeDirectory(parentOf(path));
  host.appendFile(path, hooks.bufferOf(encode(text)));
}
export function makeLink(target, path) {
  makeDirectory(parentOf(path));
  host.symlink(target, path);
}
export const setMode = (path, mode) => void host.chmod(path, mode, 1);
/** Removes a file; nothing happens if there is none. */
export const removeFile = (path) => void unlessAbsent(() => host.unlink(path));
export const removeTree = (path) => void host.rm(path, 1, 1);
export const rename = (from, to) => void host.rename(from, to);
/** Removes the directories above a path that have become empty, up to one that stays. */
export function removeEmptyParents(path, top) {
  for (let at = parentOf(path); at.length > top.length && at.startsWith(top); at = parentOf(at)) {
    if (at === started.cwd || list(at).length > 0) return;
    unlessAbsent(() => host.rmdir(at));
  }
}

export const parentOf = (path) => path.slice(0, path.lastIndexOf("/")) || "/";
export const baseOf = (path) => path.slice(path.lastIndexOf("/") + 1);
export const joined = (directory, name) => directory === "" ? name : `${directory}/${name}`;

/** An absolute path without `.` and `..`. */
export function absolute(name, directory = started.cwd) {
  const parts = [];
  for (const part of (name.startsWith("/") ? name : `${directory}/${name}`).split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}
export const realPath = (path) => host.realpath(path);

/** The path of one place as seen from another; both absolute. */
export function relative(from, to) {
  const [a, b] = [from, to].map((path) => path.split("/").filter((part) => part !== ""));
  let same = 0;
  while (same < a.length && same < b.length && a[same] === b[same]) same++;
  return [...a.slice(same).map(() => ".."), ...b.slice(same)].join("/");
}

export const sha1 = (bytes) => hooks.modules.crypto.createHash("sha1").update(bytes).digest("hex");
export const inflate = (bytes) => hooks.modules.zlib.inflateSync(bytes);
export const deflate = (bytes, level) => hooks.modules.zlib.deflateSync(bytes, { level });
/** All of standard input. */
export const readInput = () => hooks.stdinBytes();

const later = (call) => (...args) => new Promise((resolve) => resolve(call(...args)));
const calls = {
  readFile(path, options) {
    const bytes = hooks.modules.buffer.Buffer.from(host.readFile(path));
    const encoding = typeof options === "string" ? options : options?.encoding;
    return encoding ? decode(bytes) : bytes;
  },
  writeFile: (path, data) =>
    void host.writeFile(path, hooks.bufferOf(typeof data === "string" ? encode(data) : data)),
  mkdir: (path) => void host.mkdir(path, 0),
  rmdir: (path) => void host.rmdir(path),
  unlink: (path) => void host.unlink(path),
  stat: (path) => statsOf(JSON.parse(host.stat(path, 1))),
  lstat: (path) => statsOf(JSON.parse(host.stat(path, 0))),
  readdir: (path) => JSON.parse(host.readdir(path)).map(([name]) => name),
  readlink: (path) => host.readlink(path),
  symlink: (target, path) => void host.symlink(target, path),
};
/** As isomorphic-git wants its files. */
export const fileClient = {
  promises: Object.fromEntries(Object.entries(calls).map(([name, call]) => [name, later(call)])),
};

const FORMATS = { file: 0o100000, directory: 0o040000, symlink: 0o120000 };
/** What the index remembers of a file. */
export function statsOf({ type, mode, ino, size, mtimeMs, ctimeMs }) {
  return {
    dev: 1,
    ino,
    uid: 0,
    gid: 0,
    size,
    mode: (FORMATS[type] ?? FORMATS.file) | (mode & 0o777),
    mtimeMs,
    ctimeMs,
    isFile: () => type === "file",
    isDirectory: () => type === "directory",
    isSymbolicLink: () => type === "symlink",
  };
}
