/**
 * Where the built assets are: files of a directory, or, in an executable, bytes between its ELF image and what
 * `deno compile` put behind that.
 *
 * Deno reads all that it embeds into the memory of each process at its start. What lies in front of that costs nothing
 * until it is asked for, so that it need not be compressed either.
 */

import { assetsDirectory, STANDALONE } from "./entries.ts";

/** An asset that can still be read when the process has given up its permissions. */
export class StoredAsset {
  /** @param file Read from where it is; closed after {@link read}. */
  constructor(readonly file: Deno.FsFile, readonly size: number) {}

  /**
   * Reads all of it; once.
   *
   * @throws {Error} if the file is shorter than it was.
   */
  async read(): Promise<Uint8Array<ArrayBuffer>> {
    using file = this.file;
    const bytes = new Uint8Array(this.size);
    await fill(bytes, file);
    return bytes;
  }

  /** As {@link read} does, into shared memory of `size` bytes, which files can't be read into. */
  async share(target: Uint8Array): Promise<void> {
    using file = this.file;
    const piece = new Uint8Array(Math.min(SHARED_BYTES, this.size));
    for (let at = 0; at < this.size; at += piece.length) {
      const part = piece.subarray(0, this.size - at);
      await fill(part, file);
      target.set(part, at);
    }
  }
}

const SHARED_BYTES = 1 << 20;

/** @throws {Error} if the file ends before. */
async function fill(bytes: Uint8Array<ArrayBuffer>, file: Deno.FsFile): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    const read = await file.read(bytes.subarray(at));
    if (read === null) throw new Error(`the file ends ${bytes.length - at} bytes too early`);
    at += read;
  }
}

/** Opens an asset by its name. @throws {Deno.errors.NotFound} if the assets were not built, or have none of that name. */
export const openAsset: (name: string) => Promise<StoredAsset> = STANDALONE && Deno.build.os === "linux"
  ? openAppended
  : openFile;

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

let index: Promise<AppendedIndex> | undefined;

async function openAppended(name: string): Promise<StoredAsset> {
  const { start, size } = (await (index ??= readIndex()))[name] ?? {};
  if (start === undefined || size === undefined) throw new Deno.errors.NotFound(`no asset "${name}"`);
  const file = await Deno.open(Deno.execPath());
  await file.seek(start, Deno.SeekMode.Start);
  return new StoredAsset(file, size);
}

/** What lies where, from the start of the executable. */
export type AppendedIndex = Readonly<Record<string, { readonly start: number; readonly size: number }>>;

/** What is behind the ELF image first: these bytes, the length of the index as 32 bits, and the index as JSON. */
export const APPENDED_MAGIC = "wasmbox assets\n\0";

async function readIndex(): Promise<AppendedIndex> {
  using file = await Deno.open(Deno.execPath());
  const header = await readAt(file, 0, ELF_HEADER_BYTES);
  const start = elfImageBytes(header);
  const head = await readAt(file, start, APPENDED_MAGIC.length + 4);
  if (new TextDecoder().decode(head.subarray(0, -4)) !== APPENDED_MAGIC) {
    throw new Deno.errors.NotFound("this executable has no assets");
  }
  const length = new DataView(head.buffer).getUint32(APPENDED_MAGIC.length, true);
  const json = await readAt(file, start + head.length, length);
  return JSON.parse(new TextDecoder().decode(json));
}

async function readAt(file: Deno.FsFile, position: number, size: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(size);
  await file.seek(position, Deno.SeekMode.Start);
  await fill(bytes, file);
  return bytes;
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
