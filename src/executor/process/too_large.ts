/** What goes to the server in the place of a message that is too large for the pipe. */

import type { FromExecutor } from "../wire/from_executor.ts";

/**
 * A failure of what the message was about, so that nothing else in the process is touched by it.
 *
 * @param reason For people.
 */
export function insteadOf(message: FromExecutor, reason: string): FromExecutor {
  switch (message.type) {
    case "workspace": {
      const { type, request } = message;
      return { type, request, answer: { kind: "failed", code: "TOO_LARGE", message: reason } };
    }
    case "outcome": {
      const { outcome: { heap, fuelConsumed, memoryBytes }, displays } = message;
      return {
        ...message,
        outcome: {
          status: "crashed",
          heap,
          fuelConsumed,
          memoryBytes,
          reason: `what it answered: ${reason}`,
        },
        changed: { files: [], truncated: true },
        displays: { entries: [], dropped: displays.entries.length + displays.dropped },
      };
    }
    default:
      return { type: "lost", reason: `the Worker's message "${message.type}" is too large: ${reason}` };
  }
}
