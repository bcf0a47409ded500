/** `timers` and `timers/promises`, over the prelude's timers. */
import { abortError, coded, invalidArgType } from "./errors.js";

const custom = Symbol.for("nodejs.util.promisify.custom");

function checked(options) {
  if (options === null || typeof options !== "object") throw invalidArgType("options", "Object", options);
  const { signal, ref = true } = options;
  if (signal !== undefined && (signal === null || typeof signal !== "object" || !("aborted" in signal))) {
    throw invalidArgType("options.signal", "AbortSignal", signal);
  }
  if (typeof ref !== "boolean") throw invalidArgType("options.ref", "boolean", ref);
  return { signal, ref };
}

/** A promise of what `set` calls its callback for. */
function waiting(set, clear, value, options) {
  let signal, ref;
  try {
    ({ signal, ref } = checked(options));
    if (signal?.aborted) throw abortError(signal);
  } catch (error) {
    return Promise.reject(error);
  }
  return new Promise((resolve, reject) => {
    const abort = () => {
      clear(timer);
      reject(abortError(signal));
    };
    const timer = set(() => {
      signal?.removeEventListener("abort", abort);
      resolve(value);
    });
    if (!ref) timer.unref();
    signal?.addEventListener("abort", abort, { once: true });
  });
}

export function timers() {
  const { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate } = globalThis;
  const wait = (delay, value, options = {}) => {
    if (delay !== undefined && typeof delay !== "number") {
      return Promise.reject(invalidArgType("delay", "number", delay));
    }
    return waiting((callback) => setTimeout(callback, delay), clearTimeout, value, options);
  };
  /** Ticks that come while nobody waits are given one after another. */
  async function* ticks(delay, value, options = {}) {
    const { signal, ref } = checked(options);
    if (signal?.aborted) throw abortError(signal);
    let count = 0;
    let wake;
    const abort = () => {
      clearInterval(interval);
      wake?.();
    };
    const interval = setInterval(() => {
      count++;
      wake?.();
    }, delay);
    if (!ref) interval.unref();
    signal?.addEventListener("abort", abort, { once: true });
    try {
      for (;;) {
        if (count === 0 && !signal?.aborted) await new Promise((resolve) => wake = resolve);
        for (; count > 0; count--) yield value;
        if (signal?.aborted) throw abortError(signal);
      }
    } finally {
      clearInterval(interval);
      signal?.removeEventListener("abort", abort);
    }
  }
  const promises = {
    setTimeout: { setTimeout: (delay, value, options) => wait(delay, value, options) }.setTimeout,
    setImmediate: {
      setImmediate: (value, options = {}) => waiting(setImmediate, clearImmediate, value, options),
    }.setImmediate,
    setInterval: { setInterval: (delay, value, options) => ticks(delay, value, options) }.setInterval,
    scheduler: Object.assign(
      Object.create(
        class Scheduler {
          constructor() {
            throw coded(TypeError, "ERR_ILLEGAL_CONSTRUCTOR", "Illegal constructor");
          }
        }.prototype,
      ),
      { wait: (delay, options) => wait(delay, undefined, options), yield: () => promises.setImmediate() },
    ),
  };
  for (const [set, promised] of [[setTimeout, promises.setTimeout], [setImmediate, promises.setImmediate]]) {
    Object.defineProperty(set, custom, { value: promised, configurable: true });
  }
  return [
    { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate, promises },
    promises,
  ];
}
