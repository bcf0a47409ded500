/** The typed limits of a server, with their defaults (docs/ARCHITECTURE.md, decision 7). Every one of them is enforced. */

const KIB = 1024;
const MIB = 1024 * KIB;
const GIB = 1024 * MIB;

/**
 * What clients and guests may use. Times are in milliseconds and sizes in bytes unless the name says otherwise; null means
 * no bound.
 *
 * Their names in policy.toml, their units there and their ranges are in policy_schema.ts.
 */
export interface Limits {
  /** Wall time of an execution that does not ask for a different one. */
  readonly timeoutMs: number;
  /** The longest wall time that may be asked for. */
  readonly maxTimeoutMs: number;
  /** After an interrupt, how long the program may take to end before its heap is discarded. */
  readonly interruptGraceMs: number;
  /** After an abort, how long the Worker may take to answer before its executor is killed. */
  readonly abortGraceMs: number;

  /** Fuel of one execution. */
  readonly fuelBudget: number | null;
  /** Fuel of all executions of a session together. */
  readonly sessionFuelBudget: number | null;

  /** Linear memory of one heap. */
  readonly memoryBytes: number;
  /** What the heaps of all live sessions may grow to together; each counts with its own maximum. */
  readonly totalMemoryBytes: number | null;
  readonly stdoutMaxBytes: number;
  readonly stderrMaxBytes: number;
  /** The longest repr of a last expression. */
  readonly resultMaxBytes: number;
  /** How many things one execution may display. */
  readonly maxDisplays: number;
  /** The most that a reply contains of them together; the rest is saved as files. */
  readonly displayMaxBytes: number;
  /** The longest source of one execution, in bytes of UTF-8. */
  readonly codeMaxBytes: number;
  readonly workspaceBytes: number;
  /** Files, directories and links of a workspace together. */
  readonly workspaceFiles: number;
  /** The largest checkpoint of a session (its heaps and files); a larger session can't be rolled back. */
  readonly checkpointMaxBytes: number;
  /** Most that the checkpoints of all sessions may hold together, in the server's memory; null: a quarter of what the machine has, 4 GiB at most. */
  readonly checkpointsMaxBytes: number | null;
  /** Checkpoints with names that a session may have. */
  readonly maxCheckpoints: number;
  /** Changes of a session that can be undone. */
  readonly undoDepth: number;

  /** Live sessions of the whole server. */
  readonly maxSessions: number;
  /** Live sessions of one principal. */
  readonly maxSessionsPerClient: number;
  /** A session that was not used for this long is ended; where a store keeps it, the next call goes on with it. */
  readonly sessionIdleMs: number;
  /** A session that was not used for this long gives its Worker up; the next call makes another one. */
  readonly sessionLiveMs: number;
  /** A session is ended at this age, whatever it is doing. */
  readonly sessionMaxAgeMs: number | null;

  /** Executions that run at the same time in the whole server; others wait. */
  readonly maxConcurrentExecutions: number;
  /** Executions of one principal that run at the same time; others wait. */
  readonly maxConcurrentExecutionsPerClient: number;
  /** Calls that may wait for their turn in one session. */
  readonly maxQueuedCalls: number;
  /** Calls that may wait in all sessions of one principal together. */
  readonly maxQueuedCallsPerClient: number;

  /** Whether the sessions of a principal share an executor process, or each session has its own. */
  readonly isolation: "principal" | "session";
  /** Whether heaps share memory with what they started from, for which executors keep a permission (Linux). */
  readonly shareMemory: boolean;
  /** Whether executors that have nothing to do run programs of ours, so that guests compute at full speed from the start. */
  readonly warmUp: boolean;
  readonly maxExecutors: number;
  /** Resident memory of one executor: beyond it sessions have to leave, at last the process has to go. */
  readonly executorRssBytes: number;
  /** Likewise, of all executors together; null: half of what the machine has. */
  readonly totalRssBytes: number | null;
  /** How long an executor may be silent before it is replaced. */
  readonly executorWatchdogMs: number;
  /** How long a new executor may take to become ready. */
  readonly executorStartMs: number;

  /** "virtual": time starts at a fixed instant for guests, and advances as they work and wait. */
  readonly clock: "real" | "virtual";
  /** Makes guests' randomness the same in every new session; null for unpredictable randomness. */
  readonly seed: number | null;
  /** Environment variables that guests see. */
  readonly env: Readonly<Record<string, string>>;
}

export const DEFAULT_LIMITS: Limits = {
  timeoutMs: 30_000,
  maxTimeoutMs: 3_600_000,
  interruptGraceMs: 500,
  abortGraceMs: 2_000,
  fuelBudget: null,
  sessionFuelBudget: null,
  memoryBytes: 256 * MIB,
  totalMemoryBytes: null,
  stdoutMaxBytes: MIB,
  stderrMaxBytes: MIB,
  resultMaxBytes: 64 * KIB,
  maxDisplays: 20,
  displayMaxBytes: 512 * KIB,
  codeMaxBytes: MIB,
  workspaceBytes: 256 * MIB,
  workspaceFiles: 20_000,
  checkpointMaxBytes: 512 * MIB,
  checkpointsMaxBytes: null,
  maxCheckpoints: 20,
  undoDepth: 10,
  maxSessions: 100,
  maxSessionsPerClient: 10,
  sessionIdleMs: 1_800_000,
  sessionLiveMs: 300_000,
  sessionMaxAgeMs: null,
  maxConcurrentExecutions: 16,
  maxConcurrentExecutionsPerClient: 8,
  maxQueuedCalls: 32,
  maxQueuedCallsPerClient: 100,
  isolation: "principal",
  shareMemory: true,
  warmUp: true,
  maxExecutors: 16,
  executorRssBytes: 4 * GIB,
  totalRssBytes: null,
  executorWatchdogMs: 10_000,
  executorStartMs: 20_000,
  clock: "real",
  seed: null,
  env: {},
};

/** The limits that a flavor may lower for one session. */
export const FLAVORED = [
  "maxTimeoutMs",
  "fuelBudget",
  "sessionFuelBudget",
  "memoryBytes",
  "stdoutMaxBytes",
  "stderrMaxBytes",
  "resultMaxBytes",
  "displayMaxBytes",
  "workspaceBytes",
  "workspaceFiles",
] as const satisfies readonly (keyof Limits)[];

/** Lower limits for one session. */
export type Flavor = Partial<Pick<Limits, typeof FLAVORED[number]>>;

export const FLAVOR_NAMES = ["small", "medium", "large"] as const;
export type FlavorName = typeof FLAVOR_NAMES[number];

/** The flavors that a session may be created with, by name. */
export type Flavors = Readonly<Record<FlavorName, Flavor>>;

export const DEFAULT_FLAVORS: Flavors = {
  small: { maxTimeoutMs: 60_000, memoryBytes: 64 * MIB, workspaceBytes: 64 * MIB, workspaceFiles: 5_000 },
  medium: {
    maxTimeoutMs: 600_000,
    memoryBytes: 128 * MIB,
    workspaceBytes: 128 * MIB,
    workspaceFiles: 10_000,
  },
  large: {},
};

/** A server's limits, and the lower ones that a session may ask for. */
export interface Policy {
  readonly limits: Limits;
  readonly flavors: Flavors;
}

export const DEFAULT_POLICY: Policy = { limits: DEFAULT_LIMITS, flavors: DEFAULT_FLAVORS };

/** The limits of a session of a flavor, which never exceed the server's. */
export function withFlavor(limits: Limits, flavor: Flavor): Limits {
  const lowered: Record<string, number> = {};
  for (const key of FLAVORED) {
    const bounds = [limits[key], flavor[key]].filter((bound) => typeof bound === "number");
    if (bounds.length > 0) lowered[key] = Math.min(...bounds);
  }
  const merged = { ...limits, ...lowered };
  return { ...merged, timeoutMs: Math.min(merged.timeoutMs, merged.maxTimeoutMs) };
}
