/** A configuration for people and programs to read: every key, its value, and where the value came from. */

import { variableFor } from "./environment.ts";
import type { Keys } from "./key.ts";
import type { Origin } from "./layer.ts";
import { FLAVOR_NAMES } from "./limits.ts";
import type { Configuration } from "./load.ts";
import { AUDIT_KEYS, HTTP_KEYS, LOG_KEYS, SERVER_KEYS, STDIO_KEYS, TOOL_KEYS } from "./mcp_schema.ts";
import { PACKAGES_KEYS } from "./packages_schema.ts";
import { POLICY_DOCUMENT } from "./policy.ts";
import { FLAVOR_KEYS, POLICY_KEYS } from "./policy_schema.ts";
import { STORE_KEYS } from "./store_schema.ts";
import { VOLUME_KEYS } from "./volumes.ts";

const SECRET = "(secret)";

export interface Effective {
  readonly path: string;
  /** As a file would have it; null if there is none. That of a secret is not shown. */
  readonly value: unknown;
  readonly origin: Origin | { readonly kind: "default" };
  /** The environment variable that sets it. */
  readonly variable: string;
}

/** The tables of the shipped files, in order. */
const TABLES = [
  "",
  "server",
  "transport_stdio",
  "transport_http",
  "sessions",
  "tools",
  "logging",
  "metrics",
  "audit",
  "store",
  "policy",
  ...FLAVOR_NAMES.map((flavor) => `policy.flavors.${flavor}`),
  "policy.packages",
];

/** The value in force for each key, in the order of the shipped files. */
export function effectiveValues({ settings, mcp, given }: Configuration): Effective[] {
  const of = <Settings extends object>(keys: Keys<Settings>, held: Settings, prefix = ""): Effective[] =>
    (Object.keys(keys) as (keyof Settings)[]).map((name) => {
      const { name: key, value, secret } = keys[name];
      const setting = held[name] ?? null;
      const path = prefix + key;
      const found = given.get(path);
      const shown = setting === null ? null : value(setting);
      return {
        path,
        value: secret && found ? SECRET : shown,
        origin: found?.origin ?? { kind: "default" },
        variable: variableFor(path),
      };
    });
  const { limits, flavors } = settings.policy;
  const flavored = (Object.keys(flavors) as (keyof typeof flavors)[]).flatMap((flavor) =>
    of(FLAVOR_KEYS[flavor], flavors[flavor], POLICY_DOCUMENT.prefix)
  );
  const all = [
    ...of(VOLUME_KEYS, mcp.volumes),
    ...of(SERVER_KEYS, mcp.server),
    ...of(STDIO_KEYS, mcp.stdio),
    ...of(HTTP_KEYS, mcp.http),
    ...of(TOOL_KEYS, mcp.tools),
    ...of(LOG_KEYS, mcp.log),
    ...of(AUDIT_KEYS, mcp.audit),
    ...of(STORE_KEYS, mcp.store),
    ...of(POLICY_KEYS, limits, POLICY_DOCUMENT.prefix),
    ...flavored,
    ...of(PACKAGES_KEYS, settings.packages, POLICY_DOCUMENT.prefix),
  ];
  const place = ({ path }: Effective) => TABLES.indexOf(tableOf(path));
  return all.sort((a, b) => place(a) - place(b));
}

function tableOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf(".")));
}

/** A line for each key, with empty lines between tables. */
export function describe(configuration: Configuration): string {
  const values = effectiveValues(configuration);
  const told = values.map(({ path, value, origin }) => {
    const shown = value === SECRET ? SECRET : value === null ? "not set" : JSON.stringify(value);
    const where = origin.kind === "default" ? "default" : origin.name;
    return { table: tableOf(path), what: `${path} = ${shown}`, where };
  });
  const width = Math.min(70, Math.max(...told.map(({ what }) => what.length)));
  const { files, warnings } = configuration;
  return [
    `# files: ${files.join(", ") || "none"}`,
    ...warnings.map((warning) => `# ${warning}`),
    ...told.flatMap(({ table, what, where }, at) => [
      ...table === told[at - 1]?.table ? [] : [""],
      `${what.padEnd(width)}  # ${where}`,
    ]),
  ].join("\n");
}
