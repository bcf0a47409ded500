/** How programs end before their end: by `process.exit`, and by rejected promises that nothing handles. */
export function installEndings(host, hooks) {
  /** Ends the program; does not return. What it holds stays. */
  hooks.leave = (code) => host.exit(code);

  /**
   * A promise was rejected, and no handler was there when all jobs had run. 1 if that is taken care of: by
   * `hooks.onUnhandledRejection`, which Node's `process` sets.
   */
  hooks.unhandled = (reason, promise) => hooks.onUnhandledRejection?.(reason, promise) ? 1 : 0;
}
