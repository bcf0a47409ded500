/** The configuration of a server, merged from all sources: defaults < files < environment < flags. */

import type { LogOptions } from "../telemetry/log.ts";
import { readDocument } from "./document.ts";
import { type Environment, readEnvironment } from "./environment.ts";
import { type ConfigFile, findFiles, readText } from "./files.ts";
import { type Flags, readFlags } from "./flags.ts";
import type { HttpOptions } from "./http_options.ts";
import type { ConfigKey } from "./key.ts";
import { type Document, type Given, type Layer, merge, Problems } from "./layer.ts";
import type { Policy } from "./limits.ts";
import { checkHttpOptions, httpOptionsOf, MCP_DOCUMENT, type McpSettings, mcpSettingsOf } from "./mcp.ts";
import type { AuditSettings, ServerSettings, StdioSettings } from "./mcp_schema.ts";
import type { PackagesSettings } from "./packages_schema.ts";
import { packagesOf, POLICY_DOCUMENT, policyOf } from "./policy.ts";
import type { StoreSettings } from "./store_schema.ts";
import type { ToolSettings } from "./tool_settings.ts";
import { checkVolumes, type VolumeSettings } from "./volumes.ts";

const DOCUMENTS = [MCP_DOCUMENT, POLICY_DOCUMENT] as const;

/** All keys, by path. */
export const KEYS: ReadonlyMap<string, ConfigKey> = new Map(
  DOCUMENTS.flatMap(({ prefix, keys }) => [...keys].map(([name, key]) => [prefix + name, key] as const)),
);

/** All settings of a server. */
export interface Settings {
  readonly server: ServerSettings;
  readonly stdio: StdioSettings;
  readonly http: HttpOptions;
  readonly tools: ToolSettings;
  readonly log: LogOptions;
  readonly audit: AuditSettings;
  readonly store: StoreSettings;
  readonly policy: Policy;
  readonly packages: PackagesSettings;
  readonly volumes: VolumeSettings;
}

export interface Configuration {
  readonly settings: Settings;
  /** The values that were configured, and their sources. */
  readonly given: Layer;
  /** The settings of mcp.toml, one for each key. */
  readonly mcp: McpSettings;
  /** Paths of the files that were read. */
  readonly files: readonly string[];
  /** What is valid, but probably not what was meant. */
  readonly warnings: readonly string[];
  /** Keys whose changes take effect only after a restart. */
  readonly waiting: readonly string[];
}

/**
 * @param running The configuration of the running server, if any: whatever can't change while it runs is kept.
 * @throws {ConfigError} with one line for each mistake.
 */
export async function loadConfiguration(
  flags: Flags,
  env: Environment = Deno.env.toObject(),
  running?: Configuration,
): Promise<Configuration> {
  const { mcp, policy } = await findFiles(flags, env);
  const problems = new Problems();
  const read = (file: ConfigFile | undefined, document: Document): Layer =>
    file
      ? readDocument(
        file.text,
        file.path,
        document,
        problems,
        DOCUMENTS.filter((other) => other !== document),
      )
      : new Map();
  const server = read(mcp, MCP_DOCUMENT);
  const guests = read(policy, POLICY_DOCUMENT);
  const environment = readEnvironment(env, KEYS, problems);
  const all = merge(server, guests, environment.layer, readFlags(flags, KEYS, problems));
  const waiting = running ? keepFixed(all, running.given) : [];
  const limits = policyOf(all, problems);
  problems.check();
  const volumes = running?.settings.volumes ?? await checkVolumes(mcpSettingsOf(all).volumes, problems);
  problems.check();
  return {
    ...await settle(all, limits, volumes),
    given: all,
    files: [mcp, policy].flatMap((file) => file ? [file.path] : []),
    warnings: [...environment.warnings, ...unusedFlags(all)],
    waiting,
  };
}

async function settle(
  given: Layer,
  policy: Policy,
  volumes: VolumeSettings,
): Promise<{ settings: Settings; mcp: McpSettings }> {
  const mcp = mcpSettingsOf(given);
  const isHttp = mcp.server.transport === "http";
  const { authTokensFile } = mcp.http;
  const tokens = isHttp && authTokensFile !== null ? await readText(authTokensFile, true) : undefined;
  const http = httpOptionsOf(mcp.http, tokens);
  if (isHttp) checkHttpOptions(http);
  return { settings: { ...mcp, http, policy, packages: packagesOf(given), volumes }, mcp };
}

/** Warnings about flags of the HTTP server when HTTP is not served: whoever wrote them expects it to be. */
function unusedFlags(given: Layer): string[] {
  if (mcpSettingsOf(given).server.transport === "http") return [];
  return [...given].filter(([path, { origin }]) =>
    origin.kind === "flag" && path.startsWith("transport_http.")
  )
    .map(([, { origin }]) => `${origin.name} has no effect when serving on stdin and stdout: add --http`);
}

/** Keeps the old values of keys that need a restart. @returns The paths whose values would have changed. */
function keepFixed(given: Map<string, Given>, before: Layer): string[] {
  const changed: string[] = [];
  for (const [path, { restart }] of KEYS) {
    if (!restart) continue;
    const [old, now] = [before.get(path), given.get(path)];
    if (JSON.stringify(old?.value) === JSON.stringify(now?.value)) continue;
    changed.push(path);
    if (old) given.set(path, old);
    else given.delete(path);
  }
  return changed;
}
