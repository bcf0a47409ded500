/** The base image: it is what its source makes, holds nothing of where it was made, and belongs to no session. */

import assert from "node:assert/strict";
import { VirtualClock } from "../../../../src/control/guest_clock.ts";
import { seededRandom } from "../../../../src/control/random.ts";
import { buildBaseImage } from "../../../../src/runtime/javascript/base_image.ts";
import { basesOf } from "../../../../src/executor/assets/bases.ts";
import { describeBaseHeap, expandBaseHeap } from "../../../../src/image/base_heap.ts";
import { bundleTexts } from "../../../../scripts/assets/javascript.ts";
import { Session, stored } from "../../../support/javascript_harness.ts";

Deno.test("the image is what its source makes, every time and at any time", async () => {
  const texts = (await bundleTexts()).image;
  const { image, state } = buildBaseImage(stored.module, texts);
  const [made, shipped] = [expandBaseHeap(image), stored.base.heap].map((heap) => ({
    memory: new Uint8Array(heap.memory.buffer).slice(),
    rest: describeBaseHeap(heap),
  }));
  assert.deepEqual(made, shipped);
  assert.deepEqual(JSON.parse(JSON.stringify(state)), stored.base.state);
});

Deno.test("sessions of different seeds draw different numbers, sessions of one seed the same", async () => {
  const drawn = async (seed: number) => {
    const session = new Session({ random: seededRandom(seed), clock: (cell) => new VirtualClock(cell) });
    return await session.value("[Math.random(), Math.random(), Date.now(), performance.timeOrigin].join()");
  };
  assert.equal(await drawn(1), await drawn(1));
  assert.notEqual((await drawn(1))?.split(",")[0], (await drawn(2))?.split(",")[0]);
  const unseeded = await Promise.all([1, 2, 3].map(() => new Session().value("Math.random()")));
  assert.equal(new Set(unseeded).size, 3);
});

Deno.test("time begins with the session", async () => {
  const session = new Session();
  const before = Date.now();
  const [origin, now, elapsed] = JSON.parse(
    (await session.value("JSON.stringify([performance.timeOrigin, Date.now(), performance.now()])"))!
      .replace(/^'|'$/g, ""),
  );
  assert.ok(origin >= before - 1000 && origin <= now, `${origin} ${now}`);
  assert.ok(elapsed >= 0 && elapsed < 60_000, `${elapsed}`);
});

Deno.test("what a program does to the language's objects and to ours stays in its session", async () => {
  const spoiled = new Session();
  await spoiled.run(`
    Array.prototype.map = () => "spoiled"; Object.prototype.spoiled = true; console.log = () => {};
    __wasmboxModules.modules.fs.readFileSync = () => "spoiled";
    require("path").join = () => "spoiled"; JSON.parse = () => "spoiled"; delete globalThis.URL; 0`);
  const fresh = new Session();
  assert.equal(
    await fresh.value(
      `[[1].map((x) => x + 1)[0], ({}).spoiled, typeof URL, require("path").join("a", "b"), JSON.parse("1")].join()`,
    ),
    "'2,,function,a/b,1'",
  );
  assert.equal(await fresh.stdout("console.log('there')"), "there\n");
});

Deno.test("what heaps of JavaScript are deltas of changes with the engine, the image and what it does not say", () => {
  const names = ["quickjs.wasm", "javascript.memory", "javascript.json"];
  const files = Object.fromEntries(names.map((name) => [name, { sha256: "0".repeat(64) }]));
  const base = basesOf({ files })["javascript"];
  for (const name of names) {
    const other = { ...files, [name]: { sha256: "1".repeat(64) } };
    assert.notEqual(basesOf({ files: other })["javascript"], base, name);
  }
  assert.equal(
    basesOf({ files: { ...files, "python.image": { sha256: "1".repeat(64) } } })["javascript"],
    base,
  );
});
