/** What a session knows of itself, and goes on with in another server. */

import { REPLY_MAX, type SessionFacts } from "../checkpoints/facts.ts";
import type { Flavor } from "../config/limits.ts";
import type { Language } from "../languages.ts";

/** Replies of executions in the background that are kept, the last ones. */
const MAX_REPLIES = 4;

export class SessionRecord {
  createdAt = new Date();
  lastUsedAt = new Date();
  /** The same here, by a clock that nobody sets; `performance.now()`. */
  usedMs = performance.now();
  /** Executions that it ran. */
  executed = 0;
  /** Fuel of all its executions together. */
  fuelConsumed = 0;
  /** The last execution that ended by itself and whose end state was captured. */
  lastExecutionId: string | undefined;
  /** Programs that its scripts have left running: its Worker alone has them. */
  programs = 0;
  /** Languages that it ran. */
  readonly languages = new Set<Language>();
  /** Those whose heaps are a copy of another session's, and have not run since. */
  readonly copied = new Set<Language>();
  /** Lower limits that it was made with. */
  flavor: Flavor | undefined;
  /** What its last executions in the background gave, oldest first, by their ids. */
  readonly #replies = new Map<string, string>();

  constructor(flavor?: Flavor) {
    this.flavor = flavor;
  }

  /** It is used now. */
  used(): void {
    this.lastUsedAt = new Date();
    this.usedMs = performance.now();
  }

  /** Keeps what an execution in the background gave, if that is not too long. @returns Whether it is kept. */
  keepReply(executionId: string, reply: string): boolean {
    if (reply.length > REPLY_MAX) return false;
    this.#replies.set(executionId, reply);
    for (const oldest of this.#replies.keys()) {
      if (this.#replies.size <= MAX_REPLIES) break;
      this.#replies.delete(oldest);
    }
    return true;
  }

  replyOf(executionId: string): string | undefined {
    return this.#replies.get(executionId);
  }

  /** Begins as a copy of what another one is. */
  copy({ flavor, languages }: SessionRecord): void {
    this.flavor = flavor;
    for (const language of languages) {
      this.languages.add(language);
      this.copied.add(language);
    }
  }

  /** Begins as what was exported of another one: what that had used is used. */
  begin({ flavor, languages, executed, fuelConsumed }: SessionFacts): void {
    this.executed = executed;
    this.fuelConsumed = fuelConsumed;
    this.flavor = flavor as Flavor | undefined;
    for (const language of languages) {
      this.languages.add(language);
      this.copied.add(language);
    }
  }

  /** Goes on as another server left it. */
  goOn(
    {
      createdAt,
      lastUsedAt,
      executed,
      fuelConsumed,
      programs = 0,
      lastExecutionId,
      languages,
      copied,
      flavor,
      replies = [],
    }: SessionFacts,
  ): void {
    this.createdAt = new Date(createdAt);
    this.lastUsedAt = new Date(lastUsedAt);
    this.executed = executed;
    this.fuelConsumed = fuelConsumed;
    this.programs = programs;
    this.lastExecutionId = lastExecutionId;
    for (const language of languages) this.languages.add(language);
    for (const language of copied) this.copied.add(language);
    this.flavor = flavor as Flavor | undefined;
    for (const { executionId, reply } of replies) this.keepReply(executionId, reply);
  }

  /** What an export has of it: no replies, which are for the clients of this session. */
  get exportedFacts(): SessionFacts {
    const { replies: _, ...facts } = this.facts;
    return facts;
  }

  get facts(): SessionFacts {
    const replies = [...this.#replies].map(([executionId, reply]) => ({ executionId, reply }));
    return {
      createdAt: this.createdAt.getTime(),
      lastUsedAt: this.lastUsedAt.getTime(),
      executed: this.executed,
      fuelConsumed: this.fuelConsumed,
      languages: [...this.languages],
      copied: [...this.copied],
      ...(this.programs > 0 && { programs: this.programs }),
      ...(this.lastExecutionId !== undefined && { lastExecutionId: this.lastExecutionId }),
      ...(replies.length > 0 && { replies }),
      ...(this.flavor && { flavor: { ...this.flavor } as SessionFacts["flavor"] }),
    };
  }
}
