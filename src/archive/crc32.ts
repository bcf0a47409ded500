/** The check sum of gzip and zip (RFC 1952, section 8), eight bytes at a time. */

const POLYNOMIAL = 0xedb88320;
const LANES = 8;

/** What a byte does to the sum, and what it does with one to seven bytes after it. */
const TABLES: readonly Uint32Array[] = tables();

function tables(): Uint32Array[] {
  const all = Array.from({ length: LANES }, () => new Uint32Array(256));
  for (let byte = 0; byte < 256; byte++) {
    let sum = byte;
    for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? sum >>> 1 ^ POLYNOMIAL : sum >>> 1;
    all[0]![byte] = sum;
  }
  for (let lane = 1; lane < LANES; lane++) {
    for (let byte = 0; byte < 256; byte++) {
      const sum = all[lane - 1]![byte]!;
      all[lane]![byte] = sum >>> 8 ^ all[0]![sum & 255]!;
    }
  }
  return all;
}

/** @param start The sum of what comes before. */
export function crc32(bytes: Uint8Array, start = 0): number {
  const [t0, t1, t2, t3, t4, t5, t6, t7] = TABLES as [
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
  ];
  let sum = ~start;
  let at = 0;
  for (const end = bytes.length - LANES; at <= end; at += LANES) {
    const low = sum ^ (bytes[at]! | bytes[at + 1]! << 8 | bytes[at + 2]! << 16 | bytes[at + 3]! << 24);
    sum = t7[low & 255]! ^ t6[low >>> 8 & 255]! ^ t5[low >>> 16 & 255]! ^ t4[low >>> 24]! ^
      t3[bytes[at + 4]!]! ^ t2[bytes[at + 5]!]! ^ t1[bytes[at + 6]!]! ^ t0[bytes[at + 7]!]!;
  }
  for (; at < bytes.length; at++) sum = t0[(sum ^ bytes[at]!) & 255]! ^ sum >>> 8;
  return ~sum >>> 0;
}
