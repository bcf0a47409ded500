/** Turns at the processors, taken by real threads. */

import assert from "node:assert/strict";
import { type ProcessorPlace, Processors } from "../../../src/control/processors.ts";
import {
  type Done,
  END,
  GO_ON,
  MOST_RUNNING,
  READY,
  RUNNING,
  START,
  STOP,
  type Task,
  WAITS,
  WORDS,
} from "../../support/turns_worker.ts";

/** Longer than any test: nobody is passed over. */
const NEVER_MS = 600_000;
const DEADLINE_MS = 60_000;

class Threads implements Disposable {
  readonly words = new Int32Array(new SharedArrayBuffer(WORDS * Int32Array.BYTES_PER_ELEMENT));
  readonly #workers: Worker[] = [];
  readonly #deadline = Promise.withResolvers<never>();
  readonly #timer = setTimeout(() => this.#deadline.reject(new Error("it never ends")), DEADLINE_MS);

  /** Loads a thread; it waits until all are to {@link begin}. */
  load(task: Omit<Task, "shared">): Promise<Done> {
    const worker = new Worker(import.meta.resolve("../../support/turns_worker.ts"), { type: "module" });
    this.#workers.push(worker);
    const done = Promise.withResolvers<Done>();
    worker.onmessage = ({ data }: MessageEvent<Done>) => done.resolve(data);
    worker.onerror = (event) => done.reject(new Error(event.message));
    worker.postMessage({ ...task, shared: this.words.buffer });
    return Promise.race([done.promise, this.#deadline.promise]);
  }

  /** Has all begin at the same time that were loaded, and those that will be at once. */
  async begin(): Promise<void> {
    await this.until("all are ready", () => this.words[READY] === this.#workers.length);
    this.set(START);
  }

  set(word: number): void {
    Atomics.store(this.words, word, 1);
    Atomics.notify(this.words, word);
  }

  async until(what: string, holds: () => boolean): Promise<void> {
    for (const end = Date.now() + DEADLINE_MS; !holds();) {
      assert.ok(Date.now() < end, `never: ${what}`);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    for (const worker of this.#workers) worker.terminate();
  }
}

function placesIn(processors: Processors, count: number): ProcessorPlace[] {
  return Array.from({ length: count }, () => processors.enter()!);
}

Deno.test("no more programs compute at the same time than there are processors, and all come to their end", async () => {
  using threads = new Threads();
  const places = placesIn(new Processors(2, NEVER_MS), 6);
  const all = places.map((place) => threads.load({ place, looks: 40 }));
  await threads.begin();
  assert.deepEqual(await Promise.all(all), all.map(() => ({ made: 40, stopped: false })));
  assert.equal(threads.words[MOST_RUNNING], 2);
});

Deno.test("without a place a program runs beside those that have their turns", async () => {
  using threads = new Threads();
  const [place] = placesIn(new Processors(1, NEVER_MS), 1);
  const first = threads.load({ place, looks: 10, halfway: "stuck" });
  await threads.begin();
  await threads.until("it has its turn", () => threads.words[RUNNING] === 1);
  await threads.load({ place: undefined, looks: 10 });
  assert.equal(threads.words[MOST_RUNNING], 2);
  threads.set(GO_ON);
  await first;
});

Deno.test("a program that waits for something else gives its turn to the next one", async () => {
  using threads = new Threads();
  const places = placesIn(new Processors(1, NEVER_MS), 2);
  const first = threads.load({ place: places[0], looks: 10, halfway: "pause" });
  await threads.begin();
  await threads.load({ place: places[1], looks: 10 }); // it could not end before the first one does
  threads.set(GO_ON);
  assert.equal((await first).stopped, false);
  assert.equal(threads.words[MOST_RUNNING], 1);
});

Deno.test("programs that never look are passed over, however many, and go on when they are back", async () => {
  using threads = new Threads();
  const places = placesIn(new Processors(1, 20), 5);
  const stuck = places.slice(0, 3).map((place) => threads.load({ place, looks: 10, halfway: "stuck" }));
  await threads.begin();
  await Promise.all(places.slice(3).map((place) => threads.load({ place, looks: 10 })));
  threads.set(GO_ON);
  assert.deepEqual(await Promise.all(stuck), stuck.map(() => ({ made: 10, stopped: false })));
});

Deno.test("who waits for a turn is stopped at once", async () => {
  using threads = new Threads();
  const processors = new Processors(1, NEVER_MS);
  const places = placesIn(processors, 2);
  const first = threads.load({ place: places[0], looks: 10, halfway: "stuck" });
  await threads.begin();
  await threads.until("it has its turn", () => threads.words[RUNNING] === 1);
  const second = threads.load({ place: places[1], looks: 10 });
  await threads.until("it waits", () => threads.words[WAITS] === 1);
  threads.set(STOP);
  processors.nudge(places[1]!);
  assert.deepEqual(await second, { made: 0, stopped: true });
  threads.set(GO_ON);
  await first;
});

Deno.test("who comes late has its turns among those who were there before", async () => {
  using threads = new Threads();
  const places = placesIn(new Processors(1, NEVER_MS), 3);
  const early = places.slice(0, 2).map((place) => threads.load({ place, looks: Infinity }));
  await threads.begin();
  await threads.until("they compute", () => threads.words[RUNNING] === 1);
  assert.deepEqual(await threads.load({ place: places[2], looks: 50 }), { made: 50, stopped: false });
  threads.set(END);
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
