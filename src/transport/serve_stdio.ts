/** The stdio server: one client, one principal, one default session. */

import { DEFAULT_STDIO, type StdioSettings } from "../config/mcp_schema.ts";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { logger } from "../telemetry/log.ts";
import { LOCAL_PRINCIPAL } from "../session/names.ts";
import { compose, DEFAULT_DRAIN_MS, type ServerOptions } from "./server_options.ts";
import { StdioTransport } from "./stdio.ts";
import { farewell, grace, lastWords, stop, termination } from "./termination.ts";

const log = logger("stdio");

const DEFAULT_SESSION = "default";
/** What it is called where other servers on the same store have those before: one for each client, with its own state. */
const DEFAULT_SESSIONS = [
  DEFAULT_SESSION,
  ...Array.from({ length: 98 }, (_, i) => `${DEFAULT_SESSION}-${i + 2}`),
];

/**
 * Serves until the client closes stdin or the process is told to end; then everything it started has ended too. What was
 * asked before is answered first, as long as that takes no longer than `drainMs`: who pipes requests in wants to read.
 */
export async function serveOnStdio(
  options: ServerOptions = {},
  { maxMessageBytes }: StdioSettings = DEFAULT_STDIO,
): Promise<void> {
  const { sessions, createServer, audit } = compose(options);
  using _flushed = audit;
  await using _ending = sessions;
  const transport = new StdioTransport(maxMessageBytes);
  const defaultSession = sessions.host.store.durable
    ? await sessions.pin(LOCAL_PRINCIPAL, DEFAULT_SESSIONS)
    : DEFAULT_SESSION;
  sessions.warm(LOCAL_PRINCIPAL, defaultSession).catch(() => {}); // told by the first call that needs it
  const connection = serveStdio(
    () => createServer({ principal: LOCAL_PRINCIPAL, defaultSession }),
    {
      transport,
      onerror: (error) => log.warning("the connection had an error: {reason}", { reason: error.message }),
    },
  );
  const { asked, insisted } = termination();
  const { drainMs = DEFAULT_DRAIN_MS } = options;
  if (await Promise.race([transport.ended.then(() => "ended"), asked]) === "ended") {
    if (transport.unanswered > 0) log.info(lastWords(transport.unanswered, drainMs));
    await grace(transport.answered(), drainMs, asked);
  } else {
    log.info(farewell(sessions.executions.length, drainMs));
    const all = await grace(Promise.race([sessions.drain(), transport.ended]), drainMs, insisted);
    if (!all) await stop(sessions, () => transport.answered());
  }
  await transport.flushed();
  await connection.close();
}
