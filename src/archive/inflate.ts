/** Raw deflate streams (RFC 1951), of which is found where they end. */

import { Inflate } from "fflate/browser";
import type { StopSign } from "../control/stop_sign.ts";
import { DamagedArchive } from "./damaged.ts";
import { pieces } from "./pieces.ts";

/** A thousand times as much may come out of one, or three hundred blocks with a code of their own each. */
const COMPRESSED_PIECE = 4 * 1024;

/** What the library knows of a stream, which its types hide. */
interface Progress {
  readonly s: {
    /** Whether the block that it is in is the last. */
    readonly f?: number;
    /** The code of that block; nothing at its end. */
    readonly l?: Uint16Array | null;
    /** How many bits of the first of the waiting bytes are done with. */
    readonly p?: number;
  };
  /** Bytes that wait. */
  readonly p: Uint8Array;
}

/**
 * Inflates the stream that begins at an index.
 *
 * @param add Receives what comes out.
 * @returns The index behind the stream.
 * @throws {DamagedArchive} if it is damaged, or does not come to its end. @throws {Stopped}
 */
export function inflateAt(
  bytes: Uint8Array,
  start: number,
  stop: StopSign,
  add: (piece: Uint8Array) => void,
): number {
  const stream = new Inflate(add);
  const { s: state } = stream as unknown as Progress;
  let at = start;
  for (const [piece] of pieces(bytes.subarray(start), stop, COMPRESSED_PIECE)) {
    try {
      stream.push(piece);
    } catch (error) {
      // The library's own errors have numbers.
      if (!(error instanceof Error && "code" in error && typeof error.code === "number")) throw error;
      throw new DamagedArchive("invalid compressed data--format violated");
    }
    at += piece.length;
    if (!state.f || state.l) continue;
    const { p: waiting } = stream as unknown as Progress;
    return at - waiting.length + (state.p === 0 ? 0 : 1);
  }
  throw new DamagedArchive("unexpected end of file");
}
