/**
 * The host operation `imports`: what is asked of modules that nothing provides. The Worker itself answers it, by pip in an
 * interpreter of its own, or by npm; only their questions go to the server.
 */

import * as z from "zod/mini";

export const IMPORTS_OPERATION = "imports";

const MAX_REQUEST_BYTES = 64 * 1024;
const MAX_NAMES = 1000;

const name = z.string().check(z.minLength(1), z.maxLength(100));

const npmName = z.string().check(z.minLength(1), z.maxLength(214));

const request = z.discriminatedUnion("kind", [
  /** A program imports the first of them, and will import the others; with their dots. */
  z.object({ kind: z.literal("install"), names: z.array(name).check(z.minLength(1), z.maxLength(50)) }),
  /** A program in JavaScript imports it; with the versions that its project asks for. */
  z.object({
    kind: z.literal("install_npm"),
    name: npmName,
    versions: z.optional(z.string().check(z.maxLength(200))),
  }),
  /** What is to be said of a module that was not found. */
  z.object({
    kind: z.literal("advice"),
    name,
    /** The modules of the standard library. */
    standard: z.array(name).check(z.maxLength(MAX_NAMES)),
    /** Why the session could not go to the interpreter that its program wants; null if it needed not, or it did. */
    stays: z.nullable(z.string().check(z.maxLength(2000))),
  }),
]);
export type ImportsRequest = z.infer<typeof request>;

/** What is answered to `install_npm`. */
export interface NpmArrival {
  readonly installed: boolean;
  /** Why not, if that was tried. */
  readonly reason?: string | undefined;
}

/** @param bytes UTF-8 JSON. @returns undefined if it is invalid. */
export function parseImportsRequest(bytes: Uint8Array): ImportsRequest | undefined {
  if (bytes.length > MAX_REQUEST_BYTES) return undefined;
  try {
    return request.safeParse(JSON.parse(new TextDecoder().decode(bytes))).data;
  } catch {
    return undefined;
  }
}
