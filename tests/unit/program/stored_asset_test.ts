/** Assets that are read into memory which Workers share. */

import assert from "node:assert/strict";
import { StoredAsset } from "../../../src/program/stored_asset.ts";

const MIB = 1 << 20;
const PAGE = 4096;

/** What `share` makes of a file with these contents. */
async function shared(contents: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const path = await Deno.makeTempFile();
  try {
    await Deno.writeFile(path, contents);
    const target = new Uint8Array(new SharedArrayBuffer(contents.length));
    await new StoredAsset(await Deno.open(path), contents.length).share(target);
    return target;
  } finally {
    await Deno.remove(path);
  }
}

Deno.test("an asset arrives as it is, wherever it has zeros and however long it is", async () => {
  for (const length of [0, 1, PAGE - 1, PAGE, PAGE + 3, 3 * PAGE, MIB, MIB + 1, 2 * MIB + 5 * PAGE + 2]) {
    const contents = new Uint8Array(length);
    // Of every three pages one is all zeros, one has a single byte of something, one has more.
    for (let page = 0; page * PAGE < length; page++) {
      if (page % 3 === 1) contents[Math.min(length, (page + 1) * PAGE) - 1] = 1;
      if (page % 3 === 2) contents.fill(page, page * PAGE, page * PAGE + PAGE / 2);
    }
    assert.deepEqual((await shared(contents)).slice(), contents, `${length} bytes`);
  }
});

Deno.test("pages of zeros take no memory", async () => {
  const contents = new Uint8Array(128 * MIB);
  for (let block = 0; block < contents.length; block += MIB) contents[block] = 1;
  const path = await Deno.makeTempFile();
  try {
    await Deno.writeFile(path, contents);
    const before = Deno.memoryUsage().rss;
    const target = new Uint8Array(new SharedArrayBuffer(contents.length));
    await new StoredAsset(await Deno.open(path), contents.length).share(target);
    assert.ok(Deno.memoryUsage().rss - before < 64 * MIB, `${Deno.memoryUsage().rss - before}`);
    assert.equal(target[5 * MIB], 1);
  } finally {
    await Deno.remove(path);
  }
});
