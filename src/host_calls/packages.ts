/**
 * The host operation `packages`: a guest's only way to an index of Python packages.
 *
 * A guest names projects and files' hashes, never a URL.
 */

import * as z from "zod/mini";
import type { HostProtocol } from "./protocol.ts";
import { refused } from "./refusal.ts";

/** Longest name of a project. */
export const PROJECT_NAME_MAX = 200;

/** A name as PEP 503 normalises it. */
const normalized = z.string().check(z.maxLength(PROJECT_NAME_MAX), z.regex(/^[a-z0-9]+(-[a-z0-9]+)*$/));
const count = z.int().check(z.nonnegative());

const request = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("project"), name: normalized }),
  z.strictObject({
    kind: z.literal("file"),
    sha256: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
    offset: z._default(count, 0),
  }),
]);
export type PackagesRequest = z.infer<typeof request>;

const answer = z.union([
  refused,
  /**
   * `page`: as PEP 691 has it; its URLs are relative to the page's. `leftOut`: files that aren't on it, by reason.
   * `unusable`: the newest release of which no file is on it.
   */
  z.object({
    page: z.record(z.string(), z.unknown()),
    leftOut: z.record(z.string(), count),
    unusable: z.nullable(z.string()),
  }),
  /** Of the whole file; a piece of it is beside this. */
  z.object({ size: count }),
]);
export type PackagesAnswer = z.infer<typeof answer>;

export const packagesProtocol: HostProtocol<PackagesRequest, PackagesAnswer> = {
  name: "packages",
  request: request as z.core.$ZodType<PackagesRequest>,
  answer,
  maxRequestBytes: 1000,
  maxReplyBytes: 14 * 1024 * 1024,
  maxConcurrent: 4,
};
