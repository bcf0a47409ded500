/** What a server is made of, whatever it is reached by. */

import type { McpServer, Server, ServerEventBus } from "@modelcontextprotocol/server";
import {
  DEFAULT_FLAVORS,
  DEFAULT_LIMITS,
  type FlavorName,
  type Flavors,
  type Limits,
} from "../config/limits.ts";
import type { Reloads } from "../config/reload.ts";
import { type Caller, createMcpServer } from "../mcp/server.ts";
import type { Tool } from "../mcp/tool.ts";
import { TOOLS } from "../mcp/tools/mod.ts";
import type { HostOperation } from "../session/host_operations.ts";
import { SessionTable } from "../session/table.ts";

/** The principal of everyone who reaches the server without having to tell who they are. */
export const LOCAL_PRINCIPAL = "local";

/** Makes the SDK's server for one connection. */
export type ServerFactory = (caller: Caller) => Server | McpServer;

export interface ServerOptions {
  readonly limits?: Limits;
  readonly flavors?: Flavors;
  /** Of sessions that are made without one; absent or null: only the limits bound them. */
  readonly defaultFlavor?: FlavorName | null;
  /** Tells when limits and flavors change. */
  readonly reloads?: Reloads;
  /** What guests may ask the server for. */
  readonly operations?: readonly HostOperation[];
  readonly tools?: readonly Tool[];
  /** An executor process that was started ahead. */
  readonly executor?: Deno.ChildProcess;
  /** Another protocol face than that of the tools, such as the conformance suite's fixtures. */
  readonly createServer?: ServerFactory;
  /** Where that face tells what has changed, for clients of the stateless protocol that listen. */
  readonly changes?: ServerEventBus;
}

/** The session table of a server, and its protocol face. */
export function compose(options: ServerOptions): { sessions: SessionTable; createServer: ServerFactory } {
  const {
    limits = DEFAULT_LIMITS,
    flavors = DEFAULT_FLAVORS,
    operations = [],
    tools = TOOLS,
    defaultFlavor = null,
  } = options;
  const sessions = new SessionTable({
    limits,
    flavors,
    defaultFlavor,
    operations,
    executor: options.executor,
  });
  options.reloads?.add(({ policy, server }) => () => sessions.change({ ...policy, ...server }));
  const createServer = options.createServer ?? ((caller) => createMcpServer(tools, sessions, caller));
  return { sessions, createServer };
}
