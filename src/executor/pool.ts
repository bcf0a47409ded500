/** The executors of a server: who shares a process, when one is replaced, and how many there are. */

import type { Limits } from "../config/limits.ts";
import { WasmboxError } from "../errors.ts";
import { ExecutorProcess } from "./process.ts";

/** An executor that lives for less than this was of no use to anyone. */
const SHORT_LIFE_MS = 5_000;
/** Short lives in a row before the next start waits, and how long it waits then, at first and at most. */
const FREE_STARTS = 3;
const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 5_000;

/** The executors, one after another, of what shares one process (DESIGN.md decision 1). */
interface Line {
  current: ExecutorProcess | undefined;
  /** Short lives in a row. */
  failures: number;
  /** Earliest moment of the next start. */
  notBefore: number;
  lastUsed: number;
}

export class ExecutorPool implements AsyncDisposable {
  readonly #lines = new Map<string, Line>();
  #spawned: Deno.ChildProcess | undefined;
  #closed = false;

  /** @param spawned An executor process that was started ahead; the first one asked for takes it. */
  constructor(readonly limits: Limits, spawned?: Deno.ChildProcess) {
    this.#spawned = spawned;
  }

  /**
   * The executor for a session; starts one if there is none. It may not be ready yet.
   *
   * @throws {WasmboxError} EXECUTOR_UNAVAILABLE if there are as many as allowed and all are in use.
   */
  async acquire(principal: string, sessionId: string): Promise<ExecutorProcess> {
    const key = this.limits.isolation === "session" ? `${principal}/${sessionId}` : principal;
    const line = this.#lines.get(key) ?? { current: undefined, failures: 0, notBefore: 0, lastUsed: 0 };
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
    if (this.#spawned) new ExecutorProcess(this.limits, this.#spawned).kill("it was not needed");
    const executors = [...this.#lines.values()].map((line) => line.current);
    for (const executor of executors) executor?.[Symbol.dispose]();
    await Promise.all(executors.map((executor) => executor?.ended));
  }

  #start(key: string, line: Line): ExecutorProcess {
    const started = performance.now();
    const executor = new ExecutorProcess(this.limits, this.#spawned);
    this.#spawned = undefined;
    line.current = executor;
    void executor.ended.then((end) => {
      if (line.current === executor) line.current = undefined;
      if (end.retired || this.#closed) return this.#forget(key, line);
      this.#backOff(line, performance.now() - started);
      // The sessions that lived there will ask soon.
      if (end.sessions > 0 && line.notBefore <= performance.now()) this.#start(key, line);
    });
    return executor;
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
    const live = [...this.#lines.values()].filter((line) => line.current?.alive);
    if (live.length < this.limits.maxExecutors) return;
    const idle = live.filter((line) => line.current?.dispensable).sort((a, b) => a.lastUsed - b.lastUsed)[0];
    if (!idle?.current) {
      throw new WasmboxError("EXECUTOR_UNAVAILABLE", `All ${live.length} executor processes are in use.`, {
        suggestions: ["Try again in a moment."],
        context: { max_executors: this.limits.maxExecutors, retry_after_ms: 1000 },
        retryable: true,
      });
    }
    idle.current.retire("it was idle and another one was needed");
  }

  #forget(key: string, line: Line): void {
    if (!line.current) this.#lines.delete(key);
  }
}
