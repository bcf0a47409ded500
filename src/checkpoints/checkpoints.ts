/** What a session comes back to when its executor is lost, and how far behind its last change that is. */

import type { Budget } from "../budget.ts";
import type { Limits } from "../config/limits.ts";
import type { Bases } from "../executor/wire/bases.ts";
import type { PartLoss } from "../image/part.ts";
import { within } from "../within.ts";
import { ArrivingCapture } from "./arriving_capture.ts";
import { ImageTooLarge } from "./image_budget.ts";
import type { Loss } from "./loss.ts";
import { lossOf } from "./part_loss.ts";
import type { History, HistoryOptions, StoredImage } from "./history.ts";
import type { Checkpoint, Earlier } from "./image_versions.ts";

/** How long the next call waits for the checkpoint of the last one; afterwards it puts more than one at stake. */
const CHECKPOINT_WAIT_MS = 10_000;

export class Checkpoints {
  /** What has arrived since the last checkpoint; undefined while no image is kept. */
  #arriving: ArrivingCapture | undefined;
  /** The change whose end state the image is, as far as it was acknowledged here; undefined if there is none. */
  #acknowledged: number | undefined;
  /** The one whose end state a durable store has; undefined if there is none. */
  #safe: number | undefined;
  /** Changes whose replies may be under way were lost with their executor, and nobody was told yet. */
  #lostUntold = false;
  /** The image was given up, or what came after it: later captures don't fit on what is kept. */
  #givenUp = false;
  /** Why the last change has no checkpoint, if another bound than its own was exceeded. */
  #tooLarge: ImageTooLarge | undefined;
  /** Captures that the store has yet to answer for. */
  #storing = 0;
  /** Settles when the store has done all that was asked of it. Never rejects. */
  #stored: Promise<void> = Promise.resolve();
  /** Settles when it can be asked for more. Never rejects. */
  #free: Promise<void> = Promise.resolve();
  /** The last change, be it an execution that ended by itself or one of files, whose end state the image should be. */
  #last = 0;
  /** Changes since the image's. */
  #unsaved = 0;
  /** Settles when the checkpoint of the last of them is stored, or its executor is lost. */
  #told = Promise.withResolvers<void>();
  /** State that was lost between two executions; told with the next one, then forgotten. */
  #loss: Loss | undefined;

  /**
   * @param budget What all that has arrived and is not stored yet is counted in.
   */
  constructor(
    readonly history: History,
    readonly limits: Pick<Limits, "checkpointMaxBytes">,
    readonly budget: Budget,
  ) {
    this.#acknowledged = history.empty ? undefined : 0;
    this.#safe = this.#acknowledged;
    this.#loss = history.takeLoss();
  }

  /** Whether losing the executor now would lose nothing, the last change, or everything. */
  get state(): "current" | "behind" | "none" {
    if (this.#acknowledged === undefined) return "none";
    return this.#acknowledged === this.#last ? "current" : "behind";
  }

  /** False as long as the session is as it was made. */
  get changed(): boolean {
    return this.#last > 0;
  }

  /** What the session comes back to if its executor is lost now. */
  get fallback(): "rolled_back" | "reset" {
    return this.#acknowledged === undefined ? "reset" : "rolled_back";
  }

  /** The session's state is another one; its checkpoint is under way. */
  change(number: number): void {
    this.#last = number;
    this.#unsaved++;
    this.#told = Promise.withResolvers<void>();
  }

  /**
   * Waits for the image to catch up, so that losing the executor loses no more than one change, and so that no more than
   * one capture waits for a slow store.
   */
  async caughtUp(): Promise<void> {
    const { promise, resolve } = this.#told;
    if (this.#unsaved > 0) await within(promise, CHECKPOINT_WAIT_MS, resolve);
    await this.#stored;
  }

  /**
   * A new executor takes the session in.
   *
   * @returns The image from which it goes on; undefined: it starts fresh, and what it sends is the whole image.
   * @throws What the store makes of it; the image is still there then.
   */
  async begin(): Promise<StoredImage | undefined> {
    await this.#free;
    this.#givenUp = false;
    if (this.#acknowledged === undefined && this.changed) {
      this.#loss = everythingLost("its checkpoint could not be stored");
      this.#last = 0;
    } else if (this.#acknowledged !== undefined && this.#acknowledged !== this.#last) {
      this.lose(lastCallLost("its checkpoint could not be stored"));
      this.#last = this.#acknowledged;
    }
    const image = this.#acknowledged === undefined ? undefined : await this.read(); // it may be forgotten meanwhile
    const damage = this.history.takeLoss();
    if (damage) this.lose(damage);
    if (!image) {
      this.#acknowledged = undefined;
      this.#last = 0;
    }
    this.#arriving?.[Symbol.dispose]();
    this.#arriving = new ArrivingCapture(this.limits.checkpointMaxBytes, this.budget);
    return image;
  }

  /** A batch of entries arrived. @throws {ImageError} if it is invalid. */
  receive(batch: Uint8Array): void {
    try {
      this.#arriving?.receive(batch);
    } catch (error) {
      if (!(error instanceof ImageTooLarge)) throw error;
      this.#giveUp(error);
    }
  }

  /**
   * All of the state after a change has arrived, or, if not complete, it was too large to capture: then the image stays
   * that of an earlier change.
   *
   * @param bases What the heaps of the session are deltas of where it is now.
   */
  commit(change: number, complete: boolean, bases: Bases): void {
    const arrived = this.#arriving;
    if (!complete) this.#tooLarge = undefined; // it was more than its own bound
    if (complete && arrived) {
      this.#arriving = new ArrivingCapture(this.limits.checkpointMaxBytes, this.budget);
      this.#acknowledged = change;
      // What can't be appended costs the image: later captures don't fit on an earlier one.
      this.#storing++;
      this.#stored = this.#free.then(() => this.#append(arrived, change, bases)).catch((error: unknown) =>
        this.#clear(error)
      )
        .finally(() => this.#storing--);
      // Nobody waits for the history to be put together but who comes next.
      this.#free = this.#stored.then(() => this.history.compact()).catch((error: unknown) =>
        this.#clear(error)
      );
    }
    if (change !== this.#last) return;
    if (complete) this.#unsaved = 0;
    const { resolve } = this.#told;
    void this.#stored.then(() => resolve());
  }

  /** What arrived of a checkpoint that will not be completed is of no use. */
  dropPending(): void {
    if (!this.#arriving) return;
    this.#arriving[Symbol.dispose]();
    this.#arriving = new ArrivingCapture(this.limits.checkpointMaxBytes, this.budget);
  }

  /**
   * The executor is gone, and with it what the image lacks.
   *
   * @returns True if that is anything; the next {@link takeLoss} tells.
   */
  lost(reason: string): boolean {
    this.dropPending();
    const state = this.fallback;
    if (state === "reset" && this.changed) this.#loss = everythingLost(reason);
    else if (state === "rolled_back" && this.#acknowledged !== this.#last) {
      const what = this.#unsaved > 1 ? `the last ${this.#unsaved} calls` : "the last call";
      this.lose({ state, notice: `What ${what} did before was lost: ${reason}.` });
    }
    this.#lostUntold = this.#unsaved > 0;
    this.#unsaved = 0;
    this.#last = this.#acknowledged ?? 0;
    return this.#loss !== undefined;
  }

  /** A new executor goes on from the image, but for these parts of it. */
  restored(lost: readonly PartLoss[]): void {
    if (lost.length > 0) this.lose(lossOf(lost));
  }

  /** What was lost since it was last told. */
  takeLoss(): Loss | undefined {
    this.#lostUntold = false;
    const loss = this.#loss;
    this.#loss = undefined;
    return loss;
  }

  /** Nobody waits for a checkpoint any more: its executor is lost. */
  abandon(): void {
    this.#told.resolve();
  }

  /** The session has ended, and nothing of it is kept. */
  async forget(): Promise<void> {
    this.#end();
    await this.#then(() => this.history.delete());
  }

  /** The session goes on elsewhere, or later. */
  async release(): Promise<void> {
    this.#end();
    await this.#then(() => this.history.release());
  }

  /** Whether what was last acknowledged outlives the server, once {@link caughtUp}. @returns Why not; undefined: it does. */
  get notDurable(): string | undefined {
    const { lost } = this.history.place;
    if (lost !== undefined) return lost;
    if (this.#lostUntold) return "its process was lost before it was captured";
    if (this.#storing > 0) return "the store has yet to take it";
    if (this.state === "current" || !this.changed) return this.history.notDurable;
    return this.tooLarge.message;
  }

  /** Why there is no checkpoint of the last change, where there is none. */
  get tooLarge(): ImageTooLarge {
    return this.#tooLarge ?? new ImageTooLarge("checkpoint_max_bytes", this.limits.checkpointMaxBytes);
  }

  /** Offers the store again what it could not take. */
  save(): Promise<void> {
    return this.#then(() => this.history.save()).catch(() => {}); // it is still said not to be durable
  }

  /** What runs from now on, and what waits for it, of which a server that takes over can tell. */
  runs(executionIds: readonly string[]): void {
    void this.#then(() => this.history.runs(executionIds));
  }

  /** The present image; undefined if there is none. Nothing runs. */
  async read(): Promise<StoredImage | undefined> {
    return await this.#then(() => this.history.read());
  }

  /** Gives the present image a name. Nothing runs. */
  async name(name: string): Promise<Checkpoint> {
    return await this.#then(() => this.history.name(name));
  }

  /** @returns False if there is no checkpoint of that name. */
  async forgetName(name: string): Promise<boolean> {
    return await this.#then(() => this.history.forget(name));
  }

  /**
   * Makes an earlier image the present one. Nothing runs, and the session is in no executor.
   *
   * @param keepAs A name for the one that is present now.
   * @returns False if there is none such.
   */
  async goBack(to: Earlier, keepAs: string): Promise<boolean> {
    const found = await this.#then(() => this.history.goBack(to, keepAs));
    if (!found) return false;
    this.#wentElsewhere();
    return true;
  }

  /** @returns Undefined if there is no such image. */
  async fork(options: HistoryOptions, at?: Earlier): Promise<History | undefined> {
    return await this.#then(() => this.history.fork(options, at));
  }

  /** Makes another session's image this one's. Nothing runs, and the session is in no executor. */
  async adopt(other: History): Promise<void> {
    await this.#then(() => this.history.adopt(other));
    this.#wentElsewhere();
  }

  /** The present image is another one, all of it. */
  #wentElsewhere(): void {
    this.#acknowledged = this.history.empty ? undefined : this.#last;
    if (this.#acknowledged === undefined) this.#last = 0;
    this.#safe = this.history.notDurable === undefined ? this.#acknowledged : undefined;
  }

  /** Runs something once the store has done all that was asked of it before. */
  #then<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#free.then(work);
    this.#stored = this.#free = done.then(() => {}, () => {});
    return done;
  }

  #end(): void {
    this.#told.resolve();
    this.#forgetArriving();
  }

  /** Gives the image up; the session starts fresh when it next needs one. */
  #giveUp(reason: ImageTooLarge): void {
    this.#forgetArriving();
    this.#acknowledged = this.#safe;
    this.#stored = this.#free = this.#free.then(() => this.#clear(reason));
  }

  #forgetArriving(): void {
    this.#arriving?.[Symbol.dispose]();
    this.#arriving = undefined;
    this.#acknowledged = undefined;
  }

  /** What a durable store has stays there: it was acknowledged as such. */
  async #clear(reason: unknown): Promise<void> {
    this.#tooLarge = reason instanceof ImageTooLarge ? reason : undefined;
    this.#givenUp = true;
    this.#forgetArriving();
    if (this.#safe !== undefined && this.history.keepStored()) {
      this.#acknowledged = this.#safe;
      return;
    }
    this.#safe = undefined;
    await this.history.clear().catch(() => {}); // it is not read again
  }

  async #append(arrived: ArrivingCapture, change: number, bases: Bases): Promise<void> {
    using capture = arrived;
    if (this.#givenUp) return;
    await this.history.append(bases, capture.entries);
    this.#tooLarge = undefined;
    if (this.history.notDurable === undefined) this.#safe = change;
  }

  /** Something was lost, of which the next execution tells. */
  lose(loss: Loss): void {
    const before = this.#loss;
    if (before?.notice.includes(loss.notice)) return;
    this.#loss = before
      ? {
        state: before.state === "reset" ? "reset" : loss.state,
        notice: `${before.notice} ${loss.notice}`,
      }
      : loss;
  }
}

function lastCallLost(reason: string): Loss {
  return { state: "rolled_back", notice: `What the last call did before was lost: ${reason}.` };
}

function everythingLost(reason: string): Loss {
  return { state: "reset", notice: `The session's earlier variables and files were lost: ${reason}.` };
}
