/** Unpacks Brotli, with the dictionary that the format has: loaded at its first use. */
import { decompress } from "brotli/decompress";

const FIRST_GUESS = 65536;

/** @param most Bytes. @returns undefined if it has more. @throws as its package does: what is damaged has no code. */
export function unpackBrotli(bytes, most) {
  // How long it will be is not said.
  for (let guess = Math.max(FIRST_GUESS, 8 * bytes.length);; guess *= 4) {
    try {
      return decompress(bytes, Math.min(guess, most));
    } catch (error) {
      if (error.message !== "Output buffer is not large enough") throw error;
      if (guess >= most) return undefined;
    }
  }
}
