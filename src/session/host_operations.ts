/** The closed list of what guests may ask the server for, and the bounds of each (DESIGN.md decision 11). */

import type { z } from "zod";

/** Who asked: known by the pipe and Worker a call came from, never by what it says. */
export interface HostCallContext {
  readonly principal: string;
  readonly sessionId: string;
  /** Aborted when the session ends. */
  readonly signal: AbortSignal;
}

export interface HostOperation<Request = unknown> {
  readonly name: string;
  readonly request: z.ZodType<Request>;
  readonly maxRequestBytes: number;
  readonly maxReplyBytes: number;
  readonly maxConcurrent: number;
  readonly timeoutMs: number;
  /** @returns A JSON-able answer. @throws Anything: its message is what the guest gets to see. */
  handle(request: Request, context: HostCallContext): Promise<unknown>;
}

export type HostAnswer = { ok: true; json: string } | { ok: false; message: string };

/** Looks a guest's call up in the list, checks it and runs it. One per session, so that bounds are per session. */
export class HostOperations {
  readonly #running = new Map<string, number>();

  constructor(readonly operations: readonly HostOperation[], readonly context: HostCallContext) {}

  /** Never rejects: whatever is wrong becomes a refusal that the guest can read. */
  async call(name: string, request: string): Promise<HostAnswer> {
    const operation = this.operations.find((candidate) => candidate.name === name);
    if (!operation) return refusal(`unknown host operation "${name}"`);
    if (request.length > operation.maxRequestBytes) return refusal(`the request to "${name}" is too large`);
    const running = this.#running.get(name) ?? 0;
    if (running >= operation.maxConcurrent) return refusal(`too many calls of "${name}" at once`);
    this.#running.set(name, running + 1);
    try {
      return await this.#run(operation, request);
    } catch (error) {
      return refusal(error instanceof Error ? error.message : String(error));
    } finally {
      this.#running.set(name, (this.#running.get(name) ?? 1) - 1);
    }
  }

  async #run(operation: HostOperation, request: string): Promise<HostAnswer> {
    const parsed = operation.request.safeParse(JSON.parse(request));
    if (!parsed.success) return refusal(`bad request to "${operation.name}": ${parsed.error.message}`);
    const signal = AbortSignal.any([this.context.signal, AbortSignal.timeout(operation.timeoutMs)]);
    const stopped = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(new Error(`"${operation.name}" took too long`)), {
        once: true,
      });
    });
    const answer = await Promise.race([operation.handle(parsed.data, { ...this.context, signal }), stopped]);
    const json = JSON.stringify(answer ?? null);
    if (json.length > operation.maxReplyBytes) {
      return refusal(`the answer of "${operation.name}" is too large`);
    }
    return { ok: true, json };
  }
}

function refusal(message: string): HostAnswer {
  return { ok: false, message };
}
