/** The last checkpoint of a session: sent after each change, and gone back to where an execution is to leave nothing. */

import type { ControlCell } from "../../control/cell.ts";
import type { PartLoss } from "../../image/part.ts";
import type { SessionImage } from "../../image/session_image.ts";
import { ImageError } from "../wire/image_error.ts";
import type { RunOutcome, Runtime } from "../../runtime/runtime.ts";
import { IMAGE_BATCH_BYTES, IMAGE_WINDOW_BYTES } from "../wire/bounds.ts";
import { decodeEntries, encodeEntries } from "../wire/entry.ts";
import type { Bases } from "../wire/bases.ts";
import type { ImageBuffer } from "./image_buffer.ts";
import type { Post } from "./scope.ts";

/** So many crashes in a row say that the checkpoint itself is spoiled: going back to it would only go on like that. */
const HOPELESS_CRASHES = 3;

export class SessionCheckpoint {
  /** Whether a rollback would go to the end of the last execution: it goes further if that was too large to capture. */
  #captured = true;
  /** Executions in a row that ended as "crashed". */
  #crashes = 0;

  /** @param bases What heaps are deltas of here. */
  constructor(
    readonly image: SessionImage,
    readonly bases: Bases,
    readonly cell: ControlCell,
    readonly post: Post,
  ) {}

  /**
   * Goes on from an image. All of it is copied, and what it arrived in is given up.
   *
   * @param bases What its heaps are deltas of: those of another build's interpreters fit none of this one's.
   * @returns What could not be brought back, and starts fresh.
   */
  restore(image: ImageBuffer, bases: Bases): PartLoss[] {
    using arrived = image;
    const foreign = Object.entries(this.bases).filter(([part, base]) => bases[part] !== base);
    const unusable = Object.fromEntries(
      foreign.map(([part]) => [part, "another build of wasmbox made them"]),
    );
    return this.image.restore(arrived.batches.flatMap(decodeEntries), unusable);
  }

  /**
   * An execution has ended.
   *
   * @param runtime Of its language.
   * @returns What went back: the session to what it was before, or the language's heap alone to when it was last captured.
   */
  executed(
    outcome: RunOutcome,
    onFailure: "keep" | "rollback",
    runtime: Runtime,
  ): "session" | "heap" | "nothing" {
    this.#crashes = outcome.status === "crashed" ? this.#crashes + 1 : 0;
    if (this.#crashes >= HOPELESS_CRASHES || !mustRollBack(outcome, onFailure)) return "nothing";
    if (this.rollBack()) return "session";
    return outcome.heap === "discarded" && rollBackAlone(runtime) ? "heap" : "nothing";
  }

  /** Goes back to the last change's end. @returns False, and nothing is done, if that was too large to capture. */
  rollBack(): boolean {
    if (this.#captured) this.image.rollback();
    return this.#captured;
  }

  /**
   * Sends what changed since the last checkpoint, under the number of the execution or request that changed it. Whatever
   * is asked next waits for it, so that it is exact.
   */
  send(change: number): void {
    const capture = this.image.capture();
    this.#captured = capture.kind === "captured";
    if (capture.kind === "captured") {
      for (const batch of encodeEntries(capture.entries, IMAGE_BATCH_BYTES)) {
        this.cell.send(batch.length, IMAGE_WINDOW_BYTES);
        this.post({ type: "image", batch }, [batch.buffer as ArrayBuffer]);
      }
    }
    this.post({ type: "checkpoint", change, complete: this.#captured });
  }
}

/** Brings back a heap that is lost where all else goes on. @returns False if it was never captured, or there is no memory for it. */
function rollBackAlone(runtime: Runtime): boolean {
  if (runtime.recordedBytes() === 0) return false;
  try {
    runtime.rollback();
    return true;
  } catch (error) {
    if (!(error instanceof ImageError)) throw error;
    runtime.discard();
    return false;
  }
}

/** Whether a session must go back to what it was before an execution that ended so. */
function mustRollBack(outcome: RunOutcome, onFailure: "keep" | "rollback"): boolean {
  const succeeded = outcome.status === "completed" || outcome.status === "exited" && outcome.exitCode === 0;
  if (succeeded) return false;
  // A program that ended its own process keeps its files; one that was ended did not get to say what they are worth.
  return onFailure === "rollback" || outcome.heap === "discarded" && outcome.status !== "exited";
}
