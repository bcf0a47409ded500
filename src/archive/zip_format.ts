/**
 * Reading zip archives. The library at hand unpacks whole archives at once: it believes what they say of sizes, and neither
 * stops nor is bounded while an entry comes out.
 */

import type { StopSign } from "../control/stop_sign.ts";
import { Collector, TooLarge } from "./collector.ts";
import { crc32 } from "./crc32.ts";
import { DamagedArchive } from "./damaged.ts";
import { inflateAt } from "./inflate.ts";
import { pieces } from "./pieces.ts";

const END_BYTES = 22;
const END = 0x06054b50;
const END64 = 0x06064b50;
const END64_LOCATOR = 0x07064b50;
const END64_LOCATOR_BYTES = 20;
const ENTRY = 0x02014b50;
const ENTRY_BYTES = 46;
const LOCAL = 0x04034b50;
const LOCAL_BYTES = 30;
/** Longest comment after the end of the directory. */
const COMMENT_MAX = 0xffff;
/** Says that the number is among the extra fields, as one of 64 bits. */
const ELSEWHERE = 0xffffffff;
const EXTRA_64 = 1;

/** Longest name that is taken from an archive, bytes. */
const NAME_MAX = 4096;
/** Most entries of an archive: each takes some hundred bytes while they are looked at. */
const ENTRIES_MAX = 500_000;

/** The system that wrote an entry, and whose permissions it has. */
const UNIX = 3;

const STORED = 0;
const DEFLATED = 8;

const utf8 = new TextDecoder();
const latin1 = new TextDecoder("latin1");

/** An entry as the directory of its archive has it. */
export interface ZipEntry {
  readonly name: string;
  /** Bytes that should come out. */
  readonly size: number;
  /** Permissions, where a system wrote it that has them. */
  readonly mode: number | undefined;
  /** When it was changed last, milliseconds since 1970; nothing is said of a time zone. */
  readonly modified: number;
  /** @throws {DamagedEntry} @throws {TooLarge} @throws {Stopped} */
  read(): Uint8Array;
}

/** One entry is not what the directory says; others may be. */
export class DamagedEntry extends DamagedArchive {
  override name = "DamagedEntry";
}

/** What the directory says of an entry. */
interface Told {
  readonly name: Uint8Array;
  readonly method: number;
  readonly size: number;
  readonly packedSize: number;
  readonly sum: number;
}

/**
 * @param maxBytes Most that may come out of all entries that are read, together.
 * @throws {DamagedArchive} @throws {Stopped}
 */
export function* readZip(archive: Uint8Array, stop: StopSign, maxBytes: number): Generator<ZipEntry> {
  const view = new DataView(archive.buffer, archive.byteOffset, archive.byteLength);
  const number = (at: number, bytes: 2 | 4 | 8): number => {
    if (at < 0 || at + bytes > archive.length) throw new DamagedArchive("it ends early");
    if (bytes === 8) return Number(view.getBigUint64(at, true));
    return bytes === 2 ? view.getUint16(at, true) : view.getUint32(at, true);
  };
  let left = maxBytes;
  const read = ({ method, size, packedSize, sum }: Told, start: number): Uint8Array => {
    if (method !== STORED && method !== DEFLATED) {
      throw new DamagedEntry(`unsupported compression method ${method}`);
    }
    if (start + packedSize > archive.length) throw new DamagedEntry("it ends early");
    if (size > left) {
      throw new TooLarge(`more than ${maxBytes} bytes come out, which is all that the workspace holds`);
    }
    left -= size;
    const packed = archive.subarray(start, start + packedSize);
    const bytes = method === STORED ? packed : inflated(packed, stop, size);
    if (bytes.length !== size) throw new DamagedEntry(`${bytes.length} bytes come out instead of ${size}`);
    let found = 0;
    for (const [piece] of pieces(bytes, stop)) found = crc32(piece, found);
    if (found !== sum) throw new DamagedEntry(`bad CRC ${hex(found)}  (should be ${hex(sum)})`);
    return bytes;
  };

  /** Where an entry's bytes begin, if what stands before them is of the same entry. */
  const contentsAt = (local: number, name: Uint8Array, method: number): number => {
    if (local + LOCAL_BYTES > archive.length || number(local, 4) !== LOCAL) {
      throw new DamagedEntry("it is not where it should be");
    }
    const nameAt = local + LOCAL_BYTES;
    const found = archive.subarray(nameAt, nameAt + number(local + 26, 2));
    const isSame = found.length === name.length && found.every((byte, index) => byte === name[index]);
    if (!isSame || number(local + 8, 2) !== method) {
      throw new DamagedEntry("the archive says two things of it");
    }
    return nameAt + found.length + number(local + 28, 2);
  };
  const { count, directory, end } = directoryOf(archive.length, number);
  if (count > ENTRIES_MAX) throw new DamagedArchive(`it has more than ${ENTRIES_MAX} entries`);
  let at = directory;
  for (let i = 0; i < count; i++) {
    stop.check();
    if (number(at, 4) !== ENTRY) throw new DamagedArchive("its directory is not whole");
    const nameAt = at + ENTRY_BYTES;
    const extraAt = nameAt + number(at + 28, 2);
    const commentAt = extraAt + number(at + 30, 2);
    const name = archive.subarray(nameAt, extraAt);
    if (name.length > NAME_MAX) throw new DamagedArchive("a name in the archive is too long");
    const isUtf8 = (number(at + 8, 2) & 0x800) !== 0;
    const isEncrypted = (number(at + 8, 2) & 1) !== 0;
    const method = number(at + 10, 2);
    const sum = number(at + 16, 4);
    const [size, packedSize, local] = wide(number, extraAt, commentAt, [
      number(at + 24, 4),
      number(at + 20, 4),
      number(at + 42, 4),
    ]);
    const bits = number(at + 38, 4) >>> 16 & 0o777;
    yield {
      name: (isUtf8 ? utf8 : latin1).decode(name),
      size,
      mode: number(at + 4, 2) >> 8 === UNIX && bits !== 0 ? bits : undefined,
      modified: dosTime(number(at + 14, 2), number(at + 12, 2)),
      read() {
        if (isEncrypted) throw new DamagedEntry("it is encrypted");
        return read({ name, method, size, packedSize, sum }, contentsAt(local, name, method));
      },
    };
    at = commentAt + number(at + 32, 2);
  }
  if (at !== end) throw new DamagedArchive("its directory is not whole");
}

function dosTime(date: number, time: number): number {
  const [year, month, day] = [1980 + (date >> 9), (date >> 5 & 15) - 1, date & 31];
  return Date.UTC(year, month, day, time >> 11, time >> 5 & 63, (time & 31) * 2);
}

function hex(sum: number): string {
  return sum.toString(16).padStart(8, "0");
}

/** @throws {DamagedEntry} @throws {Stopped} */
function inflated(packed: Uint8Array, stop: StopSign, size: number): Uint8Array {
  const collector = new Collector(size);
  try {
    inflateAt(packed, 0, stop, collector.add);
  } catch (error) {
    if (error instanceof DamagedArchive) throw new DamagedEntry(error.message);
    if (error instanceof TooLarge) throw new DamagedEntry(`more than ${size} bytes come out`);
    throw error;
  }
  return collector.bytes(stop);
}

type ReadNumber = (at: number, bytes: 2 | 4 | 8) => number;

/** How many entries the directory has, where it begins, and where it ends. */
function directoryOf(
  length: number,
  number: ReadNumber,
): { readonly count: number; readonly directory: number; readonly end: number } {
  let end = length - END_BYTES;
  while (number(end, 4) !== END) {
    if (--end < 0 || length - end > END_BYTES + COMMENT_MAX) throw new DamagedArchive("it has no directory");
  }
  const locator = end - END64_LOCATOR_BYTES;
  if (locator >= 0 && number(locator, 4) === END64_LOCATOR) {
    const end64 = number(locator + 8, 8);
    if (number(end64, 4) !== END64) throw new DamagedArchive("it has no directory");
    return { count: number(end64 + 32, 8), directory: number(end64 + 48, 8), end: end64 };
  }
  return { count: number(end + 10, 2), directory: number(end + 16, 4), end };
}

/** The numbers with those that are elsewhere put in. */
function wide(
  number: ReadNumber,
  from: number,
  to: number,
  numbers: readonly [number, number, number],
): [number, number, number] {
  for (let at = from; at + 4 <= to; at += 4 + number(at + 2, 2)) {
    if (number(at, 2) !== EXTRA_64) continue;
    let next = at + 4;
    const found = numbers.map((each) => each === ELSEWHERE ? number((next += 8) - 8, 8) : each);
    return [found[0]!, found[1]!, found[2]!];
  }
  return [...numbers];
}
