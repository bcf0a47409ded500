/** Puts together what an execution shows, bounded a second time: what an executor sends is not trusted. */

import { GrowingBytes } from "../bytes.ts";
import type { OutcomeMessage } from "../executor/wire/from_executor.ts";
import { type Displays, NO_DISPLAYS } from "./outcome.ts";

export class DisplayBuffer {
  readonly #bytes = new GrowingBytes();

  constructor(readonly maxBytes: number, readonly maxDisplays: number) {}

  push(piece: Uint8Array): void {
    if (this.#bytes.length + piece.length > this.maxBytes) return; // the sizes will not fit, and nothing is shown
    this.#bytes.push(piece);
  }

  /** @param displays What the bytes that came are. @returns Nothing where that is not so. */
  take({ entries, dropped }: OutcomeMessage["displays"]): Displays {
    const size = entries.reduce((sum, { path, size }) => sum + (path === null ? size : 0), 0);
    if (size !== this.#bytes.length || entries.length > this.maxDisplays) return NO_DISPLAYS;
    const all = this.#bytes.view;
    let at = 0;
    const given = entries.map((entry) => {
      if (entry.path !== null) return { ...entry, bytes: null };
      at += entry.size;
      return { ...entry, bytes: all.subarray(at - entry.size, at) };
    });
    return { entries: given, dropped };
  }
}
