/** What calls are told of a store that can't do what they need. */

import { ImageTooLarge } from "../checkpoints/image_budget.ts";
import { ImageRefused, SessionTaken, StoreUnavailable } from "../checkpoints/store.ts";
import { WasmboxError } from "../errors.ts";
import { ImageError } from "../executor/wire/image_error.ts";

/** @returns `error` as a caller can use it; itself if the store has nothing to do with it. */
export function storeError(error: unknown, sessionId: string): unknown {
  const context = { session_id: sessionId };
  if (error instanceof SessionTaken) {
    const message = `The session "${sessionId}" can't be used here: ${error.message}. Nothing of it is lost.`;
    return new WasmboxError("SESSION_ELSEWHERE", message, {
      suggestions: ["Send the call to that server, or again once it is idle there."],
      context,
      retryable: true,
    });
  }
  if (error instanceof ImageRefused) {
    const message =
      `What is stored of the session "${sessionId}" was refused: ${error.message}. It was kept aside, ` +
      "and nothing of it was used.";
    return new WasmboxError("SESSION_REFUSED", message, {
      suggestions: [
        "Go on in a new session; its name is free again.",
        "The server's operator finds it below aside in the store.",
      ],
      context,
    });
  }
  if (error instanceof StoreUnavailable) {
    const message =
      `Sessions can't be stored or fetched now: ${error.message}. Nothing of this call was done.`;
    return new WasmboxError("STORE_UNAVAILABLE", message, {
      suggestions: [
        "Try again later; destroy sessions and checkpoints that are no longer needed if it is full.",
      ],
      context,
      retryable: true,
    });
  }
  return error;
}

/** @returns `error`, of the end of a session of which nothing was to be kept, as a caller can use it. */
export function forgettingError(error: unknown, sessionId: string): unknown {
  if (!(error instanceof StoreUnavailable)) return error;
  const message =
    `The session "${sessionId}" has ended, and what was not stored of it is gone; but the store could not remove the rest: ` +
    `${error.message}. Who goes on under its name finds it as it was stored last.`;
  return new WasmboxError("STORE_UNAVAILABLE", message, {
    suggestions: ["Destroy it again later."],
    context: { session_id: sessionId },
    retryable: true,
  });
}

/** @returns `error`, of a file that was to be imported, as a caller can use it. */
export function importError(error: unknown): unknown {
  if (!(error instanceof ImageRefused || error instanceof ImageError || error instanceof ImageTooLarge)) {
    return error;
  }
  return new WasmboxError("IMPORT_REFUSED", `The file was not imported: ${error.message}.`, {
    suggestions: ["Export the session again, and bring the file here as it is."],
  });
}
