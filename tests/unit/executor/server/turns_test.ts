import { deepEqual } from "node:assert/strict";
import { Turns } from "../../../../src/executor/server/turns.ts";

Deno.test("so many have their turn at a time, the others in the order in which they came", async () => {
  const turns = new Turns(2);
  const begun: number[] = [];
  const ends = Array.from({ length: 6 }, () => Promise.withResolvers<void>());
  const all = ends.map(async (end, number) => {
    using _turn = await turns.next();
    begun.push(number);
    await end.promise;
    if (number === 3) throw new Error("what went wrong keeps nobody waiting");
  });
  const settled = Promise.allSettled(all);
  const end = async (...numbers: number[]) => {
    for (const number of numbers) ends[number]!.resolve();
    await Promise.allSettled(numbers.map((number) => all[number]));
    await Promise.resolve(); // whose turn it is now begins
  };
  await Promise.resolve();
  deepEqual(begun, [0, 1]);
  await end(1);
  deepEqual(begun, [0, 1, 2]);
  await end(0, 2);
  deepEqual(begun, [0, 1, 2, 3, 4]);
  await end(3);
  deepEqual(begun, [0, 1, 2, 3, 4, 5]);
  await end(4, 5);
  deepEqual((await settled).map(({ status }) => status === "fulfilled"), [
    true,
    true,
    true,
    false,
    true,
    true,
  ]);
  // All of them have given theirs back, once.
  let third = false;
  await turns.next();
  await turns.next();
  void turns.next().then(() => third = true);
  await Promise.resolve();
  deepEqual(third, false);
});
