/** Starts the real HTTP server and talks to it as clients of both protocol generations do. */

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Limits } from "../../src/config/limits.ts";
import type { HttpOptions } from "../../src/config/http_options.ts";
import { inFull } from "../../src/mcp/left_out.ts";
import type { ServerOptions } from "../../src/transport/server_options.ts";
import { inTime } from "./eventually.ts";
import { type Command, kill, type Reply, serverCommand } from "./harness.ts";

const FIXTURE = new URL("../integration/fixtures/http_server.ts", import.meta.url);

export interface ClientOptions {
  /** A bearer token. */
  readonly token?: string;
  /** Speaks the stateless protocol, 2026-07-28. */
  readonly stateless?: boolean;
}

/** A client, and what it has been told to close. */
export class HttpClient implements AsyncDisposable {
  constructor(readonly client: Client, readonly transport: StreamableHTTPClientTransport) {}

  async call(name: string, args: Record<string, unknown> = {}, signal?: AbortSignal) {
    const result = await this.client.callTool({ name, arguments: args }, {
      timeout: 120_000,
      ...(signal && { signal }),
    });
    const content = result.content as { type: string; text: string }[];
    return {
      isError: result.isError === true,
      text: content.map((block) => block.text).join("\n"),
      structured: inFull(result.structuredContent as Record<string, unknown>),
    };
  }

  async javascript(code: string, more: Record<string, unknown> = {}, signal?: AbortSignal): Promise<Reply> {
    const { structured } = await this.call("execute_code", { code, language: "javascript", ...more }, signal);
    return structured as unknown as Reply;
  }

  async sessionIds(): Promise<string[]> {
    const { structured } = await this.call("list_sessions");
    return (structured["sessions"] as { session_id: string }[]).map((session) => session.session_id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await inTime("the client has closed its streams", this.client.close());
  }
}

/** What a server says on stderr. */
class Log {
  #text = "";
  #more = Promise.withResolvers<void>();
  /** All of it, when the server has ended. */
  readonly whole: Promise<string>;

  constructor(stderr: ReadableStream<Uint8Array<ArrayBuffer>>) {
    this.whole = (async () => {
      for await (const chunk of stderr.pipeThrough(new TextDecoderStream())) this.#add(chunk);
      this.#more.reject(new Error(this.#text));
      this.#more.promise.catch(() => {}); // nobody may wait any more
      return this.#text;
    })();
  }

  get text(): string {
    return this.#text;
  }

  /** Waits for a line. @param from Where to look. @returns The match. @throws All that was said, if it never is. */
  async match(pattern: RegExp, from = 0): Promise<RegExpExecArray> {
    const said = () => this.#text.slice(from);
    return await inTime(`the server says ${pattern}`, this.#find(pattern, said), undefined, said);
  }

  async #find(pattern: RegExp, said: () => string): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(said());
      if (match) return match;
      await this.#more.promise;
    }
  }

  #add(chunk: string): void {
    this.#text += chunk;
    const { resolve } = this.#more;
    this.#more = Promise.withResolvers();
    resolve();
  }
}

export class HttpServer implements AsyncDisposable {
  private constructor(readonly child: Deno.ChildProcess, readonly url: URL, readonly output: Log) {}

  /** All that the server has said, when it and all that it started have ended. */
  get stderr(): Promise<string> {
    return inTime("the server and its executors end", this.output.whole, undefined, () => this.log());
  }

  /** What the server has said so far. */
  log(): string {
    return this.output.text;
  }

  /** Waits until it says that. @param from Where in the log to look. */
  async logged(pattern: RegExp, from = 0): Promise<string> {
    return (await this.output.match(pattern, from))[0];
  }

  /** The tests' own server, from source, with these options. */
  static async start(
    http: Partial<HttpOptions> = {},
    limits: Partial<Limits> = {},
    server: Pick<ServerOptions, "audit" | "drainMs"> = {},
  ): Promise<HttpServer> {
    const env = {
      TEST_HTTP: JSON.stringify(http),
      TEST_LIMITS: JSON.stringify(limits),
      TEST_SERVER: JSON.stringify(server),
    };
    return await HttpServer.spawn(serverCommand(FIXTURE), env);
  }

  /** wasmbox itself. @throws What it says, if it ends instead of listening. */
  static async spawn({ command, args }: Command, env: Record<string, string> = {}): Promise<HttpServer> {
    const withNet = args[0] === "run" ? ["run", "--allow-net", "--allow-write", ...args.slice(1)] : args;
    const child = new Deno.Command(command, {
      args: withNet,
      env,
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    })
      .spawn();
    const output = new Log(child.stderr);
    try {
      const [, url] = await output.match(/listening on (https?:[^\s"]+)[\s"]/);
      return new HttpServer(child, new URL(url!), output);
    } catch (error) {
      await kill(child);
      throw error;
    }
  }

  async connect({ token, stateless = false }: ClientOptions = {}): Promise<HttpClient> {
    const client = new Client({ name: "wasmbox-tests", version: "1.0.0" }, {
      ...(stateless && { versionNegotiation: { mode: { pin: "2026-07-28" } } }),
    });
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const transport = new StreamableHTTPClientTransport(this.url, { requestInit: { headers } });
    await client.connect(transport);
    return new HttpClient(client, transport);
  }

  /** A POST as its client would send it, but for what is given. */
  async post(body: unknown, headers: Record<string, string> = {}, signal?: AbortSignal): Promise<Response> {
    return await fetch(this.url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers,
      },
      body: typeof body === "string" ? body : JSON.stringify(body),
      ...(signal && { signal }),
    });
  }

  /** Sends bytes on a connection of its own. */
  async raw(text: string): Promise<Deno.TcpConn> {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port: Number(this.url.port) });
    await connection.write(new TextEncoder().encode(text));
    return connection;
  }

  async end(signal: Deno.Signal = "SIGTERM"): Promise<Deno.CommandStatus> {
    this.child.kill(signal);
    await this.stderr;
    return await this.child.status;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await kill(this.child);
    await this.stderr;
  }
}

export const initialize = (version = "2025-11-25", id: string | number = 1) => ({
  jsonrpc: "2.0",
  id,
  method: "initialize",
  params: { protocolVersion: version, capabilities: {}, clientInfo: { name: "raw", version: "1" } },
});

/** A refusal's parts that clients decide by. */
export async function refusal(response: Response) {
  const body = await response.json();
  return {
    status: response.status,
    code: body.error?.code as number,
    error: body.error?.data?.error_code as string | undefined,
    suggestions: body.error?.data?.recovery_suggestions as string[] | undefined,
    retryAfter: response.headers.get("retry-after"),
    challenge: response.headers.get("www-authenticate"),
    id: body.id as string | number | null,
  };
}
