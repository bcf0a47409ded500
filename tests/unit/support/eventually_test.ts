import assert from "node:assert/strict";
import { eventually, inTime } from "../../support/eventually.ts";

Deno.test("eventually() looks until what it sees will do, and returns that", async () => {
  let looks = 0;
  assert.equal(await eventually("the third look", () => ++looks, (seen) => seen === 3), 3);
  assert.equal(looks, 3);
});

Deno.test("eventually() fails at its deadline, and says what it saw last", async () => {
  let looks = 0;
  const waiting = eventually("it is negative", () => ({ looks: ++looks }), ({ looks }) => looks < 0, 20);
  await assert.rejects(waiting, /waited 0\.02 s in vain until it is negative; seen last: \{ looks: \d+ \}/);
  const after = looks;
  await new Promise((resolve) => setTimeout(resolve, 120)); // longer than the longest pause between two looks
  assert.equal(looks, after, "nobody looks any more");
});

Deno.test("eventually() fails at its deadline even if a look never ends, and at once if one throws", async () => {
  const hung = eventually("it is seen", () => new Promise<boolean>(() => {}), Boolean, 20);
  await assert.rejects(hung, /until it is seen; seen last: nothing/);
  const broken = eventually("it is seen", () => Promise.reject(new RangeError("broken")));
  await assert.rejects(broken, RangeError);
});

Deno.test("inTime() passes on what it is told, and fails if it is told nothing", async () => {
  assert.equal(await inTime("it came", Promise.resolve(7)), 7);
  await assert.rejects(inTime("it came", Promise.reject(new RangeError("broken"))), RangeError);
  await assert.rejects(inTime("it came", new Promise(() => {}), 20), /waited 0\.02 s in vain until it came/);
});
