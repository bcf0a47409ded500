/** The closed list of what guests may ask the server for, and the bounds of each (docs/ARCHITECTURE.md, decision 11). */

import * as z from "zod/mini";
import { PIECE_BYTES } from "./bounds.ts";
import type { HostProtocol } from "./protocol.ts";

/** Who asked: known by the pipe and Worker a call came from, never by what it says. */
export interface HostCallContext {
  readonly principal: string;
  readonly sessionId: string;
  /** Aborted when the session ends. */
  readonly signal: AbortSignal;
}

/** One operation as the server carries it out. */
export interface HostOperation<Request = unknown, Answer = unknown> {
  readonly protocol: HostProtocol<Request, Answer>;
  readonly timeoutMs: number;
  /**
   * @param bytes Those that came with the request, at most {@link PIECE_BYTES}; most operations have no use for them.
   * @throws Anything: its message is what the guest gets to see.
   */
  handle(
    request: Request,
    context: HostCallContext,
    bytes: Uint8Array,
  ): Promise<Answer | WithBytes<Answer>>;
}

/** A JSON-able answer, and bytes that go beside it, at most {@link PIECE_BYTES}. */
export class WithBytes<Answer = unknown> {
  constructor(readonly answer: Answer, readonly bytes: Uint8Array) {}
}

export type HostAnswer =
  & (
    | { readonly ok: true; readonly json: string }
    | { readonly ok: false; readonly message: string }
  )
  & { readonly bytes?: Uint8Array };

const NO_BYTES = new Uint8Array(0);

/** Looks a guest's call up in the list, checks it and runs it. One per session, so that bounds are per session. */
export class HostOperations {
  readonly #running = new Map<string, number>();

  constructor(readonly operations: readonly HostOperation[], readonly context: HostCallContext) {}

  /** Never rejects: whatever is wrong becomes a refusal that the guest can read. */
  async call(name: string, request: string, bytes: Uint8Array = NO_BYTES): Promise<HostAnswer> {
    const operation = this.operations.find((candidate) => candidate.protocol.name === name);
    if (!operation) return refusal(`unknown host operation "${name}"`);
    if (request.length > operation.protocol.maxRequestBytes) {
      return refusal(`the request to "${name}" is too large`);
    }
    const running = this.#running.get(name) ?? 0;
    if (running >= operation.protocol.maxConcurrent) return refusal(`too many calls of "${name}" at once`);
    this.#running.set(name, running + 1);
    try {
      return await this.#run(operation, request, bytes);
    } catch (error) {
      return refusal(error instanceof Error ? error.message : String(error));
    } finally {
      this.#running.set(name, (this.#running.get(name) ?? 1) - 1);
    }
  }

  async #run(operation: HostOperation, request: string, bytes: Uint8Array): Promise<HostAnswer> {
    const { name, request: schema, maxReplyBytes } = operation.protocol;
    const parsed = z.safeParse(schema, JSON.parse(request));
    if (!parsed.success) return refusal(`bad request to "${name}": ${parsed.error.message}`);
    using stop = new Stop(this.context.signal, operation.timeoutMs);
    const { signal } = stop;
    const stopped = new Promise<never>((_, reject) => {
      const tooLong = () => reject(new Error(`"${name}" took too long`));
      if (signal.aborted) tooLong();
      else signal.addEventListener("abort", tooLong, { once: true });
    });
    const work = operation.handle(parsed.data, { ...this.context, signal }, bytes);
    const answer = await Promise.race([work, stopped]);
    const [value, beside] = answer instanceof WithBytes ? [answer.answer, answer.bytes] : [answer, undefined];
    const json = JSON.stringify(value ?? null);
    if (json.length > maxReplyBytes || (beside?.length ?? 0) > PIECE_BYTES) {
      return refusal(`the answer of "${name}" is too large`);
    }
    return { ok: true, json, ...(beside && { bytes: beside }) };
  }
}

/**
 * Ends a call with its session, or after its time. Nothing of it is left when the call has ended: a guest may make
 * thousands in a second.
 */
class Stop implements Disposable {
  readonly #controller = new AbortController();
  readonly #timer: ReturnType<typeof setTimeout>;
  readonly #abort = () => this.#controller.abort();

  constructor(readonly session: AbortSignal, timeoutMs: number) {
    this.#timer = setTimeout(this.#abort, timeoutMs);
    if (session.aborted) this.#abort();
    else session.addEventListener("abort", this.#abort);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.session.removeEventListener("abort", this.#abort);
  }
}

function refusal(message: string): HostAnswer {
  return { ok: false, message };
}
