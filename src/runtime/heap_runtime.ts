/** What the runtimes of all languages do alike: each has at most one heap, which is its part of the session's image. */

import type { ImageEntry } from "../executor/wire/entry.ts";
import type { FileSystem } from "../fs/file_system.ts";
import { giveUpMemory } from "./given_up.ts";
import { HeapPart, type HeapPartOptions, type LiveHeap, usedMemory } from "../image/heap_part.ts";
import type { PendingCapture } from "../image/part.ts";
import type { Language } from "../languages.ts";
import type { LiveState, RunOutcome, RunRequest, SynchronousRuntime } from "./runtime.ts";

/** An interpreter in a session. */
export interface LiveInstance<State> extends LiveHeap<State> {
  readonly memoryBytes: number;
  /** Closes what its guest left open. Absent: a guest can leave nothing open. */
  close?(): void;
}

export abstract class HeapRuntime<State, Instance extends LiveInstance<State>> implements SynchronousRuntime {
  readonly language: Language;
  readonly #part: HeapPart<State>;
  readonly #descriptorsOf: FileSystem | undefined;
  #runs = 0;
  /** Nothing has run in the instance yet: it is as any new one, and so no part of the session's image. */
  #pristine = false;
  /** The session's instance, if there is one. */
  protected instance: Instance | undefined;

  /** @param descriptorsOf Where the files are that instances hold open; absent: they hold none. */
  constructor(language: Language, options: HeapPartOptions, descriptorsOf?: FileSystem) {
    this.language = language;
    this.#descriptorsOf = descriptorsOf;
    this.#part = new HeapPart(
      language,
      {
        live: () => this.#pristine ? undefined : this.instance,
        runs: () => this.#runs,
        revive: (state, fill) => {
          this.revive(state, fill);
          this.#pristine = false;
        },
        unused: (state) => this.#pristine && this.fits(state) ? this.instance : undefined,
        taken: () => this.#pristine = false,
        discard: () => this.discard(),
      },
      options,
    );
  }

  /** Runs a program in {@link live}. Never throws. @param fresh Whether the instance is there, and was never used. */
  protected abstract run(request: RunRequest, fresh: boolean): RunOutcome;

  /** The session's instance; a fresh one if there is none. */
  protected abstract live(): Instance;

  /** Puts an instance of a heap that was captured in the place of the present one. @throws {ImageError} */
  protected abstract revive(state: unknown, fill: (memory: WebAssembly.Memory) => void): void;

  /** Whether the present instance is of the kind that goes on with such a state. @throws {ImageError} */
  protected fits(_state: unknown): boolean {
    return false;
  }

  get name(): string {
    return this.#part.name;
  }

  get sections(): readonly number[] {
    return this.#part.sections;
  }

  beginCapture(): PendingCapture {
    return this.#part.beginCapture();
  }

  rollback(): void {
    this.#part.rollback();
    this.#descriptorsOf?.reap();
  }

  restore(entries: readonly ImageEntry[]): undefined {
    this.#part.restore(entries);
    this.#descriptorsOf?.reap();
  }

  // deno-lint-ignore require-await -- a failure to start is a rejection
  async prepare(): Promise<void> {
    if (this.instance) return;
    this.live();
    this.#pristine = true;
  }

  execute(request: RunRequest): Promise<RunOutcome> {
    return Promise.resolve(this.executeNow(request));
  }

  executeNow(request: RunRequest): RunOutcome {
    return this.run(request, this.begin());
  }

  /** A run begins. @returns Whether the instance is there, and was never used. */
  protected begin(): boolean {
    this.#runs++;
    const fresh = this.#pristine;
    this.#pristine = false;
    return fresh;
  }

  memoryBytes(): number {
    return this.instance?.memoryBytes ?? 0;
  }

  recordedBytes(): number {
    return this.#part.recordedBytes;
  }

  inspect(): LiveState | undefined {
    const live = this.instance;
    return live && { memory: usedMemory(live), state: live.state };
  }

  discardUnused(): void {
    if (this.#pristine) this.discard();
  }

  release(): void {
    this.discard();
    this.#part.release();
  }

  discard(): void {
    const { instance } = this;
    this.instance = undefined;
    this.#pristine = false;
    if (instance) this.giveUp(instance);
  }

  /** Gives back what an instance holds that is not the session's any more. */
  protected giveUp(instance: Instance): void {
    instance.close?.();
    giveUpMemory(instance.memory);
  }
}
