/** The shell as a part of its session's image: one JSON text in pieces, made anew only when a script has run. */

import { ENTRY_MAX_BYTES, entryBytes, type ImageEntry, Section } from "../../executor/wire/entry.ts";
import { ImageError } from "../../executor/wire/image_error.ts";
import type { PendingCapture } from "../../image/part.ts";
import { cut, join, pieceChanges } from "../../image/pieces.ts";
import { isLoadable, type LastingState, load, save, type SavedState } from "./state.ts";

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
  /** It could not be taken back. */
  readonly unusable?: boolean;
}

export class ShellStatePart {
  readonly name = "shell";
  readonly sections: readonly number[] = [Section.shellState];
  readonly #owner: Owner;
  #captured: Captured = { runs: 0, pieces: [] };

  constructor(owner: Owner) {
    this.#owner = owner;
  }

  beginCapture(): PendingCapture {
    const now = this.#encode();
    return {
      // A state that could not be read again is as good as none.
      imageBytes: now.unusable
        ? Infinity
        : now.pieces.reduce((sum, piece) => sum + entryBytes(piece.length), 0),
      commit: () => {
        const before = this.#captured.pieces;
        this.#captured = now;
        return now.pieces === before ? [] : pieceChanges(Section.shellState, before, now.pieces);
      },
    };
  }

  /** Whether there is, or was captured, anything else than a fresh shell. */
  get isUsed(): boolean {
    return this.#captured.pieces.length > 0 || this.#owner.runs() !== this.#captured.runs;
  }

  rollback(): void {
    this.#goOn(this.#captured.pieces);
  }

  restore(entries: readonly ImageEntry[]): string | undefined {
    if (entries.length === 0) return undefined;
    const pieces = [...entries].sort((a, b) => a.b - b.b).map(({ a, b, bytes }, index) => {
      if (a !== 0 || b !== index) throw new ImageError("the shell's state is not whole");
      return bytes!.slice();
    });
    const unsaved = this.#goOn(pieces);
    this.#captured = { runs: this.#owner.runs(), pieces };
    if (unsaved.length === 0) return undefined;
    return `what has no form that could be stored: ${unsaved.join(", ")}`;
  }

  #encode(): Captured {
    const runs = this.#owner.runs();
    if (runs === this.#captured.runs) return this.#captured;
    const state = this.#owner.state();
    if (!state) return { runs, pieces: [] };
    const bytes = encode(save(state));
    return bytes ? { runs, pieces: cut(bytes, ENTRY_MAX_BYTES) } : { runs, pieces: [], unusable: true };
  }

  /** @returns What can't be gone on with, by name. @throws {ImageError} */
  #goOn(pieces: readonly Uint8Array[]): readonly string[] {
    if (pieces.length === 0) {
      this.#owner.goOn(undefined);
      return [];
    }
    let json: unknown;
    try {
      json = JSON.parse(decoder.decode(join(pieces, STATE_MAX_BYTES)));
    } catch (error) {
      if (error instanceof ImageError) throw error;
      throw new ImageError("the shell's state is not JSON");
    }
    const { state, unsaved } = load(json);
    this.#owner.goOn(state);
    return unsaved;
  }
}

/** @returns undefined for what could not be taken back. */
function encode(saved: SavedState): Uint8Array | undefined {
  if (!isLoadable(saved)) return undefined;
  try {
    const bytes = encoder.encode(JSON.stringify(saved));
    return bytes.length > STATE_MAX_BYTES ? undefined : bytes;
  } catch (error) {
    if (error instanceof RangeError) return undefined; // longer than a string may be
    throw error;
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });
