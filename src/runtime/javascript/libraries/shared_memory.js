/** Memory that threads share, by the host's number for it, and its numbers. */
import { host } from "./runtime.js";

const sharedById = new Map();
let idsOfShared = new WeakMap();
export const sharedIdOf = (given) => idsOfShared.get(given) ?? -1;
/** @returns The number of memory that others are to have, too. */
export function shareOut(shared) {
  if (!idsOfShared.has(shared)) knowShared(host.shareBuffer(-1, shared), shared);
  return idsOfShared.get(shared);
}
function knowShared(id, shared) {
  idsOfShared.set(shared, id);
  sharedById.set(id, shared);
}
/** Memory that another thread has shared. */
export function sharedBy(id, length) {
  if (!sharedById.has(id)) {
    const shared = new SharedArrayBuffer(length);
    host.shareBuffer(id, shared);
    knowShared(id, shared);
  }
  return sharedById.get(id);
}

/** The run is over: no other thread has any of it. */
export function forgetShared() {
  if (sharedById.size === 0) return;
  sharedById.clear();
  idsOfShared = new WeakMap();
}
