/** `perf_hooks`: marks and measures over the prelude's `performance`. */
import { notHere } from "./errors.js";
import { platform } from "./runtime.js";

export function perfHooks() {
  const { performance } = globalThis;
  let entries = [];
  class PerformanceEntry {
    constructor(name, entryType, startTime, duration, detail) {
      Object.assign(this, { name, entryType, startTime, duration, detail: detail ?? null });
    }
    toJSON() {
      return { ...this };
    }
  }
  class PerformanceMark extends PerformanceEntry {}
  class PerformanceMeasure extends PerformanceEntry {}
  const observers = new Set();
  const add = (entry) => {
    entries.push(entry);
    for (const each of observers) each.offer(entry);
    return entry;
  };
  const timeOf = (mark, fallback) => {
    if (mark === undefined) return fallback;
    if (typeof mark === "number") return mark;
    const found = entries.findLast((entry) => entry.entryType === "mark" && entry.name === mark);
    if (!found) {
      throw new platform.DOMException(`The "${mark}" performance mark has not been set`, "SyntaxError");
    }
    return found.startTime;
  };
  const listed = (list) => list.toSorted((a, b) => a.startTime - b.startTime);
  Object.assign(performance, {
    mark: (name, { startTime = performance.now(), detail } = {}) =>
      add(new PerformanceMark(`${name}`, "mark", startTime, 0, detail)),
    measure(name, start, end) {
      const options = typeof start === "object" && start !== null ? start : { start, end };
      const from = timeOf(options.start, 0);
      const to = options.duration === undefined
        ? timeOf(options.end, performance.now())
        : from + options.duration;
      return add(new PerformanceMeasure(`${name}`, "measure", from, to - from, options.detail));
    },
    clearMarks: (name) =>
      void (entries = entries.filter((each) =>
        each.entryType !== "mark" || name !== undefined && each.name !== name
      )),
    clearMeasures: (name) =>
      void (entries = entries.filter((each) =>
        each.entryType !== "measure" || name !== undefined && each.name !== name
      )),
    getEntries: () => listed(entries),
    getEntriesByName: (name, type) =>
      listed(entries.filter((each) => each.name === name && (type === undefined || each.entryType === type))),
    getEntriesByType: (type) => listed(entries.filter((each) => each.entryType === type)),
    timerify: (call) => call,
    eventLoopUtilization: () => ({ idle: 0, active: 0, utilization: 0 }),
    toJSON: () => ({ timeOrigin: performance.timeOrigin }),
    nodeTiming: {},
  });
  class PerformanceObserver {
    #types = [];
    #queue = [];
    constructor(callback) {
      this.callback = callback;
    }
    observe({ entryTypes, type }) {
      this.#types = entryTypes ?? [type];
      observers.add(this);
    }
    offer(entry) {
      if (!this.#types.includes(entry.entryType)) return;
      if (this.#queue.push(entry) > 1) return;
      setImmediate(() => {
        const list = this.#queue.splice(0);
        const view = {
          getEntries: () => list,
          getEntriesByName: (name) => list.filter((each) => each.name === name),
          getEntriesByType: (kind) => list.filter((each) => each.entryType === kind),
        };
        this.callback(view, this);
      });
    }
    disconnect() {
      observers.delete(this);
    }
    takeRecords() {
      return this.#queue.splice(0);
    }
    static supportedEntryTypes = ["mark", "measure"];
  }
  return {
    performance,
    PerformanceEntry,
    PerformanceMark,
    PerformanceMeasure,
    PerformanceObserver,
    constants: {},
    createHistogram() {
      throw notHere(
        "createHistogram of Node's module 'perf_hooks'",
        "nothing here measures how long it waits",
      );
    },
    monitorEventLoopDelay() {
      throw notHere(
        "monitorEventLoopDelay of Node's module 'perf_hooks'",
        "nothing here measures how long it waits",
      );
    },
  };
}
