import assert from "node:assert/strict";
import { Epoch, PersistentMap } from "../../../src/fs/persistent_map.ts";
import { randomNumbers } from "./harness.ts";

const KEY_RANGES = [40, 5_000, 2 ** 30, 2 ** 52];

function contents(map: PersistentMap<number>): [number, number][] {
  const found: [number, number][] = [];
  map.visit((value, key) => found.push([key, value]) > 0);
  return found;
}

const sorted = (model: ReadonlyMap<number, number>) => [...model].sort(([a], [b]) => a - b);

Deno.test("a persistent map agrees with a Map, and its forks do not change", () => {
  for (const range of KEY_RANGES) {
    const random = randomNumbers(range % 1_000_003);
    const map = new PersistentMap<number>();
    const model = new Map<number, number>();
    const forks: [PersistentMap<number>, ReadonlyMap<number, number>][] = [];
    let epoch = new Epoch();
    for (let step = 0; step < 4_000; step++) {
      const key = random(range);
      if (random(3) === 0) {
        map.delete(key, epoch);
        model.delete(key);
      } else {
        map.set(key, step, epoch);
        model.set(key, step);
      }
      if (step % 500 === 0) {
        forks.push([map.fork(), new Map(model)]);
        epoch = new Epoch();
      }
    }
    assert.equal(map.size, model.size);
    assert.deepEqual(contents(map), sorted(model));
    for (const [key, value] of model) assert.equal(map.get(key), value);
    for (const [fork, frozen] of forks) assert.deepEqual(contents(fork), sorted(frozen));
    const [old, frozen] = forks[1]!;
    const changed = new Set(
      [...model.keys(), ...frozen.keys()].filter((k) => model.get(k) !== frozen.get(k)),
    );
    const found = PersistentMap.changes(old, map);
    assert.deepEqual(new Set(found.map(({ key }) => key)), changed);
    assert.equal(found.length, changed.size);
    for (const { key, before, after } of found) {
      assert.equal(before, frozen.get(key));
      assert.equal(after, model.get(key));
    }
  }
});

Deno.test("a visit starts at the first key that is not below its start, and stops when told", () => {
  const map = new PersistentMap<number>();
  const epoch = new Epoch();
  for (const key of [2, 3, 64, 70, 5_000, 2 ** 40]) map.set(key, key, epoch);
  const from = (first: number) => {
    const found: number[] = [];
    map.visit((value) => found.push(value) < 2, first);
    return found;
  };
  assert.deepEqual(from(0), [2, 3]);
  assert.deepEqual(from(4), [64, 70]);
  assert.deepEqual(from(70), [70, 5_000]);
  assert.deepEqual(from(71), [5_000, 2 ** 40]);
  assert.deepEqual(from(2 ** 40 + 1), []);
  assert.deepEqual(from(2 ** 53 - 1), []);
});

Deno.test("a map that was emptied is like a new one", () => {
  const map = new PersistentMap<number>();
  const epoch = new Epoch();
  for (let key = 0; key < 3_000; key++) map.set(key, key, epoch);
  for (let key = 0; key < 3_000; key++) map.delete(key, epoch);
  map.delete(7, epoch);
  assert.equal(map.size, 0);
  assert.deepEqual(contents(map), []);
  assert.deepEqual(PersistentMap.changes(new PersistentMap<number>(), map), []);
});
