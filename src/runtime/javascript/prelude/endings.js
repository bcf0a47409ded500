/** How programs end before their end: by `process.exit`, and by errors and rejected promises that nothing handles. */
export function installEndings(host, hooks) {
  /** Ends the program; does not return. What it holds stays. */
  hooks.leave = (code) => host.exit(code);

  /**
   * A promise was rejected, and no handler was there when all jobs had run. 1 if that is taken care of: by
   * `hooks.onUnhandledRejection`, which Node's `process` sets, in the context of asynchronous work that it was rejected in.
   */
  hooks.unhandled = (reason, promise, context) =>
    hooks.runIn(context, hooks.onUnhandledRejection, [reason, promise]) ? 1 : 0;

  /** One that was told of as such has got a handler since. */
  hooks.handledLate = (promise) => void hooks.onRejectionHandled?.(promise);

  /** Nothing caught an error. 1 if the program takes care of that and goes on. Without a context what ran last threw it. */
  hooks.uncaught = (error, ...given) => {
    const [context] = given.length > 0 ? given : [hooks.failedIn()];
    return hooks.runIn(context, hooks.onUncaughtException, [error, "uncaughtException"]) ? 1 : 0;
  };

  /** The program has failed. */
  hooks.failProgram = () => hooks.onFailure?.();
}
