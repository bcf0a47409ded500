/**
 * Which sessions of an executor share a Worker. Only one of them has it at a time: another one that is called meanwhile
 * goes elsewhere, from its checkpoint, so that none waits for its neighbour's program.
 */

import { isBound, type Standing } from "./tenant.ts";

/**
 * A session whose neighbour has had their Worker for so long, ms, moves instead of waiting: most programs have ended by
 * then, and to move takes more.
 */
const PATIENCE_MS = 10;
/** Where one neighbour after another has it, that for so many of them. */
const MOST_HOLDERS = 5;
/** A new session that would get a Worker of its own waits so long for one, ms: to make it takes as long. */
const VACANCY_PATIENCE_MS = 50;

/**
 * While each processor has a Worker that is called, what a session would do in another one waits for a processor there,
 * behind the making of that Worker. It waits where it is, as long as that making took of late, at most so long, ms: then
 * it moves for the sake of its neighbour's program, which takes long.
 */
const CROWDED_PATIENCE_MS = 1000;

/**
 * A session that had to move goes where nobody was called for so long, ms, or to a Worker of its own: among others that
 * are called as often as it is it would have to move again at once, and each time costs more than most programs.
 */
const QUIET_MS = 1000;

/** A Worker, by a number that the executor is told. */
interface Room {
  readonly number: number;
  /** Channels of its sessions. */
  readonly seats: Set<number>;
  /** The session that has it. */
  owner: number | undefined;
  /** Since when; `performance.now()`. */
  since: number;
  /** Whether the Worker was asked for something that it has not done yet. */
  working: boolean;
  /** Whether the owner wants nothing more once that is done. */
  resting: boolean;
  /** How many wait for it. */
  waiting: number;
  /** When it was asked for, while it is being made; `performance.now()`. */
  begun: number | undefined;
  /** Resolves when nobody has it. */
  free: PromiseWithResolvers<void>;
}

export class Rooms {
  readonly #rooms = new Set<Room>();
  readonly #of = new Map<number, Room>();
  /** When sessions were last given their Worker, by their channels; `performance.now()`. */
  readonly #used = new Map<number, number>();
  #last = 0;
  /** When sessions left their Workers that are in no other one yet; `performance.now()`. */
  #departed: number[] = [];
  /** What it took to make the last Worker, and to have a session in it, ms. */
  #making = 0;
  /** Sessions that a Worker takes. */
  seats = 1;

  /** @param standing What a session would lose by leaving. @param processors That Workers may have. */
  constructor(
    readonly standing: (channel: number) => Standing,
    readonly processors: number = navigator.hardwareConcurrency,
  ) {}

  /**
   * Waits for a Worker that is about to be free, as what ran there is being captured: another one would cost more. A
   * session that moves waits for none, as it goes where it is quiet.
   *
   * @param moves Whether that is for a session that had to leave its Worker.
   */
  async vacancy(moves: boolean): Promise<void> {
    if (moves) return;
    const rooms = [...this.#rooms];
    if (rooms.some((room) => this.#takes(room, false))) return;
    const next = rooms.find((room) => room.resting && this.#hasSeats(room));
    if (next) await released(next, VACANCY_PATIENCE_MS);
  }

  /** Gives a session a place, and the Worker. @param moves As of `vacancy`. @returns The Worker's number. */
  enter(channel: number, moves: boolean): number {
    if (moves) this.#departed.shift();
    const room = [...this.#rooms].find((room) => this.#takes(room, moves)) ?? this.#build();
    this.#used.set(channel, performance.now());
    room.seats.add(channel);
    take(room, channel);
    room.working = true;
    this.#of.set(channel, room);
    return room.number;
  }

  /** A session is in its place. */
  entered(channel: number): void {
    const room = this.#of.get(channel);
    if (room?.begun === undefined) return;
    this.#making = performance.now() - room.begun;
    room.begun = undefined;
  }

  /** Gives a session its Worker. @returns False if somebody else has it, or could not give it up again. */
  async claim(channel: number): Promise<boolean> {
    const room = this.#of.get(channel);
    if (!room) return false;
    const started = performance.now();
    // Nothing may happen between the end of this and `take`: all who wait for a Worker wake up when it is free.
    while (room.owner !== undefined && room.owner !== channel) {
      const each = this.#patience;
      const patience = Math.min(started + MOST_HOLDERS * each, room.since + each) - performance.now();
      if (patience <= 0) {
        if (!isBound(this.standing(channel))) this.#departed.push(performance.now());
        return false;
      }
      room.waiting++;
      await released(room, patience);
      room.waiting--;
    }
    if (this.#of.get(channel) !== room) return false;
    if ([...room.seats].some((seat) => seat !== channel && isBound(this.standing(seat)))) return false;
    take(room, channel);
    this.#used.set(channel, performance.now());
    return true;
  }

  /** The Worker was asked for something. */
  begin(channel: number): void {
    const room = this.#of.get(channel);
    if (room?.owner === channel) room.working = true;
  }

  /** It has done what it was asked for; the session still has it, unless it is at rest. */
  done(channel: number): void {
    const room = this.#of.get(channel);
    if (room?.owner !== channel) return;
    room.working = false;
    if (room.resting) release(room);
  }

  /** The session wants nothing more of it for now. */
  rest(channel: number): void {
    const room = this.#of.get(channel);
    if (room?.owner !== channel) return;
    if (room.working) room.resting = true;
    else release(room);
  }

  leave(channel: number): void {
    this.#used.delete(channel);
    const room = this.#of.get(channel);
    if (!room) return;
    this.#of.delete(channel);
    room.seats.delete(channel);
    // What is left of a call that was answered ends soon.
    const busy = room.owner === channel && room.working && !room.resting;
    if (room.owner === channel) release(room);
    if (room.seats.size > 0 && !busy) return;
    this.#rooms.delete(room);
    // What the Worker was doing may go on for a while: the others are not to wait for that.
    for (const seat of room.seats) this.#of.delete(seat);
  }

  #takes(room: Room, moves: boolean): boolean {
    if (room.owner !== undefined || !this.#hasSeats(room)) return false;
    const before = moves ? performance.now() - QUIET_MS : Infinity;
    return [...room.seats].every((channel) =>
      this.standing(channel) === "idle" && (this.#used.get(channel) ?? 0) <= before
    );
  }

  /** How long one neighbour is waited for, ms. */
  get #patience(): number {
    const now = performance.now();
    const called = [...this.#rooms].filter(({ owner, waiting }) => owner !== undefined || waiting > 0);
    this.#departed = this.#departed.filter((at) => at > now - QUIET_MS);
    if (called.length + this.#departed.length < this.processors) return PATIENCE_MS;
    const underWay = [...this.#rooms].map(({ begun }) => begun === undefined ? 0 : now - begun);
    return Math.min(CROWDED_PATIENCE_MS, Math.max(PATIENCE_MS, this.#making, ...underWay));
  }

  #hasSeats({ seats }: Room): boolean {
    return seats.size < this.seats;
  }

  #build(): Room {
    const room: Room = {
      number: ++this.#last,
      seats: new Set(),
      owner: undefined,
      since: 0,
      working: false,
      resting: false,
      waiting: 0,
      begun: performance.now(),
      free: Promise.withResolvers(),
    };
    this.#rooms.add(room);
    return room;
  }
}

/** Waits until whoever has a Worker gives it up, but not for long. */
async function released({ free }: Room, patienceMs: number): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, patienceMs);
  await Promise.race([free.promise, late.promise]);
  clearTimeout(timer);
}

function take(room: Room, channel: number): void {
  if (room.owner !== channel) room.since = performance.now();
  room.owner = channel;
  room.resting = false;
}

function release(room: Room): void {
  room.owner = undefined;
  room.working = false;
  room.free.resolve();
  room.free = Promise.withResolvers();
}
