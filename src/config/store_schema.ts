/** The keys of `[store]`: where sessions are kept. */

import { bytes, choice, having, type Keys, seconds, text, toggle } from "./key.ts";

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

export const STORE_KINDS = ["memory", "directory", "valkey"] as const;
export const STORE_SYNCS = ["reply", "soon"] as const;

export interface StoreSettings {
  /** Null: a directory if a path is given, else the server's memory. */
  readonly kind: typeof STORE_KINDS[number] | null;
  /** Of the directory; null: where a user's or a service's state belongs. */
  readonly path: string | null;
  /** Of Valkey or Redis, with user and password if it wants them. */
  readonly url: string | null;
  /** Of all keys there: what else is in the same database is left alone. */
  readonly prefix: string;
  /** How long a session stays a server's that says nothing any more. */
  readonly leaseMs: number;
  /** Most that a directory may take. */
  readonly maxBytes: number;
  /** Whether a reply waits until the store has what it tells. */
  readonly sync: typeof STORE_SYNCS[number];
  /** Whether what is stored survives a loss of power too. */
  readonly fsync: boolean;
  /** Keys that sign what is stored, one a line in hexadecimal; null: `key` in the directory, made if it is not there. */
  readonly keyFile: string | null;
  /** Whether sessions are imported that a server with another key exported. */
  readonly trustImport: boolean;
}

const store = (name: string) => `store.${name}`;
const isPath = (path: string) => path !== "";
const isValkey = (url: string) => URL.canParse(url) && /^rediss?:$/.test(new URL(url).protocol);
const PREFIX = /^[A-Za-z0-9_.-]{1,50}$/;

export const STORE_KEYS: Keys<StoreSettings> = {
  kind: having({ restart: true }, choice(store("kind"), STORE_KINDS)),
  path: having({ restart: true, path: true }, text(store("path"), "a path", isPath)),
  url: having(
    { restart: true, secret: true },
    text(store("url"), "redis://host:6379 or rediss://user:password@host:6379/0", isValkey),
  ),
  prefix: having(
    { restart: true },
    text(store("prefix"), "1 to 50 letters, digits, _, . or -", (prefix) => PREFIX.test(prefix)),
  ),
  leaseMs: having({ restart: true }, seconds(store("lease_seconds"), 1, 3600)),
  maxBytes: having({ restart: true }, bytes(store("max_bytes"), MIB, 1024 * 1024 * GIB)),
  sync: having({ restart: true }, choice(store("sync"), STORE_SYNCS)),
  fsync: having({ restart: true }, toggle(store("fsync"))),
  keyFile: having({ restart: true, path: true }, text(store("key_file"), "a path", isPath)),
  trustImport: having({ restart: true }, toggle(store("trust_import"))),
};

export const DEFAULT_STORE: StoreSettings = {
  kind: null,
  path: null,
  url: null,
  prefix: "wasmbox",
  leaseMs: 15_000,
  maxBytes: 10 * GIB,
  sync: "reply",
  fsync: true,
  keyFile: null,
  trustImport: false,
};
