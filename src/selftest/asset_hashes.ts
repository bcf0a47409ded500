/** Are the assets what was built? Their SHA-256 against the manifest's. */

import { readAsset, readManifest as readStored } from "../program/stored_assets.ts";

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
  for (const [name, { sha256: expected }] of Object.entries(files)) {
    const found = await sha256(name);
    if (found === undefined) {
      if (!OPTIONAL_ASSET.test(name)) checks.push({ name, expected, ok: false });
    } else checks.push({ name, expected, found, ok: found === expected });
  }
  return checks;
}

async function sha256(name: string): Promise<string | undefined> {
  try {
    const bytes = await readAsset(name);
    const digest = await crypto.subtle.digest("SHA-256", bytes);
    bytes.buffer.transfer(0); // frees it at once: all of them together are large
    return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
