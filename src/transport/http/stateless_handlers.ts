/**
 * The stateless protocol, 2026-07-28: a server for every request. Its clients hear of changes by `subscriptions/listen`,
 * on a bus that all requests to one of the SDK's handlers share: so each principal has a handler of its own.
 */

import {
  type AuthInfo,
  createMcpHandler,
  InMemoryServerEventBus,
  type McpHttpHandler,
  type ServerEventBus,
} from "@modelcontextprotocol/server";
import { resourceUri } from "../../mcp/paths.ts";
import { variablesUri } from "../../mcp/variables_resource.ts";
import type { SessionChange } from "../../session/session_watch.ts";
import type { SessionTable } from "../../session/table.ts";
import type { ServerFactory } from "../server_options.ts";

/** Handlers that are kept while nobody uses them. */
const MAX_UNUSED = 64;

interface Entry {
  readonly handler: McpHttpHandler;
  readonly watch: Disposable;
  exchanges: number;
}

export class StatelessHandlers {
  readonly #entries = new Map<string, Entry>();

  /** @param bus Where a protocol face of the tests' own tells of changes. */
  constructor(
    readonly createServer: ServerFactory,
    readonly sandboxes: SessionTable,
    readonly bus: ServerEventBus | undefined,
  ) {}

  /** @param done Resolves when the response has been sent, or can't be any more. */
  async fetch(request: Request, body: unknown, authInfo: AuthInfo, done: Promise<void>): Promise<Response> {
    const principal = authInfo.clientId;
    const entry = this.#entries.get(principal) ?? this.#make(principal);
    entry.exchanges++;
    void done.then(() => this.#left(principal, entry));
    return await entry.handler.fetch(request, { parsedBody: body, authInfo });
  }

  async close(): Promise<void> {
    const all = [...this.#entries.keys()].map((principal) => this.#end(principal));
    await Promise.all(all);
  }

  #make(principal: string): Entry {
    const bus = this.bus ?? new InMemoryServerEventBus();
    const handler = createMcpHandler(
      ({ authInfo }) => this.createServer({ principal: authInfo!.clientId, defaultSession: undefined }),
      { legacy: "reject", bus },
    );
    const watch = this.sandboxes.host.watch.watch(principal, (change) => publish(bus, change));
    const entry = { handler, watch, exchanges: 0 };
    this.#entries.set(principal, entry);
    return entry;
  }

  #left(principal: string, entry: Entry): void {
    entry.exchanges--;
    const unused = entry.exchanges === 0 && this.#entries.get(principal) === entry;
    if (unused && this.#entries.size > MAX_UNUSED) void this.#end(principal);
  }

  async #end(principal: string): Promise<void> {
    const entry = this.#entries.get(principal);
    this.#entries.delete(principal);
    entry?.watch[Symbol.dispose]();
    await entry?.handler.close();
  }
}

/** Which resources have changed; where that is not known of files, those who listen are told that the list has. */
function publish(bus: ServerEventBus, { sessionId, files, variables }: SessionChange): void {
  if (variables) bus.publish({ kind: "resource_updated", uri: variablesUri(sessionId) });
  if (files === "any" || files.some(({ change }) => change !== "modified")) {
    bus.publish({ kind: "resources_list_changed" });
  }
  if (files === "any") return;
  for (const { path } of files) {
    const uri = resourceUri(sessionId, path);
    if (uri !== undefined) bus.publish({ kind: "resource_updated", uri });
  }
}
