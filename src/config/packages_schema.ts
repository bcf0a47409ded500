/** The keys of policy.toml about packages, and their defaults. */

import { validRange } from "@renovatebot/pep440";
// @ts-types="@types/semver/ranges/valid.d.ts"
import validNpmRange from "semver/ranges/valid.js"; // all of semver takes every start twice the time
import { bytes, having, type Keys, list, seconds, text, toggle } from "./key.ts";

export interface PackagesSettings {
  /** Whether packages can be installed from an index at all. */
  readonly enabled: boolean;
  /** Whether Python packages of a list are installed when a program imports them. */
  readonly installOnImport: boolean;
  /** The "simple" index, perhaps with credentials; null for the one pip is configured for, or pip's own default. */
  readonly indexUrl: string | null;
  /** Hosts besides the index's own that may serve its files: names, or `name:port`. */
  readonly fileHosts: readonly string[];
  /** Only these can be installed: `name` or `name>=1,<2`, without extras and markers. Empty: everything can. */
  readonly allow: readonly string[];
  /** These can't be installed; written as in `allow`. */
  readonly deny: readonly string[];
  /** The npm registry, perhaps with credentials; null for the one npm is configured for, or npm's own default. */
  readonly npmRegistry: string | null;
  /** Only these npm packages can be installed: `name` or `name@range`. Empty: all can. */
  readonly npmAllow: readonly string[];
  /** These npm packages can't be installed; written as in `npmAllow`. */
  readonly npmDeny: readonly string[];
  /** Where downloads are kept for all sessions; null for `wasmbox/packages` in the user's cache directory. */
  readonly cacheDirectory: string | null;
  readonly cacheBytes: number;
  /** The largest file of a package. */
  readonly fileMaxBytes: number;
  /** The most that one session may receive, from the index or from the cache. */
  readonly sessionBytes: number;
  /** From the request to the last byte. */
  readonly downloadTimeoutMs: number;
}

const MIB = 1024 * 1024;

export const DEFAULT_PACKAGES: PackagesSettings = {
  enabled: true,
  installOnImport: true,
  indexUrl: null,
  fileHosts: [],
  allow: [],
  deny: [],
  npmRegistry: null,
  npmAllow: [],
  npmDeny: [],
  cacheDirectory: null,
  cacheBytes: 1024 * MIB,
  fileMaxBytes: 64 * MIB,
  sessionBytes: 512 * MIB,
  downloadTimeoutMs: 60_000,
};

const MOST_BYTES = 1024 ** 4;
const name = (key: string) => `packages.${key}`;
const isUrl = (url: string) => /^https?:\/\/\S+$/.test(url) && URL.canParse(url);
const isHost = (host: string) => /^[\w.-]{1,253}(:\d{1,5})?$/.test(host);
const rules = (key: string) => list(name(key), 'packages such as "attrs" or "attrs>=23,<26"', isRule);
const npmRules = (key: string) => list(name(key), 'packages such as "lodash" or "@scope/a@^1"', isNpmRule);

const NPM_RULE = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*(?:@([^@]{1,200}))?$/i;
const RULE = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?\s*([<>=!~].*)?$/;

/** Whether it is the name of an npm package, optionally with a range of versions. */
export function isNpmRule(rule: string): boolean {
  const match = NPM_RULE.exec(rule);
  return match !== null && (match[1] === undefined || validNpmRange(match[1]) !== null);
}

/** Whether it is the name of a Python package, optionally with versions. */
export function isRule(rule: string): boolean {
  const match = RULE.exec(rule);
  return match !== null && (match[1] === undefined || validRange(match[1]));
}

const fixed: Keys<PackagesSettings> = {
  enabled: toggle(name("enabled")),
  installOnImport: toggle(name("install_on_import")),
  indexUrl: having({ secret: true }, text(name("index_url"), "a URL: https://…", isUrl)),
  fileHosts: list(name("file_hosts"), "hosts, with a port if it is not the default one", isHost),
  allow: rules("allow"),
  deny: rules("deny"),
  npmRegistry: having({ secret: true }, text(name("npm_registry"), "a URL: https://…", isUrl)),
  npmAllow: npmRules("npm_allow"),
  npmDeny: npmRules("npm_deny"),
  cacheDirectory: having({ path: true }, text(name("cache_directory"), "a path", (path) => path !== "")),
  cacheBytes: bytes(name("cache_bytes"), 0, MOST_BYTES),
  fileMaxBytes: bytes(name("file_max_bytes"), 1024, 256 * MIB),
  sessionBytes: bytes(name("session_bytes"), 0, MOST_BYTES),
  downloadTimeoutMs: seconds(name("download_timeout_seconds"), 0.1, 600),
};

/** The cache and the state of the index are created once: changing any of these needs a restart. */
export const PACKAGES_KEYS = Object.fromEntries(
  Object.entries(fixed).map(([setting, key]) => [setting, { ...key, restart: true }]),
) as unknown as Keys<PackagesSettings>;
