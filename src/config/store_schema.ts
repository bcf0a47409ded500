/** The keys of `[store]`: where sessions are kept. */

import { bytes, choice, having, type Keys, text, toggle } from "./key.ts";

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

export const STORE_KINDS = ["memory", "directory"] as const;
export const STORE_SYNCS = ["reply", "soon"] as const;

export interface StoreSettings {
  /** Null: a directory if a path is given, else the server's memory. */
  readonly kind: typeof STORE_KINDS[number] | null;
  /** Of the directory; null: where a user's or a service's state belongs. */
  readonly path: string | null;
  /** Most that a directory may take. */
  readonly maxBytes: number;
  /** Whether a reply waits until the store has what it tells. */
  readonly sync: typeof STORE_SYNCS[number];
  /** Whether what is stored survives a loss of power too. */
  readonly fsync: boolean;
  /** Keys that sign what is stored, one a line in hexadecimal; null: `key` in the directory, made if it is not there. */
  readonly keyFile: string | null;
}

const store = (name: string) => `store.${name}`;
const isPath = (path: string) => path !== "";

export const STORE_KEYS: Keys<StoreSettings> = {
  kind: having({ restart: true }, choice(store("kind"), STORE_KINDS)),
  path: having({ restart: true, path: true }, text(store("path"), "a path", isPath)),
  maxBytes: having({ restart: true }, bytes(store("max_bytes"), MIB, 1024 * 1024 * GIB)),
  sync: having({ restart: true }, choice(store("sync"), STORE_SYNCS)),
  fsync: having({ restart: true }, toggle(store("fsync"))),
  keyFile: having({ restart: true, path: true }, text(store("key_file"), "a path", isPath)),
};

export const DEFAULT_STORE: StoreSettings = {
  kind: null,
  path: null,
  maxBytes: 10 * GIB,
  sync: "reply",
  fsync: true,
  keyFile: null,
};
