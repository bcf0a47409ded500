/** The MCP sessions of the protocol up to 2025-11-25: whose they are, how many, and how long they live. */

import type { Reclaimer } from "../../session/capacity.ts";
import type { SessionTable } from "../../session/table.ts";
import { logger } from "../../telemetry/log.ts";
import type { ServerFactory } from "../server_options.ts";
import type { HttpOptions } from "../../config/http_options.ts";
import { Refusal, sessionNotFound } from "./refusal.ts";
import { Returning } from "./returning.ts";

const log = logger("http");

/** One client's connection, whatever carries its messages. */
export interface McpSession {
  readonly id: string;
  /** Requests that wait for their answer. */
  readonly busy: boolean;
  /** Ends its streams. */
  close(): Promise<void>;
}

interface Entry<Session extends McpSession> {
  readonly session: Session;
  readonly principal: string;
  /** HTTP exchanges under way: requests, and streams that wait for notifications. */
  exchanges: number;
  /** `performance.now()`: nobody sets that clock. */
  lastUsed: number;
}

const FAILED = "an MCP session could not be ended";

/** The part of an MCP session's id that names its default session; the rest stays a secret of the client's. */
const NAMED = 18;
/** An id as {@link McpSessions.admit} makes them. */
const SERVER_MADE = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export class McpSessions<Session extends McpSession> {
  readonly #entries = new Map<string, Entry<Session>>();
  readonly #returning = new Returning();
  readonly #sweep: ReturnType<typeof setInterval>;

  constructor(
    readonly createServer: ServerFactory,
    readonly sandboxes: SessionTable,
    readonly options: HttpOptions,
  ) {
    sandboxes.reclaimers.add(this.#reclaim);
    this.#sweep = setInterval(() => this.#endIdle(), Math.min(options.mcpSessionIdleMs, 10_000));
    Deno.unrefTimer(this.#sweep);
  }

  /**
   * Finds a place for one more.
   *
   * @returns An id for it, and the server to connect.
   * @throws {Refusal} 503, if there are too many, and none of the principal's own that nobody uses.
   */
  async admit(principal: string) {
    const own = [...this.#entries.values()].filter((entry) => entry.principal === principal);
    const full = this.#entries.size >= this.options.maxMcpSessions;
    if (full || own.length >= this.options.maxMcpSessionsPerPrincipal) {
      const unused = own.filter((entry) => this.#unused(entry)).sort((a, b) => a.lastUsed - b.lastUsed)[0];
      if (!unused) {
        const whose = full ? "The server has" : "You have";
        throw Refusal.later(503, "SERVER_BUSY", `${whose} as many MCP sessions as are allowed`, 30);
      }
      await this.end(unused.session.id);
    }
    const id: string = crypto.randomUUID();
    const caller = {
      principal,
      defaultSession: defaultSessionOf(id),
      earlierSessions: () => this.#returning.of(principal),
    };
    return { id, server: this.createServer(caller) };
  }

  add(principal: string, session: Session): void {
    this.#entries.set(session.id, { session, principal, exchanges: 0, lastUsed: performance.now() });
  }

  /**
   * The session of that id, in use until `done` resolves.
   *
   * @throws {Refusal} 404: another principal's sessions do not exist.
   */
  use(principal: string, id: string, done: Promise<void>): Session {
    const entry = this.#entries.get(id);
    if (!entry && SERVER_MADE.test(id)) this.#returning.add(principal, defaultSessionOf(id));
    if (entry?.principal !== principal) throw sessionNotFound();
    entry.exchanges++;
    void done.then(() => {
      entry.exchanges--;
      entry.lastUsed = performance.now();
    });
    return entry.session;
  }

  /** Ends a session and leaves the workspace that only it knew as its default. */
  async end(id: string): Promise<void> {
    const entry = this.#entries.get(id);
    if (!this.#entries.delete(id) || !entry) return;
    await entry.session.close();
    const sandbox = defaultSessionOf(id);
    await this.sandboxes.leave(entry.principal, sandbox);
  }

  /** Ends all connections; their workspaces are left to the session table. */
  async close(): Promise<void> {
    clearInterval(this.#sweep);
    this.sandboxes.reclaimers.delete(this.#reclaim);
    const all = [...this.#entries.values()];
    this.#entries.clear();
    await Promise.all(all.map((entry) => entry.session.close()));
  }

  /** Ends the sessions of those who may not call any more. */
  endOf(principals: ReadonlySet<string>): void {
    for (const { principal, session } of this.#entries.values()) {
      if (principals.has(principal)) this.#end(session.id);
    }
  }

  /**
   * Gives up the default session that was unused the longest, and the MCP session with it: a client that does come back
   * is told by 404 that it has to start anew, and does not go on in a session that is silently empty.
   */
  readonly #reclaim: Reclaimer = (principal) => {
    const before = performance.now() - this.options.mcpSessionReclaimMs;
    const left =
      [...this.#entries.values()].filter((entry) =>
        entry.principal === principal && this.#unused(entry) && entry.lastUsed <= before &&
        this.sandboxes.live(principal, defaultSessionOf(entry.session.id))?.busy === false
      ).sort((a, b) => a.lastUsed - b.lastUsed)[0];
    if (!left) return false;
    log.info("a default session was given up for a new one of the same client");
    const { id } = left.session;
    this.#entries.delete(id);
    this.sandboxes.leave(principal, defaultSessionOf(id)).catch((error) => log.error(FAILED, { error }));
    left.session.close().catch((error) => log.error(FAILED, { error }));
    return true;
  };

  #end(id: string): void {
    this.end(id).catch((error) => log.error(FAILED, { error }));
  }

  #unused(entry: Entry<Session>): boolean {
    return entry.exchanges === 0 && !entry.session.busy;
  }

  #endIdle(): void {
    const before = performance.now() - this.options.mcpSessionIdleMs;
    for (const entry of this.#entries.values()) {
      if (this.#unused(entry) && entry.lastUsed < before) {
        this.#end(entry.session.id);
      }
    }
  }
}

/** The name of an MCP session's default session. It is shown in replies, so it must not be the id itself. */
function defaultSessionOf(id: string): string {
  return `mcp-${id.slice(0, NAMED)}`;
}
