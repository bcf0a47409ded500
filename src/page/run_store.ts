/** What was run on the page, by session: it stays while a person looks at something else. */

import { useEffect, useState } from "preact/hooks";
import type { CallResult, Connection } from "./connection.ts";
import { messageOf } from "./format.ts";
import type { ExecutionReply, Language } from "./replies.ts";

/** Runs that are kept of a session: each may hold pictures. */
const MAX_RUNS = 30;

export interface Run {
  readonly id: number;
  readonly language: Language;
  readonly code: string;
  /** What it has printed so far. */
  readonly streamed: string;
  /** When it has ended. */
  readonly result?: CallResult<ExecutionReply>;
  /** It could not be run. */
  readonly failure?: string;
}

export class RunStore {
  #last = 0;
  #runs: readonly Run[] = [];
  readonly #listeners = new Set<() => void>();

  constructor(readonly connection: Connection, readonly session: string) {}

  /** The latest first. */
  get runs(): readonly Run[] {
    return this.#runs;
  }

  /** Whether something runs that was begun here. */
  get busy(): boolean {
    return this.#runs.some(({ result, failure }) => !result && failure === undefined);
  }

  async start(language: Language, code: string): Promise<void> {
    const id = ++this.#last;
    this.#set([{ id, language, code, streamed: "" }, ...this.#runs].slice(0, MAX_RUNS));
    try {
      const args = { code, language, session_id: this.session };
      const result = await this.connection.execute(args, {
        onProgress: (message) =>
          this.#change(id, (run) => ({ ...run, streamed: tail(run.streamed + message) })),
      });
      this.#change(id, (run) => ({ ...run, result }));
    } catch (error) {
      this.#change(id, (run) => ({ ...run, failure: messageOf(error) }));
    }
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #change(id: number, how: (run: Run) => Run): void {
    this.#set(this.#runs.map((run) => run.id === id ? how(run) : run));
  }

  #set(runs: readonly Run[]): void {
    this.#runs = runs;
    for (const listener of this.#listeners) listener();
  }
}

/** Those of each connection go with it. */
const stores = new WeakMap<Connection, Map<string, RunStore>>();

export function useRuns(connection: Connection, session: string): RunStore {
  const known = stores.get(connection) ?? new Map<string, RunStore>();
  stores.set(connection, known);
  const store = known.get(session) ?? new RunStore(connection, session);
  known.set(session, store);
  const [, redraw] = useState(0);
  useEffect(() => store.subscribe(() => redraw((count) => count + 1)), [store]);
  return store;
}

/** What is shown of output while it grows; all of it, as far as the server keeps it, comes with the end. */
function tail(text: string): string {
  return text.length > 30_000 ? text.slice(-20_000) : text;
}
