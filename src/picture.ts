/** Looks at a picture's bytes, as far as whoever is shown it must be able to rely on. */

/** Longest side of a picture that is shown: what models take. */
export const MAX_SIDE = 8000;

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** @returns The size that a PNG or JPEG claims to have; undefined if the bytes are no whole one of that type. */
export function pictureSize(mimeType: string, bytes: Uint8Array): Size | undefined {
  const size = mimeType === "image/png"
    ? pngSize(bytes)
    : mimeType === "image/jpeg"
    ? jpegSize(bytes)
    : undefined;
  return size && size.width > 0 && size.height > 0 ? size : undefined;
}

const PNG_SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const IHDR = 0x49484452;
const IEND = 0x49454e44;
/** Signature and first chunk. */
const PNG_HEAD_BYTES = 33;
const PNG_END_BYTES = 12;

function pngSize(bytes: Uint8Array): Size | undefined {
  if (bytes.length < PNG_HEAD_BYTES + PNG_END_BYTES) return undefined;
  if (PNG_SIGNATURE.some((byte, at) => bytes[at] !== byte)) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(12) !== IHDR || view.getUint32(bytes.length - 8) !== IEND) return undefined;
  return { width: view.getUint32(16), height: view.getUint32(20) };
}

const SOI = 0xd8;
const EOI = 0xd9;
const SOS = 0xda;

function jpegSize(bytes: Uint8Array): Size | undefined {
  const { length } = bytes;
  if (bytes[0] !== 0xff || bytes[1] !== SOI) return undefined;
  if (bytes[length - 2] !== 0xff || bytes[length - 1] !== EOI) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 2; at + 9 < length && view.getUint8(at) === 0xff;) {
    const marker = view.getUint8(at + 1);
    if (isFrameHeader(marker)) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    if (marker === SOS || marker === EOI) return undefined;
    at += marker === 0xff ? 1 : 2 + view.getUint16(at + 2);
  }
  return undefined;
}

/** SOF0 to SOF15 without the tables between them (DHT, JPG, DAC). */
function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}
