/** Values from the command lines of `serve` and `config`. */

import { readTexts } from "./environment.ts";
import type { ConfigKey } from "./key.ts";
import { type Layer, merge, type Problems } from "./layer.ts";

/** Flags as given, by name without dashes. */
export type Flags = Readonly<Record<string, string | boolean>>;

/** The key that each flag sets; a switch, which takes no value, has its value here. */
const FLAGS: Readonly<Record<string, readonly [path: string, value?: string]>> = {
  stdio: ["server.transport", "stdio"],
  http: ["server.transport", "http"],
  host: ["transport_http.host"],
  port: ["transport_http.port"],
  "enable-cors": ["transport_http.cors_origins", "auto"],
  "token-file": ["transport_http.auth_tokens_file"],
  "allow-unauthenticated": ["transport_http.allow_unauthenticated", "true"],
  "log-level": ["logging.level"],
  persist: ["store.kind", "directory"],
  store: ["store.path"],
  "trust-import": ["store.trust_import", "true"],
  volume: ["volumes"],
  "external-files": ["external_files"],
};

/** @param keys By path. */
export function readFlags(flags: Flags, keys: ReadonlyMap<string, ConfigKey>, problems: Problems): Layer {
  const given = Object.entries(FLAGS).filter(([flag]) => flags[flag] !== undefined);
  if (flags["stdio"] && flags["http"]) {
    problems.add("command line", "--stdio and --http contradict each other");
  }
  const layers = given.map(([flag, [path, value]]) =>
    readTexts({ [path]: value ?? String(flags[flag]) }, `--${flag}`, "command line", keys, problems)
  );
  return merge(...layers);
}
