/** `wasmbox serve --http`: MCP over Streamable HTTP. */

import "../jitless.ts";
import type { Flags } from "../config/flags.ts";
import { serveOnHttp } from "../transport/http/serve_http.ts";
import { serveConfigured, type Served } from "./serve.ts";

/** @param executor A process that was started ahead. */
export async function serve(flags: Flags, executor: Deno.ChildProcess): Promise<Served> {
  return await serveConfigured("http", flags, executor, ({ http }, options) => serveOnHttp(http, options));
}
