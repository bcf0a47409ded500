/** Bytes as just-bash carries them through pipes: a string in which each character is one byte. */

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const lossy = new TextDecoder("utf-8", { ignoreBOM: true });
const ascii = new TextDecoder("latin1");
const encoder = new TextEncoder();

/** Bytes turned into a string at a time: what `apply` takes as arguments has a bound. */
const PIECE = 8192;

export function latin1Of(bytes: Uint8Array): string {
  // The platform's own "latin1" has other characters from 0x80 to 0x9f.
  if (isAscii(bytes)) return ascii.decode(bytes);
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += PIECE) {
    const piece = bytes.subarray(at, at + PIECE);
    pieces.push(Reflect.apply(String.fromCharCode, null, piece));
  }
  return pieces.join("");
}

function isAscii(bytes: Uint8Array): boolean {
  for (let i = 0; i < bytes.length; i++) if (bytes[i]! > 0x7f) return false;
  return true;
}

export function bytesOfLatin1(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

export function bytesOfText(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Text if the bytes are UTF-8, else a character for each byte: the way in which just-bash's own commands decode. */
export function textOf(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    return latin1Of(bytes);
  }
}

/** Text, with U+FFFD for what is no UTF-8. */
export function lossyTextOf(bytes: Uint8Array): string {
  return lossy.decode(bytes);
}
