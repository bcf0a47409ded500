/** The keys of policy.toml: one for each limit, with its unit, its range and how it becomes the limit. */

import { z } from "zod";
import { FLAVOR_NAMES, FLAVORED, type Limits } from "./limits.ts";

const GIB = 1024 ** 3;
const DAY_SECONDS = 86_400;
/** WebAssembly's largest memory with 32-bit addresses. */
const MAX_MEMORY = 4 * GIB;
/** Room for the base image of Python, for QuickJS's initial memory, and for a small program. */
const MIN_MEMORY = 32 * 1024 ** 2;

/** A key: its name in the file, the type it must have, and its limit from its value. */
export interface PolicyKey<Limit = unknown> {
  readonly name: string;
  /** Its issues have the allowed values as their message. */
  readonly schema: z.ZodType;
  /** The limit for a value that the schema let through. */
  limit(value: never): Limit;
  /** The value for a limit: what the file says. */
  value(limit: Limit): unknown;
}

function numberKey(name: string, min: number, max: number, whole: boolean, scale = 1): PolicyKey<number> {
  const allowed = `${whole ? "a whole number from " : ""}${grouped(min)} to ${grouped(max)}`;
  const number = z.number(allowed).min(min, allowed).max(max, allowed);
  return {
    name,
    schema: whole ? number.int(allowed) : number,
    limit: (value: number) => value * scale,
    value: (limit) => limit / scale,
  };
}

const seconds = (name: string, min: number, max: number) => numberKey(name, min, max, false, 1000);
const bytes = (name: string, min: number, max: number) => numberKey(name, min, max, true);
const count = (name: string, min: number, max: number) => numberKey(name, min, max, true);

function choiceKey<Choice extends string>(name: string, choices: readonly Choice[]): PolicyKey<Choice> {
  const schema = z.enum(choices, choices.map((choice) => `"${choice}"`).join(" or "));
  return { name, schema, limit: (value: Choice) => value, value: (limit) => limit };
}

const envKey: PolicyKey<Limits["env"]> = {
  name: "env",
  schema: z.record(
    z.string().regex(/^[^=\0]{1,1000}$/, 'names of variables without "="'),
    z.string("a text without NUL").regex(/^[^\0]{0,100000}$/, "a text without NUL, up to 100,000 characters"),
    "a table of texts",
  ),
  limit: (value: Limits["env"]) => value,
  value: (limit) => limit,
};

/** TOML has no null: a limit that may be null is so when its key is absent. */
export const POLICY_KEYS: { readonly [Key in keyof Limits]: PolicyKey<NonNullable<Limits[Key]>> } = {
  timeoutMs: seconds("timeout_seconds", 0.1, 3600),
  maxTimeoutMs: seconds("max_timeout_seconds", 0.1, 3600),
  interruptGraceMs: seconds("interrupt_grace_seconds", 0, 60),
  abortGraceMs: seconds("abort_grace_seconds", 0.1, 60),
  fuelBudget: count("fuel_budget", 1000, Number.MAX_SAFE_INTEGER),
  sessionFuelBudget: count("session_fuel_budget", 1000, Number.MAX_SAFE_INTEGER),
  memoryBytes: bytes("memory_bytes", MIN_MEMORY, MAX_MEMORY),
  stdoutMaxBytes: bytes("stdout_max_bytes", 0, GIB / 16),
  stderrMaxBytes: bytes("stderr_max_bytes", 0, GIB / 16),
  resultMaxBytes: bytes("result_max_bytes", 16, GIB / 1024),
  codeMaxBytes: bytes("code_max_bytes", 1, GIB / 512),
  workspaceBytes: bytes("workspace_bytes", 0, 64 * GIB),
  workspaceFiles: count("workspace_files", 16, 10_000_000),
  checkpointsMaxBytes: bytes("checkpoints_max_bytes", 0, 1024 * GIB),
  checkpointMaxBytes: bytes("checkpoint_max_bytes", 0, 64 * GIB),
  maxSessions: count("max_sessions", 1, 100_000),
  maxSessionsPerClient: count("max_sessions_per_client", 1, 100_000),
  sessionIdleMs: seconds("session_idle_seconds", 0.1, 7 * DAY_SECONDS),
  sessionMaxAgeMs: seconds("session_max_age_seconds", 0.1, 7 * DAY_SECONDS),
  maxConcurrentExecutions: count("max_concurrent_executions", 1, 10_000),
  maxConcurrentExecutionsPerClient: count("max_concurrent_executions_per_client", 1, 10_000),
  maxQueuedCalls: count("max_queued_calls", 0, 10_000),
  maxQueuedCallsPerClient: count("max_queued_calls_per_client", 0, 100_000),
  isolation: choiceKey("isolation", ["principal", "session"]),
  maxExecutors: count("max_executors", 1, 10_000),
  executorRssBytes: bytes("executor_rss_bytes", GIB / 4, 1024 * GIB),
  executorWatchdogMs: seconds("executor_watchdog_seconds", 0.1, 3600),
  executorStartMs: seconds("executor_start_seconds", 1, 600),
  clock: choiceKey("clock", ["real", "virtual"]),
  seed: count("seed", 0, 2 ** 32 - 1),
  env: envKey,
};

const flavorSchema = z.strictObject(
  Object.fromEntries(FLAVORED.map((key) => [POLICY_KEYS[key].name, POLICY_KEYS[key].schema.optional()])),
  "a table of limits",
);

/** policy.toml as a whole. Every key may be absent; no other may be there. */
export const policySchema = z.strictObject({
  ...Object.fromEntries(Object.values(POLICY_KEYS).map(({ name, schema }) => [name, schema.optional()])),
  flavors: z.strictObject(
    Object.fromEntries(FLAVOR_NAMES.map((name) => [name, flavorSchema.optional()])),
    `tables named ${FLAVOR_NAMES.join(", ")}`,
  ).optional(),
});

/** What {@link policySchema} lets through, by the names in the file. */
export type PolicyFile = Readonly<Record<string, unknown>> & {
  readonly flavors?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
};

/** 1234567 as in TOML: 1_234_567. */
function grouped(number: number): string {
  return number < 10_000 ? String(number) : String(number).replaceAll(/\B(?=(\d{3})+$)/g, "_");
}
