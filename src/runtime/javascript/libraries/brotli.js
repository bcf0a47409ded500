/** Unpacks Brotli, with the dictionary that the format has: loaded at its first use. */
import { decompress } from "brotli/decompress";

const LEAST_GUESS = 65536;
/** As many bytes as the package reads beyond an end. */
const BEYOND = 32;

/**
 * How it ended: `{ output }`, or `{ error }`.
 *
 * @param guess Of its length, which is not said: the package makes room where a block begins that says it has more.
 */
function attempt(bytes, guess) {
  try {
    return { output: decompress(bytes, guess) };
  } catch (error) {
    if (error instanceof RangeError) throw error;
    return { error };
  }
}

/**
 * The package takes what is cut off as if zeros followed, and may find no fault in it: data is whole if it makes no
 * difference what follows. Nor does it mind a last block that gives more than it says, but that there is room for it.
 *
 * @returns `{ output }`, or what is wrong: "cut" or "damaged".
 */
export function unpackBrotli(bytes) {
  const found = attempt(bytes, Math.max(LEAST_GUESS, 8 * bytes.length));
  if (found.error && /^Unexpected end|not enough bytes/.test(found.error.message)) return "cut";
  const followed = new Uint8Array(bytes.length + BEYOND).fill(0xff);
  followed.set(bytes);
  const other = attempt(followed, Math.max(0, (found.output?.length ?? LEAST_GUESS) - 1));
  if (found.error) return found.error.message === other.error?.message ? "damaged" : "cut";
  if (other.error?.message === "Output buffer is not large enough") return "damaged";
  const { output } = found;
  const isSame = other.output?.length === output.length &&
    other.output.every((byte, at) => byte === output[at]);
  return isSame ? found : "cut";
}
