/** The configuration of a server: what all sources give together, defaults < files < environment < flags. */

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
import type { ToolSettings } from "./tool_settings.ts";
import { checkVolumes, type VolumeSettings } from "./volumes.ts";

const DOCUMENTS = [MCP_DOCUMENT, POLICY_DOCUMENT] as const;

/** All keys, by their paths. */
export const KEYS: ReadonlyMap<string, ConfigKey> = new Map(
  DOCUMENTS.flatMap(({ prefix, keys }) => [...keys].map(([name, key]) => [prefix + name, key] as const)),
);

/** What a server is told. */
export interface Settings {
  readonly server: ServerSettings;
  readonly stdio: StdioSettings;
  readonly http: HttpOptions;
  readonly tools: ToolSettings;
  readonly log: LogOptions;
  readonly audit: AuditSettings;
  readonly policy: Policy;
  readonly packages: PackagesSettings;
  readonly volumes: VolumeSettings;
}

export interface Configuration {
  readonly settings: Settings;
  /** What was given, and by whom. */
  readonly given: Layer;
  /** Settings of mcp.toml, one for each key. */
  readonly mcp: McpSettings;
  /** Paths of the files that were read. */
  readonly files: readonly string[];
  /** What is not wrong, but probably not what was meant. */
  readonly warnings: readonly string[];
  /** Keys that were changed but wait for a new start. */
  readonly waiting: readonly string[];
}

/**
 * @param running The configuration of a server that runs: what it can't change stays.
 * @throws {ConfigError} for everything that is wrong, a line each.
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

/** Flags of the HTTP server, where none is served: who writes them expects one. */
function unusedFlags(given: Layer): string[] {
  if (mcpSettingsOf(given).server.transport === "http") return [];
  return [...given].filter(([path, { origin }]) =>
    origin.kind === "flag" && path.startsWith("transport_http.")
  )
    .map(([, { origin }]) => `${origin.name} has no effect on stdin and stdout: add --http`);
}

/** Gives the keys that need a new start the values they had. @returns Their paths, where they had others. */
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
