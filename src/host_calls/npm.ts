/**
 * The host operation `npm`: a guest's only way to an npm registry.
 *
 * As with {@link ./packages.ts}, a guest names packages and files' hashes, never a URL.
 */

import * as z from "zod/mini";
import type { HostProtocol } from "./protocol.ts";
import { refused } from "./refusal.ts";

/** Longest name of a package, as npm has it. */
export const NPM_NAME_MAX = 214;
const NAME = /^(@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/i;
/** Subresource integrity, without SHA-1: that can be forged. */
export const INTEGRITY = /^(sha512|sha384|sha256)-[A-Za-z0-9+/]+={0,2}$/;

/** Whether it is the name of a package. Such a name has nothing that a path would take for something else. */
export function isNpmName(name: string): boolean {
  return name.length <= NPM_NAME_MAX && NAME.test(name);
}

const npmName = z.string().check(z.maxLength(NPM_NAME_MAX), z.refine(isNpmName));
const integrity = z.string().check(z.maxLength(200), z.regex(INTEGRITY));
const count = z.int().check(z.nonnegative());
const dependencies = z.record(npmName, z.string().check(z.maxLength(500)));

/** One version that has a file with a hash. */
export const offeredVersion = z.object({
  integrity,
  dependencies,
  /** Those without which it works as well. */
  optional: dependencies,
  /** What it wants its user to install. */
  peers: dependencies,
  /** What the registry says that tells against its running here. */
  obstacle: z.nullable(z.enum(["script", "platform"])),
  deprecated: z.boolean(),
  /** The versions of Node that it is for, if it says so. */
  node: z.nullable(z.string()),
});
export type OfferedVersion = z.infer<typeof offeredVersion>;

const request = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("package"), name: npmName }),
  z.strictObject({ kind: z.literal("file"), integrity, offset: z._default(count, 0) }),
]);
export type NpmRequest = z.infer<typeof request>;

const listing = z.object({
  tags: z.record(z.string(), z.string()),
  versions: z.record(z.string(), offeredVersion),
  /** Versions that are left out as they have no hash that counts. */
  unhashed: count,
  /** Versions that the operator's lists forbid. */
  denied: count,
});
export type OfferedPackage = z.infer<typeof listing>;

/** `size`: of the whole file; a piece of it is beside this. */
const answer = z.union([refused, listing, z.object({ size: count })]);
export type NpmAnswer = z.infer<typeof answer>;

export const npmProtocol: HostProtocol<NpmRequest, NpmAnswer> = {
  name: "npm",
  request: request as z.core.$ZodType<NpmRequest>,
  answer,
  maxRequestBytes: 1000,
  maxReplyBytes: 14 * 1024 * 1024,
  maxConcurrent: 4,
};
