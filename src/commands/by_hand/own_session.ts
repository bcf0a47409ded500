/** One session without a server or a client, under the same configuration. */

import { ConfigError } from "../../config/error.ts";
import type { Limits } from "../../config/limits.ts";
import { loadConfiguration } from "../../config/load.ts";
import type { HostOperation } from "../../host_calls/operations.ts";
import { spawnExecutor } from "../../executor/server/spawn.ts";
import type { FlagValues } from "../../command_line/parse.ts";
import type { Session } from "../../session/session.ts";
import { LOCAL_PRINCIPAL } from "../../session/names.ts";
import { SessionTable } from "../../session/table.ts";
import { configureLog, logger } from "../../telemetry/log.ts";
import { reachOf } from "../reach.ts";

/** What a program may print: whoever started it sees it pass by, and it is kept meanwhile. */
const OUTPUT_MAX_BYTES = 64 * 1024 * 1024;

/**
 * Gives a session to `use`, and ends it.
 *
 * @param flags Those of serve that the command has too. @param operations What its programs may ask for besides.
 * @returns The exit code: 2 if the configuration has mistakes, which stderr tells.
 */
export async function withOwnSession(
  flags: FlagValues,
  use: (session: Session, limits: Limits) => Promise<number>,
  operations: readonly HostOperation[] = [],
): Promise<number> {
  const executor = spawnExecutor(); // it starts while the configuration is read
  try {
    const { settings, warnings } = await loadConfiguration(flags);
    configureLog({ level: "warning", ...flags["log-level"] !== undefined && settings.log, format: "text" });
    for (const reason of warnings) logger("config").warning("{reason}", { reason });
    const { policy: { limits, flavors }, server: { defaultFlavor } } = settings;
    const reach = reachOf(settings);
    await using sessions = new SessionTable({
      limits: { ...limits, stdoutMaxBytes: OUTPUT_MAX_BYTES, stderrMaxBytes: OUTPUT_MAX_BYTES },
      flavors,
      defaultFlavor,
      executor,
      ...reach,
      operations: [...reach.operations, ...operations],
    });
    const session = await sessions.create(LOCAL_PRINCIPAL);
    return await use(session, session.limits);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    executor.kill("SIGKILL");
    return 2;
  }
}
