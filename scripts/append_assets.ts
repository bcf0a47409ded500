/** Puts the assets into an executable, where src/program/stored_assets.ts looks for them. */

import {
  APPENDED_MAGIC,
  type AppendedIndex,
  ELF_HEADER_BYTES,
  elfImageBytes,
} from "../src/program/stored_assets.ts";

/**
 * Writes `assets` between the ELF image and what `deno compile` appended to it, which Deno looks for from the file's end.
 *
 * @throws {TypeError} if the executable is no ELF file.
 */
export async function appendAssets(
  executable: string,
  directory: URL,
  assets: readonly string[],
): Promise<void> {
  const program = await Deno.readFile(executable);
  const image = elfImageBytes(program.subarray(0, ELF_HEADER_BYTES));
  const contents = await Promise.all(assets.map((name) => Deno.readFile(new URL(name, directory))));
  const head = headOf(image, assets.map((name, i) => ({ name, size: contents[i]?.length ?? 0 })));
  using file = await Deno.open(executable, { write: true, truncate: true });
  for (const part of [program.subarray(0, image), head, ...contents, program.subarray(image)]) {
    await new Blob([part]).stream().pipeTo(file.writable, { preventClose: true });
  }
}

/** Its own length decides where everything lies, and has to be known before: the index is padded to a fixed one. */
function headOf(image: number, assets: readonly { name: string; size: number }[]): Uint8Array<ArrayBuffer> {
  const room = 200 * assets.length;
  const prefix = APPENDED_MAGIC.length + 4;
  let start = image + prefix + room;
  const index: Record<string, AppendedIndex[string]> = {};
  for (const { name, size } of assets) {
    index[name] = { start, size };
    start += size;
  }
  const head = new Uint8Array(prefix + room);
  const text = new TextEncoder();
  text.encodeInto(APPENDED_MAGIC, head);
  new DataView(head.buffer).setUint32(APPENDED_MAGIC.length, room, true);
  text.encodeInto(JSON.stringify(index).padEnd(room), head.subarray(prefix));
  return head;
}
