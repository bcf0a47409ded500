/** Sessions in an executor, as far as its memory is concerned. */

/**
 * What a session would lose by leaving its executor: nothing ("idle"), programs that its scripts have left running, which no
 * image has ("serving"), only what it was asked and has not answered ("running"), or what it has answered already ("unsaved").
 */
export type Standing = "idle" | "serving" | "running" | "unsaved";

/** Whether it would lose something that it has by leaving. */
export function isBound(standing: Standing): boolean {
  return standing === "unsaved" || standing === "serving";
}

export interface Tenant {
  readonly channel: number;
  readonly bytes: number;
  readonly standing: Standing;
  /** Makes it leave at once. @param why For people. */
  evict(why: string): void;
}

/** What an executor says of its memory. */
export interface MemoryReport {
  /** When it came; `performance.now()`. */
  readonly at: number;
  readonly rssBytes: number;
  /** What each session holds, by its channel; also one that was closed and has not ended yet. */
  readonly sessions: ReadonlyMap<number, number>;
}
