/** Microtasks in the middle of synchronous work: what was left with a promise goes on by them. */

/** Taken before the lock-down. */
const { core } = (Deno as unknown as Record<symbol, { core?: { runMicrotasks?(): void } } | undefined>)[
  (Deno as unknown as { readonly internal: symbol }).internal
] ?? {};
const { runMicrotasks: run } = core ?? {};

/** Runs all that are due. @returns Whether that can be done here: within one of them V8 runs no others. */
export function runMicrotasks(): boolean {
  let ran = false;
  Promise.resolve().then(() => ran = true);
  run?.();
  return ran;
}
