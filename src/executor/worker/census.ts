/**
 * What a session holds of the executor's memory, told in its control cell: while it is busy, which is when it grows,
 * nobody could ask its Worker.
 */

import type { ControlCell } from "../../control/cell.ts";
import type { Runtime } from "../../runtime/runtime.ts";

/** Between two counts while a guest runs, ms: one takes some 10 µs. */
const INTERVAL_MS = 10;

/** Taken before the lock-down. */
const memoryUsage: typeof Deno.memoryUsage = Deno.memoryUsage.bind(Deno);

export class Census {
  /** Weakly, as programs of a script get interpreters of their own; a discarded one counts nothing. */
  readonly #runtimes = new Set<WeakRef<Runtime>>();
  #next = 0;

  /**
   * @param sessions How many there are in the Worker, whose own memory each has its share of.
   * @param files Bytes of the session's files.
   */
  constructor(readonly cell: ControlCell, readonly sessions: () => number, readonly files: () => number) {}

  /** Counts the heaps of a runtime from now on. */
  add<Kind extends Runtime>(runtime: Kind): Kind {
    this.#runtimes.add(new WeakRef(runtime));
    return runtime;
  }

  /** An execution begins: most have ended before anything need be counted. */
  begin(): void {
    this.#next = performance.now() + INTERVAL_MS;
  }

  /** Called wherever a guest looks at the cell. */
  look(): void {
    if (performance.now() >= this.#next) this.tell();
  }

  tell(): void {
    // What V8 calls external has also the memories of heaps that are gone, and have been given back, until it collects them.
    let bytes = memoryUsage().heapTotal / this.sessions() + this.files();
    for (const reference of this.#runtimes) {
      const runtime = reference.deref();
      if (runtime) bytes += runtime.memoryBytes() + runtime.recordedBytes();
      else this.#runtimes.delete(reference);
    }
    this.cell.hold(bytes);
    this.#next = performance.now() + INTERVAL_MS;
  }
}
