/**
 * just-bash's own limits: those that bound memory, and those that keep it out of the depths of V8's stack. How long a
 * script works is none of them: that is for its time-out, which every step looks at.
 */

const MiB = 1024 * 1024;
/** No bound in effect. Infinity would be one: some commands calculate with these. */
const UNBOUNDED = 2 ** 50;

export const LIMITS = {
  maxSourceBytes: 4 * MiB,
  maxExecDepth: 64,
  maxCallDepth: 250,
  maxSubstitutionDepth: 50,
  maxSourceDepth: 64,
  maxOutputSize: 64 * MiB,
  maxStringLength: 64 * MiB,
  maxLiveBytes: 512 * MiB,
  maxHeredocSize: 16 * MiB,
  maxArrayElements: 1_000_000,
  maxBraceExpansionResults: 100_000,
  maxGlobOperations: 1_000_000,
  maxCommandCount: UNBOUNDED,
  maxLoopIterations: UNBOUNDED,
  maxAwkIterations: UNBOUNDED,
  maxSedIterations: UNBOUNDED,
  maxJqIterations: UNBOUNDED,
  maxTraversalWork: UNBOUNDED,
  maxTraversalEntries: UNBOUNDED,
  maxInputBytes: UNBOUNDED,
  maxWorkUnits: UNBOUNDED,
  /** No timers: a Worker whose globals are gone could not end them, and nothing here waits for the event loop. */
  maxExecutionTimeMs: Infinity,
} as const;
