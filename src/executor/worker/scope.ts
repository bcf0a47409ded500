/** What of a Worker's own globals is used; taken before they go. */

import type { LazyAsset } from "../assets/lazy_assets.ts";
import { type FromWorker, NO_SEAT, type ToWorker, type WorkerPost } from "./messages.ts";

interface WorkerScope {
  postMessage(post: WorkerPost, transfer?: Transferable[]): void;
  close(): void;
  setImmediate(task: () => void): void;
  addEventListener(type: "message", listener: (event: MessageEvent<ToWorker>) => void): void;
}
const scope = globalThis as unknown as WorkerScope;
const postMessage: WorkerScope["postMessage"] = scope.postMessage.bind(scope);

export const closeWorker: WorkerScope["close"] = scope.close.bind(scope);
/** Has something done by a task of its own: what runs in a microtask can't run any other. */
export const inTask: (task: () => void) => void = scope.setImmediate.bind(scope);
export const listen: WorkerScope["addEventListener"] = scope.addEventListener.bind(scope);

/** @param transfer What is moved instead of being copied. */
export type Post = (message: FromWorker, transfer?: Transferable[]) => void;

/** Speaks for one session. */
export function postFrom(seat: number): Post {
  return (message, transfer) => postMessage({ seat, message }, transfer);
}

/** Speaks for the Worker. */
export const post: Post = postFrom(NO_SEAT);

/** Asks the executor's main thread for an asset. */
export const ask = (asset: LazyAsset): void => post({ type: "load", asset });
