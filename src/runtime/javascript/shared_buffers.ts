/**
 * Memory that threads share. Each has it in a heap of its own, and one runs at a time: what it has written is copied to the
 * others' before they run, so that all see what they would of one memory.
 */

import { GuestError } from "./guest_error.ts";

/** Most of it in all: it is compared whenever another thread runs. */
const MOST_BYTES = 64 * 1024 * 1024;
/** Also of those that are empty: all are gone through then. */
const MOST_BUFFERS = 10_000;
/** Bytes that are compared or copied for a unit of fuel. */
const BYTES_PER_FUEL = 16;

/** That of one thread. */
export interface Replica {
  /** Where it is in its heap now. */
  bytes(): Uint8Array;
  /** Its heap need not keep it any more. */
  free(): void;
}

interface Shared {
  readonly bytes: Uint8Array;
  /** How often it has been written to, and what of that each thread has. */
  version: number;
  readonly replicas: Map<object, { readonly replica: Replica; version: number }>;
}

export class SharedBuffers {
  #all: Shared[] = [];
  #total = 0;

  /** Memory of one thread that others are to have. @returns Its number. @throws {GuestError} if there is too much of it. */
  share(thread: object, replica: Replica): number {
    const { length } = replica.bytes();
    if (this.#total + length > MOST_BYTES || this.#all.length >= MOST_BUFFERS) {
      throw new GuestError(
        `threads may share ${
          MOST_BYTES >> 20
        } MiB of memory, in ${MOST_BUFFERS} buffers: post the rest, which copies it`,
      );
    }
    this.#total += length;
    const bytes = replica.bytes().slice();
    this.#all.push({ bytes, version: 0, replicas: new Map([[thread, { replica, version: 0 }]]) });
    return this.#all.length - 1;
  }

  /** Another thread has it, too. @throws {GuestError} if it is none. */
  join(id: number, thread: object, replica: Replica): void {
    const shared = this.#all[id];
    if (!shared || shared.replicas.has(thread) || replica.bytes().length !== shared.bytes.length) {
      throw new GuestError("there is no such shared memory");
    }
    replica.bytes().set(shared.bytes);
    shared.replicas.set(thread, { replica, version: shared.version });
  }

  /** A thread goes on: it sees what others have written. @returns Fuel. */
  enter(thread: object): number {
    let copied = 0;
    for (const shared of this.#all) {
      const own = shared.replicas.get(thread);
      if (!own || own.version === shared.version) continue;
      own.replica.bytes().set(shared.bytes);
      own.version = shared.version;
      copied += shared.bytes.length;
    }
    return Math.ceil(copied / BYTES_PER_FUEL);
  }

  /** A thread pauses: what it has written is for all. @returns Fuel. */
  leave(thread: object): number {
    let looked = 0;
    for (const shared of this.#all) {
      const own = shared.replicas.get(thread);
      if (!own) continue;
      const now = own.replica.bytes();
      looked += now.length;
      if (isSame(now, shared.bytes)) continue;
      shared.bytes.set(now);
      own.version = ++shared.version;
    }
    return Math.ceil(looked / BYTES_PER_FUEL);
  }

  /** A thread has none of it any more. @param isGone Whether its heap is gone, too. */
  forget(thread: object, isGone: boolean): void {
    for (const { replicas } of this.#all) {
      if (!isGone) replicas.get(thread)?.replica.free();
      replicas.delete(thread);
    }
  }

  /** No thread has any of it. */
  clear(): void {
    this.#all = [];
    this.#total = 0;
  }
}

/** Words at a time, as far as there are any. */
function isSame(a: Uint8Array, b: Uint8Array): boolean {
  const words = a.byteOffset % 8 === 0 && b.byteOffset % 8 === 0 ? a.length >> 3 : 0;
  const [x, y] = [a, b].map(({ buffer, byteOffset }) => new BigUint64Array(buffer, byteOffset, words)) as [
    BigUint64Array,
    BigUint64Array,
  ];
  for (let at = 0; at < words; at++) if (x[at] !== y[at]) return false;
  for (let at = 8 * words; at < a.length; at++) if (a[at] !== b[at]) return false;
  return true;
}
