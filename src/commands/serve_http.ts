/** `wasmbox serve --http`: MCP over Streamable HTTP. */

import { ConfigError } from "../config/policy.ts";
import { parseTokens } from "../transport/http/auth/static_tokens.ts";
import type { HttpOptions } from "../transport/http/options.ts";
import { serveOnHttp } from "../transport/http/serve_http.ts";
import { type ServeFlags, serveUnderPolicy } from "./serve.ts";

/** @param executor A process that was started ahead. @returns The exit code. */
export async function serve(flags: ServeFlags, executor: Deno.ChildProcess): Promise<number> {
  return await serveUnderPolicy(flags, executor, async (policy) => {
    await serveOnHttp(await httpOptions(flags), { ...policy, executor });
  });
}

async function httpOptions(flags: ServeFlags): Promise<Partial<HttpOptions>> {
  const port = flags.port === undefined ? undefined : Number(flags.port);
  if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port < 65536)) {
    throw new ConfigError(`--port is ${flags.port}; a whole number from 0 to 65535 is allowed`);
  }
  const file = flags["token-file"];
  const env = Deno.env.get("WASMBOX_AUTH_TOKENS");
  const tokens = file === undefined
    ? env ? parseTokens(env, "WASMBOX_AUTH_TOKENS") : {}
    : parseTokens(await readTokenFile(file), file);
  return {
    ...(flags.host !== undefined && { hostname: flags.host }),
    ...(port !== undefined && { port }),
    auth: { tokens },
    allowUnauthenticated: flags["allow-unauthenticated"] === true,
  };
}

async function readTokenFile(path: string): Promise<string> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    throw new ConfigError(`${path}: can't be read: ${error instanceof Error ? error.message : error}`);
  }
}
