/** How a call with an event may end. */

import type { Execution } from "../attack.ts";

export const CALLED = { args: { event: {} } };
export const SOON = { ...CALLED, timeout: 0.4 };

/** Whatever it returned, it is in bounds, and the program's own affair. */
export const bounded = ({ status, state }: Execution) =>
  ["completed", "failed", "timeout", "out_of_memory"].includes(status) && state !== "reset";
