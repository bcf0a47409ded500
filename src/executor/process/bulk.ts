/**
 * Image frames on their way to the server: after replies, and never more than it is ready to take.
 *
 * A window of credit bounds what the server must hold; a turn of the event loop after every few frames lets replies and
 * stops of other sessions pass. Channels take turns: a small image never waits behind all of a large one.
 */

import { discard } from "../../garbage.ts";
import { BULK_WINDOW_BYTES } from "../wire/bounds.ts";

/** Frames that are written before others get their turn. */
const FRAMES_PER_TURN = 16;

/** One encoded frame, or the frames of one message. */
interface Bulk {
  readonly frames: Uint8Array<ArrayBuffer>;
  /** What the server will grant for it. */
  readonly cost: number;
  /** Told once they are written. */
  readonly written: (() => void) | undefined;
}

export class BulkQueue {
  /** What waits, by channel; the channel whose turn it is comes first. */
  readonly #waiting = new Map<number, Bulk[]>();
  #credit = BULK_WINDOW_BYTES;
  #pumping = false;

  constructor(readonly write: (frames: Uint8Array) => void) {}

  /**
   * Queues frames behind those of the same channel, and gives their memory back once they are written.
   *
   * @param cost Bytes that the server grants once it has taken them: the payload of image frames, nothing for a message.
   * @param written Called once they are written.
   */
  push(channel: number, frames: Uint8Array<ArrayBuffer>, cost: number, written?: () => void): void {
    const bulk = { frames, cost, written };
    const waiting = this.#waiting.get(channel);
    if (waiting) waiting.push(bulk);
    else this.#waiting.set(channel, [bulk]);
    void this.#pump();
  }

  /** Forgets what waits on a channel: nobody takes it any more. */
  drop(channel: number): void {
    this.#waiting.delete(channel);
  }

  /** The server has taken `bytes` more. */
  grant(bytes: number): void {
    this.#credit += bytes;
    void this.#pump();
  }

  async #pump(): Promise<void> {
    if (this.#pumping) return;
    this.#pumping = true;
    for (let written = 0; this.#credit > 0; written++) {
      if (written > 0 && written % FRAMES_PER_TURN === 0) {
        await new Promise((resolve) => setTimeout(resolve, 0));
      }
      const next = this.#next();
      if (!next) break;
      this.#credit -= next.cost;
      this.write(next.frames);
      discard(next.frames.buffer);
      next.written?.();
    }
    this.#pumping = false;
  }

  #next(): Bulk | undefined {
    const [turn] = this.#waiting;
    if (!turn) return undefined;
    const [channel, waiting] = turn;
    const next = waiting.shift();
    this.#waiting.delete(channel);
    if (waiting.length > 0) this.#waiting.set(channel, waiting);
    return next;
  }
}
