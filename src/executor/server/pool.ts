/** The executors of a server: who shares a process, when one is replaced, and how many there are. */

import type { Limits } from "../../config/limits.ts";
import { WasmboxError } from "../../errors.ts";
import { type Observer, UNOBSERVED } from "../../telemetry/events.ts";
import { ExecutorProcess, type Habits } from "./executor_process.ts";
import { MemoryGuard } from "./memory_guard.ts";

/** An executor that lives for less than this was of no use to anyone. */
const SHORT_LIFE_MS = 5_000;
/** Short lives in a row before the next start waits, and how long it waits then, at first and at most. */
const FREE_STARTS = 3;
const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 5_000;
/** Between two starts that only find out whether executors can start again. */
const PROBE_INTERVAL_MS = 2_000;

/** Until a spare executor is started: whoever has just got one computes meanwhile. */
const SPARE_DELAY_MS = 500;
/** Where one had to go for want of memory, until there is another one. */
const SHORT_MS = 60_000;

/** The executors, one after another, of what shares one process (docs/ARCHITECTURE.md, decision 1). */
interface Line {
  current: ExecutorProcess | undefined;
  /** Short lives in a row. */
  failures: number;
  /** Earliest moment of the next start. */
  notBefore: number;
  lastUsed: number;
  /** The last one ended though it was needed. */
  lost: boolean;
}

/** Whether executors can be had: what became of the last start. */
export type Readiness = "ready" | "starting" | "failed";

export class ExecutorPool implements AsyncDisposable {
  readonly #lines = new Map<string, Line>();
  /** All that have not ended. */
  readonly #executors = new Set<ExecutorProcess>();
  /** Started before anyone needs it; the next line takes it. Later ones are for who follows where many come. */
  #spare: ExecutorProcess | undefined;
  #spareTimer: ReturnType<typeof setTimeout> | undefined;
  #noSpareBefore = -Infinity;
  #readiness: Readiness = "starting";
  /** Executors that are starting. */
  #starting = 0;
  #probed = -Infinity;
  #closed = false;
  /** Keeps the memory of all of them within bounds. */
  readonly memory: MemoryGuard;

  /**
   * @param spawned An executor process that was started ahead.
   * @param expected What its first session is probably like.
   */
  constructor(
    readonly limits: Limits,
    spawned?: Deno.ChildProcess,
    readonly observe: Observer = UNOBSERVED,
    expected?: Habits,
  ) {
    this.memory = new MemoryGuard(() => [...this.#executors], limits, observe);
    if (!spawned) return;
    // It was started before anybody knew the configuration, by which it may keep less.
    if (!limits.shareMemory) spawned.kill("SIGKILL");
    this.#spare = this.#launch(false, limits.shareMemory ? spawned : undefined);
    if (expected) this.#spare.expect(expected);
  }

  /**
   * Whether executors can be had. Costs nothing while they can; else one is started now and then to find out, so that a
   * server that gets no calls because it is not ready becomes ready by itself.
   */
  readiness(): Readiness {
    const now = performance.now();
    const due = this.#starting === 0 && now - this.#probed >= PROBE_INTERVAL_MS;
    if (this.#readiness !== "ready" && due && !this.#closed) {
      this.#probed = now;
      this.#spare = this.#launch(false);
    }
    return this.#readiness;
  }

  /**
   * The executor for a session; starts one if there is none. It may not be ready yet.
   *
   * @throws {WasmboxError} EXECUTOR_UNAVAILABLE if there are as many as allowed and all are in use.
   */
  async acquire(principal: string, sessionId: string): Promise<ExecutorProcess> {
    const key = this.limits.isolation === "session" ? `${principal}/${sessionId}` : principal;
    const line = this.#lines.get(key) ?? this.#newLine();
    this.#lines.set(key, line);
    line.lastUsed = performance.now();
    const delay = line.notBefore - performance.now();
    if (!line.current?.alive && delay > 0) await new Promise((resolve) => setTimeout(resolve, delay));
    if (line.current?.alive) return line.current;
    this.#makeRoom();
    return this.#start(key, line);
  }

  /** Ends all executors. Settles when none is left. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#spareTimer);
    const executors = [...this.#executors];
    for (const executor of executors) executor[Symbol.dispose]();
    await Promise.all(executors.map((executor) => executor.ended));
    await this.memory[Symbol.asyncDispose]();
  }

  #start(key: string, line: Line): ExecutorProcess {
    const started = performance.now();
    const executor = this.#spare?.alive ? this.#spare : this.#launch(line.lost);
    this.#spare = undefined;
    line.current = executor;
    line.lost = false;
    this.#planSpare();
    void executor.ended.then((end) => {
      if (line.current === executor) line.current = undefined;
      if (end.cause === "retired" || this.#closed) return this.#forget(key, line);
      line.lost = true;
      this.#backOff(line, performance.now() - started);
      // The sessions that lived there will ask soon, if none has already.
      if (!line.current && end.sessions > 0 && line.notBefore <= performance.now()) this.#start(key, line);
    });
    return executor;
  }

  /** Where others have come there will be more. */
  #planSpare(): void {
    clearTimeout(this.#spareTimer);
    if (this.#lines.size < 2 && this.limits.isolation !== "session") return;
    this.#spareTimer = setTimeout(() => this.#makeSpare(), SPARE_DELAY_MS);
    Deno.unrefTimer(this.#spareTimer);
  }

  #makeSpare(): void {
    const live = this.#live();
    const isRoom = live.length < this.limits.maxExecutors && performance.now() >= this.#noSpareBefore;
    if (this.#closed || this.#spare?.alive || !isRoom) return;
    const spare = this.#spare = this.#launch(false);
    const latest = live.toSorted((a, b) => b.lastUsed - a.lastUsed)[0]?.current?.habits;
    if (latest) spare.expect(latest);
    void spare.ended.then(({ cause }) => {
      if (this.#spare === spare && cause === "retired") this.#noSpareBefore = performance.now() + SHORT_MS;
    });
  }

  #live(): Line[] {
    return [...this.#lines.values()].filter((line) => line.current?.alive);
  }

  /** @param child A process that was spawned ahead. */
  #launch(replacement: boolean, child?: Deno.ChildProcess): ExecutorProcess {
    const executor = new ExecutorProcess(this.limits, { child, replacement, observe: this.observe });
    // A process that is one session's own has no other one to learn for.
    if (this.limits.warmUp && this.limits.isolation === "principal") executor.warmUp();
    this.#starting++;
    this.#executors.add(executor);
    this.memory.changed();
    void executor.ended.then(() => {
      this.#executors.delete(executor);
      this.memory.changed();
    });
    executor.ready.then(
      () => this.#readiness = "ready",
      async () => {
        const { cause } = await executor.ended;
        if (cause !== "retired" && cause !== "shutdown") this.#readiness = "failed";
      },
    ).finally(() => this.#starting--);
    return executor;
  }

  #newLine(): Line {
    return { current: undefined, failures: 0, notBefore: 0, lastUsed: 0, lost: false };
  }

  /** A crash loop must not eat the machine: the more short lives in a row, the longer the next start waits. */
  #backOff(line: Line, lifeMs: number): void {
    line.failures = lifeMs < SHORT_LIFE_MS ? line.failures + 1 : 0;
    if (line.failures <= FREE_STARTS) return;
    const delay = FIRST_DELAY_MS * 2 ** (line.failures - FREE_STARTS - 1);
    line.notBefore = performance.now() + Math.min(delay, MAX_DELAY_MS);
  }

  /** Ends the executor that was unused the longest, if there are as many as allowed; its sessions keep their images. */
  #makeRoom(): void {
    const live = this.#live();
    if (live.length < this.limits.maxExecutors) return;
    const longest = (isFree: (executor: ExecutorProcess) => boolean) =>
      live.filter(({ current }) => current && isFree(current)).sort((a, b) => a.lastUsed - b.lastUsed)[0];
    const idle = longest(({ dispensable }) => dispensable) ?? longest(({ resting }) => resting);
    if (!idle?.current) {
      throw new WasmboxError("EXECUTOR_UNAVAILABLE", `All ${live.length} executor processes are in use.`, {
        suggestions: ["Try again in a moment."],
        context: { max_executors: this.limits.maxExecutors, retry_after_ms: 1000 },
        retryable: true,
      });
    }
    idle.current.kill("retired", "it was idle and another one was needed");
  }

  #forget(key: string, line: Line): void {
    if (!line.current) this.#lines.delete(key);
  }
}
