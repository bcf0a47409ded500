/** What a session's programs ask of the server: the answer goes to the Worker that asked. */

import type { HostOperations } from "../host_calls/operations.ts";
import { TooLarge } from "../executor/wire/frames.ts";
import type { FromExecutor } from "../executor/wire/from_executor.ts";
import type { Residence } from "./residence.ts";

export class HostCalls {
  constructor(readonly operations: HostOperations, readonly residence: Residence) {}

  /** Carries one out, and tells what came of it. @param sent Bytes that came with it. */
  async answer(
    { call, operation, request }: Extract<FromExecutor, { type: "host_call" }>,
    sent: Uint8Array,
  ): Promise<void> {
    const { home } = this.residence;
    const { bytes, ...answer } = await this.operations.call(operation, request, sent);
    try {
      home?.executor.send(home.channel, { type: "host_reply", call, answer }, bytes);
    } catch (error) {
      if (!(error instanceof TooLarge)) throw error;
      const refusal = { ok: false, message: `the answer of "${operation}" is too large` } as const;
      home?.executor.send(home.channel, { type: "host_reply", call, answer: refusal });
    }
  }
}
