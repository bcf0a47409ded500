/** What the shell asks for when it starts a program. The guest wrote it: nothing in it is trusted. */

import * as z from "zod/mini";

/** Most bytes of such a request: arguments and environment. */
const REQUEST_MAX_BYTES = 16 * 1024 * 1024;

const request = z.object({
  name: z.string(),
  args: z.array(z.string()),
  env: z.record(z.string(), z.string()),
  cwd: z.string(),
  /** The end of its input may never come: a program has the other end of the pipe. */
  leftOpen: z.boolean(),
  /** Its number, and its parent's. */
  pid: z.int().check(z.nonnegative()),
  ppid: z.int().check(z.nonnegative()),
});

export type ParsedSpawn = z.infer<typeof request>;

/** @returns undefined if it is too long. @throws {Error} if the guest sent anything else. */
export function parseSpawn(bytes: Uint8Array): ParsedSpawn | undefined {
  if (bytes.length > REQUEST_MAX_BYTES) return undefined;
  return request.parse(JSON.parse(new TextDecoder().decode(bytes)));
}
