/** Where guests' random bytes come from. */

/** Fills `bytes`. */
export interface RandomSource {
  (bytes: Uint8Array): void;
  /** Of a seeded generator: where it stands. May be set, to go on from there. */
  state?: readonly number[];
}

/** Most that the platform fills at a time. */
const PIECE = 65_536;

// Taken at load time: a locked-down Worker has no `crypto`.
const getRandomValues = crypto.getRandomValues.bind(crypto);

/** Unpredictable bytes. */
export const platformRandom: RandomSource = (bytes) => {
  for (let at = 0; at < bytes.length; at += PIECE) {
    getRandomValues(bytes.subarray(at, at + PIECE) as Uint8Array<ArrayBuffer>);
  }
};

/**
 * The same bytes for the same seed, by the generator sfc32. Not for secrets.
 *
 * @param seed 32 bits.
 */
export function seededRandom(seed: number): RandomSource {
  let [a, b, c, counter] = [seed | 0, 0x9e3779b9 | 0, 0x243f6a88, 1];
  const next = () => {
    const result = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21 | c >>> 11) + result) | 0;
    return result;
  };
  for (let i = 0; i < 15; i++) next(); // until every bit of the seed has spread
  const source = (bytes: Uint8Array) => {
    for (let i = 0; i < bytes.length; i++) bytes[i] = next();
  };
  return Object.defineProperty(source, "state", {
    get: () => [a, b, c, counter],
    set: (state: readonly [number, number, number, number]) => [a, b, c, counter] = state,
  });
}
