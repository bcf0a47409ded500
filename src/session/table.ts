/** The session table: who owns what, and how long it lives. */

import type { Flavor } from "../config/limits.ts";
import { WasmboxError } from "../errors.ts";
import { ExecutorPool, type Readiness } from "../executor/server/pool.ts";
import type { PackagesMode } from "../executor/wire/to_executor.ts";
import type { HostMapping } from "../volumes/mapping.ts";
import type { Earlier } from "../checkpoints/image_versions.ts";
import { MemoryStore } from "../checkpoints/memory_store.ts";
import type { OpenStore } from "../checkpoints/open_store.ts";
import type { StoredView } from "../checkpoints/store.ts";
import { imageBudget } from "../checkpoints/image_budget.ts";
import { begin, type Beginning } from "./beginning.ts";
import { LiveSessions } from "./live_sessions.ts";
import { memoryBudget } from "./memory_budget.ts";
import { keyOf, LOCAL_PRINCIPAL, randomId } from "./names.ts";
import { EndedSessions } from "./ended_sessions.ts";
import type { Execution } from "./execution.ts";
import { SessionWatch } from "./session_watch.ts";
import type { HostOperation } from "../host_calls/operations.ts";
import { type Observer, type SessionEndCause, UNOBSERVED } from "../telemetry/events.ts";
import { logger } from "../telemetry/log.ts";
import { settingsOf } from "./residence.ts";
import { type Reclaimer, SessionCapacity } from "./capacity.ts";
import { Scheduler } from "./scheduler.ts";
import { Session, type SessionHost, shuttingDown } from "./session.ts";
import { forgettingError, storeError } from "./store_errors.ts";
import { Tenancy } from "./tenancy.ts";
import { CurrentTerms, type SessionTerms } from "./terms.ts";
import { exportFile, importFile } from "./transfers.ts";
import { Turns } from "./turns.ts";

const log = logger("sessions");
const NOT_ENDED = "a session was ended, but not its place in the store: {error}";

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
  /** Where sessions are kept, and whether replies wait for it; the server's memory if absent. */
  readonly store?: OpenStore | undefined;
}

export class SessionTable implements AsyncDisposable {
  readonly host: SessionHost;
  /** What sessions are made under. */
  readonly terms: CurrentTerms;
  readonly #live = new LiveSessions();
  readonly #capacity: SessionCapacity;
  /** Sessions that begin, wake or end, by principal and name: one after another. */
  readonly #turns = new Turns();
  /** Sessions that were made before anybody asked for them. */
  readonly #untouched = new WeakSet<Session>();
  /** What became of sessions when nobody had asked for them, by principal and name. */
  readonly #untold = new Map<string, unknown>();
  /** Those that ended by themselves. */
  readonly #ended: EndedSessions;
  readonly #pool: ExecutorPool;
  readonly #store: OpenStore | undefined;
  readonly #mappings: (principal: string) => readonly HostMapping[];

  constructor(
    {
      operations = [],
      mappings = () => [],
      packages = "off",
      executor,
      observe = UNOBSERVED,
      store,
      ...terms
    }: SessionTableOptions,
  ) {
    this.terms = new CurrentTerms(terms);
    const { limits } = this.terms;
    this.#mappings = mappings;
    this.#store = store;
    this.#ended = new EndedSessions(limits);
    const seen = (principal: string) => mappings(principal).map(({ hostPath: _, ...mapping }) => mapping);
    const settings = settingsOf(this.terms.limitsOfNew(), seen(LOCAL_PRINCIPAL), packages);
    this.#pool = new ExecutorPool(limits, executor, observe, { settings, language: "python" });
    const images = imageBudget(limits, () => this.#pool.memory.machineBytes);
    const place = store?.place ?? new MemoryStore(images);
    this.#capacity = new SessionCapacity(limits, {
      durable: place.durable,
      principals: () => this.#live.principals,
      list: (principal) => this.list(principal),
      tenancies: (principal) => this.#live.of(principal),
      leave: (session) => this.#leave(session, "idle"),
    });
    this.host = {
      pool: this.#pool,
      scheduler: new Scheduler(limits),
      store: place,
      storeSync: store?.sync ?? "soon",
      imageBudget: images,
      memoryBudget: memoryBudget(limits),
      reclaim: (principal, asking) => this.#capacity.reclaim(principal, asking),
      limits,
      operations,
      packages,
      mappings: seen,
      observe,
      watch: new SessionWatch(),
      draining: false,
    };
    this.host.store.owner = {
      wanted: ({ principal, sessionId }) => this.#handOver(principal, sessionId),
      lost: ({ principal, sessionId }) => {
        const session = this.live(principal, sessionId);
        if (session) this.#leave(session, "taken_over");
      },
      available: () => {
        for (const session of this.#live.all) if (session.notDurable !== undefined) void session.save();
      },
    };
  }

  /** Asked in turn when a principal has no room. */
  get reclaimers(): Set<Reclaimer> {
    return this.#capacity.reclaimers;
  }

  /** Directories and files of the host that a principal's sessions see. */
  mappings(principal: string): readonly HostMapping[] {
    return this.#mappings(principal);
  }

  /**
   * The session of that name, woken if the store has it.
   *
   * @throws {WasmboxError} SESSION_NOT_FOUND; another principal's sessions do not exist. What the store makes of it.
   */
  async get(principal: string, id: string): Promise<Session> {
    const session = await this.find(principal, id);
    if (!session) throw this.#notFound(principal, id);
    this.#used(session);
    return session;
  }

  /** The session of that name, if there is one, woken if the store has it. @throws {WasmboxError} */
  async find(principal: string, id: string): Promise<Session | undefined> {
    const live = this.#ready(principal, id);
    if (live) return live;
    const untold = this.#untold.get(keyOf(principal, id));
    if (this.#untold.delete(keyOf(principal, id))) throw untold;
    if (!this.host.store.durable && !this.#turns.has(keyOf(principal, id))) return undefined;
    return await this.#inTurn(principal, id, async () => {
      const live = this.live(principal, id);
      if (live || !await this.host.store.has({ principal, sessionId: id })) return live;
      return await this.#begin(principal, id, {});
    });
  }

  /** The session of that name, if it is live in this server. */
  live(principal: string, id: string): Session | undefined {
    return this.#live.get(principal, id)?.session;
  }

  /** The session of that name, made if there is none. @throws {WasmboxError} */
  getOrCreate(
    principal: string,
    id: string,
    flavor?: Flavor,
  ): Promise<{ session: Session; created: boolean }> {
    const live = this.liveUsed(principal, id);
    if (live) return Promise.resolve({ session: live, created: this.#untouched.delete(live) });
    return this.#inTurn(principal, id, async () => {
      const live = this.live(principal, id);
      if (live) {
        this.#used(live);
        return { session: live, created: false };
      }
      const stored = await this.host.store.has({ principal, sessionId: id });
      return { session: await this.#begin(principal, id, stored ? {} : { flavor }), created: !stored };
    });
  }

  /** The same for a call that uses it; undefined too while others wait for it, who came before. */
  liveUsed(principal: string, id: string): Session | undefined {
    const session = this.#ready(principal, id);
    if (session) this.#used(session);
    return session;
  }

  #ready(principal: string, id: string): Session | undefined {
    return this.#turns.has(keyOf(principal, id)) ? undefined : this.live(principal, id);
  }

  /** Whether a session of that name was given up lately: its client must not go on in one that is silently empty. */
  gaveUp(principal: string, id: string): boolean {
    return !this.live(principal, id) && this.#capacity.gaveUp(principal, id);
  }

  /** A session for a call that names none: it may be given up for others until it is asked for by its name. */
  async createUnnamed(principal: string, flavor?: Flavor): Promise<Session> {
    const session = await this.#create(principal, randomId(), { flavor });
    this.#capacity.mayGo(session);
    return session;
  }

  /**
   * @param id Its name; a random one if absent.
   * @param flavor Lower limits than the server's; the default flavor if absent.
   * @throws {WasmboxError} SESSION_EXISTS, TOO_MANY_SESSIONS.
   */
  create(principal: string, id: string = randomId(), flavor?: Flavor): Promise<Session> {
    return this.#create(principal, id, { flavor, stays: true });
  }

  async #create(principal: string, id: string, beginning: Beginning): Promise<Session> {
    return await this.#inTurn(principal, id, async () => {
      await this.#assertFree(principal, id);
      return await this.#begin(principal, id, beginning);
    });
  }

  /**
   * A session that begins as another one is, or was.
   *
   * @param id Its name; a random one if absent.
   * @param signal Of the call that wants it.
   * @throws {WasmboxError} SESSION_EXISTS, TOO_MANY_SESSIONS, CHECKPOINT_UNAVAILABLE, CHECKPOINT_NOT_FOUND.
   */
  async fork(
    session: Session,
    id: string = randomId(),
    at?: Earlier,
    signal?: AbortSignal,
  ): Promise<Session> {
    const { principal } = session;
    return await this.#inTurn(principal, id, async () => {
      await this.#assertFree(principal, id);
      // Room for another one may have been made of it since the caller looked it up.
      const origin = this.live(principal, session.id) ?? await this.get(principal, session.id);
      return await this.#begin(principal, id, { copyOf: { session: origin, at, signal }, stays: true });
    });
  }

  /** Whether a store keeps sessions beyond the server's end. */
  get durable(): boolean {
    return this.host.store.durable;
  }

  /** A session as a signed file. @throws {WasmboxError} EXPORT_UNAVAILABLE, CHECKPOINT_UNAVAILABLE. */
  async exported(session: Session): Promise<Uint8Array> {
    return await exportFile(session, this.#store);
  }

  /**
   * A session of a file that {@link exported} gave, perhaps in another server.
   *
   * @param id Its name; a random one if absent.
   * @throws {WasmboxError} EXPORT_UNAVAILABLE, IMPORT_REFUSED, SESSION_EXISTS, TOO_MANY_SESSIONS.
   */
  async import(principal: string, file: Uint8Array, id: string = randomId()): Promise<Session> {
    const exported = await importFile(file, this.#store, this.host.limits.checkpointMaxBytes);
    return await this.#create(principal, id, { exported, stays: true });
  }

  /**
   * Keeps a session here, idle or not: the first of these names that no other server has. It is made if
   * it is not there.
   *
   * @returns Its name. What the store refuses is told by the first call that asks for it.
   */
  async pin(principal: string, names: readonly string[]): Promise<string> {
    for (const id of names) {
      try {
        const { session, created } = await this.getOrCreate(principal, id);
        this.#live.get(principal, id)!.pinned = true;
        if (created) this.#untouched.add(session);
        return id;
      } catch (error) {
        const code = error instanceof WasmboxError ? error.info.error_code : undefined;
        if (code === "SESSION_ELSEWHERE") continue;
        if (code === "SESSION_REFUSED") this.#untold.set(keyOf(principal, id), error);
        return id;
      }
    }
    return names[0]!;
  }

  /** The principal's live sessions, oldest first. */
  list(principal: string): Session[] {
    const all = this.#live.of(principal).map((tenancy) => tenancy.session);
    return all.filter((session) => !this.#untouched.has(session) || isInUse(session));
  }

  /** The principal's sessions that only the store has, used last first. @throws {WasmboxError} */
  async hibernated(principal: string): Promise<StoredView[]> {
    const stored = await this.host.store.list(principal).catch((error: unknown) => {
      throw storeError(error, "");
    });
    return stored.filter(({ sessionId }) => !this.live(principal, sessionId));
  }

  /** Ends a session. @throws {WasmboxError} SESSION_NOT_FOUND. */
  async destroy(principal: string, id: string): Promise<void> {
    await this.#end(await this.get(principal, id), "destroyed");
  }

  /** Its client has gone: it ends, if no store keeps it. */
  async leave(principal: string, id: string): Promise<void> {
    const session = this.live(principal, id);
    if (session) await this.#end(session, "idle").catch((error: unknown) => log.error(NOT_ENDED, { error }));
  }

  /** Starts the executor that a session of that name will be in, and brings it back there if the store has it. */
  async warm(principal: string, id: string): Promise<void> {
    const executor = await this.#pool.acquire(principal, id);
    await executor.ready;
    await this.live(principal, id)?.wake();
  }

  /** Whether sessions can be given a place now. */
  readiness(): Readiness {
    return this.#pool.readiness();
  }

  /** Lets nothing new begin. Settles when nothing runs or waits any more, and the store has what it can. */
  async drain(): Promise<void> {
    this.host.draining = true;
    await Promise.all(this.executions.map((execution) => execution.outcome));
    await this.#saved();
  }

  /** Stops what still runs or waits. Settles when that has ended. */
  async stop(): Promise<void> {
    const { executions } = this;
    for (const execution of executions) execution.stop("cancelled");
    await Promise.all(executions.map((execution) => execution.outcome));
  }

  /** What runs or waits for its turn, of all principals. */
  get executions(): readonly Execution[] {
    return this.#live.all.flatMap((session) => session.executions);
  }

  /** Ends everything that was started for sessions. A durable store goes on having them. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.host.draining = true;
    await this.#saved();
    const ended = this.#pool[Symbol.asyncDispose]();
    await Promise.all([ended, ...this.#live.all.map((session) => this.#end(session, "shutdown"))])
      .catch((error: unknown) => log.error(NOT_ENDED, { error }));
    await this.#turns.settled();
    await this.host.store[Symbol.asyncDispose]();
  }

  async #saved(): Promise<void> {
    if (!this.host.store.durable) return;
    await Promise.all(this.#live.all.map((session) => session.executions.length === 0 && session.saved()));
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

  /** Another server asks for a session. One that is busy is asked for again. */
  #handOver(principal: string, id: string): void {
    const tenancy = this.#live.get(principal, id);
    if (tenancy?.session.canLeave && !tenancy.pinned) this.#leave(tenancy.session, "idle");
  }

  /** @throws {WasmboxError} SESSION_EXISTS */
  async #assertFree(principal: string, id: string): Promise<void> {
    if (!this.live(principal, id) && !await this.host.store.has({ principal, sessionId: id })) return;
    throw new WasmboxError("SESSION_EXISTS", `A session "${id}" exists already.`, {
      suggestions: ["Use it as it is, choose another session_id, or destroy it first."],
      context: { session_id: id },
    });
  }

  /** Makes a session, of what the store has under its name if it has. Nobody else does so meanwhile. */
  async #begin(principal: string, id: string, beginning: Beginning): Promise<Session> {
    if (this.host.draining) throw shuttingDown();
    using _arrival = this.#capacity.arrive(principal, beginning.copyOf?.session);
    const { record, history } = await begin({ principal, sessionId: id }, beginning, this.host);
    const limits = this.terms.limitsOfNew(record.flavor);
    const session = new Session(principal, id, this.host, { limits, record, history });
    this.#live.add(
      new Tenancy(session, this.host.limits, (cause) => {
        if (!this.#keeps(cause)) this.#ended.remember(session, cause);
        this.#leave(session, cause);
      }),
    );
    const woken = history.place.found !== undefined;
    const loss = this.#ended.take(principal, id);
    if (loss && !beginning.stays) session.lostBefore(loss); // who makes one as such expects nothing in it
    this.host.observe({ type: "session_created", principal, sessionId: id, woken });
    return session;
  }

  #used(session: Session): void {
    this.#capacity.mayNotGo(session);
    this.#live.get(session.principal, session.id)?.used();
  }

  /** What makes, wakes or ends a session of that name, one after another. @throws {WasmboxError} for what the store says. */
  async #inTurn<T>(principal: string, id: string, work: () => Promise<T>): Promise<T> {
    try {
      return await this.#turns.take(keyOf(principal, id), work);
    } catch (error) {
      throw storeError(error, id);
    }
  }

  /** Ends a session for which nobody waits. */
  #leave(session: Session, cause: SessionEndCause): void {
    this.#end(session, cause).catch((error: unknown) => log.error(NOT_ENDED, { error }));
  }

  /** Whether the store goes on having a session that ends. */
  #keeps(cause: SessionEndCause): boolean {
    return this.host.store.durable && cause !== "destroyed" && cause !== "age";
  }

  async #end({ principal, id }: Session, cause: SessionEndCause): Promise<void> {
    const tenancy = this.#live.remove(principal, id);
    if (!tenancy) return;
    this.#capacity.mayNotGo(tenancy.session);
    tenancy[Symbol.dispose]();
    const keep = this.#keeps(cause);
    const told = keep && cause === "idle" ? "hibernated" : cause;
    this.host.observe({ type: "session_ended", principal, sessionId: id, cause: told });
    const closed = tenancy.session.close({ keep }).catch((error: unknown) => {
      throw keep ? error : forgettingError(error, id);
    });
    closed.catch(() => {}); // looked at in its turn
    // Whoever asks for the session meanwhile waits until the store has it, or has it no more.
    await this.#inTurn(principal, id, () => closed);
  }
}

/** Whether a session that was made before anybody asked for it was asked for since. */
function isInUse(session: Session): boolean {
  return session.checkpoint !== "none" || session.executed > 0 || session.busy;
}
