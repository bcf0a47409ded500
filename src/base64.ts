/** Base64 (RFC 4648 section 4), where the platform has it for strings of Latin-1 only. */

// Taken at load time: a locked-down Worker has none on its global object.
const { atob: decodeLatin1, btoa: encodeLatin1 } = globalThis;

/** Characters that are made of bytes at a time. */
const PIECE = 0x6000;

export function toBase64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += PIECE) {
    text += encodeLatin1(String.fromCharCode(...bytes.subarray(at, at + PIECE)));
  }
  return text;
}

/** @returns undefined if the text is not base64. White space is let through. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  let latin: string;
  try {
    latin = decodeLatin1(text);
  } catch {
    return undefined;
  }
  const bytes = new Uint8Array(latin.length);
  for (let at = 0; at < latin.length; at++) bytes[at] = latin.charCodeAt(at);
  return bytes;
}
