/** What a session was: keeping it, going back to it, copying it. Every operation takes its turn among the session's calls. */

import type { Checkpoints } from "../checkpoints/checkpoints.ts";
import type { ExportedSession } from "../checkpoints/export_file.ts";
import type { History, HistoryOptions } from "../checkpoints/history.ts";
import type { Checkpoint, Earlier } from "../checkpoints/image_versions.ts";
import type { Limits } from "../config/limits.ts";
import { WasmboxError } from "../errors.ts";
import { decodeEntries } from "../executor/wire/entry.ts";
import type { SessionRecord } from "./record.ts";

/** What a session is called before it goes back, for those who want to go forth again. */
export const BEFORE_RESTORE = "before-restore";

/** The session, as what it was concerns it. */
export interface Rememberer {
  readonly id: string;
  readonly limits: Pick<Limits, "maxCheckpoints">;
  readonly record: SessionRecord;
  readonly checkpoints: Checkpoints;
  /** Whether all of what it is now is captured. Nothing runs. */
  readonly savable: () => boolean;
  /** Runs something when everything before it has ended, unless the call that wants it is cancelled before. */
  readonly turn: <T>(work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;
  /** Leaves its Worker, to go on from another image. */
  readonly moveOut: () => void;
  /** It is another one than it was. */
  readonly changed: () => void;
}

export class SessionHistory {
  readonly #session: Rememberer;

  constructor(session: Rememberer) {
    this.#session = session;
  }

  /** The same for one call: what it waits for is not done once that is cancelled. */
  until(signal: AbortSignal | undefined): SessionHistory {
    const { turn } = this.#session;
    return new SessionHistory({ ...this.#session, turn: (work) => turn(work, signal) });
  }

  get checkpoints(): readonly Checkpoint[] {
    return this.#past.checkpoints;
  }

  /** Changes that can be gone back, of those that are captured: see {@link caughtUp}. */
  get undoable(): number {
    return this.#past.undoable;
  }

  /** Waits until what the last calls did is captured; what runs is not waited for. */
  caughtUp(): Promise<void> {
    return this.#session.checkpoints.caughtUp();
  }

  /** Counts its changes. */
  get generation(): number {
    return this.#past.generation;
  }

  /**
   * Gives the state after all that was asked for before a name.
   *
   * @param name One that is free if absent. @throws {WasmboxError} CHECKPOINT_UNAVAILABLE, TOO_MANY_CHECKPOINTS; of the
   * name that the next {@link restore} would take from it, INVALID_ARGUMENTS.
   */
  name(name?: string): Promise<Checkpoint> {
    return this.#session.turn(async () => {
      this.#assertSavable();
      return await this.#session.checkpoints.name(this.#newName(name));
    });
  }

  /** @returns False if there is no checkpoint of that name. */
  forget(name: string): Promise<boolean> {
    return this.#session.turn(() => this.#session.checkpoints.forgetName(name));
  }

  /**
   * Goes back to an earlier state, of variables and files. The present one stays a checkpoint: {@link BEFORE_RESTORE}.
   *
   * @returns False if there is none such.
   */
  restore(to: Earlier): Promise<boolean> {
    const { turn, moveOut, checkpoints, changed } = this.#session;
    return turn(async () => {
      if (!this.#past.reaches(to)) return false;
      moveOut();
      const found = await checkpoints.goBack(to, BEFORE_RESTORE);
      if (found) changed();
      return found;
    });
  }

  /** A history of another session that begins as this one is, or was. @returns Undefined if there is none such. */
  fork(options: HistoryOptions, at?: Earlier): Promise<History | undefined> {
    return this.#session.turn(async () => {
      if (!at) this.#assertSavable();
      return await this.#session.checkpoints.fork(options, at);
    });
  }

  /** All of it as it is after all that was asked for before. @throws {WasmboxError} CHECKPOINT_UNAVAILABLE. */
  exported(): Promise<ExportedSession> {
    return this.#session.turn(async () => {
      this.#assertSavable();
      const image = await this.#session.checkpoints.read();
      const entries = [...image?.batches() ?? []].flatMap(decodeEntries);
      return { bases: image?.bases ?? {}, facts: this.#session.record.exportedFacts, entries };
    });
  }

  /**
   * Goes on as a copy of it has become; undoing that goes back to before the copy.
   *
   * @param generation What it must be at still. @returns False, and nothing was changed, if it is not.
   */
  become(copy: SessionHistory, generation: number): Promise<boolean> {
    const { turn, moveOut, checkpoints, record, changed } = this.#session;
    return turn(async () => {
      if (this.generation !== generation) return false;
      await copy.#session.checkpoints.caughtUp();
      copy.#assertSavable();
      moveOut();
      await checkpoints.adopt(copy.#past);
      for (const language of copy.#session.record.languages) record.languages.add(language);
      record.executed++;
      changed();
      return true;
    });
  }

  get #past(): History {
    return this.#session.checkpoints.history;
  }

  /** @param name Absent: one that is free. @throws {WasmboxError} TOO_MANY_CHECKPOINTS. */
  #newName(name: string | undefined): string {
    if (name === BEFORE_RESTORE) {
      const message =
        `"${name}" is what restore_session calls the state that it leaves: it would replace this checkpoint.`;
      throw new WasmboxError("INVALID_ARGUMENTS", message, { suggestions: ["Choose another name."] });
    }
    const names = new Set(this.checkpoints.map(({ name }) => name).filter((name) => name !== BEFORE_RESTORE));
    const { id, limits } = this.#session;
    const { maxCheckpoints } = limits;
    if (names.size >= maxCheckpoints && !(name !== undefined && names.has(name))) {
      const message = `The session "${id}" has ${names.size} checkpoints, which is the limit.`;
      throw new WasmboxError("TOO_MANY_CHECKPOINTS", message, {
        suggestions: ["Delete one (delete_checkpoint), or give the name of one to be replaced."],
        context: { max_checkpoints: maxCheckpoints },
      });
    }
    if (name !== undefined) return name;
    for (let number = 1;; number++) if (!names.has(`checkpoint-${number}`)) return `checkpoint-${number}`;
  }

  #assertSavable(): void {
    const { id, checkpoints: { tooLarge }, savable } = this.#session;
    if (savable()) return;
    const message = `The session "${id}" has no checkpoint of what it is now: ${tooLarge.message}. ` +
      "It goes on as it is.";
    const others = tooLarge.key === "checkpoints_max_bytes"
      ? ["Destroy sessions and delete checkpoints that are no longer needed."]
      : [];
    throw new WasmboxError("CHECKPOINT_UNAVAILABLE", message, {
      suggestions: ["Delete large variables or files that are no longer needed, and try again.", ...others],
      context: { [tooLarge.key]: tooLarge.maxBytes },
    });
  }
}
