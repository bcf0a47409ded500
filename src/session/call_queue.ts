/** What a session is asked to do, one thing after another. */

import type { Checkpoints } from "../checkpoints/checkpoints.ts";
import { WasmboxError } from "../errors.ts";
import type { SessionRecord } from "./record.ts";
import type { Residence } from "./residence.ts";

export interface TurnOptions {
  /** True for what was let in before: it is not refused because many calls wait. */
  readonly goesOn?: boolean | undefined;
  /** Of the call that wants it. Once that is cancelled, nobody expects it to be done behind what was asked for since. */
  readonly signal?: AbortSignal | undefined;
}

export class CallQueue {
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  /** What has begun, and goes on with more turns: see {@link stay}. */
  #staying = 0;

  /** @param untilStored Whether a call ends no sooner than the store has what it did. */
  constructor(
    readonly residence: Residence,
    readonly checkpoints: Checkpoints,
    readonly record: SessionRecord,
    readonly untilStored: boolean,
  ) {}

  /** True while something runs or waits, or has more turns to come. */
  get busy(): boolean {
    return this.#waiting > 0 || this.#staying > 0;
  }

  /**
   * Keeps the Worker between turns, until it is disposed of: what was begun has left something there that no checkpoint
   * has. Neighbours that are called meanwhile go elsewhere, as they do when a program runs.
   */
  stay(): Disposable {
    this.#staying++;
    return {
      [Symbol.dispose]: () => {
        this.#staying--;
        if (this.#waiting === 0) this.#rest(); // else what runs or is next still needs it, and rests when it ends
      },
    };
  }

  /**
   * Runs `work` when everything before it has ended.
   *
   * @throws {WasmboxError} if too many calls wait, the session was ended, or the call was cancelled before its turn.
   */
  turn<T>(work: () => Promise<T>, { goesOn = false, signal }: TurnOptions = {}): Promise<T> {
    const { closing, closed, id, limits } = this.residence.resident;
    if (closing.aborted) throw closed();
    const { maxQueuedCalls } = limits;
    if (this.#waiting > maxQueuedCalls && !goesOn) {
      throw new WasmboxError("SESSION_BUSY", `${maxQueuedCalls} calls already wait in the session "${id}".`, {
        suggestions: ["Wait for earlier calls to end, or use another session: sessions run side by side."],
        retryable: true,
      });
    }
    this.#waiting++;
    this.record.used();
    const turn = this.#last.then(() => {
      // It waited, and its session ended meanwhile: another server may have what is stored.
      if (closing.aborted) throw closed();
      if (signal?.aborted) throw cancelled();
      return work();
    }).finally(() => {
      this.#rest();
      this.#waiting--;
      this.record.used();
    });
    const stored = turn.catch(() => {}).then(() => this.checkpoints.caughtUp());
    this.#last = stored;
    return this.untilStored ? stored.then(() => turn) : turn;
  }

  #rest(): void {
    if (this.#staying === 0) this.residence.rest();
  }
}

function cancelled(): WasmboxError {
  return new WasmboxError(
    "EXECUTION_CANCELLED",
    "The call was cancelled while it waited: nothing of it was done.",
  );
}
