import { deepEqual, equal, rejects } from "node:assert/strict";
import { all, Slots } from "../../../scripts/assets/slots.ts";

/** Works that are told when to end, and say when they have begun. */
function works(slots: Slots, names: readonly string[]) {
  const begun: string[] = [];
  const ends = new Map(names.map((name) => [name, Promise.withResolvers<string>()]));
  const results = names.map((name) =>
    slots.use(() => {
      begun.push(name);
      return ends.get(name)!.promise;
    })
  );
  return { begun, results, end: (name: string) => ends.get(name)! };
}

Deno.test("so many work at once as there are slots, in the order in which they asked", async () => {
  const { begun, results, end } = works(new Slots(2), ["a", "b", "c", "d"]);
  await Promise.resolve();
  deepEqual(begun, ["a", "b"]);
  end("b").resolve("B");
  equal(await results[1], "B");
  await Promise.resolve();
  deepEqual(begun, ["a", "b", "c"]);
  for (const name of ["a", "c", "d"]) end(name).resolve(name.toUpperCase());
  deepEqual(await all(results), ["A", "B", "C", "D"]);
});

Deno.test("once one has failed none that waits begins, and what has begun ends before that is told", async () => {
  const { begun, results, end } = works(new Slots(2), ["a", "b", "c"]);
  const told: string[] = [];
  const both = all(results).finally(() => told.push("all"));
  void results[1]!.then(() => told.push("b"));
  end("a").reject(new Error("a failed"));
  await rejects(results[0]!, /a failed/);
  await rejects(results[2]!, /a failed/);
  end("b").resolve("B");
  await rejects(both, /a failed/);
  deepEqual([begun, told], [["a", "b"], ["b", "all"]]);
});
