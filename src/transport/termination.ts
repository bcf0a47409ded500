/** Being told to end: the first signal asks for it, a second one insists. */

import type { SessionTable } from "../session/table.ts";
import { logger } from "../telemetry/log.ts";

const log = logger("server");

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

export interface Termination {
  /** Resolves with the first signal. */
  readonly asked: Promise<void>;
  /** Resolves with the second. */
  readonly insisted: Promise<void>;
}

/** From now on signals don't end the process by themselves. */
export function termination(): Termination {
  const [asked, insisted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let signals = 0;
  const onSignal = () => (++signals === 1 ? asked : insisted).resolve();
  for (const signal of SIGNALS) Deno.addSignalListener(signal, onSignal);
  return { asked: asked.promise, insisted: insisted.promise };
}

/** What an operator is told who asked for the end. @param runs Executions that run or wait. @param drainMs How long they may go on. */
export function farewell(runs: number, drainMs: number): string {
  if (runs === 0) return "told to end";
  const what = runs === 1 ? "one execution" : `${runs} executions`;
  return `told to end: waiting for ${what} to end, for ${drainMs / 1000} s at most; ` +
    "a second Ctrl-C, or SIGTERM, stops what runs";
}

/** The same where it was the client who ended. @param requests Those that are not answered yet. */
export function lastWords(requests: number, drainMs: number): string {
  const what = requests === 1 ? "one request is" : `${requests} requests are`;
  return `stdin has ended: ${what} answered first, for ${drainMs / 1000} s at most`;
}

/** For what is stopped to end, by force if need be, and for its callers to hear of it. */
const STOP_MS = 4000;

/** Stops what the grace was not enough for. @param answered Settles when its callers have been answered. */
export async function stop(sessions: SessionTable, answered: () => Promise<void>): Promise<void> {
  log.warning("what still ran was stopped");
  await grace(sessions.stop().then(answered), STOP_MS);
}

/** Waits for what is under way. @returns False if it has not ended within `ms`, or someone insisted. */
export async function grace(
  underWay: Promise<unknown>,
  ms: number,
  insisted: Promise<void> = new Promise(() => {}),
): Promise<boolean> {
  const late = Promise.withResolvers<false>();
  const timer = setTimeout(() => late.resolve(false), ms);
  const all = [underWay.then(() => true), insisted.then(() => false), late.promise];
  const ended = await Promise.race(all);
  clearTimeout(timer);
  return ended;
}
