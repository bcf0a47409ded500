/** What guests take for time and chance, as a part of their session's image. */

import * as z from "zod/mini";
import type { GuestClock } from "../control/guest_clock.ts";
import type { RandomSource } from "../control/random.ts";
import { entryBytes, type ImageEntry, Section } from "../executor/wire/entry.ts";
import { ImageError } from "../executor/wire/image_error.ts";
import type { ImagePart, PendingCapture } from "./part.ts";

/** What an interpreter's clock can tell: 64 bits, signed. */
const MAX_DIGITS = 19;

const entropyState = z.object({
  /** Nanoseconds of the monotonic clock. */
  elapsed: z.string().check(z.maxLength(MAX_DIGITS), z.regex(/^\d+$/)),
  random: z.optional(z.tuple([z.int32(), z.int32(), z.int32(), z.int32()])),
});

/**
 * Monotonic time goes on from where it was captured, so that no guest sees it run backwards in another process; a
 * seeded generator goes on with its sequence.
 */
export class EntropyPart implements ImagePart {
  readonly name = "clock";
  readonly sections: readonly number[] = [Section.entropy];
  readonly #clock: GuestClock;
  readonly #random: RandomSource;
  #captured: Uint8Array;

  constructor(clock: GuestClock, random: RandomSource) {
    this.#clock = clock;
    this.#random = random;
    this.#captured = this.#encode();
  }

  beginCapture(): PendingCapture {
    const bytes = this.#encode();
    return {
      imageBytes: entryBytes(bytes.length),
      commit: () => {
        this.#captured = bytes;
        return [{ section: Section.entropy, a: 0, b: 0, bytes }];
      },
    };
  }

  rollback(): void {
    this.#goOn(this.#captured);
  }

  restore(entries: readonly ImageEntry[]): undefined {
    const [entry, more] = entries;
    if (entry === undefined) return;
    if (more !== undefined) throw new ImageError("the clock is there twice");
    // Under another key it would stay beside the next one.
    if (entry.a !== 0 || entry.b !== 0) throw new ImageError("the clock is not in its place");
    const bytes = entry.bytes!.slice();
    this.#goOn(bytes);
    this.#captured = bytes;
  }

  #encode(): Uint8Array {
    const { state } = this.#random;
    const json = { elapsed: String(this.#clock.elapsed), ...state ? { random: state } : {} };
    return encoder.encode(JSON.stringify(json));
  }

  #goOn(bytes: Uint8Array): void {
    let json: unknown;
    try {
      json = JSON.parse(decoder.decode(bytes));
    } catch {
      throw new ImageError("the clock is not JSON");
    }
    const { data } = entropyState.safeParse(json);
    if (!data) throw new ImageError("the clock has no such form");
    this.#clock.goOn(BigInt(data.elapsed));
    if (this.#random.state && data.random) this.#random.state = data.random;
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });
