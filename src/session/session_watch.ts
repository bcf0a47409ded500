/** Who wants to know when something in a principal's sessions changes. */

import type { WorkspaceAnswer, WorkspaceOperation } from "../executor/wire/workspace_protocol.ts";
import { WORKING_DIRECTORY } from "../fs/places.ts";

/** A file below /app, which its path is relative to. */
export interface FileChange {
  readonly path: string;
  readonly change: "created" | "modified" | "deleted";
}

/** What changed, or may have. */
export interface SessionChange {
  readonly sessionId: string;
  /** "any" if it is not known which ones, or they are too many to name. */
  readonly files: readonly FileChange[] | "any";
  readonly variables: boolean;
}

/** Must be quick and must not throw. */
export type SessionWatcher = (change: SessionChange) => void;

export class SessionWatch {
  readonly #watchers = new Map<string, Set<SessionWatcher>>();

  /** @returns To be disposed of when nobody wants to know any more. */
  watch(principal: string, watcher: SessionWatcher): Disposable {
    const watchers = this.#watchers.get(principal) ?? new Set();
    this.#watchers.set(principal, watchers.add(watcher));
    return {
      [Symbol.dispose]: () => {
        watchers.delete(watcher);
        if (watchers.size === 0 && this.#watchers.get(principal) === watchers) {
          this.#watchers.delete(principal);
        }
      },
    };
  }

  tell(principal: string, change: SessionChange): void {
    if (change.files.length === 0 && !change.variables) return;
    for (const watcher of this.#watchers.get(principal) ?? []) watcher(change);
  }
}

/** What an operation that succeeded did to the files below /app. */
export function changesBy(operation: WorkspaceOperation, answer: WorkspaceAnswer): SessionChange["files"] {
  const isFile = answer.kind === "entry" && answer.entry.type !== "directory";
  const created = answer.kind === "entry" && answer.created;
  switch (operation.kind) {
    case "write":
      return one(operation.path, created ? "created" : "modified");
    case "delete":
      return isFile ? one(operation.path, "deleted") : "any";
    case "move":
      if (!isFile) return "any";
      return [...one(operation.from, "deleted"), ...one(operation.to, created ? "created" : "modified")];
    case "reset":
      return "any";
    default:
      return [];
  }
}

function one(path: string, change: FileChange["change"]): FileChange[] {
  const prefix = `${WORKING_DIRECTORY}/`;
  const relative = path.startsWith(prefix) ? path.slice(prefix.length) : path;
  return relative.startsWith("/") ? [] : [{ path: relative, change }];
}
