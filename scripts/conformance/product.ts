/** What wasmbox itself, without fixtures, has to show of the suite. Other scenarios need tools of fixed names. */

import type { Revision } from "./suite.ts";

export const PRODUCT: Readonly<Record<Revision, readonly string[]>> = {
  "2025-11-25": [
    "server-initialize",
    "server-session-lifecycle",
    "ping",
    "tools-list",
    "server-sse-multiple-streams",
    "dns-rebinding-protection",
    "logging-set-level",
    "resources-list",
    "resources-subscribe",
    "resources-unsubscribe",
    "prompts-list",
  ],
  "2026-07-28": [
    "tools-list",
    "server-sse-multiple-streams",
    "dns-rebinding-protection",
    "http-header-validation",
    "caching",
    "resources-list",
    "sep-2164-resource-not-found",
    "prompts-list",
  ],
};

/** Scenarios of that list that wasmbox can't pass yet. One that passes has to be taken off. */
export const MISSING: Readonly<Record<string, string>> = {};
