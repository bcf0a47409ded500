/** Arguments as some clients send them: numbers and truth values within quotes. */

import type * as z from "zod";

const NUMBER = /^-?\d+(?:\.\d+)?$/;
const TRUTH = new Map([["true", true], ["false", false]]);

/**
 * The arguments with what was not of its type turned into that, where its text says nothing else.
 *
 * @param error What was wrong with them.
 * @returns undefined if there is nothing of that kind.
 */
export function coerced(args: unknown, { issues }: z.ZodError): Record<string, unknown> | undefined {
  if (typeof args !== "object" || args === null) return undefined;
  const changes: [string, number | boolean][] = [];
  for (const { code, path: [name, ...rest], ...issue } of issues) {
    if (code !== "invalid_type" || typeof name !== "string" || rest.length > 0) continue;
    const text: unknown = Object.hasOwn(args, name) ? (args as Record<string, unknown>)[name] : undefined;
    if (typeof text !== "string") continue;
    const { expected } = issue as { expected?: string };
    const value = expected === "boolean"
      ? TRUTH.get(text.toLowerCase())
      : ["number", "int"].includes(expected ?? "") && NUMBER.test(text)
      ? Number(text)
      : undefined;
    if (value !== undefined) changes.push([name, value]);
  }
  return changes.length > 0 ? { ...args, ...Object.fromEntries(changes) } : undefined;
}
