/** Puts the pieces of messages and batches together again. */

import { countBuffer } from "../../garbage.ts";
import { concatBytes } from "../../bytes.ts";
import { type Frame, ProtocolViolation } from "./frames.ts";

/** Pieces smaller than this on average, beyond a few, only cost memory: those that the encoder makes are full. */
const MIN_PIECE_BYTES = 4096;
const FEW_PIECES = 16;
/** What a whole that is under way takes beside its bytes. */
const OVERHEAD_BYTES = 256;

/** Bytes that several assemblers hold together. */
export interface Held {
  bytes: number;
  readonly maxBytes: number;
}

/** Per channel, each whole bounded. */
export class PieceAssembler {
  readonly #partial = new Map<number, { readonly pieces: Uint8Array[]; bytes: number }>();

  /** @param maxBytes Longest whole. @param held What this one counts its own in. */
  constructor(readonly maxBytes: number, readonly held: Held) {}

  /**
   * The bytes that `frame` completes; undefined if they are not complete yet.
   *
   * @throws {ProtocolViolation} if there are too many.
   */
  push(frame: Frame): Uint8Array | undefined {
    const partial = this.#partial.get(frame.channel);
    if (!partial && frame.last) {
      if (frame.payload.length > this.maxBytes) throw this.#tooLong();
      return frame.payload;
    }
    const whole = partial ?? this.#begin(frame.channel);
    whole.pieces.push(frame.payload.slice());
    whole.bytes += frame.payload.length;
    this.#hold(frame.payload.length);
    if (whole.bytes > this.maxBytes) throw this.#tooLong();
    if (whole.pieces.length > FEW_PIECES + this.maxBytes / MIN_PIECE_BYTES) {
      throw new ProtocolViolation("a message comes in too small pieces");
    }
    if (!frame.last) return undefined;
    this.drop(frame.channel);
    countBuffer(2 * whole.bytes); // its pieces, and all of it
    return concatBytes(whole.pieces);
  }

  /** Forgets what a channel has begun. */
  drop(channel: number): void {
    const partial = this.#partial.get(channel);
    if (!partial) return;
    this.#partial.delete(channel);
    this.held.bytes -= partial.bytes + OVERHEAD_BYTES;
  }

  #begin(channel: number): { readonly pieces: Uint8Array[]; bytes: number } {
    const whole = { pieces: [], bytes: 0 };
    this.#partial.set(channel, whole);
    this.#hold(OVERHEAD_BYTES);
    return whole;
  }

  #hold(bytes: number): void {
    this.held.bytes += bytes;
    if (this.held.bytes > this.held.maxBytes) {
      throw new ProtocolViolation("too many messages are begun and not ended");
    }
  }

  #tooLong(): ProtocolViolation {
    return new ProtocolViolation(`a message exceeds ${this.maxBytes} bytes`);
  }
}
