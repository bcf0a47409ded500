/** The limits that are out of the way while scale is measured. */

import { DEFAULT_LIMITS, type Limits } from "../../../src/config/limits.ts";
import { TestServer } from "../../../tests/support/harness.ts";

const GIB = 1024 ** 3;
const SERVER = new URL("../server.ts", import.meta.url);

/** Sessions at most. */
export const MOST_SESSIONS = 256;

/** A client gets ten sessions by default, eight of which may compute at once: here the machine is what bounds. */
const RAISED = {
  maxSessions: 1000,
  maxSessionsPerClient: 1000,
  maxConcurrentExecutions: 2 * MOST_SESSIONS,
  maxConcurrentExecutionsPerClient: 2 * MOST_SESSIONS,
  maxQueuedCallsPerClient: 2 * MOST_SESSIONS,
  timeoutMs: 300_000,
  executorRssBytes: 64 * GIB,
  totalRssBytes: 64 * GIB,
  checkpointsMaxBytes: 4 * GIB,
  stdoutMaxBytes: 16 * 1024 ** 2,
} satisfies Partial<Limits>;

/** The real server over stdio. */
export function start(limits: Partial<Limits> = RAISED): Promise<TestServer> {
  return TestServer.start(SERVER, limits);
}

/** Each raised limit with its default, for the document. */
export function raised(): string {
  const lines = Object.entries(RAISED).map(([name, value]) => {
    const before = DEFAULT_LIMITS[name as keyof Limits];
    return `| \`${name}\` | ${before === null ? "by the machine" : before} | ${value} |`;
  });
  return ["| limit | default | here |", "| --- | --- | --- |", ...lines].join("\n");
}
