/** Assets in one file: a mark, the length of an index as 32 bits, the index as JSON, and behind it one asset after another. */

import { type Compressed, fill, StoredAsset } from "./stored_asset.ts";

/** What a pack begins with. */
export const PACK_MAGIC = "wasmbox assets\n\0";

/** What lies where. */
export type PackIndex = Readonly<Record<string, PackedAsset>>;

export interface PackedAsset {
  /** From the start of the pack, bytes. */
  readonly start: number;
  readonly size: number;
  readonly compressed?: Compressed;
}

export class Pack {
  /** @param start From the start of the file, bytes. */
  constructor(readonly path: string | URL, readonly start: number, readonly index: PackIndex) {}

  /** @throws {Deno.errors.NotFound} if it has none of that name. */
  async open(name: string): Promise<StoredAsset> {
    const asset = this.index[name];
    if (!asset) throw new Deno.errors.NotFound(`no asset "${name}"`);
    const file = await Deno.open(this.path);
    await file.seek(this.start + asset.start, Deno.SeekMode.Start);
    return new StoredAsset(file, asset.size, asset.compressed);
  }
}

/**
 * @param path A file that has a pack.
 * @param start Where, bytes.
 * @throws {Deno.errors.NotFound} if it has none there.
 */
export async function openPack(path: string | URL, start: number): Promise<Pack> {
  using file = await Deno.open(path);
  await file.seek(start, Deno.SeekMode.Start);
  const head = await next(file, PACK_MAGIC.length + 4);
  if (new TextDecoder().decode(head.subarray(0, -4)) !== PACK_MAGIC) {
    throw new Deno.errors.NotFound("this executable has no assets");
  }
  const length = new DataView(head.buffer).getUint32(PACK_MAGIC.length, true);
  const index = JSON.parse(new TextDecoder().decode(await next(file, length)));
  return new Pack(path, start, index);
}

async function next(file: Deno.FsFile, size: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(size);
  await fill(bytes, file);
  return bytes;
}
