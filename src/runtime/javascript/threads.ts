/**
 * Threads of a program (`worker_threads`, `fork`): each a realm of its own, with a heap of its own. They take turns where
 * one waits, on the stack of the program that made them, and end with its run: no image has any of them.
 */

import { Aborted } from "../../control/cell.ts";
import { FuelMeter, OutOfFuel } from "../../control/meter.ts";
import type { RuntimeHost } from "../runtime.ts";
import type { Ending } from "./ending.ts";
import { GuestError } from "./guest_error.ts";
import { Mailboxes, type Message } from "./mailboxes.ts";
import type { Realm } from "./realm.ts";
import { type Replica, SharedBuffers } from "./shared_buffers.ts";
import { Thread, type ThreadSettings } from "./thread.ts";
import { TurnOrder } from "./turn_order.ts";
import type { Steps } from "../steps.ts";
import type { Turns } from "./turns.ts";

/** Threads at a time. */
const MOST_THREADS = 32;
/** Of the memory that the program may have, what each of its threads may; or this much. */
const MEMORY_SHARE = 4;
const LEAST_MEMORY_BYTES = 64 * 1024 * 1024;
/** What a new one writes to at least. All together may have as much as the program. */
const OWN_BYTES = 2 * 1024 * 1024;
const OUT_OF_MEMORY = {
  code: "ERR_WORKER_OUT_OF_MEMORY",
  message: "Worker terminated due to reaching memory limit: JS heap out of memory",
};
const NO_BYTES = new Uint8Array(0);
/** What the host does for a new one, as fuel: what a program does in that time. */
const FUEL_PER_THREAD = 2_000_000;
/** Longest text of a program, UTF-16 units. */
const TEXT_MAX = 16 * 1024 * 1024;
/** Bytes of messages that are copied for a unit of fuel. */
const BYTES_PER_FUEL = 16;

/** Makes the realm of a thread. */
export type MakeRealm = (host: RuntimeHost, meter: FuelMeter, threads: Threads, self: Thread) => Realm;

export class Threads {
  readonly main = new Thread(0, undefined);
  readonly mail = new Mailboxes<Thread>();
  readonly #host: RuntimeHost;
  readonly #meter: FuelMeter;
  readonly #make: MakeRealm;
  readonly #threads = new Map<number, Thread>();
  readonly #shared = new SharedBuffers();
  readonly #order: TurnOrder;
  #lastId = 0;

  /** @param meter Of the program, which pays for its threads. */
  constructor(host: RuntimeHost, meter: FuelMeter, make: MakeRealm) {
    this.#host = host;
    this.#meter = meter;
    this.#make = make;
    this.#order = new TurnOrder({
      clock: host.clock,
      meter,
      mail: this.mail,
      shared: this.#shared,
      main: this.main,
      others: this.#threads,
      afterTurn: (thread, failure) => this.#afterTurn(thread, failure),
    });
  }

  /** Runs the program, and its threads where it waits. */
  *drive(turns: Turns<Ending>, isStopping: () => boolean): Steps<Ending> {
    const { main } = this;
    Object.assign(main, { turns, hasBegun: false, ending: undefined, isEnding: false });
    try {
      return yield* this.#order.run(isStopping);
    } finally {
      this.#endAll(main.ending === undefined);
    }
  }

  get memoryBytes(): number {
    return [...this.#threads.values()].reduce((sum, { realm }) => sum + (realm?.memoryBytes ?? 0), 0);
  }

  /** What the threads have beside what they began with, most of which they share with all others. */
  get #grownBytes(): number {
    const grown = ({ realm, firstBytes }: Thread) => (realm?.memoryBytes ?? firstBytes) - firstBytes;
    return [...this.#threads.values()].reduce((sum, thread) => sum + OWN_BYTES + grown(thread), 0);
  }

  #afterTurn(thread: Thread, failure: { readonly error: unknown } | undefined): void {
    if (!this.#threads.has(thread.id)) return this.#giveUp(thread);
    if (failure) this.#crashed(thread, failure.error);
    else if (this.#grownBytes > this.#host.memoryBytes) this.#crashed(thread, undefined);
    else if (thread.isEnding) this.#exit(thread, 1);
    else if (thread.ending) this.#ended(thread, thread.ending);
  }

  #ended(thread: Thread, ending: Ending): void {
    if (ending.status === "out_of_memory") this.#crashed(thread, undefined);
    else {this.#exit(
        thread,
        ending.status === "completed" ? 0 : ending.status === "exited" ? ending.exitCode : 1,
      );}
  }

  /** Its heap is of no use any more: it ran out of memory, as far as a program can tell. */
  #crashed(thread: Thread, error: unknown): void {
    const isMemory = error === undefined || /memory/.test(String(error));
    this.#tellFailure(thread, isMemory ? OUT_OF_MEMORY : { message: `the worker failed: ${error}` });
    this.#exit(thread, 1);
  }

  #exit(thread: Thread, code: number): void {
    if (!this.#threads.has(thread.id)) return;
    this.#drop(thread);
    this.#tell(thread, "exit", String(code));
  }

  #drop(thread: Thread): void {
    for (const child of [...this.#threads.values()]) if (child.parent === thread) this.#drop(child);
    this.#threads.delete(thread.id);
    this.mail.close(thread);
    this.#shared.forget(thread, true);
    thread.due = Infinity;
    // What is on the stack goes on for as long as it takes to end.
    if (thread.isBusy) thread.isEnding = true;
    else this.#giveUp(thread);
  }

  #giveUp(thread: Thread): void {
    thread.realm?.giveUp();
    thread.realm = thread.turns = undefined;
  }

  #endAll(isLost: boolean): void {
    for (const thread of [...this.#threads.values()]) this.#drop(thread);
    this.#shared.forget(this.main, isLost);
    this.#shared.clear();
    this.mail.clear();
  }

  /** Of what becomes of a thread. */
  #tell(thread: Thread, kind: string, text = ""): void {
    if (thread.parent) this.mail.tell(thread.parent, { to: thread.id, kind, data: NO_BYTES, text });
  }

  /** @throws {GuestError} if too much is under way. */
  #pass(thread: Thread, kind: string, data: Uint8Array): void {
    if (thread.parent) this.mail.put(thread.parent, { to: thread.id, kind, data, text: "" });
  }

  /** Of an error that is not the program's own. */
  #tellFailure(thread: Thread, error: { readonly code?: string; readonly message: string }): void {
    this.#tell(thread, "error", JSON.stringify(error));
  }

  /** @param json What its program is told. @param moved Ports that go to it. @throws {GuestError} if there are too many. */
  start(
    parent: Thread,
    settings: ThreadSettings,
    json: string,
    data: Uint8Array,
    moved: readonly number[],
  ): number {
    if (this.#threads.size >= MOST_THREADS) {
      throw new GuestError(
        `a program may have ${MOST_THREADS} threads at a time: end one first, or share them out`,
        {
          code: "ERR_WORKER_INIT_FAILED",
        },
      );
    }
    if (settings.program.code.length > TEXT_MAX) throw new GuestError("the program of a thread is too long");
    this.#meter.charge(FUEL_PER_THREAD);
    const thread = new Thread(++this.#lastId, parent);
    const { program, cwd, env, stdout, stderr } = settings;
    const piped = { stdout, stderr };
    const { read: _read, ...shared } = this.#host;
    const host: RuntimeHost = {
      ...shared,
      cwd,
      env,
      memoryBytes: memoryOfThread(this.#host.memoryBytes),
      write: (stream, bytes) => {
        if (piped[stream]) this.#pass(thread, stream, bytes.slice());
        else this.#host.write(stream, bytes);
      },
    };
    const meter = thread.meter = new FuelMeter(this.#host.cell);
    const realm = thread.realm = this.#realm(host, meter, thread);
    thread.firstBytes = realm.memoryBytes;
    const text = JSON.stringify({ ...JSON.parse(json), code: undefined, id: thread.id });
    try {
      this.mail.put(thread, { to: thread.id, kind: "begin", data, text });
    } catch (error) {
      realm.giveUp();
      throw error;
    }
    thread.turns = realm.threadTurns(program, () => this.mail.take(thread)!);
    this.#threads.set(thread.id, thread);
    this.mail.move(moved, thread);
    this.#tell(thread, "online");
    return thread.id;
  }

  /** @throws {GuestError} if there is no room for one more. */
  #realm(host: RuntimeHost, meter: FuelMeter, thread: Thread): Realm {
    try {
      return this.#make(host, meter, this, thread);
    } catch (error) {
      if (error instanceof Aborted || error instanceof OutOfFuel) throw error;
      throw new GuestError(`no room for another thread: ${error instanceof Error ? error.message : error}`, {
        code: "ERR_WORKER_INIT_FAILED",
      });
    }
  }

  /** Ends a thread that another one has made. */
  end(id: number): void {
    const thread = this.#threads.get(id);
    if (!thread || thread.isEnding) return;
    if (!thread.isBusy) return this.#exit(thread, thread.hasBegun ? 1 : 0);
    thread.isEnding = true;
  }

  /** Whether a thread is to end that is on the stack. */
  isOver(self: Thread): boolean {
    return self.isEnding || self !== this.main && this.main.ending !== undefined;
  }

  /** What a thread threw; that it did where too much is under way. */
  tellParent(self: Thread, data: Uint8Array): void {
    try {
      this.#pass(self, "error", data);
    } catch (error) {
      if (!(error instanceof GuestError)) throw error;
      const message = `what the worker threw can't be told: ${error.message}`;
      this.#tellFailure(self, { code: "ERR_WORKER_UNSERIALIZABLE_ERROR", message });
    }
  }

  /** @param from The number of a port of the thread's. @param moved Ports that go with it. */
  post(from: number, data: Uint8Array, moved: readonly number[]): void {
    this.#meter.charge(Math.ceil(data.length / BYTES_PER_FUEL));
    this.mail.post(from, data, moved);
  }

  broadcast(self: Thread, name: string, data: Uint8Array): void {
    this.#meter.charge(Math.ceil(data.length / BYTES_PER_FUEL));
    for (const each of [this.main, ...this.#threads.values()]) {
      if (each !== self) this.mail.put(each, { to: 0, kind: "broadcast", data, text: name });
    }
  }

  /** @param mayWait Whether others run where nothing has come. */
  take(self: Thread, mayWait: boolean): Message | undefined {
    if (mayWait && !this.mail.has(self)) this.#order.runOthers(self);
    return this.mail.take(self);
  }

  /** @param id -1: memory that no other thread has yet. */
  share(self: Thread, id: number, replica: Replica): number {
    if (id < 0) return this.#shared.share(self, replica);
    this.#shared.join(id, self, replica);
    return id;
  }

  /** As `Atomics.wait`. @throws {GuestError} where nobody is left who could notify it. */
  wait(self: Thread, place: string, ms: number, isStopping: () => boolean): "ok" | "timed-out" {
    return this.#order.wait(self, place, ms, isStopping);
  }

  /** @returns How many were woken. */
  notify(place: string, count: number): number {
    return this.#order.notify(place, count);
  }
}

function memoryOfThread(bytes: number): number {
  return Math.min(bytes, Math.max(LEAST_MEMORY_BYTES, Math.floor(bytes / MEMORY_SHARE)));
}
