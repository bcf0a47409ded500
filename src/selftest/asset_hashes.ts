/** Are the assets what was built? Their SHA-256 against the manifest's; of those that are compressed, as they lie there, against their pack's. */

import { discard } from "../garbage.ts";
import type { StoredAsset } from "../program/stored_asset.ts";
import { openAsset, readManifest as readStored } from "../program/stored_assets.ts";

export interface AssetCheck {
  readonly name: string;
  /** SHA-256, hexadecimal. */
  readonly expected: string;
  /** Absent if there is no such file. */
  readonly found?: string;
  readonly ok: boolean;
}

export interface Manifest {
  readonly build: string;
  readonly versions: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, { readonly sha256: string }>>;
}

/** Only tests and benchmarks use these; executables don't have them. */
export const OPTIONAL_ASSET = /\.unmetered\.wasm$/;

/** @throws {Deno.errors.NotFound} if the assets were not built. */
export async function readManifest(): Promise<Manifest> {
  return await readStored() as Manifest;
}

export async function checkAssets({ files }: Manifest): Promise<AssetCheck[]> {
  const checks: AssetCheck[] = [];
  for (const [name, { sha256 }] of Object.entries(files)) {
    const asset = await openIfThere(name);
    if (asset) {
      const expected = asset.compressed?.sha256 ?? sha256;
      const found = await digest(asset);
      checks.push({ name, expected, found, ok: found === expected });
    } else if (!OPTIONAL_ASSET.test(name)) checks.push({ name, expected: sha256, ok: false });
  }
  return checks;
}

async function openIfThere(name: string): Promise<StoredAsset | undefined> {
  try {
    return await openAsset(name);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

async function digest(asset: StoredAsset): Promise<string> {
  const bytes = await asset.readStored();
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  discard(bytes.buffer); // all of them together are large
  return hash.toHex();
}
