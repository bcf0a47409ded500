/** How programs end before their end: by `process.exit`, and by errors and rejected promises that nothing handles. */
export function installEndings(host, hooks) {
  /** Ends the program; does not return. What it holds stays. */
  hooks.leave = (code) => host.exit(code);

  /**
   * A promise was rejected, and no handler was there when all jobs had run. 1 if that is taken care of: by
   * `hooks.onUnhandledRejection`, which Node's `process` sets.
   */
  hooks.unhandled = (reason, promise) => hooks.onUnhandledRejection?.(reason, promise) ? 1 : 0;

  /** Nothing caught an error. 1 if the program takes care of that and goes on. */
  hooks.uncaught = (error) => hooks.onUncaughtException?.(error, "uncaughtException") ? 1 : 0;

  /** The program has failed. */
  hooks.failProgram = () => hooks.onFailure?.();
}
