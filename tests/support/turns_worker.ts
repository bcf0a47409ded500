/** A Worker whose programs compute by turns (src/control/processors.ts), for the tests of these. */

import { type ProcessorPlace, ProcessorTurns } from "../../src/control/processors.ts";

/** Words that all Workers of a test share. */
export const RUNNING = 0;
export const MOST_RUNNING = 1;
/** Of them, how many have loaded; they begin when START is set. */
export const READY = 2;
export const START = 3;
/** How often one of them began to wait for a turn. */
export const WAITS = 4;
export const GO_ON = 5;
export const STOP = 6;
export const END = 7;
export const WORDS = 8;

export interface Task {
  readonly place: ProcessorPlace | undefined;
  readonly shared: SharedArrayBuffer;
  /** Looks until it ends, if END is not set before. */
  readonly looks: number;
  /** What it does when half of them are made: waits for GO_ON in the way that guests wait, or without a word. */
  readonly halfway?: "pause" | "stuck";
}

export interface Done {
  /** How often it went on after a look. */
  readonly made: number;
  /** Whether it was told to stop. */
  readonly stopped: boolean;
}

/** In which a program needs no turn yet, and a little more, ms. */
const BEGINNING_MS = 20;

function spin(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end;);
}

function raise(words: Int32Array, word: number, value: number): void {
  for (let most = Atomics.load(words, word); value > most;) {
    const found = Atomics.compareExchange(words, word, most, value);
    if (found === most) return;
    most = found;
  }
}

function run({ place, shared, looks, halfway }: Task): Done {
  const words = new Int32Array(shared);
  const isSet = (word: number) => Atomics.load(words, word) === 1;
  Atomics.add(words, READY, 1);
  Atomics.wait(words, START, 0);
  const turns = new ProcessorTurns(place);
  using _program = turns.begin(() => 0);
  spin(BEGINNING_MS);
  const waiting = { begins: () => void Atomics.add(words, WAITS, 1), goesOn: () => !isSet(STOP) };
  for (let look = 0; look < looks && !isSet(END); look++) {
    turns.look(waiting);
    if (isSet(STOP)) return { made: look, stopped: true };
    raise(words, MOST_RUNNING, Atomics.add(words, RUNNING, 1) + 1);
    spin(1);
    if (halfway === "stuck" && look >= looks / 2) Atomics.wait(words, GO_ON, 0);
    Atomics.sub(words, RUNNING, 1);
    if (halfway === "pause" && look >= looks / 2) {
      turns.pause();
      Atomics.wait(words, GO_ON, 0);
    }
  }
  return { made: looks, stopped: false };
}

/** Only where this is a Worker. */
const scope = globalThis as unknown as {
  onmessage: ((event: MessageEvent<Task>) => void) | null;
  postMessage(done: Done): void;
};
if ("WorkerGlobalScope" in globalThis) {
  scope.onmessage = ({ data }) => scope.postMessage(run(data));
}
