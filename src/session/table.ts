/** The session table: who owns what, and how long it lives. */

import {
  DEFAULT_FLAVORS,
  type Flavor,
  type FlavorName,
  type Flavors,
  type Limits,
  withFlavor,
} from "../config/limits.ts";
import { WasmboxError } from "../errors.ts";
import { ExecutorPool, type Readiness } from "../executor/server/pool.ts";
import type { PackagesMode } from "../executor/wire/protocol.ts";
import type { HostMapping } from "../volumes/mapping.ts";
import { MemoryStore } from "../checkpoints/memory_store.ts";
import { imageBudget } from "../checkpoints/image_budget.ts";
import { memoryBudget } from "./memory_budget.ts";
import type { Execution } from "./execution.ts";
import { FileWatch } from "./file_watch.ts";
import type { HostOperation } from "../host_calls/operations.ts";
import { type Observer, type SessionEndCause, UNOBSERVED } from "../telemetry/events.ts";
import { Scheduler } from "./scheduler.ts";
import { Session, type SessionHost, shuttingDown } from "./session.ts";
import { UnnamedSessions } from "./unnamed.ts";

/** The principal of everyone who reaches the server without having to tell who they are. */
export const LOCAL_PRINCIPAL = "local";

/** What a session may be called; ids are names inside a principal. */
export const SESSION_ID_PATTERN = /^[A-Za-z0-9_-]{1,100}$/;

interface Entry {
  readonly session: Session;
  idle: ReturnType<typeof setTimeout>;
  age?: ReturnType<typeof setTimeout>;
}

/**
 * Gives up a session of a principal's that nobody is known to need, so that there is room for another one.
 *
 * @returns False if there is none.
 */
export type Reclaimer = (principal: string) => boolean;

/** What sessions are made under; it may change while the server runs. */
export interface SessionTerms {
  readonly limits: Limits;
  /** Lower limits, by the names under which a session can be made with them. */
  readonly flavors?: Flavors;
  /** Of sessions that are made without one. */
  readonly defaultFlavor?: FlavorName | null;
}

export interface SessionTableOptions extends SessionTerms {
  /** What guests may ask the server for. */
  readonly operations?: readonly HostOperation[];
  /** Directories and files of the host that a principal's sessions see; none if absent. */
  readonly mappings?: (principal: string) => readonly HostMapping[];
  /** Whether packages can be had, and how; off if absent. */
  readonly packages?: PackagesMode;
  /** An executor process that was started ahead. */
  readonly executor?: Deno.ChildProcess | undefined;
  readonly observe?: Observer;
}

export class SessionTable implements AsyncDisposable {
  readonly host: SessionHost;
  /** Asked in turn when a principal has no room. */
  readonly reclaimers = new Set<Reclaimer>();
  #flavors: Flavors;
  #defaultFlavor: FlavorName | null;
  readonly #principals = new Map<string, Map<string, Entry>>();
  readonly #unnamed = new UnnamedSessions();
  readonly #pool: ExecutorPool;
  readonly #mappings: (principal: string) => readonly HostMapping[];

  constructor(
    { operations = [], mappings = () => [], packages = "off", executor, observe = UNOBSERVED, ...terms }:
      SessionTableOptions,
  ) {
    const limits = { ...terms.limits };
    this.#flavors = terms.flavors ?? DEFAULT_FLAVORS;
    this.#defaultFlavor = terms.defaultFlavor ?? null;
    this.#mappings = mappings;
    this.#pool = new ExecutorPool(limits, executor, observe);
    const images = imageBudget(limits, () => this.#pool.memory.machineBytes);
    this.host = {
      pool: this.#pool,
      scheduler: new Scheduler(limits),
      store: new MemoryStore(images),
      imageBudget: images,
      memoryBudget: memoryBudget(limits),
      reclaim: (principal) => this.#reclaim(principal),
      limits,
      operations,
      packages,
      mappings: (principal) => mappings(principal).map(({ hostPath: _, ...mapping }) => mapping),
      observe,
      fileWatch: new FileWatch(),
      draining: false,
    };
  }

  /** Directories and files of the host that a principal's sessions see. */
  mappings(principal: string): readonly HostMapping[] {
    return this.#mappings(principal);
  }

  get flavors(): Flavors {
    return this.#flavors;
  }

  /** The limits of a session that is made now. @param flavor Lower ones; the default flavor's if absent. */
  limitsOfNew(flavor: Flavor = this.#defaultFlavor ? this.#flavors[this.#defaultFlavor] : {}): Limits {
    return withFlavor(this.host.limits, flavor);
  }

  /** Sets other limits, for the server and for sessions that are made from now on. */
  change({ limits, flavors = DEFAULT_FLAVORS, defaultFlavor = null }: SessionTerms): void {
    Object.assign(this.host.limits, limits); // in place: everything that keeps limits looks them up in there
    this.#flavors = flavors;
    this.#defaultFlavor = defaultFlavor;
  }

  /**
   * The session of that name.
   *
   * @throws {WasmboxError} SESSION_NOT_FOUND; another principal's sessions do not exist.
   */
  get(principal: string, id: string): Session {
    const entry = this.#principals.get(principal)?.get(id);
    if (!entry) throw this.#notFound(principal, id);
    this.#unnamed.remove(entry.session);
    this.#touch(entry);
    return entry.session;
  }

  /** The session of that name, if there is one. */
  find(principal: string, id: string): Session | undefined {
    return this.#principals.get(principal)?.get(id)?.session;
  }

  /** The session of that name, made if there is none. */
  getOrCreate(principal: string, id: string): { session: Session; created: boolean } {
    if (this.#principals.get(principal)?.has(id)) return { session: this.get(principal, id), created: false };
    return { session: this.create(principal, id), created: true };
  }

  /** Whether a session of that name was given up lately: its client must not go on in one that is silently empty. */
  gaveUp(principal: string, id: string): boolean {
    return !this.find(principal, id) && this.#unnamed.wasGivenUp(principal, id);
  }

  /** A session for a call that names none: it may be given up for others until it is asked for by its name. */
  createUnnamed(principal: string, flavor?: Flavor): Session {
    const session = this.create(principal, undefined, flavor);
    this.#unnamed.add(session);
    return session;
  }

  /**
   * @param id Its name; a random one if absent.
   * @param flavor Lower limits than the server's; the default flavor if absent.
   * @throws {WasmboxError} SESSION_EXISTS, TOO_MANY_SESSIONS.
   */
  create(principal: string, id: string = randomId(), flavor?: Flavor): Session {
    if (this.host.draining) throw shuttingDown();
    if (this.find(principal, id)) {
      throw new WasmboxError("SESSION_EXISTS", `A session "${id}" exists already.`, {
        suggestions: ["Use it as it is, choose another session_id, or destroy it first."],
        context: { session_id: id },
      });
    }
    this.#makeRoom(principal);
    const session = new Session(principal, id, this.host, this.limitsOfNew(flavor));
    const sessions = this.#principals.get(principal) ?? new Map<string, Entry>();
    const entry: Entry = { session, idle: 0 as never };
    sessions.set(id, entry);
    this.#principals.set(principal, sessions);
    this.#touch(entry);
    this.#limitAge(entry);
    this.host.observe({ type: "session_created", principal, sessionId: id });
    return session;
  }

  /** The principal's sessions, oldest first. */
  list(principal: string): Session[] {
    return [...this.#principals.get(principal)?.values() ?? []].map((entry) => entry.session);
  }

  /** Ends a session. @throws {WasmboxError} SESSION_NOT_FOUND. */
  async destroy(principal: string, id: string): Promise<void> {
    await this.#end(this.get(principal, id), "destroyed");
  }

  /** Starts the executor that a session of that name will be in. Settles when it is ready. */
  async warm(principal: string, id: string): Promise<void> {
    const executor = await this.#pool.acquire(principal, id);
    await executor.ready;
  }

  /** Whether sessions can be given a place now. */
  readiness(): Readiness {
    return this.#pool.readiness();
  }

  /** Lets nothing new begin. Settles when nothing runs or waits any more. */
  async drain(): Promise<void> {
    this.host.draining = true;
    await Promise.all(this.executions.map((execution) => execution.outcome));
  }

  /** What runs or waits for its turn, of all principals. */
  get executions(): readonly Execution[] {
    const entries = [...this.#principals.values()].flatMap((sessions) => [...sessions.values()]);
    return entries.flatMap(({ session }) => session.executions);
  }

  /** Ends all sessions and everything that was started for them. */
  async [Symbol.asyncDispose](): Promise<void> {
    const ended = this.#pool[Symbol.asyncDispose]();
    const all = [...this.#principals.values()].flatMap((sessions) =>
      [...sessions.values()].map(({ session }) => this.#end(session, "shutdown"))
    );
    await Promise.all([ended, ...all]);
    await this.host.store[Symbol.asyncDispose]();
  }

  #notFound(principal: string, id: string): WasmboxError {
    const givenUp = this.gaveUp(principal, id);
    return new WasmboxError(
      "SESSION_NOT_FOUND",
      givenUp
        ? `The session "${id}" was given up for newer ones: there are only so many, and no call had named it.`
        : `There is no session "${id}".`,
      {
        suggestions: [
          "Call list_sessions for those that exist, or create_session to make one.",
          givenUp
            ? "Give each call the session_id of an earlier reply, or of create_session: named sessions stay."
            : "A session ends when it was idle for too long or was destroyed.",
        ],
        context: { session_id: id },
      },
    );
  }

  #giveUpUnnamed(principal: string): boolean {
    const session = this.#unnamed.giveUp(principal);
    if (session) void this.#end(session, "idle");
    return session !== undefined;
  }

  #reclaim(principal: string): boolean {
    return [...this.reclaimers].some((reclaim) => reclaim(principal));
  }

  /** @throws {WasmboxError} TOO_MANY_SESSIONS, if the principal has none that can be given up. */
  #makeRoom(principal: string): void {
    const { maxSessions, maxSessionsPerClient } = this.host.limits;
    const own = () => this.#principals.get(principal)?.size ?? 0;
    const all = () => [...this.#principals.values()].reduce((sum, sessions) => sum + sessions.size, 0);
    const full = () => own() >= maxSessionsPerClient || all() >= maxSessions;
    while (full() && (this.#giveUpUnnamed(principal) || this.#reclaim(principal)));
    if (own() >= maxSessionsPerClient) {
      const message = `${maxSessionsPerClient} sessions are live, which is the limit.`;
      throw new WasmboxError("TOO_MANY_SESSIONS", message, {
        suggestions: ["Destroy a session that is no longer needed, or go on in an existing one."],
        context: { max_sessions_per_client: maxSessionsPerClient },
      });
    }
    if (all() >= maxSessions) {
      const message = `The server has ${maxSessions} live sessions, which is the limit.`;
      throw new WasmboxError("TOO_MANY_SESSIONS", message, {
        suggestions: ["Go on in an existing session, or try again later."],
        context: { max_sessions: maxSessions },
        retryable: true,
      });
    }
  }

  #limitAge(entry: Entry): void {
    const { sessionMaxAgeMs } = this.host.limits;
    if (sessionMaxAgeMs === null) return;
    entry.age = setTimeout(() => void this.#end(entry.session, "age"), sessionMaxAgeMs);
    Deno.unrefTimer(entry.age);
  }

  async #end({ principal, id }: Session, cause: SessionEndCause): Promise<void> {
    const sessions = this.#principals.get(principal);
    const entry = sessions?.get(id);
    if (!sessions || !entry) return;
    this.#unnamed.remove(entry.session);
    clearTimeout(entry.idle);
    clearTimeout(entry.age);
    sessions.delete(id);
    if (sessions.size === 0) this.#principals.delete(principal);
    this.host.observe({ type: "session_ended", principal, sessionId: id, cause });
    await entry.session.close();
  }

  /** Starts its idle time anew. */
  #touch(entry: Entry, ms: number = this.host.limits.sessionIdleMs): void {
    clearTimeout(entry.idle);
    entry.idle = setTimeout(() => {
      const { session } = entry;
      const idle = session.busy ? 0 : Date.now() - session.lastUsedAt.getTime();
      const left = this.host.limits.sessionIdleMs - idle;
      if (left > 0) return this.#touch(entry, left);
      void this.#end(session, "idle");
    }, ms);
    Deno.unrefTimer(entry.idle);
  }
}

function randomId(): string {
  return `session_${crypto.randomUUID().replaceAll("-", "").slice(0, 16)}`;
}
