/** The store that a server is configured to keep its sessions in. */

import { ConfigError } from "../config/error.ts";
import type { StoreSettings } from "../config/store_schema.ts";
import { hasCode } from "./directory_files.ts";
import { DirectoryStore } from "./directory_store.ts";
import { logger } from "../telemetry/log.ts";
import { KeyFileError, Keys } from "./keys.ts";
import type { CheckpointStore, SessionKey } from "./store.ts";
import { ValkeyStore } from "./valkey_store.ts";

/** What systemd's LoadCredential= and SetCredential= have to be called. */
const CREDENTIAL = "wasmbox-store-key";

/** A store, and whether replies wait for it. */
export interface OpenStore {
  readonly place: CheckpointStore;
  readonly sync: StoreSettings["sync"];
  /** What exported sessions are signed with. */
  readonly keys: Keys;
  /** Whether those that others signed are imported. */
  readonly trustImport: boolean;
}

/**
 * @param segmentMaxBytes Most that one checkpoint may hold. @param evicted Told of sessions given up for want of room.
 * @returns Undefined: sessions are kept in the server's memory.
 * @throws {ConfigError} if it can't be used.
 */
export async function openStore(
  settings: StoreSettings,
  segmentMaxBytes: number,
  evicted: (key: SessionKey) => void,
): Promise<OpenStore | undefined> {
  const kind = settings.kind ?? (settings.path === null ? "memory" : "directory");
  if (kind === "memory") return undefined;
  if (kind === "valkey") return await openValkey(settings, segmentMaxBytes);
  const path = settings.path ?? statePath();
  try {
    await Deno.mkdir(path, { recursive: true, mode: 0o700 });
    const keys = await keysFor(settings.keyFile, path);
    const { maxBytes, fsync, sync, trustImport } = settings;
    const place = await DirectoryStore.open({ path, maxBytes, segmentMaxBytes, fsync, keys, evicted });
    return { place, sync, keys, trustImport };
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(
      `store.path: ${path} can't be used: ${error instanceof Error ? error.message : error}`,
    );
  }
}

/** @throws {ConfigError} */
async function openValkey(
  { url, prefix, leaseMs, keyFile, sync, trustImport }: StoreSettings,
  segmentMaxBytes: number,
): Promise<OpenStore> {
  if (url === null) throw new ConfigError('store.url is missing: store.kind is "valkey"');
  const keys = await keysFor(keyFile);
  const place = await ValkeyStore.open({ url, prefix, leaseMs, segmentMaxBytes, keys });
  if (!place.persistent) {
    logger("store").warning("what is stored ends with Valkey: its appendonly is off");
  }
  return { place, sync, keys, trustImport };
}

/** Of a service what systemd gives it (StateDirectory=), else where the XDG Base Directory Specification puts state. */
function statePath(): string {
  const [own] = (Deno.env.get("STATE_DIRECTORY") ?? "").split(":");
  if (own) return `${own}/sessions`;
  const home = Deno.env.get("HOME") ?? Deno.env.get("USERPROFILE");
  const state = Deno.env.get("XDG_STATE_HOME") ?? (home && `${home}/.local/state`);
  if (!state) {
    throw new ConfigError("store.path is missing, and there is no home directory to take its place");
  }
  return `${state}/wasmbox/sessions`;
}

/**
 * @param path Where they are made, if none are given; absent: they have to be, since other servers have them too.
 * @throws {ConfigError} if there are none, or none can be made.
 */
async function keysFor(keyFile: string | null, path?: string): Promise<Keys> {
  const credentials = Deno.env.get("CREDENTIALS_DIRECTORY");
  const given = keyFile ?? (credentials && await exists(`${credentials}/${CREDENTIAL}`));
  if (!given && path === undefined) {
    throw new ConfigError(
      "store.key_file is missing: servers that share a store sign with the same key (openssl rand -hex 32)",
    );
  }
  const file = given || `${path}/key`;
  if (!given) await makeKey(file);
  try {
    const { mode } = await Deno.stat(file);
    if (Deno.build.os !== "windows" && ((mode ?? 0) & 0o077) !== 0 && !given) {
      throw new ConfigError(`${file}: others can read or change this key; run "chmod 600" on it`);
    }
    return Keys.parse(await Deno.readTextFile(file));
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const reason = error instanceof KeyFileError || error instanceof Error ? error.message : String(error);
    throw new ConfigError(`${given ? "store.key_file" : "the store's key"}: ${file}: ${reason}`);
  }
}

async function exists(path: string): Promise<string | undefined> {
  return await Deno.stat(path).then(() => path, () => undefined);
}

/** Makes a key, if there is none. Of several servers that do so at once one wins. */
async function makeKey(file: string): Promise<void> {
  const draft = `${file}.${crypto.randomUUID()}`;
  if (await exists(file)) return;
  try {
    await Deno.writeTextFile(draft, Keys.generate(), { createNew: true, mode: 0o600 });
    await Deno.link(draft, file);
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  } finally {
    await Deno.remove(draft).catch(() => {});
  }
}
