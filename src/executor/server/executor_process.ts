/** One executor process as the server sees it: spawned, spoken to in frames, killed at any time. */

import { IMAGE_WRITE_BYTES } from "../wire/bounds.ts";
import type { Arrival } from "../wire/demultiplexer.ts";
import { PROCESS_CHANNEL } from "../wire/frames.ts";
import type { Bases } from "../wire/bases.ts";
import { type FromExecutor, fromExecutor } from "../wire/from_executor.ts";
import type { ToExecutor, WorkerSettings } from "../wire/to_executor.ts";
import { type ExecutorEndCause, type Observer, UNOBSERVED } from "../../telemetry/events.ts";
import type { Language } from "../../languages.ts";
import { ExecutorPipe, type PipeEnd } from "./executor_pipe.ts";
import { Rooms } from "./rooms.ts";
import { spawnExecutor, type SpawnLimits } from "./spawn.ts";
import { Turns } from "./turns.ts";
import type { MemoryReport, Standing, Tenant } from "./tenant.ts";
import { Watchdog, type WatchdogLimits } from "./watchdog.ts";

const NO_BYTES = new Uint8Array(0);
/**
 * Sessions that get a place at the same time: Workers that start together share the processors, so that of hundreds even
 * the first would be there as late as the last, and all of them later.
 */
const MAX_OPENINGS = 2 * navigator.hardwareConcurrency;

/** Takes what an executor says about one session. */
export interface ChannelListener {
  /** @param bytes What came before the message. */
  message(message: FromExecutor, bytes: Uint8Array): void;
  output(stream: "stdout" | "stderr", bytes: Uint8Array): void;
  /** A batch of entries of the session's image. @throws {Error} if it is not one: the executor is replaced then. */
  image(batch: Uint8Array): void;
  /** All of the image that it goes on from is on its way: whatever is sent now is done once the session is in. */
  imageSent(): void;
  /** The executor is gone, and the session's heap and files with it. @param reason For people. */
  executorLost(reason: string, cause: ExecutorEndCause): void;
  /** What the session would lose if it had to leave now. */
  standing(): Standing;
  /** Its memory is needed: it has to leave the executor at once, and closes the channel. @param why For people. */
  evict(why: string): void;
}

/** What sessions of an executor are like, by the last of them. */
export interface Habits {
  readonly settings: WorkerSettings;
  readonly language: Language;
}

/** An image that a session is to go on from. */
export interface ImageSource {
  readonly bases: Bases;
  batches(): AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** How an executor's life ended. */
export interface ExecutorEnd {
  /** Sessions that lived there then. */
  readonly sessions: number;
  readonly cause: ExecutorEndCause;
}

export interface ExecutorOptions {
  /** A process that was spawned ahead; a new one if absent. */
  readonly child?: Deno.ChildProcess | undefined;
  readonly observe?: Observer;
  /** It takes the place of one that was lost. */
  readonly replacement?: boolean;
}

/** A running executor. Its channels are sessions, but for the one of the process itself. */
export class ExecutorProcess implements Disposable {
  /** Settles when the executor can take sessions; rejects if it ended before. */
  readonly ready: Promise<void>;
  /** Settles when the process has ended and every channel was told. */
  readonly ended: Promise<ExecutorEnd>;
  readonly #child: Deno.ChildProcess;
  readonly #pipe: ExecutorPipe;
  readonly #channels = new Map<number, ChannelListener>();
  readonly #becameReady = Promise.withResolvers<void>();
  /** Of those who are about to {@link open} and wait until they are in. */
  readonly openings = new Turns(MAX_OPENINGS);
  readonly #rooms = new Rooms((channel) => this.#channels.get(channel)?.standing() ?? "running");
  #bases: Bases = {};
  #sharedBytes = 0;
  #nextChannel = PROCESS_CHANNEL + 1;
  #steps = 0;
  /** Those who wait for what it holds. */
  #weighing = Promise.withResolvers<void>();
  #weight: MemoryReport | undefined;
  /** Of the session that was opened last. */
  #settings: WorkerSettings | undefined;
  /** What ran last. */
  #language: Language = "python";
  #lostReason: string | undefined;
  #endCause: ExecutorEndCause = "exited";
  readonly #watchdog: Watchdog;
  readonly #observe: Observer;
  readonly #begun = performance.now();

  constructor(
    limits: WatchdogLimits & SpawnLimits,
    { child = spawnExecutor(limits), observe = UNOBSERVED, replacement = false }: ExecutorOptions = {},
  ) {
    this.#child = child;
    this.#observe = observe;
    observe({ type: "executor_started", pid: child.pid, replacement });
    this.#pipe = new ExecutorPipe(child, this.#pipeEnd());
    this.ready = this.#becameReady.promise;
    this.ready.catch(() => {}); // told to those who wait for it; nobody may
    const ping = () => this.send(PROCESS_CHANNEL, { type: "ping" });
    this.#watchdog = new Watchdog({ ping, kill: (cause, reason) => this.kill(cause, reason) }, limits);
    this.ended = this.#run();
  }

  #pipeEnd(): PipeEnd {
    return {
      isAlive: () => this.alive,
      knows: (channel) => channel === PROCESS_CHANNEL || this.#channels.has(channel),
      arrived: (arrival) => this.#arrived(arrival),
      kill: (cause, reason) => this.kill(cause, reason),
    };
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** What the images that it makes are deltas of; known once it is ready. */
  get bases(): Bases {
    return this.#bases;
  }

  /** Memory that its sessions' heaps share as long as they don't write to it. */
  get sharedBytes(): number {
    return this.#sharedBytes;
  }

  /** False once the process has ended or was told to. */
  get alive(): boolean {
    return this.#lostReason === undefined;
  }

  /** True if it has no session. */
  get empty(): boolean {
    return this.#channels.size === 0;
  }

  /** True if nothing runs in it, and all that its sessions would lose are programs that go on. */
  get resting(): boolean {
    return [...this.#channels.values()].every((listener) =>
      ["idle", "serving"].includes(listener.standing())
    );
  }

  /** True if all its sessions could go on elsewhere. */
  get dispensable(): boolean {
    return [...this.#channels.values()].every((listener) => listener.standing() === "idle");
  }

  /**
   * Makes a Worker for a session.
   *
   * @param moves Whether it left a Worker that others had.
   * @param image To go on from; a new session if absent.
   * @returns The channel by which it is spoken to.
   */
  open(
    { settings, moves = false }: { readonly settings: WorkerSettings; readonly moves?: boolean },
    listener: ChannelListener,
    image?: ImageSource,
  ): number {
    const channel = this.#nextChannel++;
    this.#channels.set(channel, listener);
    this.#settings = settings;
    const room = this.#rooms.enter(channel, moves);
    this.send(channel, { type: "open", room, settings, image: image ? { bases: image.bases } : null });
    if (image) void this.#sendImage(channel, image);
    return channel;
  }

  /** Has it prepare for its first session. @param habits What that one is probably like. */
  expect(habits: Habits): void {
    this.send(PROCESS_CHANNEL, { type: "expect", ...habits });
  }

  /** Lets it use the time in which nobody asks it for anything. */
  warmUp(): void {
    this.send(PROCESS_CHANNEL, { type: "warm_up" });
  }

  /** Undefined before its first session. */
  get habits(): Habits | undefined {
    return this.#settings && { settings: this.#settings, language: this.#language };
  }

  /** Resolves when {@link open} finds the best place that there will soon be. @param moves As of `open`. */
  vacancy(moves: boolean): Promise<void> {
    return this.#rooms.vacancy(moves);
  }

  /** Gives a session its Worker for what it is about to ask. @returns False if it has to find another one. */
  claim(channel: number): Promise<boolean> {
    return this.#rooms.claim(channel);
  }

  /** A session is in. @param asked Whether its Worker was asked for something already, which it does next. */
  entered(channel: number, asked: boolean): void {
    this.#rooms.entered(channel);
    if (asked) this.gotOn();
    else this.done(channel);
  }

  /** What all of its Workers have done so far, counted: whether it gets on. */
  get steps(): number {
    return this.#steps;
  }

  /** One of its Workers has. */
  gotOn(): void {
    this.#steps++;
  }

  /** The Worker has done what the session asked for. */
  done(channel: number): void {
    this.gotOn();
    this.#rooms.done(channel);
  }

  /** The session asks for nothing more for now: others may have its Worker. */
  rest(channel: number): void {
    this.#rooms.rest(channel);
  }

  close(channel: number): void {
    if (!this.#channels.delete(channel)) return;
    this.#rooms.leave(channel);
    this.#pipe.drop(channel);
    this.send(channel, { type: "close" });
  }

  /** @param bytes What goes before the message. @throws {TooLarge} and then nothing was sent. */
  send(channel: number, message: ToExecutor, bytes?: Uint8Array): void {
    if (!this.alive) return;
    if (message.type === "execute") this.#language = message.language;
    if (message.type === "execute" || message.type === "workspace") this.#rooms.begin(channel);
    this.#pipe.send(channel, message, bytes);
  }

  /**
   * Asks what it holds, for {@link weight}. Never settles if it does not answer.
   *
   * @param short Whether memory is short: it gives up what nobody needs yet.
   */
  weigh(short: boolean): Promise<void> {
    this.send(PROCESS_CHANNEL, { type: "weigh", short });
    return this.#weighing.promise;
  }

  /** What it last said that it holds: only as good as its word. */
  get weight(): MemoryReport | undefined {
    return this.#weight;
  }

  /** Its sessions. @param report What it said of them. */
  tenants({ sessions }: MemoryReport): Tenant[] {
    return [...this.#channels].map(([channel, listener]) => ({
      channel,
      bytes: sessions.get(channel) ?? 0,
      standing: listener.standing(),
      evict: (why) => listener.evict(why),
    }));
  }

  /** Ends the process at once; its sessions are told `reason`. */
  kill(cause: ExecutorEndCause, reason: string): void {
    if (!this.alive) return;
    this.#endCause = cause;
    this.#lostReason = reason;
    try {
      this.#child.kill("SIGKILL");
    } catch {
      // It has ended by itself; `ended` tells.
    }
  }

  [Symbol.dispose](): void {
    this.kill("shutdown", "the server is shutting down");
  }

  /** As fast as the executor reads. A source that fails costs the session this place, and nothing else. */
  async #sendImage(channel: number, { batches }: ImageSource): Promise<void> {
    try {
      for await (const some of inWrites(batches())) {
        if (!this.#channels.has(channel) || !await this.#pipe.hasRoom()) return;
        this.#pipe.sendImage(channel, some);
      }
      this.send(channel, { type: "image_end" });
      this.#channels.get(channel)?.imageSent();
    } catch (error) {
      const reason = `its checkpoint could not be read: ${describe(error)}`;
      this.#channels.get(channel)?.message({ type: "lost", reason }, NO_BYTES);
    }
  }

  async #run(): Promise<ExecutorEnd> {
    const violation = await this.#pipe.receive().then(() => undefined, (error: unknown) => error);
    if (violation !== undefined) {
      this.kill("protocol", `the executor broke the protocol: ${describe(violation)}`);
    }
    const status = await this.#child.status;
    this.#lostReason ??= `the executor process ended (${status.signal ?? `exit code ${status.code}`})`;
    this.#becameReady.reject(new Error(this.#lostReason));
    this.#watchdog[Symbol.dispose]();
    const listeners = [...this.#channels.values()];
    this.#channels.clear();
    for (const listener of listeners) listener.executorLost(this.#lostReason, this.#endCause);
    const end = { cause: this.#endCause, sessions: listeners.length };
    this.#observe({ type: "executor_ended", pid: this.pid, reason: this.#lostReason, ...end });
    return end;
  }

  #arrived(arrival: Arrival): void {
    const { channel, kind, bytes } = arrival;
    if (kind === "message") return this.#dispatch(channel, fromExecutor.parse(arrival.value), bytes);
    const listener = this.#channels.get(channel);
    if (kind === "image") listener?.image(bytes);
    else listener?.output(kind, bytes);
  }

  #dispatch(channel: number, message: FromExecutor, bytes: Uint8Array): void {
    if (channel === PROCESS_CHANNEL) {
      if (message.type === "pong") this.#watchdog.pong();
      if (message.type === "memory") this.#weighed(message);
      if (message.type === "ready") this.#started(message);
      return;
    }
    this.#channels.get(channel)?.message(message, bytes);
  }

  #weighed({ rssBytes, sessions }: Extract<FromExecutor, { type: "memory" }>): void {
    const held = new Map(sessions.map(({ channel, bytes }) => [channel, bytes]));
    this.#weight = { at: performance.now(), rssBytes, sessions: held };
    this.#weighing.resolve();
    this.#weighing = Promise.withResolvers();
  }

  #started(
    { permissionsLeft: left, bases, sharedBytes, seats }: Extract<FromExecutor, { type: "ready" }>,
  ): void {
    if (left.length > 0) {
      return this.kill("permissions", `the executor could not give up its permissions (${left.join(", ")})`);
    }
    this.#bases = bases;
    this.#sharedBytes = sharedBytes;
    this.#rooms.seats = seats;
    const startMs = performance.now() - this.#begun;
    this.#observe({ type: "executor_ready", pid: this.pid, startMs });
    this.#becameReady.resolve();
  }
}

/** Batches that go into one write. */
async function* inWrites(batches: ReturnType<ImageSource["batches"]>): AsyncGenerator<Uint8Array[]> {
  let some: Uint8Array[] = [];
  let bytes = 0;
  for await (const batch of batches) {
    some.push(batch);
    bytes += batch.length;
    if (bytes < IMAGE_WRITE_BYTES) continue;
    yield some;
    [some, bytes] = [[], 0];
  }
  if (some.length > 0) yield some;
}

function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message.slice(0, 200)}` : String(error);
}
