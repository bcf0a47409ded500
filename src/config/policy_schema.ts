/** The keys of policy.toml: one for each limit, with its unit, its range and how it is converted. */

import * as z from "zod/mini";
import { bytes, choice, type ConfigKey, count, having, type Keys, seconds, table, toggle } from "./key.ts";
import { type Flavor, FLAVOR_NAMES, FLAVORED, type FlavorName, type Limits } from "./limits.ts";

const GIB = 1024 ** 3;
const DAY_SECONDS = 86_400;
/** The largest memory of WebAssembly with 32-bit addresses. */
const MAX_MEMORY = 4 * GIB;
/** Room for Python's base image, QuickJS's initial memory, and a small program. */
const MIN_MEMORY = 32 * 1024 ** 2;

const env = table(
  "env",
  () => z.string().check(z.regex(/^[^=\0]{1,1000}$/, 'the name of a variable, without "="')),
  () =>
    z.string("text without NUL").check(
      z.regex(/^[^\0]{0,100000}$/, "text without NUL, up to 100,000 characters"),
    ),
);

export const POLICY_KEYS: Keys<Limits> = {
  timeoutMs: seconds("timeout_seconds", 0.1, 3600),
  maxTimeoutMs: seconds("max_timeout_seconds", 0.1, 3600),
  interruptGraceMs: seconds("interrupt_grace_seconds", 0, 60),
  abortGraceMs: seconds("abort_grace_seconds", 0.1, 60),
  fuelBudget: count("fuel_budget", 1000, Number.MAX_SAFE_INTEGER),
  sessionFuelBudget: count("session_fuel_budget", 1000, Number.MAX_SAFE_INTEGER),
  memoryBytes: bytes("memory_bytes", MIN_MEMORY, MAX_MEMORY),
  totalMemoryBytes: bytes("total_memory_bytes", MIN_MEMORY, 1024 * GIB),
  stdoutMaxBytes: bytes("stdout_max_bytes", 0, GIB / 16),
  stderrMaxBytes: bytes("stderr_max_bytes", 0, GIB / 16),
  resultMaxBytes: bytes("result_max_bytes", 16, GIB / 1024),
  maxDisplays: count("max_displays", 0, 1000),
  displayMaxBytes: bytes("display_max_bytes", 0, GIB / 64),
  codeMaxBytes: bytes("code_max_bytes", 1, GIB / 512),
  workspaceBytes: bytes("workspace_bytes", 0, 64 * GIB),
  workspaceFiles: count("workspace_files", 16, 10_000_000),
  checkpointMaxBytes: bytes("checkpoint_max_bytes", 0, 64 * GIB),
  checkpointsMaxBytes: bytes("checkpoints_max_bytes", 0, 1024 * GIB),
  maxCheckpoints: count("max_checkpoints", 0, 1000),
  undoDepth: count("undo_depth", 0, 1000),
  maxSessions: count("max_sessions", 1, 100_000),
  maxSessionsPerClient: count("max_sessions_per_client", 1, 100_000),
  sessionIdleMs: seconds("session_idle_seconds", 0.1, 7 * DAY_SECONDS),
  sessionLiveMs: seconds("session_live_seconds", 0.1, 7 * DAY_SECONDS),
  sessionMaxAgeMs: seconds("session_max_age_seconds", 0.1, 7 * DAY_SECONDS),
  maxConcurrentExecutions: count("max_concurrent_executions", 1, 10_000),
  maxConcurrentExecutionsPerClient: count("max_concurrent_executions_per_client", 1, 10_000),
  maxQueuedCalls: count("max_queued_calls", 0, 10_000),
  maxQueuedCallsPerClient: count("max_queued_calls_per_client", 0, 100_000),
  isolation: having({ restart: true }, choice("isolation", ["principal", "session"])),
  shareMemory: having({ restart: true }, toggle("share_memory")),
  warmUp: toggle("warm_up"),
  maxExecutors: count("max_executors", 1, 10_000),
  executorRssBytes: bytes("executor_rss_bytes", GIB / 4, 1024 * GIB),
  totalRssBytes: bytes("total_rss_bytes", GIB / 4, 1024 * GIB),
  executorWatchdogMs: seconds("executor_watchdog_seconds", 0.1, 3600),
  executorStartMs: seconds("executor_start_seconds", 1, 600),
  clock: choice("clock", ["real", "virtual"]),
  seed: count("seed", 0, 2 ** 32 - 1),
  env,
};

/** The keys of `[flavors.NAME]`: a subset of the policy's. */
export const FLAVOR_KEYS: Readonly<Record<FlavorName, Keys<Flavor>>> = Object.fromEntries(
  FLAVOR_NAMES.map((flavor) => [flavor, flavorKeys(flavor)]),
) as Record<FlavorName, Keys<Flavor>>;

function flavorKeys(flavor: FlavorName): Keys<Flavor> {
  const keys = FLAVORED.map((limit) => {
    const key: ConfigKey<number> = POLICY_KEYS[limit];
    return [limit, { ...key, name: `flavors.${flavor}.${key.name}` }];
  });
  return Object.fromEntries(keys);
}
