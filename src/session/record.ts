/** What a session knows of itself, and goes on with in another server. */

import type { SessionFacts } from "../checkpoints/facts.ts";
import type { Flavor } from "../config/limits.ts";
import type { Language } from "../languages.ts";

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

  constructor(flavor?: Flavor) {
    this.flavor = flavor;
  }

  /** It is used now. */
  used(): void {
    this.lastUsedAt = new Date();
    this.usedMs = performance.now();
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
  }

  get facts(): SessionFacts {
    return {
      createdAt: this.createdAt.getTime(),
      lastUsedAt: this.lastUsedAt.getTime(),
      executed: this.executed,
      fuelConsumed: this.fuelConsumed,
      languages: [...this.languages],
      copied: [...this.copied],
      ...(this.programs > 0 && { programs: this.programs }),
      ...(this.lastExecutionId !== undefined && { lastExecutionId: this.lastExecutionId }),
      ...(this.flavor && { flavor: { ...this.flavor } as SessionFacts["flavor"] }),
    };
  }
}
