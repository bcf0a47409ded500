/** The guest's description of an error, checked: it is JSON made by code that a program can tamper with. */

import type { ProgramError } from "../runtime.ts";

/** Longest parts that are taken over, UTF-16 units; above what the prelude's own bounds let through. */
const MOST = { type: 200, message: 10_000, traceback: 128 * 1024 } as const;

export const UNDESCRIBABLE: ProgramError = {
  type: "Error",
  message: "The program threw a value that can't be described",
  traceback: "Uncaught (a value that can't be described)",
};

/** @param json As the prelude gave it, if it did. @returns {@link UNDESCRIBABLE} if that is no description. */
export function describedError(json: string): ProgramError {
  let described: unknown;
  try {
    described = JSON.parse(json);
  } catch {
    return UNDESCRIBABLE;
  }
  if (typeof described !== "object" || described === null) return UNDESCRIBABLE;
  const { type, message, traceback } = described as Record<keyof ProgramError, unknown>;
  if (typeof type !== "string" || typeof message !== "string" || typeof traceback !== "string") {
    return UNDESCRIBABLE;
  }
  return {
    type: cut(type, MOST.type),
    message: cut(message, MOST.message),
    traceback: cut(traceback, MOST.traceback),
  };
}

function cut(text: string, most: number): string {
  return text.slice(0, most).toWellFormed();
}
