/** Archives that were damaged on their way: what comes out of them is what was put in, or an error. */

import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { crc32 as nodeCrc32, deflateRawSync, gzipSync } from "node:zlib";
import { Zip, ZipDeflate, ZipPassThrough } from "fflate/browser";
import { adler32 } from "../../../src/archive/adler32.ts";
import { TooLarge } from "../../../src/archive/collector.ts";
import { crc32 } from "../../../src/archive/crc32.ts";
import { DamagedArchive } from "../../../src/archive/damaged.ts";
import { gunzip, gzip } from "../../../src/archive/gzip.ts";
import { inflateAt } from "../../../src/archive/inflate.ts";
import { endOfTar, readTar, tarBlocks } from "../../../src/archive/tar_format.ts";
import { readZip } from "../../../src/archive/zip_format.ts";
import { concatBytes } from "../../../src/bytes.ts";
import { ControlCell } from "../../../src/control/cell.ts";
import { StopSign } from "../../../src/control/stop_sign.ts";

const stop = new StopSign(ControlCell.allocate());
const MAX_BYTES = 1 << 20;
const encode = (text: string) => new TextEncoder().encode(text);
const TEXT = encode("to be or not to be, that is the question; to be ".repeat(3));
const NOISE = Uint8Array.from({ length: 300 }, (_, index) => index * index * 7 >> 2);

/** The archive cut off at each length, and with each byte as it should not be, by one bit and by all. */
function* damages(archive: Uint8Array): Generator<readonly [what: string, damaged: Uint8Array]> {
  for (let length = 0; length < archive.length; length++) {
    yield [`cut at ${length}`, archive.slice(0, length)];
  }
  for (let at = 0; at < archive.length; at++) {
    for (const mask of [0x01, 0x08, 0x80, 0xff]) {
      const damaged = archive.slice();
      damaged[at]! ^= mask;
      yield [`byte ${at} ^ ${mask}`, damaged];
    }
  }
}

/** @returns undefined for an archive that is refused. */
function unlessDamaged<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    ok(error instanceof DamagedArchive || error instanceof TooLarge, `${error}`);
    return undefined;
  }
}

function zipOf(files: Readonly<Record<string, Uint8Array>>): Uint8Array {
  const pieces: Uint8Array[] = [];
  const zip = new Zip((error, piece) => {
    if (error) throw error;
    pieces.push(piece);
  });
  for (const [name, bytes] of Object.entries(files)) {
    const file = name.endsWith(".raw") ? new ZipPassThrough(name) : new ZipDeflate(name);
    zip.add(file);
    file.push(bytes, true);
  }
  zip.end();
  return concatBytes(pieces);
}

function unzip(archive: Uint8Array): [string, Uint8Array][] {
  return [...readZip(archive, stop, MAX_BYTES)].map((entry) => [entry.name, entry.read()]);
}

for (
  const [what, archive] of [
    ["text", gzip(TEXT, stop, { filename: "a.txt" })],
    ["noise", gzip(NOISE, stop)],
    ["stored blocks", gzipSync(NOISE, { level: 0 })],
    ["nothing", gzip(new Uint8Array(0), stop)],
    ["two members", concatBytes([gzip(TEXT, stop), gzip(NOISE, stop)])],
  ] as const
) {
  Deno.test(`no damage to a gzip of ${what} makes other bytes of it, and what is cut off is refused`, () => {
    const { bytes } = gunzip(archive, stop, MAX_BYTES);
    const firstMember = what === "two members" ? gzip(TEXT, stop).length : -1;
    for (const [how, damaged] of damages(archive)) {
      const read = unlessDamaged(() => gunzip(damaged, stop, MAX_BYTES));
      // A member that is not there can't be missed, nor one that no longer begins as one.
      if (read && (damaged.length === firstMember || read.trailingGarbage)) continue;
      if (damaged.length < archive.length) equal(read, undefined, how);
      if (read) deepEqual(read.bytes, bytes, how);
    }
  });
}

Deno.test("what follows a gzip is told, but for zeros", () => {
  const archive = gzip(TEXT, stop);
  const followedBy = (...more: number[]) =>
    gunzip(concatBytes([archive, Uint8Array.from(more)]), stop, MAX_BYTES);
  equal(followedBy().trailingGarbage, false);
  equal(followedBy(0, 0, 0).trailingGarbage, false);
  equal(followedBy(0, 1).trailingGarbage, true);
  deepEqual(followedBy(65), { bytes: TEXT, trailingGarbage: true });
  throws(() => followedBy(0x1f), /unexpected end of file/);
  throws(() => followedBy(0x1f, 0x8b), /unexpected end of file/);
  throws(() => followedBy(0x1f, 0x8b, 9), /unknown method 9/);
});

Deno.test("a gzip of a header with everything in it is read, and its own sum is checked", () => {
  const header = Uint8Array.from([
    ...[0x1f, 0x8b, 8, 2 | 4 | 8 | 16, 0, 0, 0, 0, 0, 3],
    ...[3, 0, 1, 2, 3],
    ...encode("name\0comment\0"),
  ]);
  const packed = deflateRawSync(TEXT);
  const trailer = new Uint8Array(8);
  const view = new DataView(trailer.buffer);
  view.setUint32(0, nodeCrc32(TEXT), true);
  view.setUint32(4, TEXT.length, true);
  const sum = nodeCrc32(header) & 0xffff;
  const whole = (sum: number) =>
    concatBytes([header, Uint8Array.from([sum & 255, sum >> 8]), packed, trailer]);
  deepEqual(gunzip(whole(sum), stop, MAX_BYTES).bytes, TEXT);
  throws(() => gunzip(whole(sum ^ 1), stop, MAX_BYTES), /header checksum/);
});

Deno.test("a stream ends where it ends, whatever lies behind it and however it is cut into pieces", () => {
  for (const bytes of [TEXT, NOISE, new Uint8Array(0), new Uint8Array(100_000).map((_, i) => i * i >> 3)]) {
    for (const level of [0, 1, 9]) {
      const packed = deflateRawSync(bytes, { level });
      for (const more of [0, 1, 7, 20_000]) {
        const pieces: Uint8Array[] = [];
        const end = inflateAt(
          concatBytes([new Uint8Array(3), packed, new Uint8Array(more).fill(0xff)]),
          3,
          stop,
          (piece) => pieces.push(piece),
        );
        equal(end, 3 + packed.length);
        deepEqual(concatBytes(pieces), new Uint8Array(bytes));
      }
    }
  }
});

Deno.test("no damage to a zip makes other entries of it, and what is cut off is refused", () => {
  const archive = zipOf({ "a.txt": TEXT, "b.raw": NOISE, "c/": new Uint8Array(0) });
  const whole = unzip(archive);
  deepEqual(whole.map(([name]) => name), ["a.txt", "b.raw", "c/"]);
  for (const [how, damaged] of damages(archive)) {
    const read = unlessDamaged(() => unzip(damaged));
    if (damaged.length < archive.length) equal(read, undefined, how);
    if (read) deepEqual(read, whole, how);
  }
});

Deno.test("a tar that is cut off within an entry, and what is none, are refused", () => {
  const entry = { name: "a", type: "file", mode: 0o644, mtime: 0, target: "" } as const;
  const archive = concatBytes([...tarBlocks({ ...entry, bytes: TEXT }), endOfTar()]);
  const names = (bytes: Uint8Array) => [...readTar(bytes)].map(({ name }) => name);
  deepEqual(names(archive), ["a"]);
  for (let length = 1; length < 1024; length++) {
    // The file's last byte is there; what fills its block is nobody's.
    if (length >= 512 + TEXT.length) deepEqual(names(archive.slice(0, length)), ["a"]);
    else throws(() => names(archive.slice(0, length)), DamagedArchive, `${length}`);
  }
  throws(() => names(archive.slice(0, 1025)), /Unexpected EOF/);
  throws(() => names(encode("garbage")), /does not look like a tar/);
});

Deno.test("check sums are those of zlib, from whatever sum they go on", () => {
  for (let length = 0; length < 100; length++) {
    const bytes = NOISE.subarray(length % 9, length % 9 + length);
    equal(crc32(bytes), nodeCrc32(bytes));
    equal(crc32(bytes.subarray(length >> 1), crc32(bytes.subarray(0, length >> 1))), nodeCrc32(bytes));
    equal(adler32(bytes.subarray(length >> 1), adler32(bytes.subarray(0, length >> 1))), adler32(bytes));
  }
  equal(adler32(encode("Wikipedia")), 0x11e60398);
  equal(adler32(new Uint8Array(100_000).fill(255)), adlerSlowly(100_000, 255));
});

function adlerSlowly(length: number, byte: number): number {
  let [a, b] = [1, 0];
  for (let at = 0; at < length; at++) {
    a = (a + byte) % 65521;
    b = (b + a) % 65521;
  }
  return (b << 16 | a) >>> 0;
}
