import { deepEqual, equal, rejects } from "node:assert/strict";
import { writePack } from "../../../scripts/pack_assets.ts";
import { openPack } from "../../../src/program/asset_pack.ts";
import { BLOCK_BYTES } from "../../../src/program/stored_asset.ts";

const random = (length: number) => {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536));
  return bytes;
};

/** Text, zeros, what can't be compressed, and a last block that is no whole one. */
function heap(): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(4 * BLOCK_BYTES + 5);
  bytes.fill(7, 100, 200);
  bytes.set(random(BLOCK_BYTES), 2 * BLOCK_BYTES);
  bytes.set([1, 2, 3, 4, 5], 4 * BLOCK_BYTES);
  return bytes;
}

const CONTENTS: Readonly<Record<string, Uint8Array<ArrayBuffer>>> = {
  "shell.memory": heap(),
  "javascript.memory": heap(),
  "python.wasm": heap().slice(0, 3000),
  "DejaVuSans.ttf": random(3 * BLOCK_BYTES),
  "resvg.wasm": new Uint8Array(),
  "manifest.json": new TextEncoder().encode("{}"),
};

/** A directory with a pack of {@link CONTENTS} in `assets.pack`. */
async function packed(): Promise<AsyncDisposable & { readonly path: string }> {
  const directory = await Deno.makeTempDir();
  const paths: Record<string, string> = {};
  for (const [name, bytes] of Object.entries(CONTENTS)) {
    paths[name] = `${directory}/${name}`;
    await Deno.writeFile(paths[name], bytes);
  }
  const path = `${directory}/assets.pack`;
  await writePack(path, paths);
  return { path, [Symbol.asyncDispose]: () => Deno.remove(directory, { recursive: true }) };
}

Deno.test("what is in a pack comes out of it as it was, also into shared memory and from within a file", async () => {
  await using made = await packed();
  const { path } = made;
  const bytes = await Deno.readFile(path);
  await Deno.writeFile(path, new Blob(["before", bytes, "behind"]).stream());
  const pack = await openPack(path, "before".length);
  for (const [name, contents] of Object.entries(CONTENTS)) {
    deepEqual(await (await pack.open(name)).read(), contents, name);
    const shared = new Uint8Array(new SharedArrayBuffer(contents.length));
    await (await pack.open(name)).share(shared);
    deepEqual(shared.slice(), contents, name);
  }
  await rejects(pack.open("nothing"), Deno.errors.NotFound);
});

Deno.test("only what no first program waits for is compressed, where that is worth it, and zeros of heaps take nothing", async () => {
  await using made = await packed();
  const { index } = await openPack(made.path, 0);
  const compressed = Object.keys(index).filter((name) => index[name]!.compressed !== undefined);
  deepEqual(compressed, ["shell.memory", "javascript.memory"]);
  equal(index["shell.memory"]!.compressed!.blocks[1], 0);
  // One block with something in it, a MiB of what can't be compressed, and a rest.
  const { blocks, sparse } = index["javascript.memory"]!.compressed!;
  deepEqual(blocks.filter((stored) => stored > 0), [...Array(17).fill(sparse), 5]);
});

Deno.test("a pack that is damaged or cut short is found out", async () => {
  await using made = await packed();
  const { path } = made;
  const { index, start } = await openPack(path, 0);
  const { start: from, compressed } = index["shell.memory"]!;
  const [first] = compressed!.blocks as [number];
  const bytes = await Deno.readFile(path);
  const changedAt = async (at: number, length = bytes.length) => {
    const changed = bytes.slice(0, length);
    changed[at]! ^= 1;
    await Deno.writeFile(path, changed);
    return await openPack(path, 0);
  };
  const readWith = async (at: number) => {
    const pack = await changedAt(start + from + at);
    return await (await pack.open("shell.memory")).read();
  };
  await rejects(readWith(0));
  await rejects(readWith(first - 1)); // of a check sum
  await rejects(readWith(first + 2000));
  for (let at = 0; at < first; at++) {
    const read = await readWith(at).catch(() => undefined);
    if (read) deepEqual(read, CONTENTS["shell.memory"]); // some of a frame's bits mean nothing
  }
  const short = await changedAt(bytes.length - 1, start + from + first + 10);
  await rejects(short.open("shell.memory").then((asset) => asset.read()), /ends \d+ bytes too early/);
  await rejects(changedAt(0), Deno.errors.NotFound);
});
