/**
 * Spans for OpenTelemetry: one for each call of a tool, and one for each execution inside it. Deno itself exports them
 * where it is told to (OTEL_DENO=true), with those that it makes of HTTP requests; else all of this costs nothing.
 *
 * Attributes hold ids and figures, never code, output, tokens or principals.
 */

import { context, type Span, SpanStatusCode, trace, TraceFlags } from "@opentelemetry/api";
import type { Observer } from "./events.ts";
import type { TraceParent } from "./trace.ts";

const tracer = trace.getTracer("wasmbox");

export class Spans {
  readonly #executions = new Map<string, Span>();

  /** Makes the spans of executions. */
  readonly observe: Observer = (event) => {
    switch (event.type) {
      case "execution_queued": {
        const attributes = { "wasmbox.execution.id": event.executionId, "wasmbox.language": event.language };
        this.#executions.set(event.executionId, tracer.startSpan("execution", { attributes }));
        break;
      }
      case "execution_started":
        this.#executions.get(event.executionId)?.addEvent("started");
        break;
      case "execution_ended": {
        const span = this.#executions.get(event.executionId);
        this.#executions.delete(event.executionId);
        span?.setAttributes({
          "wasmbox.status": event.status,
          "wasmbox.state": event.state,
          "wasmbox.fuel_consumed": event.fuelConsumed,
          "wasmbox.memory_bytes": event.memoryBytes,
        });
        if (event.status !== "completed") span?.setStatus({ code: SpanStatusCode.ERROR });
        span?.end();
        break;
      }
    }
  };

  /**
   * Runs `work` in the span of a call.
   *
   * @param parent What the caller said of its trace.
   * @param work Is given the id of the trace. Its result's `isError` marks the span.
   */
  async around<Result extends { readonly isError: boolean }>(
    tool: string,
    parent: TraceParent | undefined,
    work: (traceId: string) => Promise<Result>,
  ): Promise<Result> {
    const options = { attributes: { "mcp.method.name": "tools/call", "gen_ai.tool.name": tool } };
    return await tracer.startActiveSpan(
      `tools/call ${tool}`,
      options,
      parentContext(parent),
      async (span) => {
        try {
          const result = await work(span.spanContext().traceId);
          if (result.isError) span.setStatus({ code: SpanStatusCode.ERROR });
          return result;
        } catch (error) {
          span.setStatus({ code: SpanStatusCode.ERROR });
          throw error;
        } finally {
          span.end();
        }
      },
    );
  }
}

/** The span of the HTTP request that brought the call, unless the caller named another trace as the call's own. */
function parentContext(parent: TraceParent | undefined) {
  const active = trace.getActiveSpan()?.spanContext();
  if (!parent || active?.traceId === parent.traceId) return context.active();
  const { traceId, spanId, sampled } = parent;
  const traceFlags = sampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return trace.setSpanContext(context.active(), { traceId, spanId, traceFlags, isRemote: true });
}
