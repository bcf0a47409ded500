/** What the options of `fs` mean: flags, modes, encodings. */
import { encode } from "./buffer.js";
import { checkedEncoding, decode } from "./encodings.js";
import { checkInteger, invalidArgType, invalidArgValue } from "./errors.js";

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

export function flagsOf(flags = "r") {
  if (typeof flags === "number") return flags;
  const plain = `${flags}`.replace(/s/g, "");
  const exclusive = plain.includes("x") ? constants.O_EXCL : 0;
  const known = FLAGS[plain.replace("x", "")];
  if (known === undefined) throw invalidArgValue("flags", flags);
  return known | exclusive;
}

export const encodingOf = (options) => {
  const encoding = typeof options === "string" ? options : options?.encoding;
  if (encoding === undefined || encoding === null || encoding === "buffer") return undefined;
  try {
    return checkedEncoding(encoding);
  } catch {
    throw invalidArgValue("encoding", encoding, "is invalid encoding");
  }
};
export function modeOf(mode, fallback, name = "mode") {
  if (mode === undefined || mode === null) {
    if (fallback === undefined) throw invalidArgType(name, "number", mode);
    return fallback;
  }
  if (typeof mode === "string") {
    if (/^[0-7]+$/.test(mode)) return parseInt(mode, 8);
    throw invalidArgValue(name, mode, "must be a 32-bit unsigned integer or an octal string");
  }
  checkInteger(mode, name, 0, 2 ** 32 - 1);
  return mode;
}

let mask = 0o022;
/** What new files are not allowed to anybody. @returns What held before. */
export function umask(given) {
  const before = mask;
  if (given !== undefined) mask = modeOf(given, 0, "mask") & 0o777;
  return before;
}
/** The mode of what is made anew; undefined if it is the one that it has anyway. */
export function modeOfNew(mode, kind) {
  const [most, usual] = kind === "directory" ? [0o777, 0o755] : [0o666, 0o644];
  const bits = modeOf(mode, most) & 0o7777 & ~mask;
  return bits === usual ? undefined : bits;
}
/** A name as an option says how it is given. */
export const named = (text, options) => {
  const encoding = typeof options === "string" ? options : options?.encoding;
  return encoding === "buffer"
    ? encode(text, "utf8")
    : encoding
    ? decode(encode(text, "utf8"), encoding)
    : text;
};
/** The signal among the options of what reads or writes a whole file, which may end what is not told yet. */
export function signalOf(options) {
  const signal = options?.signal;
  if (signal !== undefined && (typeof signal !== "object" || signal === null || !("aborted" in signal))) {
    throw invalidArgType("options.signal", "AbortSignal", signal);
  }
  return signal;
}
