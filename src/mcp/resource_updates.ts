/** Tells the client of one connection which resources have changed. */

import { ProtocolError, type Server } from "@modelcontextprotocol/server";
import type { FilesChanged } from "../session/file_watch.ts";
import type { SessionTable } from "../session/table.ts";
import { parseResourceUri } from "./paths.ts";

const INVALID_PARAMS = -32602;

/** Most resources that a connection may subscribe to. */
const MAX_SUBSCRIPTIONS = 1000;

/** What changes of files mean for resources. */
export interface ResourceChanges {
  /** Some came or went. */
  readonly list: boolean;
  /** Whether the contents of the resource at that path may be others. */
  touches(path: string): boolean;
}

export function resourceChanges({ changes }: FilesChanged): ResourceChanges {
  if (changes === "any") return { list: true, touches: () => true };
  const paths = new Set(changes.map(({ path }) => path));
  return { list: changes.some(({ change }) => change !== "modified"), touches: (path) => paths.has(path) };
}

export class ResourceUpdates implements Disposable {
  /** Subscribed URIs, and what they name. */
  readonly #subscribed = new Map<string, { readonly sessionId: string; readonly path: string }>();
  readonly #watch: Disposable;

  constructor(readonly server: Server, sessions: SessionTable, principal: string) {
    this.#watch = sessions.host.fileWatch.watch(principal, (changed) => this.#changed(changed));
  }

  /** Neither the file nor its session need be there yet; what can't be a file never changes. @throws {ProtocolError} */
  subscribe(uri: string): void {
    const named = parseResourceUri(uri);
    if (!named) return;
    if (this.#subscribed.size >= MAX_SUBSCRIPTIONS) {
      throw new ProtocolError(
        INVALID_PARAMS,
        `There are ${MAX_SUBSCRIPTIONS} subscriptions, which is the limit`,
      );
    }
    this.#subscribed.set(uri, named);
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

  #changed(changed: FilesChanged): void {
    const { list, touches } = resourceChanges(changed);
    if (list) this.listChanged();
    for (const [uri, { sessionId, path }] of this.#subscribed) {
      if (sessionId !== changed.sessionId || !touches(path)) continue;
      this.server.sendResourceUpdated({ uri }).catch(() => {}); // as above
    }
  }
}
