/** What a session comes back to when its executor is lost, and how far behind its last change that is. */

import type { Limits } from "../config/limits.ts";
import { type Budget, ImageTooLarge } from "./budget.ts";
import type { Loss } from "./outcome.ts";
import { StoredImage } from "./stored_image.ts";
import { within } from "./within.ts";

/** How long the next call waits for the checkpoint of the last one; afterwards it puts more than one at stake. */
const CHECKPOINT_WAIT_MS = 10_000;

export class Checkpoints {
  /** What the next executor goes on from; undefined while the session is too large for one. */
  #image: StoredImage | undefined;
  /** The last change, be it an execution that ended by itself or one of files, whose end state the image should be. */
  #last = 0;
  /** Changes since the image's. */
  #unsaved = 0;
  /** Settles when the server has heard of the checkpoint of the last of them, or its executor is lost. */
  #told = Promise.withResolvers<void>();
  /** State that was lost between two executions; told with the next one, then forgotten. */
  #loss: Loss | undefined;

  /** @param budget What the images of all sessions share. */
  constructor(readonly limits: Pick<Limits, "checkpointMaxBytes">, readonly budget: Budget) {}

  /** Whether losing the executor now would lose nothing, the last change, or everything. */
  get state(): "current" | "behind" | "none" {
    if (this.#image?.checkpoint === undefined) return "none";
    return this.#image.checkpoint === this.#last ? "current" : "behind";
  }

  /** False as long as the session is as it was made. */
  get changed(): boolean {
    return this.#last > 0;
  }

  /** What the session comes back to if its executor is lost now. */
  get fallback(): "rolled_back" | "reset" {
    return this.#image?.checkpoint === undefined ? "reset" : "rolled_back";
  }

  /** The session's state is another one; its checkpoint is under way. */
  change(number: number): void {
    this.#last = number;
    this.#unsaved++;
    this.#told = Promise.withResolvers<void>();
  }

  /** Waits for the image to catch up, so that losing the executor loses no more than one change. */
  async caughtUp(): Promise<void> {
    if (this.#unsaved === 0) return;
    const { promise, resolve } = this.#told;
    await within(promise, CHECKPOINT_WAIT_MS, resolve);
  }

  /**
   * A new executor takes the session in.
   *
   * @returns The image from which it goes on; undefined: it starts fresh, and what it sends is the whole image.
   */
  begin(): StoredImage | undefined {
    const image = this.#image?.checkpoint === undefined ? undefined : this.#image;
    this.#image = image ?? new StoredImage(this.limits.checkpointMaxBytes, this.budget);
    return image;
  }

  /** A batch of entries arrived. @throws {ImageError} if it is none. */
  receive(batch: Uint8Array): void {
    this.#work((image) => image.receive(batch));
  }

  /** All of the state after `number` has arrived, or, if not complete, it was too large to capture. */
  commit(number: number, complete: boolean): void {
    // After one that is not complete the image stays that of an earlier change.
    if (complete) this.#work((image) => image.commit(number));
    if (number !== this.#last) return;
    if (complete) this.#unsaved = 0;
    this.#told.resolve();
  }

  /** What arrived of a checkpoint that will not be completed is of no use. */
  dropPending(): void {
    this.#image?.dropPending();
  }

  /**
   * The executor is gone, and with it what the image lacks.
   *
   * @returns True if that is anything; the next {@link takeLoss} tells.
   */
  lost(reason: string): boolean {
    this.#image?.dropPending();
    const state = this.fallback;
    if (state === "reset" && this.changed) this.#loss = everythingLost(reason);
    else if (state === "rolled_back" && this.#image?.checkpoint !== this.#last) {
      const what = this.#unsaved > 1 ? `the last ${this.#unsaved} calls` : "the last call";
      this.#loss = { state, notice: `What ${what} did before was lost: ${reason}.` };
    }
    this.#unsaved = 0;
    this.#last = this.#image?.checkpoint ?? 0;
    return this.#loss !== undefined;
  }

  /** What was lost since it was last told. */
  takeLoss(): Loss | undefined {
    const loss = this.#loss;
    this.#loss = undefined;
    return loss;
  }

  /** Nobody waits for a checkpoint any more. */
  release(): void {
    this.#told.resolve();
  }

  /** Gives the image up; the session starts fresh when it next needs one. */
  drop(): void {
    this.#image?.[Symbol.dispose]();
    this.#image = undefined;
  }

  /** The image is of no use. */
  forget(reason: string): void {
    this.drop();
    this.#loss = everythingLost(reason);
  }

  /** Works on the image; one that grows too large is given up, and with it going back to a checkpoint. */
  #work(work: (image: StoredImage) => void): void {
    if (!this.#image) return;
    try {
      work(this.#image);
    } catch (error) {
      if (!(error instanceof ImageTooLarge)) throw error;
      this.drop();
    }
  }
}

function everythingLost(reason: string): Loss {
  return { state: "reset", notice: `The session's earlier variables and files were lost: ${reason}.` };
}
