/**
 * What is measured, for Prometheus: an observer that counts events. docs/OPERATIONS.md describes each.
 *
 * Labels are of closed sets of words (see events.ts), so that no client or guest can make series.
 */

import type { Observer, TelemetryEvent } from "./events.ts";
import { Counter, Gauge, Histogram, Registry } from "./prometheus.ts";

const MIB = 1024 * 1024;
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3600];
const MEMORY = [16, 32, 64, 128, 256, 512, 1024, 2048, 4096].map((mib) => mib * MIB);

/** What is said of the program itself. */
export interface Build {
  readonly version: string;
  readonly deno: string;
  readonly v8: string;
}

export class Metrics {
  /** Counts events. */
  readonly observe: Observer;
  readonly #registry = new Registry();
  /** What each executor holds, by its process id. */
  readonly #executors = new Map<number, number>();

  constructor(build: Build) {
    const counts = this.#counts();
    const levels = this.#levels();
    const times = this.#times();
    this.#describe(build);
    this.observe = (event) => {
      counts(event);
      levels(event);
      times(event);
    };
  }

  /** The media type of {@link text}. */
  get contentType(): string {
    return this.#registry.contentType;
  }

  /** All metrics in Prometheus' text format. */
  async text(): Promise<string> {
    return await this.#registry.metrics();
  }

  #counts(): Observer {
    const count = <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
      new Counter<Label>({ name: `wasmbox_${name}_total`, help, labelNames, registers: [this.#registry] });
    const executions = count("executions", "Executions that ended, by how.", ["language", "status"]);
    const fuel = count("fuel_consumed", "Fuel that executions used.", ["language"]);
    const truncated = count("output_truncated", "Executions whose output was cut.", ["stream"]);
    const losses = count("state_losses", "Executions that ended with state lost.", ["state"]);
    const checkpoints = count("checkpoints", "Checkpoints, by whether the session fitted.", ["result"]);
    const created = count("sessions_created", "Sessions made.");
    const woken = count("sessions_woken", "Sessions that went on from what a store kept of them.");
    const ended = count("sessions_ended", "Sessions ended, by why.", ["cause"]);
    const evictions = count("session_evictions", "Sessions that left their executor for want of memory.", [
      "state",
    ]);
    const starts = count("executor_starts", "Executor processes started.");
    const restarts = count("executor_restarts", "Of those, the ones in place of one that was lost.");
    const ends = count("executor_ends", "Executor processes ended, by why.", ["cause"]);
    const tools = count("tool_calls", "Tool calls answered, by outcome: ok or an error code.", [
      "tool",
      "outcome",
    ]);
    const http = count("http_requests", "HTTP requests answered.", ["route", "method", "status"]);
    const refusals = count("http_refusals", "HTTP requests refused, by error code.", ["code"]);
    const rates = count("rate_limited", "Requests refused by a rate limit.", ["limit"]);
    const audit = count("audit_failures", "Audit records that could not be written.");
    return (event) => {
      switch (event.type) {
        case "execution_ended":
          executions.inc({ language: event.language, status: event.status });
          fuel.inc({ language: event.language }, event.fuelConsumed);
          if (event.state !== "kept") losses.inc({ state: event.state });
          if (event.truncated.stdout) truncated.inc({ stream: "stdout" });
          if (event.truncated.stderr) truncated.inc({ stream: "stderr" });
          break;
        case "checkpoint":
          return checkpoints.inc({ result: event.complete ? "complete" : "too_large" });
        case "session_created":
          return (event.woken ? woken : created).inc();
        case "session_ended":
          return ended.inc({ cause: event.cause });
        case "session_evicted":
          return evictions.inc({ state: event.state });
        case "executor_started":
          starts.inc();
          if (event.replacement) restarts.inc();
          break;
        case "executor_ended":
          return ends.inc({ cause: event.cause });
        case "tool_called":
          return tools.inc({ tool: event.tool, outcome: event.outcome });
        case "http_answered":
          return http.inc({
            route: event.route,
            method: event.method,
            status: `${Math.floor(event.status / 100)}xx`,
          });
        case "http_refused":
          return refusals.inc({ code: event.code });
        case "rate_limited":
          return rates.inc({ limit: event.limit });
        case "audit_failed":
          return audit.inc();
      }
    };
  }

  #levels(): Observer {
    const level = (name: string, help: string) =>
      new Gauge({ name: `wasmbox_${name}`, help, registers: [this.#registry] });
    const running = level("executions_running", "Executions that run now.");
    const queued = level("executions_queued", "Executions that wait for their turn.");
    const sessions = level("sessions_live", "Sessions that exist.");
    const executors = level("executors_live", "Executor processes that run.");
    const memory = this.#executors;
    new Gauge({
      name: "wasmbox_executors_resident_memory_bytes",
      help: "Resident memory of all executor processes.",
      registers: [this.#registry],
      collect() {
        this.set([...memory.values()].reduce((sum, bytes) => sum + bytes, 0));
      },
    });
    return (event) => {
      switch (event.type) {
        case "execution_queued":
          return queued.inc();
        case "execution_started":
          queued.dec();
          return running.inc();
        case "execution_ended":
          return (event.started ? running : queued).dec();
        case "session_created":
          return sessions.inc();
        case "session_ended":
          return sessions.dec();
        case "executor_started":
          return executors.inc();
        case "executor_memory":
          return void memory.set(event.pid, event.rssBytes);
        case "executor_ended":
          memory.delete(event.pid);
          return executors.dec();
      }
    };
  }

  #times(): Observer {
    const measure = <Label extends string>(
      name: string,
      help: string,
      labelNames: Label[] = [],
      buckets = SECONDS,
    ) =>
      new Histogram<Label>({
        name: `wasmbox_${name}`,
        help,
        labelNames,
        buckets,
        registers: [this.#registry],
      });
    const duration = measure("execution_duration_seconds", "How long executions ran.", ["language"]);
    const wait = measure("execution_queue_seconds", "How long executions waited for their turn.");
    const memory = measure("execution_memory_bytes", "Heap after an execution.", ["language"], MEMORY);
    const tools = measure("tool_call_duration_seconds", "How long tool calls took.", ["tool"]);
    const starts = measure("executor_start_seconds", "How long executor processes took to be ready.");
    return (event: TelemetryEvent) => {
      switch (event.type) {
        case "execution_started":
          return wait.observe(event.waitedMs / 1000);
        case "execution_ended":
          if (!event.started) return;
          duration.observe({ language: event.language }, event.durationMs / 1000);
          if (event.memoryBytes > 0) memory.observe({ language: event.language }, event.memoryBytes);
          break;
        case "tool_called":
          return tools.observe({ tool: event.tool }, event.durationMs / 1000);
        case "executor_ready":
          return starts.observe(event.startMs / 1000);
      }
    };
  }

  #describe({ version, deno, v8 }: Build): void {
    const registers = [this.#registry];
    new Gauge({
      name: "wasmbox_build_info",
      help: "Always 1; the labels tell versions.",
      labelNames: ["version", "deno", "v8"],
      registers,
    }).set({ version, deno, v8 }, 1);
    new Gauge({
      name: "process_start_time_seconds",
      help: "When the server started, since the epoch.",
      registers,
    }).set(Math.round(performance.timeOrigin) / 1000);
    new Gauge({
      name: "process_resident_memory_bytes",
      help: "Resident memory of the server process.",
      registers,
      collect() {
        this.set(Deno.memoryUsage().rss);
      },
    });
  }
}
