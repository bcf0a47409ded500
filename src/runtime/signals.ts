/** Signals that others send a program: those that it heeds come to it; all others are for whoever runs it. */

import * as z from "zod/mini";
import { HostCallError, type HostReply, replyOf } from "../host_calls/bridge.ts";

const PREFIX = "signals.";
/** Signals are bits of a word; there is none of number 0. */
const heeding = z.object({ signals: z.int().check(z.nonnegative(), z.maximum(0xffff_ffff)) });

export class GuestSignals {
  /** A bit for each that the program heeds: that of signal 1 is the second. */
  heeded = 0;
  readonly #waiting: number[] = [];

  heeds(signal: number): boolean {
    return (this.heeded >>> signal & 1) === 1;
  }

  /** One has come. */
  come(signal: number): void {
    this.#waiting.push(signal);
  }

  /** Whether any is there that the program has not taken yet. */
  get areWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** @returns The next one's number; 0: none. */
  take(): number {
    return this.#waiting.shift() ?? 0;
  }
}

/**
 * `heed` tells which signals a program heeds from now on, and gives whether any can come; `take` gives the next one's number, or 0.
 *
 * @param signals Absent: nobody sends the program any. @returns undefined for what is no operation on signals.
 * @throws {HostCallError} for one that is not right.
 */
export function performOnSignals(
  signals: GuestSignals | undefined,
  operation: string,
  request: Uint8Array,
): HostReply | undefined {
  switch (operation) {
    case `${PREFIX}take`:
      return replyOf(signals?.take() ?? 0);
    case `${PREFIX}heed`: {
      const parsed = heeding.safeParse(parsedJson(request));
      if (!parsed.success) throw new HostCallError("the request is not one for signals");
      if (signals) signals.heeded = parsed.data.signals;
      return replyOf(signals !== undefined);
    }
    default:
      return undefined;
  }
}

function parsedJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}
