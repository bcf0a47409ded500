/** Unpacks Brotli, with the dictionary that the format has: loaded at its first use. */
import { decompress } from "brotli/decompress";

const FIRST_GUESS = 65536;
/** As many bytes as the package reads beyond an end. */
const BEYOND = 32;

/** How it ended: `{ output }`, or `{ error }`. */
function attempt(bytes) {
  // How long it will be is not said; the package makes room itself, but not always enough.
  for (let guess = Math.max(FIRST_GUESS, 8 * bytes.length);; guess *= 4) {
    try {
      return { output: decompress(bytes, guess) };
    } catch (error) {
      if (error instanceof RangeError) throw error;
      if (error.message !== "Output buffer is not large enough") return { error };
    }
  }
}

/**
 * The package takes what is cut off as if zeros followed, and may find no fault in it: data is whole if it makes no
 * difference what follows.
 *
 * @returns `{ output }`, or what is wrong: "cut" or "damaged".
 */
export function unpackBrotli(bytes) {
  const found = attempt(bytes);
  if (found.error && /^Unexpected end|not enough bytes/.test(found.error.message)) return "cut";
  const followed = new Uint8Array(bytes.length + BEYOND).fill(0xff);
  followed.set(bytes);
  const other = attempt(followed);
  if (found.error) return found.error.message === other.error?.message ? "damaged" : "cut";
  const { output } = found;
  const isSame = other.output?.length === output.length &&
    other.output.every((byte, at) => byte === output[at]);
  return isSame ? found : "cut";
}
