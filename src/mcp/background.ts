/** Executions that nobody waits for: they are kept until their session ends, as far as there is room. */

import type { Execution } from "../session/execution.ts";
import type { Outcome } from "../session/outcome.ts";
import type { Session } from "../session/session.ts";

/** Ended ones that are kept of each session, the last ones: each may hold all that it printed and showed. */
const MAX_ENDED = 4;

/** One that runs or waits, or what it came to. */
export type Kept =
  | { readonly execution: Execution; readonly outcome?: undefined }
  | { readonly outcome: Outcome };

/** They go with their session. */
const bySession = new WeakMap<Session, Map<string, Kept>>();

/** Keeps an execution of the session's, so that it can be asked for. */
export function keep(session: Session, execution: Execution): void {
  const kept = bySession.get(session) ?? new Map<string, Kept>();
  bySession.set(session, kept);
  kept.set(execution.id, { execution });
  void execution.outcome.then((outcome) => {
    kept.set(execution.id, { outcome }); // without its buffers
    const ended = [...kept].filter(([, { outcome }]) => outcome);
    for (const [id] of ended.slice(0, -MAX_ENDED)) kept.delete(id);
  });
}

/** @returns undefined if there is none of that name, or it was given up for later ones. */
export function find(session: Session, id: string): Kept | undefined {
  const kept = bySession.get(session)?.get(id);
  if (kept) return kept;
  const execution = session.executions.find((execution) => execution.id === id);
  return execution && { execution };
}
