/** What the load generator is told, and what it tells. */

export interface Job {
  readonly port: number;
  /** Whole HTTP requests; connection number i sends the i-th again and again. */
  readonly requests: readonly string[];
  readonly connections: number;
  readonly ms: number;
}

export interface Load {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Share of one processor that the generator itself took: near 1 it is what is measured. */
  readonly busy: number;
}
