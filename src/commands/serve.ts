/** What both ways of serving share: the configuration, its mistakes, and its changes. */

import { ConfigError } from "../config/error.ts";
import type { Flags } from "../config/flags.ts";
import { loadConfiguration, type Settings } from "../config/load.ts";
import { Reloads } from "../config/reload.ts";
import { BUNDLED } from "../program/entries.ts";
import { configureLog, logger } from "../telemetry/log.ts";
import type { Spans } from "../telemetry/spans.ts";
import type { ServerOptions } from "../transport/server_options.ts";
import { openStore } from "../checkpoints/open_store.ts";
import { surviveForgottenPromises } from "./forgotten_promises.ts";
import { reachOf } from "./reach.ts";
import { DamagedInstallation, installationDamaged } from "./installation.ts";

/** The exit code, or the other transport, if the configuration asks for that. */
export type Served = number | Settings["server"]["transport"];

/**
 * Loads the configuration and serves under it; SIGHUP loads it again.
 *
 * @param executor A process that was started ahead.
 * @returns The exit code is 2 if the configuration has mistakes, 1 if the installation is damaged; stderr tells.
 */
export async function serveConfigured(
  transport: Settings["server"]["transport"],
  flags: Flags,
  executor: Deno.ChildProcess,
  serve: (settings: Settings, options: ServerOptions) => Promise<void>,
): Promise<Served> {
  try {
    const configuration = await loadConfiguration(flags);
    const { settings, warnings } = configuration;
    if (settings.server.transport !== transport) return settings.server.transport;
    configureLog(settings.log);
    surviveForgottenPromises();
    const log = logger("config");
    for (const reason of warnings) log.warning("{reason}", { reason });
    const reloads = new Reloads(configuration, flags);
    reloads.add(({ log }) => () => configureLog(log));
    if (Deno.build.os !== "windows") Deno.addSignalListener("SIGHUP", () => void reloads.reload());
    const { limits, flavors } = settings.policy;
    const { audit, server: { defaultFlavor, drainMs }, tools: toolSettings } = settings;
    const spans = await loadSpans();
    const storeLog = logger("store");
    const store = await openStore(settings.store, limits.checkpointMaxBytes, ({ principal, sessionId }) => {
      storeLog.warning("there was no room for the session {session} of {principal}: it is given up", {
        session: sessionId,
        principal,
      });
    });
    const served = serve(settings, {
      limits,
      flavors,
      defaultFlavor,
      toolSettings,
      drainMs,
      audit,
      spans,
      reloads,
      executor,
      store,
      ...reachOf(settings),
    });
    await Promise.race([served, installationDamaged()]);
    return 0;
  } catch (error) {
    if (error instanceof DamagedInstallation) {
      console.error(`wasmbox: ${error.message}`);
      return 1; // without waiting for what runs; executors end with their server
    }
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    executor.kill("SIGKILL");
    return 2;
  }
}

/** Where Deno was told to export what OpenTelemetry's API is told. */
async function loadSpans(): Promise<Spans | undefined> {
  if (!/^(1|true)$/i.test(Deno.env.get("OTEL_DENO") ?? "")) return undefined;
  if (BUNDLED) {
    logger("telemetry").warning(
      "OTEL_DENO is not used: what was bundled can't export; run from source for that",
    );
    return undefined;
  }
  const { Spans } = await import("../telemetry/spans.ts");
  return new Spans();
}
