/** Being told to end: the first signal asks for it, a second one insists. */

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

/** Waits for what is under way. @returns False if it has not ended within `ms`, or someone insisted. */
export async function grace(
  underWay: Promise<unknown>,
  ms: number,
  insisted: Promise<void>,
): Promise<boolean> {
  const late = Promise.withResolvers<false>();
  const timer = setTimeout(() => late.resolve(false), ms);
  const all = [underWay.then(() => true), insisted.then(() => false), late.promise];
  const ended = await Promise.race(all);
  clearTimeout(timer);
  return ended;
}
