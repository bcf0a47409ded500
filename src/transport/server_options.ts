/** What a server is made of, whatever it is reached by. */

import type { McpServer, Server, ServerEventBus } from "@modelcontextprotocol/server";
import {
  DEFAULT_FLAVORS,
  DEFAULT_LIMITS,
  type FlavorName,
  type Flavors,
  type Limits,
} from "../config/limits.ts";
import { ConfigError } from "../config/error.ts";
import { type AuditSettings, DEFAULT_AUDIT, DEFAULT_SERVER } from "../config/mcp_schema.ts";
import type { Reloads } from "../config/reload.ts";
import { DEFAULT_TOOLS, type ToolSettings } from "../config/tool_settings.ts";
import { type Caller, createMcpServer } from "../mcp/server.ts";
import type { Tool } from "../mcp/tool.ts";
import { toolsOf } from "../mcp/tools/mod.ts";
import type { PackagesMode } from "../executor/wire/to_executor.ts";
import type { HostOperation } from "../host_calls/operations.ts";
import type { HostMapping } from "../volumes/mapping.ts";
import type { OpenStore } from "../checkpoints/open_store.ts";
import { SessionTable } from "../session/table.ts";
import { AuditLog } from "../telemetry/audit.ts";
import { eventLog } from "../telemetry/event_log.ts";
import { type Observer, observers } from "../telemetry/events.ts";
import type { Spans } from "../telemetry/spans.ts";

/** How long what runs may take to end, where nobody says otherwise. */
export const DEFAULT_DRAIN_MS = DEFAULT_SERVER.drainMs;

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
  /** Directories and files of the host that sessions see. */
  readonly mappings?: (principal: string) => readonly HostMapping[];
  /** Whether sessions can have packages, and how; off if absent. */
  readonly packages?: PackagesMode;
  readonly tools?: readonly Tool[];
  readonly toolSettings?: ToolSettings;
  /** An executor process that was started ahead. */
  readonly executor?: Deno.ChildProcess;
  /** Where sessions are kept; the server's memory if absent. */
  readonly store?: OpenStore | undefined;
  readonly audit?: AuditSettings;
  /** Told of everything that happens, beside the log. */
  readonly observers?: readonly Observer[];
  readonly spans?: Spans | undefined;
  /** How long what runs may take to end once the server is told to end. */
  readonly drainMs?: number;
  /** Another protocol face than that of the tools, such as the conformance suite's fixtures. */
  readonly createServer?: ServerFactory;
  /** Where that face tells what has changed, for clients of the stateless protocol that listen. */
  readonly changes?: ServerEventBus;
}

export interface Composition {
  readonly sessions: SessionTable;
  readonly createServer: ServerFactory;
  readonly observe: Observer;
  /** Undefined if nothing is recorded; its owner ends it after the sessions. */
  readonly audit: AuditLog | undefined;
}

/** The session table of a server, its protocol face, and what hears of both. @throws {ConfigError} */
export function compose(options: ServerOptions): Composition {
  const {
    limits = DEFAULT_LIMITS,
    flavors = DEFAULT_FLAVORS,
    operations = [],
    toolSettings = DEFAULT_TOOLS,
    tools = toolsOf(toolSettings),
    defaultFlavor = null,
    spans,
  } = options;
  const more = [...options.observers ?? [], ...spans ? [spans.observe] : []];
  const observe = observers(eventLog(), ...more);
  const audit = openAudit(options.audit ?? DEFAULT_AUDIT, observe);
  const sessions = new SessionTable({
    limits,
    flavors,
    defaultFlavor,
    operations,
    ...(options.mappings && { mappings: options.mappings }),
    ...(options.packages && { packages: options.packages }),
    executor: options.executor,
    store: options.store,
    observe,
  });
  options.reloads?.add(({ policy, server }) => () => sessions.terms.change({ ...policy, ...server }));
  const parts = { tools, sessions, settings: toolSettings, observers: { observe, audit, spans } };
  const createServer = options.createServer ?? ((caller) => createMcpServer(parts, caller));
  return { sessions, createServer, observe, audit };
}

/** @throws {ConfigError} if there is a path and it can't be written. */
function openAudit({ path, ...options }: AuditSettings, observe: Observer): AuditLog | undefined {
  if (path === null) return undefined;
  try {
    return new AuditLog({ path, ...options }, observe);
  } catch (error) {
    throw new ConfigError(`audit.path: ${error instanceof Error ? error.message : error}`);
  }
}
