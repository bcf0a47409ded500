/** Files as an archive, as `git archive` writes them: `{ path, mode, bytes }`, directories with a slash at their end. */
import { hooks } from "../runtime.js";
import { concat, encode } from "./system.js";

const BLOCK = 512;
const NAME_BYTES = 100;
const LINK = 0o120000;
const RECORD = 20 * BLOCK;

const octal = (number, width) => `${number.toString(8).padStart(width - 1, "0")}\0`;

function header({ name, mode, size, time, type, link = "" }) {
  const bytes = new Uint8Array(BLOCK);
  const put = (text, at) => bytes.set(encode(text), at);
  put(name, 0);
  put(octal(mode, 8), 100);
  put(octal(0, 8), 108);
  put(octal(0, 8), 116);
  put(octal(size, 12), 124);
  put(octal(time, 12), 136);
  put("        ", 148);
  put(type, 156);
  put(link, 157);
  put("ustar\x0000", 257);
  put("root", 265);
  put("root", 297);
  put(octal(0, 8), 329);
  put(octal(0, 8), 337);
  put(octal(bytes.reduce((sum, byte) => sum + byte, 0), 8), 148);
  return bytes;
}
const padded = (bytes) => [bytes, new Uint8Array((BLOCK - bytes.length % BLOCK) % BLOCK)];

/** A line of a pax header, which begins with its own length. */
function paxLine(key, value) {
  const rest = encode(` ${key}=${value}\n`).length;
  let length = rest + 1;
  while (`${length}`.length + rest !== length) length = `${length}`.length + rest;
  return `${length} ${key}=${value}\n`;
}
function pax(type, name, lines, time) {
  const bytes = encode(lines.map(([key, value]) => paxLine(key, value)).join(""));
  return [header({ name, mode: 0o666, size: bytes.length, time, type }), ...padded(bytes)];
}

/** @param commit Which it is, if it is one. */
export function tarOf(files, { time, commit }) {
  const parts = commit ? pax("g", "pax_global_header", [["comment", commit]], time) : [];
  for (const [at, { path, mode, bytes }] of files.entries()) {
    const isLink = mode === LINK;
    const link = isLink ? new TextDecoder().decode(bytes) : "";
    const long = [["path", path, encode(path).length], ["linkpath", link, bytes.length]].filter((
      [key, , length],
    ) => (key === "path" || isLink) && length > NAME_BYTES);
    if (long.length > 0) parts.push(...pax("x", `${at}.paxheader`, long, time));
    const type = path.endsWith("/") ? "5" : isLink ? "2" : "0";
    const size = type === "0" ? bytes.length : 0;
    const bits = isLink ? 0o777 : type === "5" || mode & 0o100 ? 0o775 : 0o664;
    const short = (text) => encode(text).length > NAME_BYTES ? `${at}.data` : text;
    parts.push(header({ name: short(path), mode: bits, size, time, type, link: short(link) }));
    if (size > 0) parts.push(...padded(bytes));
  }
  const length = parts.reduce((sum, part) => sum + part.length, 0) + 2 * BLOCK;
  return concat([...parts, new Uint8Array(2 * BLOCK + (RECORD - length % RECORD) % RECORD)]);
}

export const gzipped = (bytes) => hooks.modules.zlib.gzipSync(bytes);

const DEFLATED = 8;
const UTF_8 = 0x800;

export function zipOf(files, { time, commit }) {
  const when = new Date(time * 1000);
  const date = (when.getUTCFullYear() - 1980) << 9 | (when.getUTCMonth() + 1) << 5 | when.getUTCDate();
  const clock = when.getUTCHours() << 11 | when.getUTCMinutes() << 5 | when.getUTCSeconds() >> 1;
  const locals = [];
  const central = [];
  let offset = 0;
  for (const { path, mode, bytes } of files) {
    const name = encode(path);
    const packed = bytes.length === 0 ? bytes : hooks.modules.zlib.deflateRawSync(bytes);
    const isSmaller = packed.length < bytes.length;
    const data = isSmaller ? packed : bytes;
    const common = [20, UTF_8, isSmaller ? DEFLATED : 0, clock, date];
    const sizes = [hooks.modules.zlib.crc32(bytes), data.length, bytes.length];
    const local = numbers([[4, 0x04034b50], ...pairs(2, common), ...pairs(4, sizes), [2, name.length], [
      2,
      0,
    ]]);
    const bits = mode === LINK
      ? 0o120777
      : path.endsWith("/")
      ? 0o040775
      : 0o100000 | (mode & 0o100 ? 0o775 : 0o664);
    const isFolder = path.endsWith("/") ? 0x10 : 0;
    central.push(
      numbers([[4, 0x02014b50], [2, 0x0317], ...pairs(2, common), ...pairs(4, sizes), [2, name.length]]),
      numbers([...pairs(2, [0, 0, 0, 0]), [4, (bits << 16 | isFolder) >>> 0], [4, offset]]),
      name,
    );
    locals.push(local, name, data);
    offset += local.length + name.length + data.length;
  }
  const index = concat(central);
  const comment = encode(commit ?? "");
  const counts = pairs(2, [0, 0, files.length, files.length]);
  const end = numbers([[4, 0x06054b50], ...counts, ...pairs(4, [index.length, offset]), [2, comment.length]]);
  return concat([...locals, index, end, comment]);
}

const pairs = (width, values) => values.map((value) => [width, value]);
function numbers(fields) {
  const bytes = new Uint8Array(fields.reduce((sum, [width]) => sum + width, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [width, value] of fields) {
    if (width === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += width;
  }
  return bytes;
}
