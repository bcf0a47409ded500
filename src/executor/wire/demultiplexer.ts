/** One end of the pipe: bytes in, whole messages, image batches and output by channel out. */

import { PIECE_BYTES } from "../../host_calls/bounds.ts";
import { MAX_HELD_BYTES, MAX_IMAGE_BATCH_BYTES, MAX_MESSAGE_BYTES } from "./bounds.ts";
import { type Frame, FrameDecoder, ProtocolViolation } from "./frames.ts";
import { type Held, PieceAssembler } from "./piece_assembler.ts";

/** What the other end said on a channel. */
export type Arrival =
  & { readonly channel: number }
  & (
    /** `value`: parsed JSON, not yet checked. `bytes`: those that came beside it. */
    | { readonly kind: "message"; readonly value: unknown; readonly bytes: Uint8Array }
    | { readonly kind: "image"; readonly bytes: Uint8Array }
    | { readonly kind: "stdout" | "stderr"; readonly bytes: Uint8Array }
  );

const NO_BYTES = new Uint8Array(0);
const decoder = new TextDecoder("utf-8", { fatal: true });

export interface DemultiplexerOptions {
  /** What every frame begins with. */
  readonly secret?: Uint8Array;
  /** Whether a channel is in use: what comes on others is dropped as it arrives. All are, if absent. */
  readonly knows?: (channel: number) => boolean;
  /** Told of each frame as it comes, also of one that is dropped. */
  readonly seen?: (frame: Frame) => void;
}

/** Holds at most {@link MAX_HELD_BYTES} of what is not complete yet, on all channels together. */
export class Demultiplexer {
  readonly #frames: FrameDecoder;
  readonly #knows: (channel: number) => boolean;
  readonly #seen: (frame: Frame) => void;
  readonly #held: Held = { bytes: 0, maxBytes: MAX_HELD_BYTES };
  readonly #assemblers = {
    message: new PieceAssembler(MAX_MESSAGE_BYTES, this.#held),
    image: new PieceAssembler(MAX_IMAGE_BATCH_BYTES, this.#held),
    bytes: new PieceAssembler(PIECE_BYTES, this.#held),
  };
  /** What goes with the next message of a channel. */
  readonly #beside = new Map<number, Uint8Array>();

  constructor({ secret, knows = () => true, seen = () => {} }: DemultiplexerOptions = {}) {
    this.#frames = new FrameDecoder(secret);
    this.#knows = knows;
    this.#seen = seen;
  }

  /**
   * What `chunk` completes, in order. Bytes of images and output are valid until the next call.
   *
   * @throws {ProtocolViolation} if the bytes are no frames, or more than the bounds allow.
   */
  *push(chunk: Uint8Array): Generator<Arrival> {
    for (const frame of this.#frames.push(chunk)) {
      this.#seen(frame);
      if (!this.#knows(frame.channel)) continue;
      const arrival = this.#take(frame);
      if (arrival) yield arrival;
    }
  }

  /** Forgets what a channel has begun: it is closed. */
  drop(channel: number): void {
    for (const assembler of Object.values(this.#assemblers)) assembler.drop(channel);
    this.#takeBeside(channel);
  }

  #take(frame: Frame): Arrival | undefined {
    const { channel, kind } = frame;
    if (kind === "stdout" || kind === "stderr") return { kind, channel, bytes: frame.payload };
    const whole = this.#assemblers[kind].push(frame);
    if (!whole) return undefined;
    if (kind === "image") return { kind, channel, bytes: whole };
    if (kind === "message") return { kind, channel, value: parse(whole), bytes: this.#takeBeside(channel) };
    this.#takeBeside(channel);
    this.#hold(whole.length);
    this.#beside.set(channel, whole.slice());
    return undefined;
  }

  #hold(bytes: number): void {
    this.#held.bytes += bytes;
    if (this.#held.bytes > this.#held.maxBytes) {
      throw new ProtocolViolation("too much is begun and not ended");
    }
  }

  #takeBeside(channel: number): Uint8Array {
    const bytes = this.#beside.get(channel) ?? NO_BYTES;
    this.#beside.delete(channel);
    this.#held.bytes -= bytes.length;
    return bytes;
  }
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch {
    throw new ProtocolViolation("a message is not JSON");
  }
}
