/** Puts together what an execution shows, bounded a second time: what an executor sends is not trusted. */

import { concatBytes } from "../bytes.ts";
import type { OutcomeMessage } from "../executor/wire/protocol.ts";
import { type Displays, NO_DISPLAYS } from "./outcome.ts";

export class DisplayBuffer {
  readonly #pieces: Uint8Array[] = [];
  #bytes = 0;

  constructor(readonly maxBytes: number, readonly maxDisplays: number) {}

  push(piece: Uint8Array): void {
    if (this.#bytes + piece.length > this.maxBytes) return; // the sizes will not fit, and nothing is shown
    this.#pieces.push(piece);
    this.#bytes += piece.length;
  }

  /** @param displays What the bytes that came are. @returns Nothing where that is not so. */
  take({ entries, dropped }: OutcomeMessage["displays"]): Displays {
    const size = entries.reduce((sum, { path, size }) => sum + (path === null ? size : 0), 0);
    if (size !== this.#bytes || entries.length > this.maxDisplays) return NO_DISPLAYS;
    const all = concatBytes(this.#pieces);
    let at = 0;
    const given = entries.map((entry) => {
      if (entry.path !== null) return { ...entry, bytes: null };
      at += entry.size;
      return { ...entry, bytes: all.subarray(at - entry.size, at) };
    });
    return { entries: given, dropped };
  }
}
