import type { StopSign } from "../control/stop_sign.ts";

/** A tenth of a second is enough for one, whatever a compressor does with it. */
const PIECE = 64 * 1024;

/** Bytes in pieces, each after a look at the stop sign. @param size Of a piece. */
export function* pieces(
  bytes: Uint8Array,
  stop: StopSign,
  size = PIECE,
): Generator<readonly [Uint8Array, boolean]> {
  for (let at = 0; at === 0 || at < bytes.length; at += size) {
    stop.checkNow();
    yield [bytes.subarray(at, at + size), at + size >= bytes.length];
  }
}
