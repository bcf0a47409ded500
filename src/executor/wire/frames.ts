/**
 * Frames: the byte protocol between the server and an executor (docs/ARCHITECTURE.md, "Frames").
 *
 *     [secret: 16 bytes, only executor → server] [payload length: u32] [kind: u8] [last: u8] [channel: u32] [payload]
 *
 * Little-endian; a frame is at most 64 KiB. A channel is one session of the executor, or the executor itself.
 * Everything an executor sends is guest-controlled: lengths, kinds and the secret are checked before anything else.
 */

import { countBuffer } from "../../garbage.ts";
import { concatBytes } from "../../bytes.ts";
import { MAX_IMAGE_BATCH_BYTES, MAX_MESSAGE_BYTES } from "./bounds.ts";
import { PIECE_BYTES } from "../../host_calls/bounds.ts";

export const MAX_FRAME_BYTES = 64 * 1024;
export const SECRET_BYTES = 16;
/** The channel of the executor itself; all others are sessions. */
export const PROCESS_CHANNEL = 0;
const HEADER_BYTES = 10;

/**
 * What a frame carries: `message` a piece of a JSON text, `image` a batch of image entries, `bytes` what goes with the
 * next message on the channel, else raw output.
 */
export type FrameKind = "message" | "stdout" | "stderr" | "image" | "bytes";
const KINDS: readonly FrameKind[] = ["message", "stdout", "stderr", "image", "bytes"];

export interface Frame {
  readonly kind: FrameKind;
  readonly channel: number;
  /** True on the last piece of a message or batch; always true for output. */
  readonly last: boolean;
  readonly payload: Uint8Array;
}

/** The bytes on a pipe were not frames: the other side is broken or hostile, and must be replaced. */
export class ProtocolViolation extends Error {
  override name = "ProtocolViolation";
}

/** What should have been sent is more than the other side takes of it at a time. Nothing was sent. */
export class TooLarge extends Error {
  override name = "TooLarge";
}

/** Longest whole of each kind: what the other side would take more for a breach of protocol. */
const MOST: Readonly<Record<FrameKind, number>> = {
  message: MAX_MESSAGE_BYTES,
  image: MAX_IMAGE_BATCH_BYTES,
  bytes: PIECE_BYTES,
  stdout: Infinity,
  stderr: Infinity,
};

const encoder = new TextEncoder();
const NO_SECRET = new Uint8Array(0);

/** Encodes frames, each begun with `secret` if there is one. */
export class FrameEncoder {
  readonly #secret: Uint8Array;
  readonly #maxPayload: number;

  constructor(secret: Uint8Array = NO_SECRET) {
    this.#secret = secret;
    this.#maxPayload = MAX_FRAME_BYTES - HEADER_BYTES - secret.length;
  }

  /** One message as the frames that carry it. @param value JSON-able. @throws {TooLarge} */
  message(channel: number, value: unknown): Uint8Array<ArrayBuffer> {
    return this.bytes("message", channel, encoder.encode(jsonOf(value)));
  }

  /** Bytes as consecutive frames of `kind`. @throws {TooLarge} */
  bytes(kind: FrameKind, channel: number, payload: Uint8Array): Uint8Array<ArrayBuffer> {
    return this.all(kind, channel, [payload]);
  }

  /** The frames of several payloads, each as {@link bytes} gives them. @throws {TooLarge} */
  all(kind: FrameKind, channel: number, payloads: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
    const out = new Uint8Array(
      payloads.reduce((sum, { length }) => sum + this.#framedBytes(kind, length), 0),
    );
    const view = new DataView(out.buffer);
    let at = 0;
    for (const payload of payloads) at = this.#put(view, at, kind, channel, payload);
    return out;
  }

  #framedBytes(kind: FrameKind, length: number): number {
    if (length > MOST[kind]) throw new TooLarge(`${length} bytes can't be sent at a time; ${MOST[kind]} can`);
    return length + this.#pieces(length) * (HEADER_BYTES + this.#secret.length);
  }

  #pieces(length: number): number {
    return Math.max(1, Math.ceil(length / this.#maxPayload));
  }

  /** @returns Where the next frame goes. */
  #put(
    view: DataView<ArrayBuffer>,
    at: number,
    kind: FrameKind,
    channel: number,
    payload: Uint8Array,
  ): number {
    const out = new Uint8Array(view.buffer);
    const isOutput = kind === "stdout" || kind === "stderr"; // any part of it can be used at once
    const pieces = this.#pieces(payload.length);
    for (let i = 0; i < pieces; i++) {
      const piece = payload.subarray(i * this.#maxPayload, (i + 1) * this.#maxPayload);
      out.set(this.#secret, at);
      at += this.#secret.length;
      view.setUint32(at, piece.length, true);
      out[at + 4] = KINDS.indexOf(kind);
      out[at + 5] = isOutput || i === pieces - 1 ? 1 : 0;
      view.setUint32(at + 6, channel, true);
      out.set(piece, at + HEADER_BYTES);
      at += HEADER_BYTES + piece.length;
    }
    return at;
  }
}

/** @throws {TooLarge} if a string can't hold it. */
function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new TooLarge(error.message);
  }
}

/** Cuts a byte stream into frames. Holds at most one frame that is not complete. */
export class FrameDecoder {
  readonly #secret: Uint8Array;
  readonly #maxPayload: number;
  #rest: Uint8Array = NO_SECRET;

  constructor(secret: Uint8Array = NO_SECRET) {
    this.#secret = secret;
    this.#maxPayload = MAX_FRAME_BYTES - HEADER_BYTES - secret.length;
  }

  /**
   * Frames completed by `chunk`, in order. Payloads are views, valid until the next call.
   *
   * @throws {ProtocolViolation} on a wrong secret, an unknown kind or an oversized frame.
   */
  *push(chunk: Uint8Array): Generator<Frame> {
    const data = this.#rest.length > 0 ? concatBytes([this.#rest, chunk]) : chunk;
    const prefix = this.#secret.length + HEADER_BYTES;
    let at = 0;
    while (data.length - at >= prefix) {
      for (let i = 0; i < this.#secret.length; i++) {
        if (data[at + i] !== this.#secret[i]) {
          throw new ProtocolViolation("a frame does not begin with the secret");
        }
      }
      const header = new DataView(data.buffer, data.byteOffset + at + this.#secret.length, HEADER_BYTES);
      const length = header.getUint32(0, true);
      const kind = KINDS[header.getUint8(4)];
      if (kind === undefined) throw new ProtocolViolation(`unknown frame kind ${header.getUint8(4)}`);
      if (length > this.#maxPayload) throw new ProtocolViolation(`a frame of ${length} bytes is too long`);
      if (data.length - at < prefix + length) break;
      const payload = data.subarray(at + prefix, at + prefix + length);
      at += prefix + length;
      yield { kind, channel: header.getUint32(6, true), last: header.getUint8(5) === 1, payload };
    }
    this.#rest = at === data.length ? NO_SECRET : data.slice(at);
    countBuffer(this.#rest.length + (data === chunk ? 0 : data.length));
  }
}
