/** Which trace a request belongs to: W3C Trace Context, level 1. */

/** What a caller said of the trace that its request is a part of. */
export interface TraceParent {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  readonly sampled: boolean;
}

const TRACEPARENT = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/;

/** @param header The value of `traceparent`. @returns Undefined for one that is absent or not valid: it is ignored. */
export function parseTraceparent(header: unknown): TraceParent | undefined {
  if (typeof header !== "string" || header.length > 200) return undefined;
  const [, version, traceId, spanId, flags, more] = TRACEPARENT.exec(header) ?? [];
  if (!traceId || !spanId || !flags || (version === "00" && more !== undefined)) return undefined;
  return { traceId, spanId, sampled: (parseInt(flags, 16) & 1) === 1 };
}

/** A trace of its own, for a request that belongs to none. */
export function newTraceId(): string {
  return crypto.randomUUID().replaceAll("-", "");
}
