/**
 * What was sent on the streams of MCP sessions, for clients whose connection broke: MCP 2025-11-25, Transports,
 * "Resumability and Redelivery". Bounded in memory, for a session and for all, and in time; the oldest goes first.
 */

import type { EventId, EventStore, JSONRPCMessage, StreamId } from "@modelcontextprotocol/server";

export interface ResumptionOptions {
  /** How long an event is kept. 0: none is. */
  readonly resumeMs: number;
  /** UTF-16 units of JSON that are kept for one MCP session. */
  readonly resumeMaxBytes: number;
  /** Likewise, for all of them. */
  readonly resumeTotalBytes: number;
}

interface StoredEvent {
  readonly id: EventId;
  readonly stream: StreamId;
  readonly json: string;
  /** `performance.now()`: nobody sets that clock. */
  readonly storedAt: number;
  readonly session: SessionEvents;
}

/** The events of all sessions. The bounds are looked up with every event: they may change. */
export class ResumableEvents {
  /** In the order in which they were stored. */
  readonly #events = new Set<StoredEvent>();
  #size = 0;

  constructor(readonly options: ResumptionOptions) {}

  /** Nothing, if events are not kept. */
  ofSession(): SessionEvents | undefined {
    return this.options.resumeMs > 0 ? new SessionEvents(this) : undefined;
  }

  /** @internal Of {@link SessionEvents}. */
  add(event: StoredEvent): void {
    this.#events.add(event);
    this.#size += event.json.length;
    this.trim();
  }

  /** @internal */
  remove(event: StoredEvent): void {
    if (this.#events.delete(event)) this.#size -= event.json.length;
  }

  /** Forgets what is too old, or too much. */
  trim(): void {
    const { resumeMs, resumeTotalBytes } = this.options;
    const before = performance.now() - resumeMs;
    for (const event of this.#events) {
      if (event.storedAt > before && this.#size <= resumeTotalBytes) return;
      event.session.forget(event);
    }
  }
}

/**
 * The events of one MCP session; no other can name them. A stream goes to who asks for it last: a connection that broke
 * without a word, as one of a network that was left, looks open to the server for minutes. So it does not say whose stream
 * an event is of beforehand, for which the SDK would refuse what has a connection.
 */
export class SessionEvents implements EventStore, Disposable {
  readonly #all: ResumableEvents;
  readonly #events = new Map<EventId, StoredEvent>();
  #size = 0;
  #stored = 0;

  constructor(all: ResumableEvents) {
    this.#all = all;
  }

  storeEvent(stream: StreamId, message: JSONRPCMessage): Promise<EventId> {
    const event: StoredEvent = {
      id: String(++this.#stored),
      stream,
      json: JSON.stringify(message),
      storedAt: performance.now(),
      session: this,
    };
    this.#events.set(event.id, event);
    this.#size += event.json.length;
    this.#all.add(event);
    for (const oldest of this.#events.values()) {
      if (this.#size <= this.#all.options.resumeMaxBytes) break;
      this.forget(oldest);
    }
    return Promise.resolve(event.id);
  }

  /** Whether nothing after an event was forgotten; a stream with a gap can't be resumed. */
  has(id: EventId): boolean {
    this.#all.trim();
    return this.#events.has(id);
  }

  /** @throws {Error} if the event is not known any more. */
  async replayEventsAfter(
    id: EventId,
    { send }: { send: (id: EventId, message: JSONRPCMessage) => Promise<void> },
  ): Promise<StreamId> {
    const last = this.#events.get(id);
    if (!last) throw new Error("the event is not known any more");
    const missed = [...this.#events.values()]
      .filter((event) => event.stream === last.stream && Number(event.id) > Number(id));
    for (const event of missed) {
      const message = JSON.parse(event.json);
      if (Object.keys(message).length > 0) await send(event.id, message); // else it only marks the start of a stream
    }
    return last.stream;
  }

  /** @internal */
  forget(event: StoredEvent): void {
    if (this.#events.delete(event.id)) this.#size -= event.json.length;
    this.#all.remove(event);
  }

  [Symbol.dispose](): void {
    for (const event of this.#events.values()) this.forget(event);
  }
}
