import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { parseHeap } from "../../../../src/image/heap_image.ts";
import { buildBaseImage } from "../../../../src/runtime/python/base_image.ts";
import { compile, stdlib } from "../../../support/python_harness.ts";

/** The one whose data segments are not left out, since only this test boots it. */
const module = compile("python.unmetered.wasm");

Deno.test("the same inputs make the same base image, byte for byte", () => {
  const [{ image: one, modules }, { image: two }] = [
    buildBaseImage(module, stdlib),
    buildBaseImage(module, stdlib),
  ];
  equal(one.length, two.length);
  ok(one.every((byte, index) => byte === two[index]));
  const { wasmPages, parts } = parseHeap(one);
  ok(wasmPages * 65_536 <= 40 * 1024 * 1024, `${wasmPages} pages`);
  ok(parts.length < 500, `${parts.length} parts`);
  deepEqual(parts.map(({ address }) => address % 4096).filter((rest) => rest !== 0), []);
  for (const name of ["math", "json", "sqlite3"]) ok(modules.includes(name), name);
  for (const name of ["curses", "tkinter"]) ok(!modules.includes(name), name);
});

Deno.test("an invalid standard library is an error that says what Python said", () => {
  throws(() => buildBaseImage(module, new Uint8Array(1000)), /image could not be built[^]*encodings/);
});
