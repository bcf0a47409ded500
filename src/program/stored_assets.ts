/**
 * Where the built assets are: files of a directory, a pack of them beside the program's bundles, or, in an executable, a
 * pack between its ELF image and what `deno compile` put behind that.
 *
 * Deno reads all that it embeds into the memory of each process at its start. What lies in front of that costs nothing
 * until it is asked for.
 */

import { assetsDirectory, BUNDLED, STANDALONE } from "./entries.ts";
import { openPack, type Pack } from "./asset_pack.ts";
import { fill, StoredAsset } from "./stored_asset.ts";

/** The pack of assets in {@link assetsDirectory}. */
export const PACK = "assets.pack";

/** Opens an asset by its name. @throws {Deno.errors.NotFound} if the assets were not built, or have none of that name. */
export const openAsset: (name: string) => Promise<StoredAsset> = BUNDLED ? openPacked : openFile;

/** Reads an asset by its name. @throws {Deno.errors.NotFound} as {@link openAsset} does. */
export async function readAsset(name: string): Promise<Uint8Array<ArrayBuffer>> {
  return await (await openAsset(name)).read();
}

/** The manifest of the assets, not yet checked. @throws {Deno.errors.NotFound} if the assets were not built. */
export async function readManifest(): Promise<unknown> {
  return JSON.parse(new TextDecoder().decode(await readAsset("manifest.json")));
}

async function openFile(name: string): Promise<StoredAsset> {
  const url = new URL(name, assetsDirectory());
  const { size } = await Deno.stat(url);
  return new StoredAsset(await Deno.open(url), size);
}

let pack: Promise<Pack> | undefined;

async function openPacked(name: string): Promise<StoredAsset> {
  return await (await (pack ??= findPack())).open(name);
}

async function findPack(): Promise<Pack> {
  if (!STANDALONE || Deno.build.os !== "linux") return await openPack(new URL(PACK, assetsDirectory()), 0);
  const path = Deno.execPath();
  const header = new Uint8Array(ELF_HEADER_BYTES);
  using file = await Deno.open(path);
  await fill(header, file);
  return await openPack(path, elfImageBytes(header));
}

export const ELF_HEADER_BYTES = 64;

/**
 * Where the image of a 64-bit little-endian ELF file ends: linkers put the table of its sections last (System V ABI,
 * "ELF Header").
 *
 * @throws {TypeError} if the header is not one of those.
 */
export function elfImageBytes(header: Uint8Array<ArrayBuffer>): number {
  const view = new DataView(header.buffer, header.byteOffset, ELF_HEADER_BYTES);
  const is64BitLittleEndian = view.getUint32(0) === 0x7f454c46 && view.getUint16(4) === 0x0201;
  if (!is64BitLittleEndian) throw new TypeError("no 64-bit little-endian ELF file");
  return Number(view.getBigUint64(40, true)) + view.getUint16(58, true) * view.getUint16(60, true);
}
