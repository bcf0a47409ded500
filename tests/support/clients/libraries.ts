/** Clients that are libraries. */

import { createMCPClient } from "@ai-sdk/mcp";
import { Experimental_StdioMCPTransport as AiStdio } from "@ai-sdk/mcp/mcp-stdio";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OldStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as OldHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Reply } from "../harness.ts";
import type { Connection, IndependentClient, Target } from "./target.ts";

const INFO = { name: "independent", version: "1.0.0" };
const env = Deno.env.toObject();

interface SdkClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(
    params: { name: string; arguments: Record<string, unknown> },
  ): Promise<{ structuredContent?: unknown }>;
  close(): Promise<void>;
}

function ofSdk(client: SdkClient): Connection {
  return {
    list: async () => (await client.listTools()).tools.map((tool) => tool.name),
    run: async (code, session_id) => {
      const call = { name: "execute_code", arguments: { code, session_id } };
      const { structuredContent } = await client.callTool(call);
      return structuredContent as Reply;
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

const v1: IndependentClient = {
  name: "the SDK's first line",
  staysConnected: true,
  async connect(target) {
    const client = new OldClient(INFO);
    const transport = target.kind === "http"
      ? new OldHttp(target.url)
      : new OldStdio({ command: target.command, env });
    // deno-lint-ignore no-explicit-any -- its types predate exactOptionalPropertyTypes
    await client.connect(transport as any);
    return ofSdk(client as SdkClient);
  },
};

/** @param revision That of the stateless protocol, or absent for the one with sessions. */
function v2(revision?: string): IndependentClient {
  return {
    name: `the SDK's second line, ${revision ?? "with sessions"}`,
    staysConnected: true,
    async connect(target: Target) {
      const client = new Client(INFO, revision ? { versionNegotiation: { mode: { pin: revision } } } : {});
      await client.connect(
        target.kind === "http"
          ? new StreamableHTTPClientTransport(target.url)
          : new StdioClientTransport({ command: target.command, env }),
      );
      return ofSdk(client);
    },
  };
}

const aiSdk: IndependentClient = {
  name: "@ai-sdk/mcp",
  staysConnected: true,
  async connect(target) {
    const client = await createMCPClient({
      transport: target.kind === "http"
        ? { type: "http", url: target.url.href }
        : new AiStdio({ command: target.command, env }),
    });
    return {
      list: async () => Object.keys(await client.tools()),
      run: async (code, session_id) => {
        const { execute_code } = await client.tools();
        const result = await execute_code!.execute({ code, session_id }, {
          toolCallId: "1",
          messages: [],
          context: {},
        });
        return (result as { structuredContent: unknown }).structuredContent as Reply;
      },
      [Symbol.asyncDispose]: () => client.close(),
    };
  },
};

export const LIBRARIES: readonly IndependentClient[] = [v1, v2(), v2("2026-07-28"), aiSdk];
