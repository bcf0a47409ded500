/** EventTarget, Event, CustomEvent, AbortController and AbortSignal of the web. */
import { platform } from "./runtime.js";
import { invalidArgType } from "./errors.js";

const DISPATCHING = Symbol("dispatching");

class Event {
  #type;
  #options;
  #target = null;
  #current = null;
  #phase = 0;
  #stopped = false;
  #propagates = true;
  #prevented = false;
  #timeStamp = platform.performance?.now() ?? 0;
  constructor(type, options = {}) {
    if (arguments.length === 0) throw new TypeError("Event: a type is required");
    this.#type = `${type}`;
    this.#options = {
      bubbles: Boolean(options?.bubbles),
      cancelable: Boolean(options?.cancelable),
      composed: Boolean(options?.composed),
    };
  }
  /** Called by the target. */
  static [DISPATCHING](event, target, listeners, call) {
    event.#target = event.#current = target;
    event.#phase = 2;
    for (const listener of listeners) {
      if (event.#stopped) break;
      call(listener);
    }
    event.#current = null;
    event.#phase = 0;
    event.#stopped = false;
    return !event.#prevented;
  }
  get type() {
    return this.#type;
  }
  get target() {
    return this.#target;
  }
  get srcElement() {
    return this.#target;
  }
  get currentTarget() {
    return this.#current;
  }
  get eventPhase() {
    return this.#phase;
  }
  get bubbles() {
    return this.#options.bubbles;
  }
  get cancelable() {
    return this.#options.cancelable;
  }
  get composed() {
    return this.#options.composed;
  }
  get defaultPrevented() {
    return this.#prevented;
  }
  get returnValue() {
    return !this.#prevented;
  }
  get cancelBubble() {
    return !this.#propagates;
  }
  get isTrusted() {
    return false;
  }
  get timeStamp() {
    return this.#timeStamp;
  }
  preventDefault() {
    if (this.#options.cancelable) this.#prevented = true;
  }
  stopPropagation() {
    this.#propagates = false;
  }
  stopImmediatePropagation() {
    this.#propagates = false;
    this.#stopped = true;
  }
  composedPath() {
    return this.#phase === 0 ? [] : [this.#target];
  }
  get [Symbol.toStringTag]() {
    return "Event";
  }
}
Object.assign(Event, { NONE: 0, CAPTURING_PHASE: 1, AT_TARGET: 2, BUBBLING_PHASE: 3 });

class CustomEvent extends Event {
  #detail;
  constructor(type, options = {}) {
    super(type, options);
    this.#detail = options?.detail ?? null;
  }
  get detail() {
    return this.#detail;
  }
}

const tables = new WeakMap();
const tableOf = (target) => {
  if (!tables.has(target)) tables.set(target, new Map());
  return tables.get(target);
};

class EventTarget {
  addEventListener(type, listener, options) {
    if (arguments.length < 2) throw invalidArgType("listener", "EventListener", listener);
    if (listener === null || listener === undefined) return;
    if (typeof listener !== "function" && typeof listener !== "object") {
      throw invalidArgType("listener", "EventListener", listener);
    }
    const { once = false, capture = false, signal } = typeof options === "boolean"
      ? { capture: options }
      : options ?? {};
    if (signal?.aborted) return;
    const table = tableOf(this);
    const listeners = table.get(`${type}`) ?? [];
    if (listeners.some((each) => each.listener === listener && each.capture === Boolean(capture))) return;
    table.set(`${type}`, [...listeners, { listener, once, capture: Boolean(capture) }]);
    signal?.addEventListener("abort", () => this.removeEventListener(type, listener, { capture }), {
      once: true,
    });
  }
  removeEventListener(type, listener, options) {
    const capture = Boolean(typeof options === "boolean" ? options : options?.capture);
    const table = tableOf(this);
    const rest = (table.get(`${type}`) ?? []).filter((each) =>
      each.listener !== listener || each.capture !== capture
    );
    if (rest.length > 0) table.set(`${type}`, rest);
    else table.delete(`${type}`);
  }
  dispatchEvent(event) {
    if (!(event instanceof Event)) throw invalidArgType("event", "Event", event);
    return Event[DISPATCHING](event, this, tableOf(this).get(event.type) ?? [], (each) => {
      if (!tableOf(this).get(event.type)?.includes(each)) return;
      if (each.once) this.removeEventListener(event.type, each.listener, { capture: each.capture });
      const { listener } = each;
      try {
        if (typeof listener === "function") listener.call(this, event);
        else listener.handleEvent(event);
      } catch (error) {
        // As in Node: it ends the program, but not the other listeners.
        platform.process.nextTick(() => {
          throw error;
        });
      }
    });
  }
  get [Symbol.toStringTag]() {
    return "EventTarget";
  }
}

/** `on…` of a target, beside its listeners. */
function handler(prototype, type) {
  const current = new WeakMap();
  Object.defineProperty(prototype, `on${type}`, {
    get() {
      return current.get(this)?.given ?? null;
    },
    set(given) {
      const before = current.get(this);
      if (before) this.removeEventListener(type, before.call);
      current.delete(this);
      if (typeof given !== "function") return;
      const call = (event) => given.call(this, event);
      current.set(this, { given, call });
      this.addEventListener(type, call);
    },
    enumerable: true,
    configurable: true,
  });
}

class DOMException extends Error {
  #code;
  constructor(message = "", options = "Error") {
    const name = typeof options === "string" ? options : options?.name ?? "Error";
    super(message, typeof options === "object" && "cause" in options ? { cause: options.cause } : undefined);
    Object.defineProperty(this, "name", { value: name, writable: true, configurable: true });
    Object.defineProperty(this, "stack", {
      value: this.stack === undefined || this.stack.startsWith(name)
        ? this.stack
        : `${name}: ${message}\n${this.stack}`,
      writable: true,
      configurable: true,
    });
    this.#code = DOMException[CODES[name]] ?? 0;
  }
  get code() {
    return this.#code;
  }
  get [Symbol.toStringTag]() {
    return "DOMException";
  }
}
const CODES = {
  IndexSizeError: "INDEX_SIZE_ERR",
  NotFoundError: "NOT_FOUND_ERR",
  NotSupportedError: "NOT_SUPPORTED_ERR",
  InvalidStateError: "INVALID_STATE_ERR",
  InvalidCharacterError: "INVALID_CHARACTER_ERR",
  SyntaxError: "SYNTAX_ERR",
  InvalidAccessError: "INVALID_ACCESS_ERR",
  NetworkError: "NETWORK_ERR",
  AbortError: "ABORT_ERR",
  QuotaExceededError: "QUOTA_EXCEEDED_ERR",
  TimeoutError: "TIMEOUT_ERR",
  DataCloneError: "DATA_CLONE_ERR",
};
for (
  const [name, value] of Object.entries({
    INDEX_SIZE_ERR: 1,
    INVALID_CHARACTER_ERR: 5,
    NOT_FOUND_ERR: 8,
    NOT_SUPPORTED_ERR: 9,
    INVALID_STATE_ERR: 11,
    SYNTAX_ERR: 12,
    INVALID_ACCESS_ERR: 15,
    NETWORK_ERR: 19,
    ABORT_ERR: 20,
    QUOTA_EXCEEDED_ERR: 22,
    TIMEOUT_ERR: 23,
    DATA_CLONE_ERR: 25,
  })
) {
  Object.defineProperty(DOMException, name, { value, enumerable: true });
  Object.defineProperty(DOMException.prototype, name, { value, enumerable: true });
}

const MAKING = Symbol("making");
let abort;
class AbortSignal extends EventTarget {
  #aborted = false;
  #reason;
  /** Those that it follows, none of which follows another, and those that follow it: they are told after its own listeners. */
  #sources = [];
  #dependents = [];
  constructor(key) {
    if (key !== MAKING) throw new TypeError("Illegal constructor");
    super();
  }
  static {
    abort = (signal, reason) => {
      if (signal.#aborted) return;
      signal.#aborted = true;
      signal.#reason = reason === undefined
        ? new DOMException("This operation was aborted", "AbortError")
        : reason;
      signal.dispatchEvent(new Event("abort"));
      for (const each of signal.#dependents.splice(0)) abort(each, signal.#reason);
    };
  }
  get aborted() {
    return this.#aborted;
  }
  get reason() {
    return this.#reason;
  }
  throwIfAborted() {
    if (this.#aborted) throw this.#reason;
  }
  static abort(reason) {
    const signal = new AbortSignal(MAKING);
    abort(signal, reason);
    return signal;
  }
  static timeout(ms) {
    const signal = new AbortSignal(MAKING);
    const timer = setTimeout(
      () => abort(signal, new DOMException("The operation was aborted due to timeout", "TimeoutError")),
      ms,
    );
    // It alone does not keep a program going.
    timer?.unref?.();
    return signal;
  }
  static any(signals) {
    const signal = new AbortSignal(MAKING);
    const all = [...signals];
    const done = all.find((each) => each.aborted);
    if (done) {
      abort(signal, done.reason);
      return signal;
    }
    const sources = new Set(all.flatMap((each) => each.#sources.length > 0 ? each.#sources : [each]));
    signal.#sources = [...sources];
    for (const each of sources) each.#dependents.push(signal);
    return signal;
  }
  get [Symbol.toStringTag]() {
    return "AbortSignal";
  }
  [Symbol.for("nodejs.util.inspect.custom")]() {
    return `AbortSignal { aborted: ${this.#aborted} }`;
  }
}
handler(AbortSignal.prototype, "abort");

class AbortController {
  #signal = new AbortSignal(MAKING);
  get signal() {
    return this.#signal;
  }
  abort(reason) {
    abort(this.#signal, reason);
  }
  get [Symbol.toStringTag]() {
    return "AbortController";
  }
  [Symbol.for("nodejs.util.inspect.custom")](_depth, _options, inspect) {
    return `AbortController { signal: ${inspect(this.#signal)} }`;
  }
}

export const globals = { Event, CustomEvent, EventTarget, DOMException, AbortController, AbortSignal };
export const listenersOf = (target, type) =>
  (tables.get(target)?.get(type) ?? []).map(({ listener }) => listener);
export { handler };
// Libraries that are evaluated after this one look for them.
for (const [name, value] of Object.entries(globals)) {
  Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
}
