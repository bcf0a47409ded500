/** The arguments by which a program's handler is called, and what is asked of its session for them. */

import * as z from "zod";
import { WasmboxError } from "../errors.ts";
import { jsonDepthExceeds, MAX_VALUE_DEPTH } from "../json_depth.ts";
import type { HandlerRequest } from "../session/handler_call.ts";

export const handlerInput = {
  event: z.unknown().optional().meta({
    type: "object",
    additionalProperties: {}, // what OpenAI's strict schemas can't say: in those every parameter has to be given
    description:
      "JSON for a `handler(event, context)` that the code defines: called after the code, its value is `return_value`.",
  }),
  context: z.record(z.string(), z.unknown()).optional().describe("More fields of the handler's context."),
};

export interface HandlerArguments {
  readonly event?: unknown;
  readonly context?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * @param callAlways Calls a handler that the program defines also without an event, with an empty one.
 * @param maxBytes Of event and context together.
 * @returns undefined if no handler is to be called.
 * @throws {WasmboxError} for more than a program can be given.
 */
export function handlerRequestOf(
  { event, context = {} }: HandlerArguments,
  { callAlways, maxBytes }: { readonly callAlways: boolean; readonly maxBytes: number },
): HandlerRequest | undefined {
  const required = event !== undefined && event !== null;
  if (!required && !callAlways) return undefined;
  const json = jsonOf("event", required ? event : {});
  const bytes = new TextEncoder().encode(json + jsonOf("context", context)).length;
  if (bytes > maxBytes) {
    throw new WasmboxError(
      "PAYLOAD_TOO_LARGE",
      `event and context have ${bytes} bytes of JSON; the limit is ${maxBytes}.`,
      {
        suggestions: ["Write data to a file of the session and name the file in the event."],
        context: { event_bytes: bytes, event_max_bytes: maxBytes },
      },
    );
  }
  return { event: json, context, required };
}

function jsonOf(name: string, value: unknown): string {
  let json: string | undefined;
  try {
    json = JSON.stringify(value);
  } catch {
    // so deep that it can't even be written
  }
  if (json === undefined || jsonDepthExceeds(json, MAX_VALUE_DEPTH)) {
    throw new WasmboxError("INVALID_ARGUMENTS", `${name} is nested more than ${MAX_VALUE_DEPTH} levels.`, {
      suggestions: ["Write data to a file of the session and name the file in the event."],
    });
  }
  return json;
}
