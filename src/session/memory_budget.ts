/** What the heaps of all sessions may grow to together. */

import { Budget } from "../budget.ts";
import type { Limits } from "../config/limits.ts";
import { WasmboxError } from "../errors.ts";

/**
 * What all heaps may grow to. Each takes the most that it may have when it is begun, so that none has to fail later for
 * want of what another one holds.
 */
export function memoryBudget(limits: Limits): Budget {
  return new Budget(
    () => limits.totalMemoryBytes,
    (max) =>
      new WasmboxError(
        "OUT_OF_MEMORY",
        "The server's memory for interpreters is given out; nothing was run.",
        {
          suggestions: [
            "Destroy a session that is no longer needed, or reset its workspace.",
            "Make sessions of a smaller flavor: create_session(flavor).",
          ],
          context: { total_memory_bytes: max },
          retryable: true,
        },
      ),
  );
}
