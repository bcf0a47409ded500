/** The small ones of Node's modules. */
import events from "./events.js";
import { checkFunction, invalidArgType, notHere } from "./errors.js";
import { AsyncLocalStorage, AsyncResource } from "./async_context.js";
import process from "./process.js";
import { hooks, host, platform } from "./runtime.js";

const ERRNO = {
  E2BIG: 7,
  EACCES: 13,
  EBADF: 9,
  EEXIST: 17,
  EINVAL: 22,
  EISDIR: 21,
  ENOENT: 2,
  ENOSPC: 28,
  ENOTDIR: 20,
  EPERM: 1,
  EPIPE: 32,
};
/** Linux's, by their numbers. */
const SIGNALS = Object.fromEntries(
  ("HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP TTIN TTOU URG XCPU XFSZ " +
    "VTALRM PROF WINCH IO PWR SYS").split(" ").map((name, at) => [`SIG${name}`, at + 1]),
);
const MEMORY = 256 * 1024 * 1024;

export const os = {
  EOL: "\n",
  devNull: "/dev/null",
  constants: { signals: SIGNALS, errno: ERRNO, priority: {}, UV_UDP_REUSEADDR: 4 },
  arch: () => "wasm32",
  availableParallelism: () => 1,
  cpus: () => [{ model: "WebAssembly", speed: 0, times: { user: 0, nice: 0, sys: 0, idle: 0, irq: 0 } }],
  endianness: () => "LE",
  freemem: () => MEMORY / 2,
  totalmem: () => MEMORY,
  getPriority: () => 0,
  setPriority() {},
  homedir: () => process.env.HOME ?? "/app",
  hostname: () => "localhost",
  loadavg: () => [0, 0, 0],
  machine: () => "wasm32",
  networkInterfaces: () => ({}),
  platform: () => "linux",
  release: () => "6.0.0",
  tmpdir: () => (process.env.TMPDIR ?? "/tmp").replace(/(?<=.)\/+$/, ""),
  type: () => "Linux",
  uptime: () => process.uptime(),
  userInfo: () => ({
    uid: 0,
    gid: 0,
    username: process.env.USER ?? "app",
    homedir: os.homedir(),
    shell: "/bin/sh",
  }),
  version: () => "#1 wasmbox",
};

/** Marks and measures over the prelude's `performance`. */
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

export const asyncHooks = {
  AsyncLocalStorage,
  AsyncResource,
  createHook: () => ({
    enable() {
      throw notHere("createHook of Node's module 'async_hooks'", "the engine tells nothing of its promises");
    },
    disable() {
      return this;
    },
  }),
  executionAsyncId: () => 1,
  triggerAsyncId: () => 0,
  executionAsyncResource: () => ({}),
};

class Channel {
  #subscribers = [];
  constructor(name) {
    this.name = name;
  }
  get hasSubscribers() {
    return this.#subscribers.length > 0;
  }
  subscribe(listener) {
    checkFunction(listener, "subscription");
    this.#subscribers = [...this.#subscribers, listener];
  }
  unsubscribe(listener) {
    const at = this.#subscribers.indexOf(listener);
    if (at < 0) return false;
    this.#subscribers = this.#subscribers.toSpliced(at, 1);
    return true;
  }
  publish(message) {
    for (const listener of this.#subscribers) listener(message, this.name);
  }
  runStores(message, call, self, ...args) {
    this.publish(message);
    return call.call(self, ...args);
  }
}
const EVENTS = ["start", "end", "asyncStart", "asyncEnd", "error"];
/** Five channels that tell of one call. */
class TracingChannel {
  constructor(given) {
    for (const each of EVENTS) {
      this[each] = typeof given === "string" ? channel(`tracing:${given}:${each}`) : given[each];
    }
  }
  get hasSubscribers() {
    return EVENTS.some((each) => this[each].hasSubscribers);
  }
  subscribe(listeners) {
    for (const each in listeners) this[each].subscribe(listeners[each]);
  }
  unsubscribe(listeners) {
    return Object.keys(listeners).map((each) => this[each].unsubscribe(listeners[each])).every(Boolean);
  }
  traceSync(call, context = {}, self, ...args) {
    this.start.publish(context);
    try {
      return context.result = Reflect.apply(call, self, args);
    } catch (error) {
      this.#failed(context, error);
      throw error;
    } finally {
      this.end.publish(context);
    }
  }
  tracePromise(call, context = {}, self, ...args) {
    const ended = (settle) => {
      this.asyncStart.publish(context);
      this.asyncEnd.publish(context);
      return settle();
    };
    return Promise.resolve(this.traceSync(call, context, self, ...args)).then(
      (result) => (context.result = result, ended(() => result)),
      (error) => (this.#failed(context, error), ended(() => Promise.reject(error))),
    );
  }
  traceCallback(call, position = -1, context = {}, self, ...args) {
    const index = position < 0 ? args.length + position : position;
    const callback = args[index];
    args[index] = (...given) => {
      if (given[0]) this.#failed(context, given[0]);
      else context.result = given[1];
      this.asyncStart.publish(context);
      try {
        return Reflect.apply(callback, self, given);
      } finally {
        this.asyncEnd.publish(context);
      }
    };
    return this.traceSync(call, context, self, ...args);
  }
  #failed(context, error) {
    context.error = error;
    this.error.publish(context);
  }
}
const channels = new Map();
const channel = (name) => {
  if (!channels.has(name)) channels.set(name, new Channel(name));
  return channels.get(name);
};
export const diagnosticsChannel = {
  Channel,
  channel,
  hasSubscribers: (name) => channels.get(name)?.hasSubscribers ?? false,
  subscribe: (name, listener) => channel(name).subscribe(listener),
  unsubscribe: (name, listener) => channel(name).unsubscribe(listener),
  tracingChannel: (given) => new TracingChannel(given),
};

export const tty = {
  isatty: () => false,
  ReadStream: class ReadStream extends events {},
  WriteStream: class WriteStream extends events {},
};

export const v8 = {
  getHeapStatistics: () => {
    const { heapTotal } = process.memoryUsage();
    return {
      total_heap_size: heapTotal,
      used_heap_size: heapTotal,
      heap_size_limit: MEMORY,
      total_available_size: MEMORY,
    };
  },
  getHeapSpaceStatistics: () => [],
  setFlagsFromString() {},
  serialize() {
    throw notHere(
      "serialize of Node's module 'v8'",
      "this is QuickJS",
      "structuredClone copies a value, JSON.stringify makes text of one",
    );
  },
  deserialize() {
    throw notHere("deserialize of Node's module 'v8'", "this is QuickJS");
  },
};

const WORKER = "a session has one thread";
export const workerThreads = () => ({
  isMainThread: true,
  parentPort: null,
  workerData: null,
  threadId: 0,
  resourceLimits: {},
  SHARE_ENV: Symbol.for("nodejs.worker_threads.SHARE_ENV"),
  MessageChannel: platform.MessageChannel,
  MessagePort: platform.MessagePort,
  BroadcastChannel: undefined,
  markAsUntransferable() {},
  getEnvironmentData: () => undefined,
  setEnvironmentData() {},
  receiveMessageOnPort: (port) => hooks.receiveMessage(port),
  Worker: class Worker extends events {
    constructor() {
      super();
      throw notHere(
        "Worker of Node's module 'worker_threads'",
        WORKER,
        "Promises run one after another here; what computes long runs in the program itself",
      );
    }
  },
});

export function moduleOf(names) {
  const createRequire = (from) => {
    const path = from instanceof URL
      ? decodeURIComponent(from.pathname)
      : `${from}`.startsWith("file:")
      ? decodeURIComponent(new URL(from).pathname)
      : from;
    if (typeof path !== "string" || !path.startsWith("/")) {
      throw invalidArgType("filename", ["file URL object", "file URL string", "absolute path string"], from);
    }
    return hooks.requireFrom(path);
  };
  const Module = function Module(id = "") {
    this.id = id;
    this.exports = {};
  };
  return Object.assign(Module, {
    Module,
    builtinModules: names,
    createRequire,
    isBuiltin: (name) => names.includes(`${name}`.replace(/^node:/, "")) || name === "node:test",
    syncBuiltinESMExports() {},
    findSourceMap: () => undefined,
    register() {
      throw notHere("register of Node's module 'module'", "there are no loaders");
    },
    _extensions: { ".js"() {}, ".json"() {}, ".node"() {} },
    _cache: {},
    _load: (name) => globalThis.require(name),
    _resolveFilename: (name) => globalThis.require.resolve(name),
    _nodeModulePaths: (from) =>
      from.split("/").map((_part, at, all) => `${all.slice(0, at + 1).join("/")}/node_modules`).reverse(),
    wrap: (text) => `(function (exports, require, module, __filename, __dirname) { ${text}\n});`,
    globalPaths: [],
  });
}
void host;
