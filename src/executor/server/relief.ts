/** What to do where executors hold more memory than they may: who has to go, and when. */

import type { Limits } from "../../config/limits.ts";
import type { ExecutorProcess } from "./executor_process.ts";
import type { MemoryReport, Tenant } from "./tenant.ts";

const MIB = 1024 ** 2;

/** Relief begins by this part of a bound before it is reached, as it takes a while. */
const MARGIN_SHARE = 1 / 8;
const LEAST_MARGIN = 64 * MIB;
const LARGEST_MARGIN = 1024 * MIB;
/** A process is killed that is beyond its bound for so long in spite of all, and sooner if by the margin and growing, ms. */
const PATIENCE_MS = 1_000;
const SHORT_PATIENCE_MS = 250;
/**
 * The same where nothing grows, and how long a bound has to be exceeded until a session is stopped that has answered and
 * is being saved, ms: time for a busy machine to free what goes already, before the process would go with all of them.
 */
const LAST_RESORT_MS = 500;
/** What is more than this between two looks is growth. */
const GROWTH = 16 * MIB;
/** From a Worker's last word until its memory is seen to be free, ms. */
const FREEING_MS = 100;
/** What was told to go is waited for so long where a bound is exceeded and the others grow meanwhile, ms. */
const PRESSING_MS = 150;
/** A Worker that has not ended by then never will. */
const STUCK_MS = 10_000;
/** Stopping a program that holds less than this is no relief. */
const WORTH_STOPPING = 16 * MIB;

/** One bound, and what there is of it. */
export interface Load {
  /** What each executor holds, bytes. */
  readonly executors: ReadonlyMap<ExecutorProcess, number>;
  /** What they hold together; what they share counts once. */
  readonly heldBytes: number;
  readonly allowedBytes: number;
  /** The key of the policy that says so. */
  readonly key: string;
}

/** What the executors say of their sessions; of those that answered. */
export type Reports = ReadonlyMap<ExecutorProcess, MemoryReport>;

/** A session in its executor. */
interface Candidate extends Tenant {
  readonly executor: ExecutorProcess;
}

/** A session that was told to go, and whose memory is not free yet. */
interface Leaving {
  readonly executor: ExecutorProcess;
  readonly channel: number;
  readonly bytes: number;
  readonly since: number;
  /** When its Worker was found to have ended. */
  ended: number | undefined;
}

export class Relief {
  readonly #leaving = new Set<Leaving>();
  /** What bounds are exceeded: that of one executor, or, by this object, that of all. */
  readonly #exceeded = new Map<ExecutorProcess | Relief, number>();
  /** What was held at the last look, by the same. */
  readonly #held = new Map<ExecutorProcess | Relief, number>();

  constructor(readonly limits: Pick<Limits, "abortGraceMs">) {}

  /** Whether something was done whose effect is not seen yet. */
  get underWay(): boolean {
    return this.#leaving.size > 0;
  }

  /** Bytes until relief begins; negative where it is due. */
  roomOf({ heldBytes, allowedBytes }: Load): number {
    return allowedBytes - marginOf(allowedBytes) - heldBytes;
  }

  /** There is room everywhere. */
  rest(): void {
    this.#exceeded.clear();
    this.#held.clear();
  }

  /**
   * Does what has to be done now.
   *
   * @param wanted Bytes that idle sessions are to make room for besides, under a bound.
   */
  act(loads: readonly Load[], reports: Reports, wanted: (load: Load) => number): void {
    this.#settle(reports);
    for (const load of loads) {
      const grows = load.heldBytes > (this.#held.get(this.#bearer(load)) ?? load.heldBytes) + GROWTH;
      this.#held.set(this.#bearer(load), load.heldBytes);
      this.#relieve(load, reports, { wanted: wanted(load), grows });
      this.#judge(load, grows);
    }
  }

  /** Looks which of those that were told to go have gone. */
  #settle(reports: Reports): void {
    const now = performance.now();
    for (const leaving of this.#leaving) {
      const { executor, channel, since } = leaving;
      const report = reports.get(executor);
      if (report && report.at > since) {
        if (!report.sessions.has(channel)) leaving.ended ??= now;
        else if (report.at - since > STUCK_MS) {
          executor.kill("unstoppable", "memory was short, and a program that had to go did not end");
        }
      }
      if (!executor.alive || now - (leaving.ended ?? now) > FREEING_MS) this.#leaving.delete(leaving);
    }
  }

  /** Whose bound a load is of. */
  #bearer({ executors }: Load): ExecutorProcess | Relief {
    const [executor] = executors.keys();
    return executor && executors.size === 1 ? executor : this;
  }

  #relieve(load: Load, reports: Reports, { wanted, grows }: { wanted: number; grows: boolean }): void {
    let excess = -this.roomOf(load);
    // A session that comes back grows too: as long as there is room for it, nobody is stopped for others' slow leaving.
    const isUrgent = grows && load.heldBytes > load.allowedBytes;
    const pressing = isUrgent ? PRESSING_MS : LAST_RESORT_MS;
    const patience = isPressing(load) ? pressing : this.limits.abortGraceMs;
    for (const { executor, bytes, since } of this.#leaving) {
      const expected = performance.now() - since < patience;
      if (expected && load.executors.has(executor)) excess -= bytes;
    }
    if (excess + wanted <= 0) return;
    const executors = [...load.executors.keys()].filter(({ alive }) => alive);
    for (const executor of executors) {
      if (excess <= 0) break;
      if (!executor.empty) continue;
      executor.kill("retired", "it had no session, and memory was short");
      excess -= load.executors.get(executor) ?? 0;
    }
    const candidates = candidatesIn(executors, reports);
    const why = `executors held ${inMib(load.heldBytes)} of the ${
      inMib(load.allowedBytes)
    } they may (${load.key})`;
    for (const candidate of candidates) {
      if (excess + wanted <= 0) return;
      if (candidate.standing !== "idle") continue;
      this.#evict(candidate, why);
      excess -= candidate.bytes;
    }
    if (excess <= 0) return;
    const unused = executors.filter(({ dispensable }) => dispensable);
    for (const executor of unused) executor.kill("retired", "it was idle, and memory was short");
    if (unused.length > 0 || excess <= 0) return;
    const serving = candidates.find(({ standing }) => standing === "serving");
    if (serving) return this.#evict(serving, why);
    const largest = mostExpendable(candidates, load, {
      shortage: -this.roomOf(load),
      grows,
      isLastResort: this.#isLastResort(load),
    });
    if (!largest) return;
    // One at a time: what the next look finds tells what that was worth.
    this.#evict(largest, `${why}, and this session ${inMib(largest.bytes)}, the most of all that were busy`);
  }

  #isLastResort(load: Load): boolean {
    const since = this.#exceeded.get(this.#bearer(load));
    if (since === undefined) return false;
    return performance.now() - since >= LAST_RESORT_MS ||
      load.heldBytes > load.allowedBytes + marginOf(load.allowedBytes);
  }

  #evict({ executor, channel, bytes, evict }: Candidate, why: string): void {
    evict(why);
    this.#leaving.add({ executor, channel, bytes, since: performance.now(), ended: undefined });
  }

  /** Kills the largest process if nothing else has helped. */
  #judge(load: Load, grows: boolean): void {
    const { executors, heldBytes, allowedBytes, key } = load;
    const [largest] = [...executors].sort(([, a], [, b]) => b - a);
    if (!largest || [...executors.keys()].some(({ alive }) => !alive)) return; // the next look tells what that was worth
    const [executor, bytes] = largest;
    const whose = this.#bearer(load);
    if (heldBytes <= allowedBytes) return void this.#exceeded.delete(whose);
    const now = performance.now();
    const since = this.#exceeded.get(whose) ?? now;
    this.#exceeded.set(whose, since);
    // A Worker's memory takes a busy machine a while to free: the others need not die for it, as long as nothing grows.
    const urgent = grows && heldBytes > allowedBytes + marginOf(allowedBytes);
    if (now - since < (urgent ? SHORT_PATIENCE_MS : PATIENCE_MS)) return;
    this.#exceeded.delete(whose);
    const together = executors.size === 1 ? "" : `, all of them together ${inMib(heldBytes)}`;
    const allowed = `${inMib(allowedBytes)} are allowed (${key})`;
    executor.kill("memory", `its process held ${inMib(bytes)} of memory${together}; ${allowed}`);
  }
}

/** Largest first. */
function candidatesIn(executors: readonly ExecutorProcess[], reports: Reports): Candidate[] {
  const all = executors.flatMap((executor) => {
    const report = reports.get(executor);
    return report ? executor.tenants(report).map((tenant) => ({ ...tenant, executor })) : [];
  });
  return all.sort((a, b) => b.bytes - a.bytes);
}

/**
 * Whom to stop, of those that lose something by it; nobody as long as one that is being saved can leave soon, or, unless
 * the bound is reached and that gets worse or stays so, where that would be little of what is wanted, or of what those
 * have that are being saved: then it is others that free their memory slowly, and a small program has no part in it.
 *
 * @param shortage What is held beyond where relief begins, whether or not some of that is about to be free.
 */
function mostExpendable(
  candidates: readonly Candidate[],
  load: Load,
  { shortage, grows, isLastResort }: { shortage: number; grows: boolean; isLastResort: boolean },
): Candidate | undefined {
  const isUrgent = load.heldBytes > load.allowedBytes && (grows || isLastResort);
  const worth = candidates.filter(({ bytes }) =>
    bytes >= WORTH_STOPPING && (isUrgent || bytes >= shortage / 2)
  );
  const running = worth.find(({ standing }) => standing === "running");
  const unsaved = worth.find(({ standing }) => standing === "unsaved");
  const isSmall = running && unsaved && running.bytes < unsaved.bytes / 2;
  if (running && (!unsaved || isPressing(load) && (isUrgent || !isSmall))) return running;
  return isLastResort ? unsaved : undefined;
}

/** Whether half of the margin is used up. */
function isPressing({ heldBytes, allowedBytes }: Load): boolean {
  return heldBytes > allowedBytes - marginOf(allowedBytes) / 2;
}

function marginOf(allowedBytes: number): number {
  return Math.min(LARGEST_MARGIN, Math.max(LEAST_MARGIN, allowedBytes * MARGIN_SHARE));
}

/** Bytes as people read them. */
function inMib(bytes: number): string {
  return `${Math.round(bytes / MIB)} MiB`;
}
