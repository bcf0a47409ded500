/** The page as a client of its own server: tools by MCP, files by HTTP, both with the person's token. */

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { ErrorInfo, ExecutionReply, LanguageVariables, Picture, ServerFacts } from "./replies.ts";

const TOKEN_KEY = "wasmbox-token";
/** Longer than anything runs: what is silent is kept alive by the server's heartbeats. */
const CALL_TIMEOUT_MS = 3_700_000;

/** The server wants a token, or another one. */
export class Unauthorized extends Error {
  override name = "Unauthorized";
}

/** A tool could not do what it was asked for. */
export class ToolFailed extends Error {
  override name = "ToolFailed";
  constructor(readonly info: ErrorInfo) {
    super(info.message);
  }
}

export interface CallResult<Reply> {
  readonly reply: Reply;
  readonly pictures: readonly Picture[];
}

export interface CallOptions {
  readonly onProgress?: (message: string) => void;
  readonly signal?: AbortSignal;
}

export class Connection {
  #unauthorized = false;
  /** Called when the server takes the token no longer. */
  onRefused: (message: string) => void = () => {};

  private constructor(readonly facts: ServerFacts, readonly token: string | null, readonly client: Client) {}

  /** @param token Absent: the one that this tab was given before, if any. @throws {Unauthorized} */
  static async open(token = sessionStorage.getItem(TOKEN_KEY)): Promise<Connection> {
    const facts = await readFacts();
    const client = new Client({ name: "wasmbox-page", version: facts.version }, {
      versionNegotiation: { mode: { pin: "2026-07-28" } },
    });
    const connection = new Connection(facts, token, client);
    const transport = new StreamableHTTPClientTransport(connection.endpoint, {
      requestInit: { headers: connection.#headers },
      fetch: (url, init) => connection.#fetch(url, init),
    });
    try {
      await client.connect(transport);
    } catch (error) {
      throw connection.#told(error, token);
    }
    if (token !== null) sessionStorage.setItem(TOKEN_KEY, token);
    return connection;
  }

  static forgetToken(): void {
    sessionStorage.removeItem(TOKEN_KEY);
  }

  /** As other clients reach it. */
  get endpoint(): URL {
    return new URL(this.facts.endpoint, location.href);
  }

  /** Calls a tool. @throws {ToolFailed} unless it did what it was asked for. @throws {Unauthorized} */
  async call<Reply>(name: string, args: Record<string, unknown>, options: CallOptions = {}): Promise<Reply> {
    const { structured, isError } = await this.#call(name, args, options);
    if (isError) throw new ToolFailed(errorOf(structured));
    return structured as Reply;
  }

  /** Runs code. How it ended, well or not, is in the reply. @throws {ToolFailed} if it could not begin. */
  async execute(args: Record<string, unknown>, options: CallOptions): Promise<CallResult<ExecutionReply>> {
    const { structured, pictures } = await this.#call("execute_code", args, options);
    if (!("execution_id" in structured)) throw new ToolFailed(errorOf(structured));
    return { reply: structured as unknown as ExecutionReply, pictures };
  }

  /** Of a session, by language. */
  async variables(session: string): Promise<readonly LanguageVariables[]> {
    try {
      const { contents } = await this.client.readResource({ uri: `variables://${session}` });
      return JSON.parse((contents[0] as { text: string }).text).languages;
    } catch (error) {
      throw this.#told(error, this.token);
    }
  }

  async upload(session: string, path: string, file: Blob): Promise<void> {
    await this.#files(session, path, { method: "PUT", body: file });
  }

  /** @param maxBytes Reads no more than so much of its beginning. */
  async download(session: string, path: string, maxBytes?: number): Promise<Blob> {
    const headers: Record<string, string> = maxBytes === undefined
      ? {}
      : { range: `bytes=0-${maxBytes - 1}` };
    return await (await this.#files(session, path, { headers })).blob();
  }

  /** The server's own metrics, in Prometheus' format; undefined where they are not this person's to read. */
  async metrics(): Promise<string | undefined> {
    if (this.token !== null) return undefined; // they have a token of their own then
    const response = await fetch("metrics");
    return response.ok ? await response.text() : undefined;
  }

  async #call(name: string, args: Record<string, unknown>, { onProgress, signal }: CallOptions) {
    try {
      const result = await this.client.callTool({ name, arguments: args }, {
        timeout: CALL_TIMEOUT_MS,
        ...signal && { signal },
        ...onProgress && { onprogress: ({ message }) => onProgress(message ?? "") },
      });
      const content = result.content as readonly ({ readonly type: string } & Picture)[];
      return {
        structured: (result.structuredContent ?? {}) as Record<string, unknown>,
        pictures: content.filter(({ type }) => type === "image"),
        isError: result.isError === true,
      };
    } catch (error) {
      throw this.#told(error, this.token);
    }
  }

  async #files(session: string, path: string, init: RequestInit): Promise<Response> {
    const names = [session, ...path.split("/")].map(encodeURIComponent).join("/");
    const headers = { ...init.headers as Record<string, string>, ...this.#headers };
    const response = await this.#fetch(new URL(`files/${names}`, location.href), { ...init, headers });
    if (response.ok) return response;
    const body = await response.json().catch(() => undefined);
    const info: ErrorInfo | undefined = body?.error?.data;
    throw new ToolFailed(info ?? { error_code: "HTTP", message: `The server answered ${response.status}` });
  }

  get #headers(): Record<string, string> {
    return this.token === null ? {} : { authorization: `Bearer ${this.token}` };
  }

  async #fetch(url: string | URL, init?: RequestInit): Promise<Response> {
    const response = await fetch(url, { ...init, credentials: "omit" });
    this.#unauthorized = response.status === 401;
    return response;
  }

  #told(error: unknown, token: string | null): unknown {
    if (!this.#unauthorized) return error;
    const refused = new Unauthorized(token === null ? "" : "The server does not take this token.");
    this.onRefused(refused.message);
    return refused;
  }
}

async function readFacts(): Promise<ServerFacts> {
  const response = await fetch("./", { headers: { accept: "application/json" } });
  if (!response.ok) throw new Error(`The server answered ${response.status}`);
  return await response.json();
}

function errorOf(structured: Record<string, unknown>): ErrorInfo {
  const info = structured["error"] as ErrorInfo | undefined;
  return info ?? { error_code: "UNKNOWN", message: "The server did not say what went wrong." };
}
