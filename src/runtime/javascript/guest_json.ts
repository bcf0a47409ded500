/** JSON of the prelude's, which goes through functions that a guest can replace. */

import type * as z from "zod/mini";

/** @returns undefined if it is no JSON, or not what it should be. */
export function asJson<T>(schema: z.ZodMiniType<T>, text: string): T | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
