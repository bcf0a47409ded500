/** The shell as a part of its session's image: one JSON text in pieces, made anew only when a script has run. */

import { ENTRY_MAX_BYTES, entryBytes, type ImageEntry, Section } from "../../executor/wire/entry.ts";
import { ImageError } from "../../executor/wire/image_error.ts";
import type { PendingCapture } from "../../image/part.ts";
import { cut, join } from "../../image/pieces.ts";
import { type LastingState, load, save } from "./state.ts";

/** Longest state that is taken back: variables hold no more than this in a live shell either. */
export const STATE_MAX_BYTES = 64 * 1024 * 1024;

/** The shell to which the state belongs. */
interface Owner {
  /** Undefined: it has run nothing yet. */
  state(): LastingState | undefined;
  /** Counts the scripts that it has run. */
  runs(): number;
  /** Takes on a state; undefined: that of a fresh shell. */
  goOn(state: LastingState | undefined): void;
}

interface Captured {
  readonly runs: number;
  readonly pieces: readonly Uint8Array[];
}

export class ShellStatePart {
  readonly sections: readonly number[] = [Section.shellState];
  readonly #owner: Owner;
  #captured: Captured = { runs: 0, pieces: [] };

  constructor(owner: Owner) {
    this.#owner = owner;
  }

  beginCapture(): PendingCapture {
    const now = this.#encode();
    return {
      imageBytes: now.pieces.reduce((sum, piece) => sum + entryBytes(piece.length), 0),
      commit: () => {
        const before = this.#captured.pieces;
        this.#captured = now;
        const entries: ImageEntry[] = [];
        if (now.pieces === before) return entries;
        for (let b = 0; b < Math.max(now.pieces.length, before.length); b++) {
          entries.push({ section: Section.shellState, a: 0, b, bytes: now.pieces[b] ?? null });
        }
        return entries;
      },
    };
  }

  rollback(): void {
    this.#goOn();
  }

  restore(entries: readonly ImageEntry[]): void {
    if (entries.length === 0) return;
    const pieces = [...entries].sort((a, b) => a.b - b.b).map(({ a, b, bytes }, index) => {
      if (a !== 0 || b !== index) throw new ImageError("the shell's state is not whole");
      return bytes!.slice();
    });
    this.#captured = { runs: this.#owner.runs(), pieces };
    this.#goOn();
  }

  #encode(): Captured {
    const runs = this.#owner.runs();
    if (runs === this.#captured.runs) return this.#captured;
    const state = this.#owner.state();
    const bytes = state && encoder.encode(JSON.stringify(save(state)));
    return { runs, pieces: bytes ? cut(bytes, ENTRY_MAX_BYTES) : [] };
  }

  #goOn(): void {
    const { pieces } = this.#captured;
    if (pieces.length === 0) return this.#owner.goOn(undefined);
    let json: unknown;
    try {
      json = JSON.parse(decoder.decode(join(pieces, STATE_MAX_BYTES)));
    } catch (error) {
      if (error instanceof ImageError) throw error;
      throw new ImageError("the shell's state is not JSON");
    }
    this.#owner.goOn(load(json));
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });
