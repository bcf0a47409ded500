import assert from "node:assert/strict";
import fc from "fast-check";
import { concatBytes } from "../../../src/bytes.ts";
import { PieceCutter } from "../../../src/session/piece_cutter.ts";
import { runs } from "../../fuzz/runs.ts";

/** All pieces, and what is left over, of bytes that come in these chunks. */
function cut(size: number, chunks: readonly Uint8Array[]): { pieces: Uint8Array[]; rest: Uint8Array } {
  const cutter = new PieceCutter(size);
  const pieces = chunks.flatMap((chunk) => [...cutter.push(chunk)]);
  return { pieces, rest: cutter.rest() };
}

Deno.test("pieces are of the size, whatever the chunks are", () => {
  const { pieces, rest } = cut(3, [
    new Uint8Array([1]),
    new Uint8Array([2, 3, 4, 5, 6, 7]),
    new Uint8Array(),
  ]);
  assert.deepEqual(pieces, [new Uint8Array([1, 2, 3]), new Uint8Array([4, 5, 6])]);
  assert.deepEqual(rest, new Uint8Array([7]));
});

Deno.test("nothing that comes leaves nothing over, and what fills a piece leaves nothing over either", () => {
  assert.deepEqual(cut(4, []), { pieces: [], rest: new Uint8Array() });
  assert.deepEqual(cut(4, [new Uint8Array(8)]).rest, new Uint8Array());
  assert.deepEqual(cut(4, [new Uint8Array(3), new Uint8Array(5)]).rest, new Uint8Array());
});

Deno.test("a piece is given as soon as its last byte is there, and keeps its bytes", () => {
  const cutter = new PieceCutter(2);
  assert.deepEqual([...cutter.push(new Uint8Array([1]))], []);
  const [first] = [...cutter.push(new Uint8Array([2, 3]))];
  const [second] = [...cutter.push(new Uint8Array([4, 5]))];
  assert.deepEqual([first, second], [new Uint8Array([1, 2]), new Uint8Array([3, 4])]);
});

Deno.test("any cutting of the same bytes gives the same pieces", () => {
  const bytes = fc.uint8Array({ maxLength: 300 });
  const ends = fc.array(fc.nat({ max: 300 }), { maxLength: 30 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), bytes, ends, (size, all, ends) => {
      const sorted = [0, ...ends.map((end) => Math.min(end, all.length)).sort((a, b) => a - b), all.length];
      const chunks = sorted.slice(1).map((end, index) => all.slice(sorted[index], end));
      const { pieces, rest } = cut(size, chunks);
      assert.deepEqual({ pieces, rest }, cut(size, [all]));
      assert.ok(pieces.every((piece) => piece.length === size) && rest.length < size);
      assert.deepEqual(concatBytes([...pieces, rest]), all);
    }),
    runs(500),
  );
});
