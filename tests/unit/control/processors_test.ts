/** Turns at the processors, taken by real threads. */

import assert from "node:assert/strict";
import { type ProcessorPlace, Processors } from "../../../src/control/processors.ts";
import { type Done, GO_ON, MOST_RUNNING, RUNNING, STOP, type Task } from "../../support/turns_worker.ts";

/** Longer than any test: nobody is passed over. */
const NEVER_MS = 600_000;

class Threads implements Disposable {
  readonly words = new Int32Array(new SharedArrayBuffer(4 * Int32Array.BYTES_PER_ELEMENT));
  readonly #workers: Worker[] = [];

  start(task: Omit<Task, "shared">): Promise<Done> {
    const worker = new Worker(import.meta.resolve("../../support/turns_worker.ts"), { type: "module" });
    this.#workers.push(worker);
    const done = Promise.withResolvers<Done>();
    worker.onmessage = ({ data }: MessageEvent<Done>) => done.resolve(data);
    worker.onerror = (event) => done.reject(new Error(event.message));
    worker.postMessage({ ...task, shared: this.words.buffer });
    return done.promise;
  }

  set(word: number): void {
    Atomics.store(this.words, word, 1);
    Atomics.notify(this.words, word);
  }

  async until(what: string, holds: () => boolean): Promise<void> {
    for (const end = Date.now() + 30_000; !holds();) {
      assert.ok(Date.now() < end, `never: ${what}`);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  [Symbol.dispose](): void {
    for (const worker of this.#workers) worker.terminate();
  }
}

function placesIn(processors: Processors, count: number): ProcessorPlace[] {
  return Array.from({ length: count }, () => processors.enter()!);
}

Deno.test("no more programs compute at the same time than there are processors, and all come to their end", async () => {
  using threads = new Threads();
  const places = placesIn(new Processors(2, NEVER_MS), 6);
  const all = await Promise.all(places.map((place) => threads.start({ place, looks: 40 })));
  assert.equal(threads.words[MOST_RUNNING], 2);
  assert.ok(all.every(({ stopped }) => !stopped));
});

Deno.test("without a place a program runs beside those that have their turns", async () => {
  using threads = new Threads();
  const [place] = placesIn(new Processors(1, NEVER_MS), 1);
  const first = threads.start({ place, looks: 10, halfway: "stuck" });
  await threads.until("it has its turn", () => threads.words[RUNNING] === 1);
  await threads.start({ place: undefined, looks: 10 });
  assert.equal(threads.words[MOST_RUNNING], 2);
  threads.set(GO_ON);
  await first;
});

Deno.test("a program that waits for something else gives its turn to the next one", async () => {
  using threads = new Threads();
  const places = placesIn(new Processors(1, NEVER_MS), 2);
  const first = threads.start({ place: places[0], looks: 10, halfway: "pause" });
  await threads.start({ place: places[1], looks: 10 }); // it could not end before the first one does
  threads.set(GO_ON);
  assert.equal((await first).stopped, false);
  assert.equal(threads.words[MOST_RUNNING], 1);
});

Deno.test("a program that never looks is passed over, and waits for its turn as soon as it looks again", async () => {
  using threads = new Threads();
  const places = placesIn(new Processors(1, 20), 3);
  const first = threads.start({ place: places[0], looks: 10, halfway: "stuck" });
  await Promise.all(places.slice(1).map((place) => threads.start({ place, looks: 10 })));
  threads.set(GO_ON);
  assert.equal((await first).stopped, false);
});

Deno.test("who waits for a turn is stopped at once", async () => {
  using threads = new Threads();
  const processors = new Processors(1, NEVER_MS);
  const places = placesIn(processors, 2);
  const first = threads.start({ place: places[0], looks: 10, halfway: "stuck" });
  await threads.until("it has its turn", () => threads.words[RUNNING] === 1);
  const second = threads.start({ place: places[1], looks: 10 });
  threads.set(STOP);
  processors.nudge(places[1]!);
  assert.deepEqual(await second, { made: 0, stopped: true });
  threads.set(GO_ON);
  await first;
});

Deno.test("who comes late has a turn as often as those who were there before", async () => {
  using threads = new Threads();
  const places = placesIn(new Processors(1, NEVER_MS), 3);
  const early = places.slice(0, 2).map((place) => threads.start({ place, looks: 400 }));
  await threads.until("they compute", () => threads.words[RUNNING] === 1);
  const late = threads.start({ place: places[2], looks: 100 });
  const first = Promise.race([late.then(() => "late"), ...early.map((done) => done.then(() => "early"))]);
  assert.equal(await first, "late");
  await Promise.all(early);
});

Deno.test("a place that was given back is another Worker's; when all are taken there is none", () => {
  const processors = new Processors(1);
  const places: ProcessorPlace[] = [];
  for (let place = processors.enter(); place; place = processors.enter()) places.push(place);
  assert.equal(new Set(places.map(({ place }) => place)).size, places.length);
  processors.leave(places[7]!);
  assert.equal(processors.enter()?.place, places[7]!.place);
  assert.equal(processors.enter(), undefined);
});
