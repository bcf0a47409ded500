/** What a session's files and heaps are asked by others than its programs, until its Worker has answered. */

import { WasmboxError } from "../errors.ts";
import type { FromExecutor } from "../executor/wire/from_executor.ts";
import type { WorkspaceOperation, WorkspaceUsage } from "../executor/wire/workspace_protocol.ts";
import { ExecutorLost, messageOf } from "./executor_lost.ts";
import { nextNumber } from "./numbers.ts";
import type { Home, Residence } from "./residence.ts";
import type { Answered } from "./session_files.ts";

interface Pending {
  readonly operation: WorkspaceOperation;
  resolve(answered: Answered): void;
  reject(error: Error): void;
}

export class WorkspaceOperations {
  readonly #pending = new Map<number, Pending>();

  constructor(readonly residence: Residence) {}

  /**
   * An operation that a process took with it was not done at all: it is asked for once more, of the next one, unless it
   * may be what the process was lost of.
   *
   * @throws {WasmboxError} @throws {TooLarge}
   */
  async perform(operation: WorkspaceOperation, bytes?: Uint8Array): Promise<Answered> {
    try {
      return await this.#ask(operation, bytes);
    } catch (error) {
      if (!(error instanceof ExecutorLost) || error.isFinal) throw error;
      return await this.#ask(operation, bytes);
    }
  }

  /** As {@link perform}. */
  async usage(kind: "info" | "reset"): Promise<WorkspaceUsage> {
    const { answer } = await this.perform({ kind });
    if (answer.kind !== "usage") throw new Error(`asked for usage, got ${answer.kind}`);
    return answer.usage;
  }

  /** The Worker has answered. @returns To which operation; undefined if nobody waits for it any more. */
  answered(
    { request, answer }: Extract<FromExecutor, { type: "workspace" }>,
    bytes: Uint8Array,
  ): WorkspaceOperation | undefined {
    const pending = this.#pending.get(request);
    this.#pending.delete(request);
    pending?.resolve({ answer, bytes });
    return pending?.operation;
  }

  /** Nothing of what was asked will be answered. */
  reject(error: WasmboxError): void {
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }

  async #ask(operation: WorkspaceOperation, bytes?: Uint8Array): Promise<Answered> {
    let answered: Promise<Answered> | undefined;
    const send = ({ executor, channel }: Home) => {
      const request = nextNumber();
      const { promise, resolve, reject } = Promise.withResolvers<Answered>();
      promise.catch(() => {}); // it may be asked for once more
      answered = promise;
      executor.send(channel, { type: "workspace", request, operation }, bytes);
      this.#pending.set(request, { operation, resolve, reject });
      return true;
    };
    await this.residence.settle([], { send }).catch((error: unknown) => {
      const tried = error instanceof ExecutorLost && !error.isFinal;
      if (error instanceof WasmboxError && !tried) throw error;
      const reason = tried ? error.reason : messageOf(error);
      const message = `The session's process could not be started: ${reason}. Its checkpoint is kept.`;
      throw new WasmboxError("EXECUTOR_UNAVAILABLE", message, {
        suggestions: ["Send the call again. If it fails again, go on in another session."],
        retryable: true,
      });
    });
    if (!answered) throw new Error("the session is in, and nothing was asked");
    return await answered;
  }
}
