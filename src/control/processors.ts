/**
 * Turns at the processors. Of the guests of an executor that compute at the same time no more run than there are
 * processors; the others wait, and whoever has had least is next. Left to the kernel they share by threads: a call of a
 * millisecond waits behind all of them at each step of its way, and of hundreds some get three times what others get.
 *
 * What is shared is memory only: each Worker looks for itself, about once a millisecond, whether its turn is over.
 */

/** Before the places. */
const LOCK = 0;
const PROCESSORS = 1;
/** All places that were ever taken come before this one. */
const END = 2;
const STUCK_MS = 3;
/** Who of those that wait looks after those that are stuck, counted from 1; 0 if nobody. */
const WATCHER = 4;
const HEADER_WORDS = 5;

/** Of a place. */
const STATE = 0;
const WAKE = 1;
/** Turns it was given, counted. */
const TURNS = 2;
/** What it has had of the processors, in units that are about 10 µs, modulo 2 ** 32. */
const USED = 3;
const PLACE_WORDS = 4;
const UNITS_PER_MS = 100;
/**
 * What has been done counts, in fuel, as processors differ, and others have them meanwhile: equal programs get on equally.
 * But what the host does for a program takes no fuel; so no less counts than half of the time, which is less than what
 * computing takes: some 80,000 to 350,000 of fuel a millisecond, by itself.
 */
const FUEL_PER_UNIT = 500;
const LEAST_PER_MS = UNITS_PER_MS / 2;

/** More Workers than an executor has; one beyond them runs without turns. */
const PLACES = 1024;

/** States of a place. */
const FREE = 0;
/** Its Worker does not ask for turns: nothing runs, or not for long yet. */
const OUT = 1;
const WAITS = 2;
const RUNS = 3;
/** Its turn was over long ago, but the guest did not come to look: others have it, and it runs beside them. */
const OVERDUE = 4;

/** What a program may run before it needs a turn, ms: most calls are shorter, and whoever made them waits for them alone. */
const FREE_MS = 5;
/** A turn where others wait, ms. */
const TURN_MS = 5;
/** Who had more than others before it paused has so much more at most when it comes back, ms. */
const REMEMBERED_MS = TURN_MS;
/** Whoever does not look for so long is passed over, ms: it may be about something of the host's that takes its time. */
const USUAL_STUCK_MS = 100;

/** Where a Worker waits for its turns. */
export interface ProcessorPlace {
  readonly buffer: SharedArrayBuffer;
  readonly place: number;
}

/** The turns of one executor, as its main thread sees them: it gives Workers their places, and never waits. */
export class Processors {
  readonly #words: Int32Array;

  /**
   * @param count Guests that run at the same time.
   * @param stuckMs After so long the others do not wait any more for one that has its turn and never looks.
   */
  constructor(count: number, stuckMs = USUAL_STUCK_MS) {
    const words = HEADER_WORDS + PLACES * PLACE_WORDS;
    this.#words = new Int32Array(new SharedArrayBuffer(words * Int32Array.BYTES_PER_ELEMENT));
    this.#words[PROCESSORS] = count;
    this.#words[STUCK_MS] = stuckMs;
  }

  /** @returns A place for a Worker; undefined if all are taken. */
  enter(): ProcessorPlace | undefined {
    for (let place = 0; place < PLACES; place++) {
      if (Atomics.compareExchange(this.#words, at(place, STATE), FREE, OUT) !== FREE) continue;
      Atomics.store(this.#words, END, Math.max(place + 1, Atomics.load(this.#words, END)));
      return { buffer: this.#words.buffer as SharedArrayBuffer, place };
    }
    return undefined;
  }

  /** Gives back the place of a Worker that has ended without doing so. */
  leave({ place }: ProcessorPlace): void {
    leave(this.#words, place);
  }

  /** Has a Worker that waits for its turn look whether it is still to run. */
  nudge({ place }: ProcessorPlace): void {
    nudge(this.#words, place);
  }
}

/** What a Worker that has to wait for its turn is to do. */
export interface Waiting {
  /** It will wait now. */
  begins(): void;
  /** Looked at before it sleeps and after each {@link Processors.nudge}: false ends the wait, as what runs is to end. */
  goesOn(): boolean;
}

/** One Worker's turns. Without a place it runs whenever it wants to. */
export class ProcessorTurns {
  /** Undefined without a place. */
  #words: Int32Array | undefined;
  readonly #place: number;
  /** Whether a program runs. */
  #active = false;
  /** Whether it waits for something else than a turn. */
  #paused = false;
  /** Since when it has run, as of `performance.now()`: with its turn, or without needing one. */
  #since = 0;
  /** Of {@link FREE_MS}, what is left. */
  #free = 0;
  /** Fuel that the program and all that works for it were given so far. */
  #fuel: () => number = () => 0;
  /** What that was when it was last counted. */
  #counted = 0;

  constructor(place: ProcessorPlace | undefined) {
    this.#words = place && new Int32Array(place.buffer);
    this.#place = place?.place ?? 0;
  }

  /** A program begins. To be disposed of at its end. @param fuel Given so far to it, and to those before it. */
  begin(fuel: () => number): Disposable {
    this.#active = this.#words !== undefined;
    this.#fuel = fuel;
    this.#counted = fuel();
    this.#paused = false;
    this.#since = performance.now();
    this.#free = FREE_MS;
    return { [Symbol.dispose]: () => this.#end() };
  }

  /** Gives the place back, as the Worker ends. */
  leave(): void {
    if (this.#words) leave(this.#words, this.#place);
    this.#words = undefined;
    this.#active = false;
  }

  /** The program waits for something that is not a turn: others may run meanwhile. */
  pause(): void {
    if (!this.#active || this.#paused) return;
    this.#paused = true;
    this.#giveBack(performance.now());
  }

  /** The program runs: waits for its turn if it is to have one and others have theirs now. */
  look(waiting: Waiting): void {
    if (!this.#active) return;
    const now = performance.now();
    if (this.#paused) {
      this.#paused = false;
      this.#since = now;
    }
    const state = this.#state;
    const allowed = state === OUT ? this.#free : state === RUNS ? TURN_MS : 0;
    if (now - this.#since < allowed) return;
    if (this.#mayGoOn(now)) return;
    waiting.begins();
    this.#wait(waiting);
  }

  #end(): void {
    if (!this.#active) return;
    if (!this.#paused) this.#giveBack(performance.now());
    this.#active = false;
  }

  get #state(): number {
    return Atomics.load(this.#words!, at(this.#place, STATE));
  }

  /** Gives its turn, if it has one, to whoever is next. */
  #giveBack(now: number): void {
    const words = this.#words!;
    if (this.#state === OUT) {
      this.#free -= now - this.#since;
      return;
    }
    locked(words, () => {
      const hadTurn = this.#state === RUNS;
      this.#count(now);
      Atomics.store(words, at(this.#place, STATE), OUT);
      if (hadTurn) giveTurns(words);
    });
    this.#free = 0;
  }

  #count(now: number): void {
    const fuel = this.#fuel();
    const used = Math.max((fuel - this.#counted) / FUEL_PER_UNIT, (now - this.#since) * LEAST_PER_MS);
    Atomics.add(this.#words!, at(this.#place, USED), Math.round(used));
    this.#counted = fuel;
    this.#since = now;
  }

  /** @returns Whether it goes on at once; else it is among those who wait. */
  #mayGoOn(now: number): boolean {
    const words = this.#words!;
    return locked(words, () => {
      this.#count(now);
      if (this.#state === OUT) rejoin(words, this.#place);
      Atomics.store(words, at(this.#place, STATE), WAITS);
      giveTurns(words, this.#place);
      return this.#state === RUNS;
    });
  }

  #wait(waiting: Waiting): void {
    try {
      if (!this.#isGiven(waiting)) this.#giveUp();
    } catch (error) {
      this.#giveUp();
      throw error;
    } finally {
      this.#leaveWatch();
      this.#since = performance.now();
    }
  }

  /** Sleeps until it has its turn. @returns False if it is not to wait any more. */
  #isGiven(waiting: Waiting): boolean {
    const words = this.#words!;
    const stuckMs = words[STUCK_MS]!;
    let known = turnsGiven(words);
    for (let since = performance.now();;) {
      const seen = Atomics.load(words, at(this.#place, WAKE));
      if (this.#state !== WAITS) return true; // its turn may be over before it has noticed
      if (!waiting.goesOn()) return false;
      // One of them is enough: where hundreds wait they would have the processors to themselves.
      const watches = this.#watches;
      Atomics.wait(words, at(this.#place, WAKE), seen, watches ? stuckMs : Infinity);
      if (!watches || performance.now() - since < stuckMs) continue;
      locked(words, () => passOver(words, known));
      known = turnsGiven(words);
      since = performance.now();
    }
  }

  /** What runs is to end: it has no turn, and waits for none. */
  #giveUp(): void {
    const words = this.#words!;
    locked(words, () => {
      const hadTurn = this.#state === RUNS;
      Atomics.store(words, at(this.#place, STATE), OUT);
      if (hadTurn) giveTurns(words);
    });
  }

  /** Whether it is the one that looks after the others; it is if nobody was. */
  get #watches(): boolean {
    const own = this.#place + 1;
    const watcher = Atomics.compareExchange(this.#words!, WATCHER, 0, own);
    return watcher === 0 || watcher === own;
  }

  /** Leaves it to whoever will probably wait longest. */
  #leaveWatch(): void {
    const words = this.#words!;
    const own = this.#place + 1;
    const watcher = Atomics.compareExchange(words, WATCHER, own, 0);
    if (watcher !== own && watcher !== 0) return;
    const waiting = [...taken(words)].filter(({ state }) => state === WAITS).map(({ place }) => place);
    const [next] = waiting.sort((a, b) => compareUsed(words, b, a));
    if (next !== undefined) nudge(words, next);
  }
}

function at(place: number, word: number): number {
  return HEADER_WORDS + place * PLACE_WORDS + word;
}

function leave(words: Int32Array, place: number): void {
  Atomics.compareExchange(words, WATCHER, place + 1, 0);
  Atomics.store(words, at(place, STATE), FREE);
}

function nudge(words: Int32Array, place: number): void {
  Atomics.add(words, at(place, WAKE), 1);
  Atomics.notify(words, at(place, WAKE));
}

/** Runs what looks at all places, or changes more than one; it must not wait. */
function locked<T>(words: Int32Array, body: () => T): T {
  while (Atomics.compareExchange(words, LOCK, 0, 1) !== 0) Atomics.wait(words, LOCK, 1, 1);
  try {
    return body();
  } finally {
    Atomics.store(words, LOCK, 0);
    Atomics.notify(words, LOCK, 1);
  }
}

/** The places that are taken. */
function* taken(words: Int32Array): Generator<{ place: number; state: number }> {
  for (let place = 0, end = Atomics.load(words, END); place < end; place++) {
    const state = Atomics.load(words, at(place, STATE));
    if (state !== FREE) yield { place, state };
  }
}

/** Gives the turns that nobody has to those who have had least. @param self Need not be woken. */
function giveTurns(words: Int32Array, self?: number): void {
  let free = words[PROCESSORS]!;
  const waiting: number[] = [];
  for (const { place, state } of taken(words)) {
    if (state === RUNS) free--;
    else if (state === WAITS) waiting.push(place);
  }
  if (free <= 0) return;
  waiting.sort((a, b) => compareUsed(words, a, b));
  for (const place of waiting.slice(0, free)) {
    Atomics.add(words, at(place, TURNS), 1);
    Atomics.store(words, at(place, STATE), RUNS);
    if (place !== self) nudge(words, place);
  }
}

/** Negative if `a` has had less; right as long as they differ by less than hours. */
function compareUsed(words: Int32Array, a: number, b: number): number {
  return Atomics.load(words, at(a, USED)) - Atomics.load(words, at(b, USED)) | 0;
}

/** What it had while others were away, or they while it was, is no reason to wait, or to be preferred. */
function rejoin(words: Int32Array, own: number): void {
  const others = [...taken(words)].filter(({ place, state }) => place !== own && state !== OUT);
  const waiting = others.filter(({ state }) => state === WAITS);
  // Those that wait are at what all have had; one that is stuck may have had nothing for long.
  const [least] = (waiting.length > 0 ? waiting : others).map(({ place }) => place)
    .sort((a, b) => compareUsed(words, a, b));
  if (least === undefined) return;
  const more = Math.min(Math.max(0, compareUsed(words, own, least)), REMEMBERED_MS * UNITS_PER_MS);
  Atomics.store(words, at(own, USED), Atomics.load(words, at(least, USED)) + more);
}

/** Turns that were given so far, by the places that have them now. */
function turnsGiven(words: Int32Array): ReadonlyMap<number, number> {
  const given = new Map<number, number>();
  for (const { place, state } of taken(words)) {
    if (state === RUNS) given.set(place, Atomics.load(words, at(place, TURNS)));
  }
  return given;
}

/** Passes over those that still have the turn that they had a while ago, as `known` has it. */
function passOver(words: Int32Array, known: ReadonlyMap<number, number>): void {
  for (const [place, turns] of turnsGiven(words)) {
    if (known.get(place) !== turns) continue;
    Atomics.store(words, at(place, STATE), OVERDUE);
    nudge(words, place); // it may have a turn that it has not noticed
  }
  giveTurns(words);
}
