/** What programs read from standard input: the host's, where the host gives any. */

import { PIECE_BYTES } from "../../host_calls/bounds.ts";
import { HostCallError } from "../../host_calls/bridge.ts";
import { inputProtocol } from "../../host_calls/input.ts";
import { askHost, type HostCall } from "../../host_calls/protocol.ts";

export class StandardInput {
  /** What had come already when less was asked for: a call for each line of a program's would take its time. */
  #left: Uint8Array = new Uint8Array(0);

  constructor(readonly call: HostCall) {}

  /** @returns Bytes; 0 at its end, where there is none, and when the wait for it was stopped. @throws {Aborted} */
  read(buffer: Uint8Array): number {
    if (this.#left.length === 0 && buffer.length > 0) this.#left = this.#more();
    const bytes = this.#left.subarray(0, buffer.length);
    this.#left = this.#left.subarray(bytes.length);
    buffer.set(bytes);
    return bytes.length;
  }

  #more(): Uint8Array {
    try {
      return askHost(this.call, inputProtocol, PIECE_BYTES).bytes;
    } catch (error) {
      if (!(error instanceof HostCallError)) throw error;
      return new Uint8Array(0);
    }
  }
}
