/** Executions that nobody waits for: they are kept until their session ends, as far as there is room. */

import { WasmboxError } from "../errors.ts";
import type { Execution } from "../session/execution.ts";
import type { Outcome } from "../session/outcome.ts";
import type { Session } from "../session/session.ts";
import { encodeReply } from "./kept_reply.ts";

/** Ended ones that are kept of each session, the last ones: each may hold all that it printed and showed. */
const MAX_ENDED = 4;
/** Of each session, those that are kept for as long as their clients were told. */
const MAX_TASKS = 8;

/** What a client was told of an execution that it follows as a task of the protocol. */
export interface Promised {
  readonly createdAt: Date;
  /** From then on it is kept for so long, if its session lives, and until it has ended. */
  readonly ttlMs: number;
  endedAt?: Date;
  /** Its client has asked for that, whatever it came to. */
  cancelled?: true;
}

interface Common {
  readonly promised?: Promised;
}

/** One that runs or waits, or what it came to. */
export type Kept =
  | Common & { readonly execution: Execution; readonly outcome?: undefined }
  | Common & { readonly outcome: Outcome };

/** They go with their session. */
const bySession = new WeakMap<Session, Map<string, Kept>>();

/** Keeps an execution of the session's, so that it can be asked for. */
export function keep(session: Session, execution: Execution, promised?: Promised): void {
  const kept = bySession.get(session) ?? new Map<string, Kept>();
  bySession.set(session, kept);
  const common: Common = promised ? { promised } : {};
  kept.set(execution.id, { ...common, execution });
  void execution.outcome.then((outcome) => {
    if (promised) promised.endedAt = new Date();
    kept.set(execution.id, { ...common, outcome }); // without its buffers
    session.keepReply(execution.id, encodeReply(outcome));
    const ended = [...kept].filter(([, { outcome, promised }]) => outcome && !isOwed(promised));
    for (const [id] of ended.slice(0, -MAX_ENDED)) kept.delete(id);
  });
}

/** @throws {WasmboxError} TOO_MANY_TASKS if as many tasks as a session may have are running, or kept for their clients. */
export function checkRoomForTask(session: Session): void {
  if (tasksOf(session).length < MAX_TASKS) return;
  throw new WasmboxError("TOO_MANY_TASKS", `The session has ${MAX_TASKS} tasks already.`, {
    suggestions: ["Wait until one has expired, give tasks a shorter ttl, or use another session_id."],
    context: { max_tasks: MAX_TASKS },
    retryable: true,
  });
}

/** The session's tasks, the oldest first, by their executions' ids. */
export function tasksOf(session: Session): [id: string, kept: Kept & { readonly promised: Promised }][] {
  return [...bySession.get(session) ?? []].flatMap(([id, kept]) => {
    const { outcome, promised } = kept;
    return promised && (!outcome || isOwed(promised)) ? [[id, { ...kept, promised }]] : [];
  });
}

function isOwed(promised: Promised | undefined): boolean {
  return promised !== undefined && Date.now() < promised.createdAt.getTime() + promised.ttlMs;
}

/** @returns undefined if there is none of that name, or it was given up for later ones. */
export function find(session: Session, id: string): Kept | undefined {
  const kept = bySession.get(session)?.get(id);
  if (kept) return kept;
  const execution = session.executions.find((execution) => execution.id === id);
  return execution && { execution };
}
