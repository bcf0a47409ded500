/** Standard input of this process as what a program in the sandbox reads: from when it reads any. */

import { inputProtocol } from "../../host_calls/input.ts";
import { type HostOperation, WithBytes } from "../../host_calls/operations.ts";

/** Who types takes time; the execution's own time bounds it. */
const WAIT_MS = 24 * 3600 * 1000;

export const inputOperation: HostOperation<number, null> = {
  protocol: inputProtocol,
  timeoutMs: WAIT_MS,
  async handle(length) {
    const bytes = new Uint8Array(length);
    return new WithBytes(null, bytes.subarray(0, await Deno.stdin.read(bytes) ?? 0));
  },
};
