/** `events`: the package of that name, and what Node has added since. */
import Emitter from "events/events.js";
import { abortError, checkFunction, checkNumber, invalidArgType } from "./errors.js";
import { hooks, platform } from "./runtime.js";

const errorMonitor = Symbol("events.errorMonitor");
const captureRejectionSymbol = Symbol.for("nodejs.rejection");
const captures = Symbol("kCapture");
const shapeMode = Symbol("shapeMode");

/** The package's has no options. */
function EventEmitter(options) {
  EventEmitter.init.call(this, options);
}
const { init } = Emitter;
const { prototype: _, length: _length, name: _name, ...statics } = Object.getOwnPropertyDescriptors(Emitter);
Object.defineProperties(EventEmitter, statics);
EventEmitter.prototype = Emitter.prototype;
Object.defineProperty(EventEmitter.prototype, "constructor", {
  value: EventEmitter,
  writable: true,
  configurable: true,
});
EventEmitter.init = function (options) {
  init.call(this);
  this[shapeMode] = false;
  const { captureRejections = EventEmitter.captureRejections } = options ?? {};
  if (typeof captureRejections !== "boolean") {
    throw invalidArgType("options.captureRejections", "boolean", captureRejections);
  }
  this[captures] = captureRejections;
};
const { emit, setMaxListeners } = EventEmitter.prototype;

/** Of EventTargets, which know nothing of it. */
const mostOfTargets = new WeakMap();

/** Calls each listener, and looks at the promises that they give. */
function emitCapturing(emitter, name, args) {
  const listeners = emitter.rawListeners(name);
  for (const listener of listeners) {
    const given = Reflect.apply(listener, emitter, args);
    if (typeof given?.then !== "function") continue;
    given.then(undefined, (error) =>
      platform.process.nextTick(() => {
        if (typeof emitter[captureRejectionSymbol] === "function") {
          emitter[captureRejectionSymbol](error, name, ...args);
          return;
        }
        const before = emitter[captures];
        emitter[captures] = false;
        try {
          emitter.emit("error", error);
        } finally {
          emitter[captures] = before;
        }
      }));
  }
  return listeners.length > 0;
}

Object.assign(EventEmitter.prototype, {
  emit: function (name, ...args) {
    if (name === "error") {
      if (this._events?.[errorMonitor] !== undefined) emit.call(this, errorMonitor, ...args);
      if (this._events?.error === undefined) throw unhandled(args[0], args.length > 0);
    }
    return this[captures] ? emitCapturing(this, name, args) : emit.call(this, name, ...args);
  },
  setMaxListeners(count) {
    checkNumber(count, "setMaxListeners", 0);
    return setMaxListeners.call(this, count);
  },
});
for (const name of Object.keys(EventEmitter.prototype)) {
  // As a class's are: what lists an emitter's fields is not to see them.
  if (typeof EventEmitter.prototype[name] !== "function") continue;
  Object.defineProperty(EventEmitter.prototype[name], "name", { value: name });
}

function unhandled(error, given) {
  if (error instanceof Error) return error;
  let shown;
  try {
    shown = hooks.inspect(given ? error : undefined);
  } catch {
    shown = `${error}`;
  }
  const made = new Error(`Unhandled error. (${typeof error === "string" ? `'${error}'` : shown})`);
  made.code = "ERR_UNHANDLED_ERROR";
  made.context = error;
  return made;
}

function listen(emitter, name, listener, options) {
  if (typeof emitter.on === "function") {
    if (options?.once) emitter.once(name, listener);
    else emitter.on(name, listener);
  } else if (typeof emitter.addEventListener === "function") {
    emitter.addEventListener(name, listener, options);
  } else throw invalidArgType("emitter", "EventEmitter", emitter);
}

function unlisten(emitter, name, listener) {
  if (typeof emitter.removeListener === "function") emitter.removeListener(name, listener);
  else emitter.removeEventListener(name, listener);
}

async function once(emitter, name, { signal } = {}) {
  if (signal?.aborted) throw abortError(signal);
  return await new Promise((resolve, reject) => {
    const end = (settle, value) => {
      unlisten(emitter, name, done);
      if (name !== "error" && typeof emitter.once === "function") unlisten(emitter, "error", failed);
      signal?.removeEventListener("abort", aborted);
      settle(value);
    };
    const done = (...args) => end(resolve, args);
    const failed = (error) => end(reject, error);
    const aborted = () => end(reject, abortError(signal));
    listen(emitter, name, done, { once: true });
    if (name !== "error" && typeof emitter.once === "function") emitter.once("error", failed);
    signal?.addEventListener("abort", aborted);
  });
}

function on(emitter, name, { signal, close = [] } = {}) {
  if (signal?.aborted) throw abortError(signal);
  const values = [];
  const waiting = [];
  let failure;
  let finished = false;
  const push = (...args) => {
    const first = waiting.shift();
    if (first) first.resolve({ value: args, done: false });
    else values.push(args);
  };
  const fail = (error) => {
    const first = waiting.shift();
    if (first) first.reject(error);
    else failure = { error };
    iterator.return();
  };
  const abort = () => fail(abortError(signal));
  const end = () => iterator.return();
  const iterator = Object.setPrototypeOf({
    async next() {
      if (values.length > 0) return { value: values.shift(), done: false };
      if (failure) {
        const { error } = failure;
        failure = undefined;
        throw error;
      }
      if (finished) return { value: undefined, done: true };
      return await new Promise((resolve, reject) => waiting.push({ resolve, reject }));
    },
    return() {
      finished = true;
      unlisten(emitter, name, push);
      if (name !== "error") unlisten(emitter, "error", fail);
      for (const each of close) unlisten(emitter, each, end);
      signal?.removeEventListener("abort", abort);
      for (const each of waiting.splice(0)) each.resolve({ value: undefined, done: true });
      return Promise.resolve({ value: undefined, done: true });
    },
    throw(error) {
      if (!(error instanceof Error)) throw invalidArgType("EventEmitter.AsyncIterator", "Error", error);
      fail(error);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  }, Object.getPrototypeOf(Object.getPrototypeOf(async function* () {}).prototype));
  listen(emitter, name, push);
  if (name !== "error" && typeof emitter.on === "function") emitter.on("error", fail);
  for (const each of close) listen(emitter, each, end);
  signal?.addEventListener("abort", abort);
  return iterator;
}

function addAbortListener(signal, listener) {
  if (typeof signal !== "object" || signal === null || !("aborted" in signal)) {
    throw invalidArgType("signal", "AbortSignal", signal);
  }
  checkFunction(listener, "listener");
  if (signal.aborted) queueMicrotask(() => listener());
  else signal.addEventListener("abort", listener, { once: true });
  const dispose = Symbol.dispose ?? Symbol.for("nodejs.dispose");
  return { [dispose]: () => signal.removeEventListener("abort", listener) };
}

Object.assign(EventEmitter, {
  EventEmitter,
  once,
  on,
  addAbortListener,
  errorMonitor,
  captureRejectionSymbol,
  captureRejections: false,
  getEventListeners: (emitter, name) => emitter.listeners?.(name) ?? hooks.listenersOf?.(emitter, name) ?? [],
  getMaxListeners: (emitter) =>
    emitter.getMaxListeners?.() ?? mostOfTargets.get(emitter) ?? EventEmitter.defaultMaxListeners,
  setMaxListeners(count = EventEmitter.defaultMaxListeners, ...emitters) {
    if (emitters.length === 0) EventEmitter.defaultMaxListeners = count;
    for (const each of emitters) {
      if (typeof each.setMaxListeners === "function") each.setMaxListeners(count);
      else mostOfTargets.set(each, count);
    }
  },
  listenerCount: (emitter, name) => emitter.listenerCount(name),
  EventEmitterAsyncResource: class EventEmitterAsyncResource extends EventEmitter {},
});
for (const name of ["on", "off", "addListener", "once", "prependListener", "prependOnceListener"]) {
  const method = EventEmitter.prototype[name];
  EventEmitter.prototype[name] = {
    [name](event, listener) {
      checkFunction(listener, "listener");
      const most = this._maxListeners;
      this._maxListeners = 0;
      try {
        method.call(this, event, listener);
      } finally {
        if (this._maxListeners === 0) this._maxListeners = most;
      }
      if (name !== "off") warnOfMany(this, event);
      return this;
    },
  }[name];
}
EventEmitter.prototype.removeListener = EventEmitter.prototype.off;
Object.defineProperty(EventEmitter.prototype.off, "name", { value: "removeListener" });
const { removeAllListeners } = EventEmitter.prototype;
EventEmitter.prototype.removeAllListeners = {
  removeAllListeners(...names) {
    // The package tells of those that strings name.
    if (names.length === 0 && this._events?.removeListener !== undefined) {
      for (const name of Object.getOwnPropertySymbols(this._events)) removeAllListeners.call(this, name);
    }
    return removeAllListeners.apply(this, names);
  },
}.removeAllListeners;
EventEmitter.prototype.on = EventEmitter.prototype.addListener;

/** Once for each event; the package would write to the console itself. */
function warnOfMany(emitter, event) {
  const most = Reflect.apply(EventEmitter.prototype.getMaxListeners, emitter, []);
  const listeners = emitter._events?.[event];
  if (!(most > 0) || !(listeners?.length > most) || typeof listeners === "function" || listeners.warned) {
    return;
  }
  listeners.warned = true;
  const warning = new Error(
    `Possible EventEmitter memory leak detected. ${listeners.length} ${String(event)} listeners added to ${
      hooks.inspect(emitter, { depth: -1 })
    }. MaxListeners is ${most}. Use emitter.setMaxListeners() to increase limit`,
  );
  Object.assign(warning, { emitter, type: event, count: listeners.length });
  warning.name = "MaxListenersExceededWarning";
  platform.process.emitWarning(warning);
}

const { listenerCount } = EventEmitter.prototype;
EventEmitter.prototype.listenerCount = {
  listenerCount(event, listener) {
    if (listener === undefined || listener === null) return listenerCount.call(this, event);
    return this.rawListeners(event).filter((each) => each === listener || each.listener === listener).length;
  },
}.listenerCount;

export default EventEmitter;
