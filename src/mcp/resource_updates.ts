/** Tells the client of one connection which resources have changed. */

import { ProtocolError, type Server } from "@modelcontextprotocol/server";
import type { SessionChange } from "../session/session_watch.ts";
import type { SessionTable } from "../session/table.ts";
import { parseResourceUri } from "./paths.ts";
import { parseVariablesUri } from "./variables_resource.ts";

const INVALID_PARAMS = -32602;

/** Most resources that a connection may subscribe to. */
const MAX_SUBSCRIPTIONS = 1000;

/** What a resource shows of a session: the file at a path, or its variables. */
interface Shown {
  readonly sessionId: string;
  readonly path?: string;
}

/** Whether what a resource shows may be something else now. */
function touches({ sessionId, files, variables }: SessionChange): (shown: Shown) => boolean {
  const paths = files === "any" ? undefined : new Set(files.map(({ path }) => path));
  return (shown) =>
    shown.sessionId === sessionId &&
    (shown.path === undefined ? variables : paths?.has(shown.path) ?? true);
}

export class ResourceUpdates implements Disposable {
  /** By their URIs. */
  readonly #subscribed = new Map<string, Shown>();
  readonly #watch: Disposable;

  constructor(readonly server: Server, sessions: SessionTable, principal: string) {
    this.#watch = sessions.host.watch.watch(principal, (change) => this.#changed(change));
  }

  /** Neither the file nor its session need be there yet; what can't be one never changes. @throws {ProtocolError} */
  subscribe(uri: string): void {
    const sessionId = parseVariablesUri(uri);
    const shown = sessionId === undefined ? parseResourceUri(uri) : { sessionId };
    if (!shown) return;
    if (this.#subscribed.size >= MAX_SUBSCRIPTIONS) {
      throw new ProtocolError(
        INVALID_PARAMS,
        `There are ${MAX_SUBSCRIPTIONS} subscriptions, which is the limit`,
      );
    }
    this.#subscribed.set(uri, shown);
  }

  unsubscribe(uri: string): void {
    this.#subscribed.delete(uri);
  }

  listChanged(): void {
    this.server.sendResourceListChanged().catch(() => {}); // the client is gone, or has no stream for it
  }

  [Symbol.dispose](): void {
    this.#watch[Symbol.dispose]();
    this.#subscribed.clear();
  }

  #changed(change: SessionChange): void {
    const { files } = change;
    if (files === "any" || files.some(({ change }) => change !== "modified")) this.listChanged();
    const touched = touches(change);
    for (const [uri, shown] of this.#subscribed) {
      if (!touched(shown)) continue;
      this.server.sendResourceUpdated({ uri }).catch(() => {}); // as above
    }
  }
}
