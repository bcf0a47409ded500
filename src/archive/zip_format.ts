/**
 * Reading zip archives. The library at hand unpacks whole archives at once: it believes what they say of sizes, and neither
 * stops nor is bounded while an entry comes out.
 */

import type { StopSign } from "../control/stop_sign.ts";
import { inflate, TooLarge } from "./gzip.ts";

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

/** Most entries of an archive: each takes some hundred bytes while they are looked at. */
const ENTRIES_MAX = 500_000;

const STORED = 0;
const DEFLATED = 8;

const utf8 = new TextDecoder();
const latin1 = new TextDecoder("latin1");

/** An entry as the directory of its archive has it. */
export interface ZipEntry {
  readonly name: string;
  /** Bytes that should come out. */
  readonly size: number;
  /** @throws {DamagedZip} @throws {TooLarge} @throws {Stopped} */
  read(): Uint8Array;
}

export class DamagedZip extends Error {
  override name = "DamagedZip";
}

/**
 * @param maxBytes Most that may come out of all entries that are read, together.
 * @throws {DamagedZip} @throws {Stopped}
 */
export function* readZip(archive: Uint8Array, stop: StopSign, maxBytes: number): Generator<ZipEntry> {
  const view = new DataView(archive.buffer, archive.byteOffset, archive.byteLength);
  const number = (at: number, bytes: 2 | 4 | 8): number => {
    if (at < 0 || at + bytes > archive.length) throw new DamagedZip("it ends early");
    if (bytes === 8) return Number(view.getBigUint64(at, true));
    return bytes === 2 ? view.getUint16(at, true) : view.getUint32(at, true);
  };
  let left = maxBytes;
  const read = (method: number, packed: Uint8Array, size: number): Uint8Array => {
    if (method !== STORED && method !== DEFLATED) {
      throw new DamagedZip(`its method ${method} is not known here`);
    }
    if (size > left) {
      throw new TooLarge(`more than ${maxBytes} bytes come out, which is all that the workspace holds`);
    }
    left -= size;
    try {
      const bytes = method === STORED ? packed : inflate(packed, stop, size);
      if (bytes.length === size) return bytes;
    } catch (error) {
      const ofArchive = error instanceof TooLarge || error instanceof Error && "code" in error;
      if (!ofArchive) throw error;
    }
    throw new DamagedZip("an entry is not what it says");
  };

  const { count, directory } = directoryOf(archive.length, number);
  if (count > ENTRIES_MAX) throw new DamagedZip(`it has more than ${ENTRIES_MAX} entries`);
  let at = directory;
  for (let i = 0; i < count; i++) {
    stop.check();
    if (number(at, 4) !== ENTRY) throw new DamagedZip("its directory is not whole");
    const nameAt = at + ENTRY_BYTES;
    const extraAt = nameAt + number(at + 28, 2);
    const commentAt = extraAt + number(at + 30, 2);
    const name = archive.subarray(nameAt, extraAt);
    const isUtf8 = (number(at + 8, 2) & 0x800) !== 0;
    const isEncrypted = (number(at + 8, 2) & 1) !== 0;
    const method = number(at + 10, 2);
    const [size, packedSize, local] = wide(number, extraAt, commentAt, [
      number(at + 24, 4),
      number(at + 20, 4),
      number(at + 42, 4),
    ]);
    yield {
      name: (isUtf8 ? utf8 : latin1).decode(name),
      size,
      read() {
        if (isEncrypted) throw new DamagedZip("an entry is encrypted");
        if (number(local, 4) !== LOCAL) throw new DamagedZip("an entry is not where it should be");
        const start = local + LOCAL_BYTES + number(local + 26, 2) + number(local + 28, 2);
        if (start + packedSize > archive.length) throw new DamagedZip("it ends early");
        return read(method, archive.subarray(start, start + packedSize), size);
      },
    };
    at = commentAt + number(at + 32, 2);
  }
}

type ReadNumber = (at: number, bytes: 2 | 4 | 8) => number;

/** How many entries the directory has, and where it begins. */
function directoryOf(length: number, number: ReadNumber): { count: number; directory: number } {
  let end = length - END_BYTES;
  while (number(end, 4) !== END) {
    if (--end < 0 || length - end > END_BYTES + COMMENT_MAX) throw new DamagedZip("it has no directory");
  }
  const locator = end - END64_LOCATOR_BYTES;
  if (locator >= 0 && number(locator, 4) === END64_LOCATOR) {
    const end64 = number(locator + 8, 8);
    if (number(end64, 4) !== END64) throw new DamagedZip("it has no directory");
    return { count: number(end64 + 32, 8), directory: number(end64 + 48, 8) };
  }
  return { count: number(end + 10, 2), directory: number(end + 16, 4) };
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
