/** Assets that lie there compressed by gzip, as browsers take them. They are read when they are first asked for. */

import { readAsset } from "./stored_assets.ts";

/** An asset as it lies there. */
export interface Compressed {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Names its contents. */
  readonly digest: string;
}

const read = new Map<string, Promise<Compressed>>();

/** @param name Without its `.gz`. @throws {Deno.errors.NotFound} if there is none. */
export function compressedAsset(name: string): Promise<Compressed> {
  const known = read.get(name);
  if (known) return known;
  const reading = readCompressed(name);
  read.set(name, reading);
  reading.catch(() => read.delete(name));
  return reading;
}

/** What is in one. @throws {Deno.errors.NotFound} if there is none. */
export async function textAsset(name: string): Promise<string> {
  return await new Response(expanded(await compressedAsset(name))).text();
}

export function expanded({ bytes }: Compressed): ReadableStream<Uint8Array> {
  return new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
}

async function readCompressed(name: string): Promise<Compressed> {
  const bytes = await readAsset(`${name}.gz`);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return { bytes, digest: digest.toHex().slice(0, 32) };
}
