/** Batches of images on their way from the pipe to a Worker. */

import { concatBytes } from "../../bytes.ts";

/**
 * Puts batches that follow one another on a channel together, as each message to a Worker takes both threads more than the
 * bytes in it do. Entries that come after one another are a batch, too.
 */
export class ArrivingImages {
  #channel: number | undefined;
  #batches: Uint8Array[] = [];

  constructor(readonly pass: (channel: number, batch: Uint8Array<ArrayBuffer>) => void) {}

  /** @param batch A view that is valid until {@link flush}. */
  push(channel: number, batch: Uint8Array): void {
    if (channel !== this.#channel) this.flush();
    this.#channel = channel;
    this.#batches.push(batch);
  }

  /** Passes on what there is. To be called before anything else that came goes on, and before the next is read. */
  flush(): void {
    if (this.#channel === undefined) return;
    const [channel, batches] = [this.#channel, this.#batches];
    [this.#channel, this.#batches] = [undefined, []];
    this.pass(channel, concatBytes(batches));
  }
}
