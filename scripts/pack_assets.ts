/** Makes the pack of assets that src/program/stored_assets.ts looks for. */

import { createHash } from "node:crypto";
import { constants, zstdCompressSync } from "node:zlib";
import { PACK_MAGIC, type PackedAsset } from "../src/program/asset_pack.ts";
import { BLOCK_BYTES } from "../src/program/stored_asset.ts";
import { ELF_HEADER_BYTES, elfImageBytes } from "../src/program/stored_assets.ts";
import {
  LAZY_ASSETS,
  SCIENCE_ASSETS,
  SCIPY_ASSETS,
  SHELL_ASSETS,
} from "../src/executor/assets/lazy_assets.ts";

/** The next ones take several times as long for 2 % less. */
const LEVEL = 6;
/** Of a heap that is not compressed: those of zeros are left out. */
const SPARSE_BLOCK_BYTES = BLOCK_BYTES >> 4;
/** What is not this much smaller is left as it is. */
const WORTH_IT = 0.9;

/** What a first program may wait for, which would feel it if it had to be expanded. */
const READ_FIRST: readonly string[] = [
  "python-stdlib.zip",
  "quickjs.wasm",
  "javascript.memory",
  "shell.wasm",
];
/** What nearly no program waits for. */
const COMPRESSED: ReadonlySet<string> = new Set(
  [...LAZY_ASSETS, ...SCIENCE_ASSETS, ...SCIPY_ASSETS, ...SHELL_ASSETS]
    .filter((name) => !READ_FIRST.includes(name)),
);

type Bytes = Uint8Array<ArrayBuffer>;

/** The pack of `assets` (paths by name), in pieces. */
export async function packOf(assets: Readonly<Record<string, string>>): Promise<Bytes[]> {
  const packed: [name: string, asset: Packed][] = [];
  for (const [name, path] of Object.entries(assets)) {
    const bytes = await Deno.readFile(path);
    packed.push([name, pack(name, bytes)]);
  }
  return [headOf(packed), ...packed.flatMap(([, { pieces }]) => pieces)];
}

/** Writes the pack of `assets` where it is a file of its own. */
export async function writePack(path: string, assets: Readonly<Record<string, string>>): Promise<void> {
  await write(path, await packOf(assets));
}

/**
 * Writes it between the ELF image and what `deno compile` appended to that, which Deno looks for from the file's end.
 *
 * @throws {TypeError} if the executable is no ELF file.
 */
export async function insertPack(
  executable: string,
  assets: Readonly<Record<string, string>>,
): Promise<void> {
  const program = await Deno.readFile(executable);
  const image = elfImageBytes(program.subarray(0, ELF_HEADER_BYTES));
  await write(executable, [program.subarray(0, image), ...await packOf(assets), program.subarray(image)]);
}

async function write(path: string, pieces: readonly Bytes[]): Promise<void> {
  await Deno.writeFile(path, new Blob([...pieces]).stream());
}

function pack(name: string, bytes: Bytes): Packed {
  if (COMPRESSED.has(name)) return inBlocks(bytes, BLOCK_BYTES, zstd);
  return name.endsWith(".memory") ? inBlocks(bytes, SPARSE_BLOCK_BYTES, (block) => block) : plain(bytes);
}

interface Packed extends Omit<PackedAsset, "start"> {
  readonly pieces: readonly Bytes[];
}

function plain(bytes: Bytes): Packed {
  return { size: bytes.length, pieces: [bytes] };
}

const zstd = (block: Bytes): Bytes =>
  new Uint8Array(zstdCompressSync(block, {
    params: { [constants.ZSTD_c_compressionLevel]: LEVEL, [constants.ZSTD_c_checksumFlag]: 1 },
  }));

/** Without the blocks of zeros. @param stored What is kept of another one. */
function inBlocks(bytes: Bytes, blockBytes: number, stored: (block: Bytes) => Bytes): Packed {
  const pieces = Array.from({ length: Math.ceil(bytes.length / blockBytes) }, (_, index) => {
    const block = bytes.subarray(index * blockBytes, (index + 1) * blockBytes);
    return block.every((byte) => byte === 0) ? new Uint8Array() : stored(block);
  });
  if (lengthOf(pieces) >= WORTH_IT * bytes.length) return plain(bytes);
  const hash = createHash("sha256");
  for (const piece of pieces) hash.update(piece);
  const blocks = pieces.map(({ length }) => length);
  const sparse = blockBytes === BLOCK_BYTES ? {} : { sparse: blockBytes };
  return { size: bytes.length, compressed: { blocks, ...sparse, sha256: hash.digest("hex") }, pieces };
}

function lengthOf(pieces: readonly Bytes[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}

/** Its own length decides where everything lies, and has to be known before: there is room for the longest. */
function headOf(packed: readonly (readonly [name: string, asset: Packed])[]): Bytes {
  const prefix = PACK_MAGIC.length + 4;
  const text = new TextEncoder();
  const indexFrom = (first: number) => {
    let start = first;
    const entries = packed.map(([name, { pieces, ...rest }]) => {
      const entry = [name, { start, ...rest }] as const;
      start += lengthOf(pieces);
      return entry;
    });
    return text.encode(JSON.stringify(Object.fromEntries(entries)));
  };
  const room = indexFrom(0).length + MAX_DIGITS * packed.length;
  const head = new Uint8Array(prefix + room).fill(" ".charCodeAt(0));
  text.encodeInto(PACK_MAGIC, head);
  new DataView(head.buffer).setUint32(PACK_MAGIC.length, room, true);
  head.set(indexFrom(head.length), prefix);
  return head;
}

/** Of a place in a pack. */
const MAX_DIGITS = 12;
