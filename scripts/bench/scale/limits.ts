/** The limits that are out of the way while scale is measured. */

import { type Command, TestServer } from "../../../tests/support/harness.ts";

const GIB = 1024 ** 3;

/** Sessions at most. */
export const MOST_SESSIONS = 256;

/** Of policy.toml. A client gets ten sessions by default, eight of which may compute at once: here the machine is what bounds. */
const RAISED: Readonly<Record<string, number>> = {
  max_sessions: 1000,
  max_sessions_per_client: 1000,
  max_concurrent_executions: 2 * MOST_SESSIONS,
  max_concurrent_executions_per_client: 2 * MOST_SESSIONS,
  max_queued_calls_per_client: 2 * MOST_SESSIONS,
  timeout_seconds: 300,
  executor_rss_bytes: 64 * GIB,
  total_rss_bytes: 64 * GIB,
  checkpoints_max_bytes: 4 * GIB,
  stdout_max_bytes: 16 * 1024 ** 2,
};
/** So many sessions, and else what servers have. */
export const SESSIONS_RAISED = { max_sessions: 1000, max_sessions_per_client: 1000 };

/** Starts the real server, over stdio, with the raised limits or others. */
export type Start = (policy?: Readonly<Record<string, number>>) => Promise<TestServer>;

/** @param server What is measured. */
export function starter(server: Command): Start {
  return (policy = RAISED) => startWith(server, policy);
}

async function startWith(server: Command, policy: Readonly<Record<string, number>>): Promise<TestServer> {
  const file = await Deno.makeTempFile({ suffix: ".toml" });
  try {
    const lines = Object.entries(policy).map(([name, value]) => `${name} = ${value}\n`);
    await Deno.writeTextFile(file, lines.join(""));
    return await TestServer.start({ ...server, args: [...server.args, "serve", "--policy", file] });
  } finally {
    await Deno.remove(file);
  }
}

/** Each raised limit, for the document. */
export function raised(): string {
  const lines = Object.entries(RAISED).map(([name, value]) => `| \`policy.${name}\` | ${value} |`);
  return ["| limit | here |", "| --- | --- |", ...lines].join("\n");
}
