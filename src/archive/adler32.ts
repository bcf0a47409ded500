/** The check sum of zlib's format (RFC 1950). */

const MODULUS = 65521;
/** So many bytes can't bring the sums out of 32 bits. */
const STRETCH = 3800;

/** @param start The sum of what comes before. */
export function adler32(bytes: Uint8Array, start = 1): number {
  let a = start & 0xffff;
  let b = start >>> 16;
  for (let at = 0; at < bytes.length;) {
    const end = Math.min(bytes.length, at + STRETCH);
    for (; at < end; at++) b += a += bytes[at]!;
    a %= MODULUS;
    b %= MODULUS;
  }
  return (b << 16 | a) >>> 0;
}
