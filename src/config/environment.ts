/** Values from environment variables: a systematic name for each key, and the names that other systems use. */

import { closest } from "../closest.ts";
import { ConfigError } from "./error.ts";
import type { ConfigKey } from "./key.ts";
import { accept, type Given, type Layer, merge, type Problems, show } from "./layer.ts";

export type Environment = Readonly<Record<string, string>>;

/** The values that a variable gives to paths, or what it must be instead. */
type Meaning = Readonly<Record<string, string>> | { readonly allowed: string };

const MIB = 1024 * 1024;
const PREFIX = "WASMBOX_";

/** Names besides the systematic ones; where several set the same key, the later one wins. */
const NAMES: Readonly<Record<string, (text: string) => Meaning>> = {
  MCP_TRANSPORT: transport,
  MCP_SERVER_HOST: (text) => ({ "transport_http.host": text }),
  MCP_HOST: (text) => ({ "transport_http.host": text }),
  MCP_SERVER_PORT: (text) => ({ "transport_http.port": text }),
  MCP_PORT: (text) => ({ "transport_http.port": text }),
  MCP_ENABLE_CORS: (text) => {
    if (/^(true|1|yes|on)$/i.test(text)) return { "transport_http.cors_origins": "auto" };
    if (/^(false|0|no|off)$/i.test(text)) return { "transport_http.cors_origins": "" };
    return { allowed: "true or false" };
  },
  MSB_SESSION_TIMEOUT: (text) => ({ "policy.session_idle_seconds": text }),
  // Those systems serve a single client.
  MSB_MAX_SESSIONS: (text) => ({ "policy.max_sessions": text, "policy.max_sessions_per_client": text }),
  MSB_DEFAULT_FLAVOR: (text) => ({ "server.default_flavor": text }),
  MSB_MAX_TOTAL_MEMORY_MB: (text) =>
    /^\d{2,7}$/.test(text) && Number(text) >= 32 && Number(text) <= MIB
      ? { "policy.total_memory_bytes": String(Number(text) * MIB) }
      : { allowed: "a whole number from 32 to 1_048_576" },
  MSB_SHARED_VOLUME_PATH: sharedVolumes,
  WASMBOX_AUTH_TOKENS: (text) => ({ "transport_http.auth_tokens": text }),
};

/** Variables of other systems that have no meaning here, and why. */
const WITHOUT_MEANING: Readonly<Record<string, string>> = {
  MSB_SERVER_URL: "wasmbox runs the code itself; there is no other server to call",
  MSB_API_KEY: "wasmbox runs the code itself; clients of its HTTP server have tokens: WASMBOX_AUTH_TOKENS",
  CONTROL_PLANE_URL: "wasmbox runs the code itself; there is no control plane to call",
  MCP_CONTROL_PLANE_URL: "wasmbox runs the code itself; there is no control plane to call",
};

/** Where the files are. */
const PLACES = ["WASMBOX_CONFIG", "WASMBOX_POLICY"];
/** How a package has started this program: what `install` writes. */
export const LAUNCHER = "WASMBOX_LAUNCHER";
/** Settings of the repository's own tests, which the servers they start inherit. */
const OF_TESTS = [
  "WASMBOX_EXECUTABLE",
  "WASMBOX_FUZZ_RUNS",
  "WASMBOX_FUZZ_SEED",
];

/** A path, or a list of "/host:/sandbox", as another system has it; here it is mapped below /data, read-only. */
function sharedVolumes(text: string): Meaning {
  const allowed = { allowed: 'a path, or a list like ["/host:/sandbox"]' };
  let items: unknown = [text];
  try {
    if (text.trim().startsWith("[")) items = JSON.parse(text);
  } catch {
    return allowed;
  }
  if (!Array.isArray(items)) return allowed;
  const volumes = items.map((item) => {
    const [, host, path = "/shared"] = /^(\/[^:]*)(?::(\/[^:]*))?$/.exec(String(item)) ?? [];
    if (host === undefined) return undefined;
    return `${host}:${
      /^\/data\//.test(path) ? path : `/data/${path.split("/").filter((name) => name).join("-")}`
    }`;
  });
  return volumes.includes(undefined) ? allowed : { volumes: JSON.stringify(volumes) };
}

function transport(text: string): Meaning {
  switch (text.toLowerCase()) {
    case "stdio":
      return { "server.transport": "stdio" };
    case "http":
    case "streamable-http":
      return { "server.transport": "http" };
    case "sse":
      return { "server.transport": "http", "transport_http.sse": "true" };
    default:
      return { allowed: '"stdio", "http", "streamable-http" or "sse"' };
  }
}

/** The variable for a path: `transport_http.port` is WASMBOX_TRANSPORT_HTTP_PORT. */
export function variableFor(path: string): string {
  return PREFIX + path.toUpperCase().replaceAll(".", "_");
}

/** @param keys By path. @returns The values of the variables, and warnings about them. */
export function readEnvironment(
  env: Environment,
  keys: ReadonlyMap<string, ConfigKey>,
  problems: Problems,
): { layer: Layer; warnings: string[] } {
  const warnings = Object.entries(WITHOUT_MEANING).filter(([name]) => env[name])
    .map(([name, why]) => `${name} has no effect: ${why}`);
  const layers: Layer[] = [];
  for (const [name, meaning] of Object.entries(NAMES)) {
    const text = env[name];
    if (!text) continue; // an empty variable counts as unset
    const texts = meaning(text);
    if ("allowed" in texts) {
      problems.add("environment", `${name} = ${show(text)} is invalid: must be ${texts.allowed}`);
    } else {
      layers.push(readTexts(texts as Record<string, string>, name, "environment", keys, problems));
    }
  }
  const names = new Map([...keys.keys()].map((path) => [variableFor(path), path]));
  for (const [name, path] of names) {
    if (env[name]) layers.push(readTexts({ [path]: env[name] }, name, "environment", keys, problems));
  }
  const known = [...names.keys(), ...Object.keys(NAMES), ...PLACES];
  for (const [name, text] of Object.entries(env).sort()) {
    if (!name.startsWith(PREFIX) || text === "" || known.includes(name)) continue;
    if (name === LAUNCHER || OF_TESTS.includes(name) || isServiceLink(name, text)) continue;
    const meant = variableMeant(name, known.filter((other) => other.startsWith(PREFIX)));
    const hint = meant === undefined
      ? "that of policy.timeout_seconds, for example, is WASMBOX_POLICY_TIMEOUT_SECONDS"
      : `did you mean ${meant}?`;
    problems.add("environment", `${name} is not a known variable; ${hint}`);
  }
  return { layer: merge(...layers), warnings };
}

/** Parses values given as text, all from one place. @param kind What messages call that place. */
export function readTexts(
  texts: Readonly<Record<string, string>>,
  name: string,
  kind: "environment" | "command line",
  keys: ReadonlyMap<string, ConfigKey>,
  problems: Problems,
): Layer {
  const values = new Map<string, Given>();
  for (const [path, text] of Object.entries(texts)) {
    const key = keys.get(path)!;
    try {
      const value = key.parse(text);
      if (!accept(key, value, kind, name, problems)) continue;
      values.set(path, { value, origin: { kind: kind === "environment" ? kind : "flag", name } });
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      problems.add(kind, `${name}: ${error.message}`);
    }
  }
  return values;
}

/** The variable whose ending was written, or whose name is spelled almost the same. */
function variableMeant(name: string, names: readonly string[]): string | undefined {
  const end = name.slice(PREFIX.length - 1);
  const byEnd = names.find((known) => known.endsWith(end));
  if (byEnd !== undefined) return byEnd;
  const close = closest(name.slice(PREFIX.length), names.map((known) => known.slice(PREFIX.length)));
  return close === undefined ? undefined : PREFIX + close;
}

/** Whether Kubernetes or Docker sets it, for a service whose name begins with "wasmbox". */
function isServiceLink(name: string, text: string): boolean {
  return /_SERVICE_(HOST|PORT(_[A-Z0-9_]+)?)$/.test(name) ||
    /_PORT_\d+_(TCP|UDP|SCTP)(_[A-Z]+)?$/.test(name) ||
    (name.endsWith("_PORT") && /^(tcp|udp|sctp):\/\//.test(text));
}
