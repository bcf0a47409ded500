/**
 * Keeps what the executors hold of the machine's memory within bounds. It looks at the processes itself, the more often
 * the less room is left. Where memory gets short, idle sessions leave first, which loses nothing; then the largest of
 * those that run something is stopped; a process goes only if that does not help.
 */

import type { Limits } from "../../config/limits.ts";
import type { Observer } from "../../telemetry/events.ts";
import { Lookout, type Resident } from "./lookout.ts";
import { Arrivals } from "./arrivals.ts";
import type { ExecutorProcess } from "./executor_process.ts";
import { type Load, Relief, type Reports } from "./relief.ts";

const GIB = 1024 ** 3;

/** What guests can fill in a second at most, on each core. */
const FILLED_PER_CORE = GIB;
/** Between two looks, ms. */
const SHORTEST_PAUSE = 50;
const LONGEST_PAUSE = 1_000;
/** Until the first look: the first result of a server that was just started is not to wait for it. */
const FIRST_PAUSE = 500;
/** Where looking takes a process of its own. */
const COSTLY_PAUSE = 500;
/** After a lookout was lost, until another one is started. */
const RESTART_MS = 10_000;
/** How long an executor may take to say what its sessions hold, ms. */
const REPORT_MS = 250;
/** Who wants in waits no longer, counted from when memory became short, ms. */
const PATIENCE_MS = 5_000;
/** Executors get no less than this by default: one of them needs some 200 MiB itself. */
const LEAST_SHARE = GIB / 2;

export type GuardLimits = Pick<Limits, "totalRssBytes" | "executorRssBytes" | "abortGraceMs">;

export class MemoryGuard implements AsyncDisposable {
  readonly #executors: () => readonly ExecutorProcess[];
  readonly #relief: Relief;
  /** The least that each executor was seen to share with others: the program's own file. */
  readonly #program = new WeakMap<ExecutorProcess, number>();
  #lookout: Lookout | undefined;
  #lookoutStarted = -Infinity;
  #machineBytes = physicalMemory();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #looking: Promise<void> = Promise.resolve();
  /** What the last look found; undefined before the first. */
  #seen: readonly Load[] | undefined;
  /** Since when memory is short, if it is. */
  #short: number | undefined;
  readonly #arrivals = new Arrivals();
  #closed = false;

  /** @param executors Those that run now. */
  constructor(
    executors: () => readonly ExecutorProcess[],
    readonly limits: GuardLimits,
    readonly observe: Observer,
  ) {
    this.#executors = executors;
    this.#relief = new Relief(limits);
    this.#sleep(FIRST_PAUSE);
  }

  /** Memory that the machine, or the control group in which this runs, has. */
  get machineBytes(): number {
    return this.#machineBytes;
  }

  /** What all executors may hold together. */
  get allowedBytes(): number {
    return this.limits.totalRssBytes ?? executorsShare(this.#machineBytes);
  }

  /** An executor was started, or has ended: looks soon. */
  changed(): void {
    if (this.#lookout && this.#timer !== undefined) this.#sleep(SHORTEST_PAUSE);
  }

  /**
   * Settles when there is room for one more session, which idle ones make by leaving. It waits for those that are being
   * saved, and leave then: another one beside them would be stopped, or have one stopped that has answered already.
   *
   * @param executor Where it comes to.
   * @param bytes What it brings along.
   * @returns To be disposed of when it is in.
   */
  async room(executor: ExecutorProcess, bytes: number): Promise<Disposable> {
    const arrival = this.#arrivals.expect(executor, bytes);
    if (this.#short === undefined) this.#admit();
    if (!arrival.waiting) return arrival;
    this.changed();
    const since = this.#short ?? performance.now();
    const timer = setTimeout(() => arrival.admit(), since + PATIENCE_MS - performance.now());
    await arrival.admitted;
    clearTimeout(timer);
    return arrival;
  }

  #admit(): void {
    this.#arrivals.admit(this.#seen ?? [], (load) => this.#relief.roomOf(load));
  }

  /** To be called when no executor is left. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    this.#arrivals.admitAll();
    clearTimeout(this.#timer);
    await this.#looking;
    await this.#lookout?.[Symbol.asyncDispose]();
  }

  #sleep(ms: number): void {
    clearTimeout(this.#timer);
    if (this.#closed) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#looking = this.#look().then((pause) => this.#sleep(pause));
    }, ms);
    Deno.unrefTimer(this.#timer);
  }

  /** @returns When to look again. */
  async #look(): Promise<number> {
    const executors = this.#executors().filter(({ alive }) => alive);
    const arrived = this.#arrivals.over;
    const held = await this.#measure(executors);
    this.#arrivals.forget(arrived);
    for (const [{ pid }, { bytes }] of held) this.observe({ type: "executor_memory", pid, rssBytes: bytes });
    const loads = this.#seen = this.#loads(held);
    const room = Math.min(...loads.map((load) => this.#relief.roomOf(load)));
    this.#short = room < 0 ? this.#short ?? performance.now() : undefined;
    if (room >= 0) this.#admit();
    if (room < 0 || this.#relief.underWay || this.#arrivals.waiting) {
      const wanted = (load: Load) => this.#arrivals.wantedOf(load);
      this.#relief.act(loads, await this.#reports([...held.keys()], true), wanted);
      // Where nobody can leave for those who want in, they need not wait.
      if (room >= 0 && !this.#relief.underWay) this.#arrivals.admitAll();
    } else this.#relief.rest();
    const perSecond = FILLED_PER_CORE * navigator.hardwareConcurrency;
    const shortest = this.#lookout?.cheap ? SHORTEST_PAUSE : COSTLY_PAUSE;
    if (this.#arrivals.waiting) return shortest;
    return Math.max(shortest, Math.min(LONGEST_PAUSE, 1000 * room / perSecond));
  }

  async #measure(executors: readonly ExecutorProcess[]): Promise<Map<ExecutorProcess, Resident>> {
    const seen = await this.#sample(executors.map(({ pid }) => pid));
    const held = new Map<ExecutorProcess, Resident>();
    const reports = seen ? undefined : await this.#reports(executors, false);
    for (const executor of executors) {
      const resident = seen?.get(executor.pid);
      const told = reports?.get(executor)?.rssBytes;
      if (resident) held.set(executor, this.#once(executor, resident));
      else if (told !== undefined) held.set(executor, { bytes: told, sharedBytes: 0 });
    }
    return held;
  }

  /** Without what the system counts again for each heap that maps it. */
  #once(executor: ExecutorProcess, { bytes, sharedBytes }: Resident): Resident {
    const program = Math.min(sharedBytes, this.#program.get(executor) ?? Infinity);
    this.#program.set(executor, program);
    const shared = Math.min(sharedBytes, program + executor.sharedBytes);
    return { bytes: bytes - sharedBytes + shared, sharedBytes: program };
  }

  async #sample(pids: readonly number[]): Promise<ReadonlyMap<number, Resident> | undefined> {
    if (!this.#lookout?.alive && performance.now() - this.#lookoutStarted >= RESTART_MS) {
      this.#lookoutStarted = performance.now();
      this.#lookout = Lookout.start();
      const machine = await this.#lookout?.machineBytes ?? Infinity;
      this.#machineBytes = Math.min(physicalMemory(), machine);
    }
    return this.#lookout?.alive ? await this.#lookout.sample(pids) : undefined;
  }

  /** What they say of their sessions, or last said, if they don't answer in time. */
  async #reports(executors: readonly ExecutorProcess[], short: boolean): Promise<Reports> {
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, REPORT_MS);
    await Promise.race([Promise.all(executors.map((executor) => executor.weigh(short))), late.promise]);
    clearTimeout(timer);
    return new Map(executors.flatMap((executor) => executor.weight ? [[executor, executor.weight]] : []));
  }

  #loads(held: ReadonlyMap<ExecutorProcess, Resident>): Load[] {
    const total = this.allowedBytes;
    const each = [...held].map(([executor, { bytes }]): Load => ({
      executors: new Map([[executor, bytes]]),
      heldBytes: bytes,
      allowedBytes: Math.min(this.limits.executorRssBytes, total),
      key: this.limits.executorRssBytes < total ? "executor_rss_bytes" : "total_rss_bytes",
    }));
    const all = [...held.values()];
    // What they have in common, such as the program itself, counts once.
    const common = Math.min(...all.map(({ sharedBytes }) => sharedBytes));
    const heldBytes = all.reduce((sum, { bytes }) => sum + bytes - common, common);
    if (all.length < 2) return each;
    const executors = new Map([...held].map(([executor, { bytes }]) => [executor, bytes]));
    return [...each, { executors, heldBytes, allowedBytes: total, key: "total_rss_bytes" }];
  }
}

/** What all executors may hold together of a machine's memory, where nobody says otherwise. */
export function executorsShare(machineBytes: number): number {
  return Math.max(LEAST_SHARE, machineBytes / 2);
}

function physicalMemory(): number {
  return Deno.systemMemoryInfo().total;
}
