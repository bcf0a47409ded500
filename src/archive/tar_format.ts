/**
 * The tar format: ustar with GNU's and pax's long names. Written here as the libraries at hand either work on streams,
 * which a locked-down Worker has not, or leave out links.
 */

import { DamagedArchive } from "./damaged.ts";

const BLOCK = 512;
/** Longest name or target that is taken from an archive, bytes. */
const NAME_MAX = 4096;
/** Longest header with further fields of an entry, bytes. */
const PAX_MAX = 1024 * 1024;

export interface TarEntry {
  readonly name: string;
  readonly type: "file" | "directory" | "symlink" | "link" | "other";
  readonly mode: number;
  /** Seconds since 1970. */
  readonly mtime: number;
  /** Of links. */
  readonly target: string;
  readonly bytes: Uint8Array;
}

const TYPES: Readonly<Record<string, TarEntry["type"]>> = {
  "\0": "file",
  "0": "file",
  "7": "file",
  "1": "link",
  "2": "symlink",
  "5": "directory",
};
const FLAGS: Readonly<Record<Exclude<TarEntry["type"], "other">, string>> = {
  file: "0",
  link: "1",
  symlink: "2",
  directory: "5",
};

const PAX_KEYS = new Set(["path", "linkpath"]);

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** @throws {DamagedArchive} if it is no tar archive or ends early. */
export function* readTar(archive: Uint8Array): Generator<TarEntry> {
  let longName: string | undefined;
  let longTarget: string | undefined;
  let at = 0;
  if (archive.length > 0 && archive.length < BLOCK) {
    throw new DamagedArchive("This does not look like a tar archive");
  }
  while (at < archive.length) {
    if (at + BLOCK > archive.length) throw new DamagedArchive("Unexpected EOF in archive");
    const header = archive.subarray(at, at + BLOCK);
    if (header.every((byte) => byte === 0)) return;
    checkSum(header);
    const size = octal(header, 124, 12);
    const end = at + BLOCK + size;
    if (end > archive.length) throw new DamagedArchive("Unexpected EOF in archive");
    const bytes = archive.subarray(at + BLOCK, end);
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    const flag = String.fromCharCode(header[156]!);
    if (flag === "L") longName = longText(bytes);
    else if (flag === "K") longTarget = longText(bytes);
    else if (flag === "x") {
      const records = paxRecords(bytes);
      longName = records.get("path") ?? longName;
      longTarget = records.get("linkpath") ?? longTarget;
    } else if (flag !== "g") {
      const type = TYPES[flag] ?? "other";
      const prefix = text(header, 345, 155);
      const name = text(header, 0, 100);
      yield {
        name: longName ?? (prefix === "" || !isUstar(header) ? name : `${prefix}/${name}`),
        type: type === "file" && name.endsWith("/") ? "directory" : type,
        mode: octal(header, 100, 8) & 0o7777,
        mtime: octal(header, 136, 12),
        target: longTarget ?? text(header, 157, 100),
        bytes: type === "file" ? bytes : bytes.subarray(0, 0),
      };
      longName = longTarget = undefined;
    }
  }
}

/** The blocks of one entry. @param type "other" can't be written. */
export function* tarBlocks(entry: TarEntry): Generator<Uint8Array> {
  if (entry.type === "other") throw new Error("an entry of no type can't be written");
  const name = encoder.encode(entry.name);
  const target = encoder.encode(entry.target);
  if (name.length > 100) yield* longBlocks("L", name);
  if (target.length > 100) yield* longBlocks("K", target);
  yield header(FLAGS[entry.type], entry, name, target);
  yield* padded(entry.bytes);
}

/** What stands at the end of an archive. */
export function endOfTar(): Uint8Array {
  return new Uint8Array(2 * BLOCK);
}

function* longBlocks(flag: string, value: Uint8Array): Generator<Uint8Array> {
  const bytes = new Uint8Array(value.length + 1);
  bytes.set(value);
  const entry = { mode: 0o644, mtime: 0, bytes };
  yield header(flag, entry, encoder.encode("././@LongLink"), new Uint8Array(0));
  yield* padded(bytes);
}

function* padded(bytes: Uint8Array): Generator<Uint8Array> {
  yield bytes;
  yield new Uint8Array((BLOCK - bytes.length % BLOCK) % BLOCK);
}

function header(
  flag: string,
  { mode, mtime, bytes }: Pick<TarEntry, "mode" | "mtime" | "bytes">,
  name: Uint8Array,
  target: Uint8Array,
): Uint8Array {
  const block = new Uint8Array(BLOCK);
  const put = (value: string, at: number) => block.set(encoder.encode(value), at);
  const number = (value: number, at: number, length: number) =>
    put(value.toString(8).padStart(length - 1, "0"), at);
  block.set(name.subarray(0, 100), 0);
  number(mode & 0o7777, 100, 8);
  number(1000, 108, 8);
  number(1000, 116, 8);
  number(bytes.length, 124, 12);
  number(Math.max(0, Math.trunc(mtime)), 136, 12);
  put(" ".repeat(8), 148);
  put(flag, 156);
  block.set(target.subarray(0, 100), 157);
  put("ustar\x0000", 257);
  put("user", 265);
  put("user", 297);
  put(`${block.reduce((sum, byte) => sum + byte, 0).toString(8).padStart(6, "0")}\0 `, 148);
  return block;
}

function isUstar(header: Uint8Array): boolean {
  return text(header, 257, 6) === "ustar";
}

/** @throws {DamagedArchive} */
function checkSum(header: Uint8Array): void {
  let sum = 0;
  for (let i = 0; i < BLOCK; i++) sum += i >= 148 && i < 156 ? 32 : header[i]!;
  if (sum !== octal(header, 148, 8)) throw new DamagedArchive("This does not look like a tar archive");
}

function text(block: Uint8Array, at: number, length: number): string {
  const field = block.subarray(at, at + length);
  const end = field.indexOf(0);
  return decoder.decode(end < 0 ? field : field.subarray(0, end));
}

function longText(bytes: Uint8Array): string {
  if (bytes.length > NAME_MAX + 1) throw new DamagedArchive("a name in the archive is too long");
  return text(bytes, 0, bytes.length);
}

/** A number in octal, or in base 256 where the first bit says so. */
function octal(block: Uint8Array, at: number, length: number): number {
  if ((block[at]! & 0x80) !== 0) {
    let value = block[at]! & 0x7f;
    for (let i = 1; i < length; i++) value = value * 256 + block[at + i]!;
    return value;
  }
  const value = parseInt(text(block, at, length).trim() || "0", 8);
  if (Number.isNaN(value)) throw new DamagedArchive("This does not look like a tar archive");
  return value;
}

/** `LENGTH KEY=VALUE\n`, the length counting itself. @returns Those that are used here. */
function paxRecords(bytes: Uint8Array): Map<string, string> {
  if (bytes.length > PAX_MAX) throw new DamagedArchive("a pax header is too long");
  const records = new Map<string, string>();
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(32, at);
    const length = Number(decoder.decode(bytes.subarray(at, space)));
    if (space < 0 || !(length > space - at)) throw new DamagedArchive("a pax header is damaged");
    const record = decoder.decode(bytes.subarray(space + 1, at + length - 1));
    const equals = record.indexOf("=");
    const key = record.slice(0, equals);
    if (PAX_KEYS.has(key) && record.length <= NAME_MAX + equals + 1) {
      records.set(key, record.slice(equals + 1));
    }
    at += length;
  }
  return records;
}
