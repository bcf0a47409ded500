/** `wasmbox serve`: MCP on stdin and stdout. */

import { serveOnStdio } from "../transport/serve_stdio.ts";
import { type ServeFlags, serveUnderPolicy } from "./serve.ts";

/** @param executor A process that was started ahead. @returns The exit code. */
export async function serve(flags: ServeFlags, executor: Deno.ChildProcess): Promise<number> {
  return await serveUnderPolicy(flags, executor, (policy) => serveOnStdio({ ...policy, executor }));
}
