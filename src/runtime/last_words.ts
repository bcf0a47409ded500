/** The last that an interpreter wrote to its standard error: there it says why it gives up. */

import { LastBytes } from "../bytes.ts";

const KEPT_BYTES = 4096;

export class LastWords {
  #bytes = new LastBytes(KEPT_BYTES);

  add(bytes: Uint8Array): void {
    this.#bytes.push(bytes);
  }

  clear(): void {
    this.#bytes = new LastBytes(KEPT_BYTES);
  }

  /** Where they match, if they do. */
  match(pattern: RegExp): RegExpExecArray | null {
    return pattern.exec(new TextDecoder().decode(this.#bytes.take()));
  }
}
