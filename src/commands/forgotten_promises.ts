/** What a long-lived server does about its own mistakes of one kind. */

import { logger } from "../telemetry/log.ts";

/**
 * From now on a rejection that nobody waits for is told in the log, and does not end the process: a mistake in what one
 * client asked for, or of a library, must not cost all others their sessions. An exception that nobody catches still does.
 */
export function surviveForgottenPromises(): void {
  const log = logger("server");
  globalThis.addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    const { reason } = event;
    log.error("a mistake of this server's, please report it: {error}", {
      error: reason instanceof Error ? reason.stack ?? reason.message : String(reason),
    });
  });
}
