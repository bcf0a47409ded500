/** Writes zips, also such as nobody should. */

export interface ZipEntry {
  /** Taken as it is, whatever it says. */
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly deflate?: boolean;
}

export async function zip(entries: readonly ZipEntry[]): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const { name, bytes, deflate = false } of entries) {
    const named = new TextEncoder().encode(name);
    const stored = deflate ? await deflated(bytes) : bytes;
    const common = [
      ...[20, 0, deflate ? 8 : 0, 0, 0x21].map((value) => [value, 2] as const),
      ...[crc32(bytes), stored.length, bytes.length].map((value) => [value, 4] as const),
      [named.length, 2] as const,
      [0, 2] as const,
    ];
    const local = fields([[0x04034b50, 4], ...common]);
    directory.push(
      fields([[0x02014b50, 4], [20, 2], ...common, [0, 2], [0, 2], [0, 2], [0o100644 * 65536, 4], [
        offset,
        4,
      ]]),
      named,
    );
    parts.push(local, named, stored);
    offset += local.length + named.length + stored.length;
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  const count = entries.length;
  const end = fields([[0x06054b50, 4], [0, 2], [0, 2], [count, 2], [count, 2], [size, 4], [offset, 4], [
    0,
    2,
  ]]);
  return new Uint8Array(await new Blob([...parts, ...directory, end] as BlobPart[]).arrayBuffer());
}

/** Numbers of 2 or 4 bytes, little-endian. */
function fields(values: readonly (readonly [number, number])[]): Uint8Array {
  const bytes = values.flatMap(([value, length]) =>
    Array.from({ length }, (_, index) => Math.floor(value / 256 ** index) % 256)
  );
  return new Uint8Array(bytes);
}

async function deflated(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

const TABLE = Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ value >>> 1 : value >>> 1;
  return value;
});

function crc32(bytes: Uint8Array): number {
  let value = -1;
  for (const byte of bytes) value = TABLE[(value ^ byte) & 255]! ^ value >>> 8;
  return (value ^ -1) >>> 0;
}
