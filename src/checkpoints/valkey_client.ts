/** The client of Valkey and Redis, in a bundle of its own: only servers that are configured for it load it. */

import { Redis as Valkey } from "iovalkey";

/** What of the client is used. */
export interface ValkeyClient {
  connect(): Promise<void>;
  /** A command whose answers are bytes. */
  callBuffer(command: string, ...args: readonly (string | number | Uint8Array)[]): Promise<unknown>;
  subscribe(channel: string): Promise<unknown>;
  /** Cuts the connection. @param reconnect Whether another one is made. */
  disconnect(reconnect?: boolean): void;
  readonly status: string;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "ready", listener: () => void): unknown;
  on(event: "message", listener: (channel: string, message: string) => void): unknown;
}

/** How long a connection may take. */
const CONNECT_MS = 3000;
/** How long one that was cut may take to end in order. */
const DISCONNECT_MS = 300;
const RECONNECT_FIRST_MS = 50;
const RECONNECT_MAX_MS = 2000;

/**
 * A client that is not connected yet, and afterwards always tries to be. A command of a connection that is lost fails: to
 * send it again might do it twice.
 *
 * @param url redis: or rediss:, with user, password and database if there are some.
 */
export function makeClient(url: string): ValkeyClient {
  return new Valkey(url, {
    lazyConnect: true,
    connectTimeout: CONNECT_MS,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    // It would do it without looking at what becomes of that: a connection lost just then would end this server.
    autoResubscribe: false,
    // Its address may be another one's by now.
    reconnectOnError: ({ message }) => message.startsWith("READONLY"),
    maxRetriesPerRequest: 0,
    keepAlive: 10_000,
    disconnectTimeout: DISCONNECT_MS,
    retryStrategy: (times) => Math.min(RECONNECT_MAX_MS, RECONNECT_FIRST_MS * 2 ** Math.min(times, 10)),
  }) as unknown as ValkeyClient;
}
