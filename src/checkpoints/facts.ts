/** What a session is beside its image. */

import * as z from "zod/mini";
import { LANGUAGE_NAMES } from "../languages.ts";

const count = z.number().check(z.nonnegative());

/** Most that is kept of a reply, UTF-16 units: a head holds several, and is written anew with each change. */
export const REPLY_MAX = 200_000;

export const sessionFacts = z.object({
  /** Milliseconds of the epoch. */
  createdAt: count,
  lastUsedAt: count,
  /** Executions that it ran. */
  executed: z.int().check(z.nonnegative()),
  fuelConsumed: count,
  /** Programs that its scripts had left running, which no image has. */
  programs: z.optional(z.int().check(z.positive())),
  /** The execution whose end state is stored, or an earlier one where files were changed since. */
  lastExecutionId: z.optional(z.string().check(z.maxLength(100))),
  /** Languages that it ran. */
  languages: z.array(z.enum(LANGUAGE_NAMES)),
  /** Those whose heaps are a copy of another session's, and have not run since. */
  copied: z.array(z.enum(LANGUAGE_NAMES)),
  /** Its lower limits, if it was made with some: keys of the configuration's flavors. */
  flavor: z.optional(z.record(z.string(), z.nullable(z.number()))),
  /** What its last executions in the background gave, oldest first, in the words of those who ask for it. */
  replies: z.optional(z.array(z.object({
    executionId: z.string().check(z.maxLength(100)),
    reply: z.string().check(z.maxLength(REPLY_MAX)),
  }))),
});
export type SessionFacts = z.infer<typeof sessionFacts>;
