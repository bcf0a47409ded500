/** What a program's handler returned: JSON that a guest made, checked and made ours. */

import { jsonDepthExceeds, MAX_VALUE_DEPTH } from "../json_depth.ts";
import type { ProgramError } from "./runtime.ts";

const encoder = new TextEncoder();

/**
 * @param json As the guest gave it; undefined if that was longer than it may be. @param maxBytes Of UTF-8.
 * @returns The same value in JSON of our own, or what is wrong with it.
 */
export function checkReturned(json: string | undefined, maxBytes: number): string | ProgramError {
  if (json === undefined) return tooLong(maxBytes);
  if (jsonDepthExceeds(json, MAX_VALUE_DEPTH)) {
    return problem("RangeError", `what handler returned is nested more than ${MAX_VALUE_DEPTH} levels`);
  }
  let ours: string;
  try {
    ours = JSON.stringify(JSON.parse(json));
  } catch {
    return problem("TypeError", "what handler returned is not JSON");
  }
  if (ours.length <= maxBytes && encoder.encode(ours).length <= maxBytes) return ours;
  return tooLong(maxBytes);
}

function tooLong(maxBytes: number): ProgramError {
  return problem(
    "RangeError",
    `what handler returned is longer in JSON than the ${maxBytes} bytes that are allowed`,
  );
}

function problem(type: string, message: string): ProgramError {
  return { type, message, traceback: `${type}: ${message}` };
}
