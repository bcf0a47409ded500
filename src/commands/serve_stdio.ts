/** `wasmbox serve`: MCP on stdin and stdout. */

import "../jitless.ts";
import type { Flags } from "../config/flags.ts";
import { serveOnStdio } from "../transport/serve_stdio.ts";
import { serveConfigured, type Served } from "./serve.ts";

/** @param executor A process that was started ahead. */
export async function serve(flags: Flags, executor: Deno.ChildProcess): Promise<Served> {
  return await serveConfigured(
    "stdio",
    flags,
    executor,
    ({ stdio }, options) => serveOnStdio(options, stdio),
  );
}
