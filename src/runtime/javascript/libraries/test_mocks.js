/** Mocks of `node:test`: functions that remember their calls, and timers that move when they are told to. */
import { abortError, checkFunction, notHere } from "./errors.js";
import { hooks } from "./runtime.js";

class MockContext {
  #calls = [];
  #once = new Map();
  constructor(original, implementation, restore) {
    Object.assign(this, { original, implementation });
    this.restoreOriginal = restore;
    for (const name of ["original", "implementation", "restoreOriginal"]) {
      Object.defineProperty(this, name, { enumerable: false });
    }
  }
  get calls() {
    return [...this.#calls];
  }
  callCount() {
    return this.#calls.length;
  }
  resetCalls() {
    this.#calls = [];
  }
  mockImplementation(call) {
    checkFunction(call, "implementation");
    this.implementation = call;
  }
  mockImplementationOnce(call, at = this.#calls.length) {
    checkFunction(call, "implementation");
    this.#once.set(at, call);
  }
  restore() {
    this.restoreOriginal?.();
    this.implementation = this.original;
  }
  invoke(self, args, target) {
    const call = this.#once.get(this.#calls.length) ?? this.implementation;
    this.#once.delete(this.#calls.length);
    const record = {
      arguments: args,
      stack: new Error(),
      target,
      this: self,
      result: undefined,
      error: undefined,
    };
    try {
      const result = target ? Reflect.construct(call, args, target) : Reflect.apply(call, self, args);
      record.result = result;
      if (target) record.this = result;
      return result;
    } catch (error) {
      record.error = error;
      throw error;
    } finally {
      this.#calls.push(record);
    }
  }
}

function mocked(original, implementation, { times = Infinity } = {}, restore) {
  const context = new MockContext(original, implementation, restore);
  let left = times;
  const call = function (...args) {
    if (left-- <= 0) return Reflect.apply(original, this, args);
    return context.invoke(this, args, new.target);
  };
  Object.defineProperty(call, "name", { value: original.name, configurable: true });
  Object.defineProperty(call, "length", { value: original.length, configurable: true });
  Object.defineProperty(call, "mock", { value: context });
  return call;
}

/** The same as a promise, as `timers/promises` has it. */
function promised(set, clear, isImmediate) {
  return (...args) => {
    const [ms, value, { signal } = {}] = isImmediate ? [0, ...args] : args;
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(abortError(signal));
      const timer = set(() => resolve(value), ms);
      signal?.addEventListener("abort", () => {
        clear(timer);
        reject(abortError(signal));
      }, { once: true });
    });
  };
}

const TIMERS = ["setTimeout", "setInterval", "setImmediate"];
/** Timers that wait for `tick`, and a clock that moves with them. */
class MockTimers {
  #saved;
  #now = 0;
  #due = [];
  #last = 0;
  enable({ apis = [...TIMERS, "Date"], now = 0 } = {}) {
    if (this.#saved) throw new Error("MockTimers is already enabled!");
    this.#saved = [];
    this.#now = +now;
    const replace = (name, value, owner = globalThis) => {
      this.#saved.push([owner, name, Object.getOwnPropertyDescriptor(owner, name)]);
      Object.defineProperty(owner, name, { value, writable: true, configurable: true, enumerable: true });
    };
    const { timers, "timers/promises": promises } = hooks.modules;
    for (const name of apis) {
      if (name === "Date") replace("Date", this.#date());
      else if (TIMERS.includes(name)) {
        const repeats = name === "setInterval";
        const set = (call, ms = 0, ...args) => {
          const delay = name === "setImmediate" ? -1 : Math.max(1, +ms || 1);
          const timer = {
            id: ++this.#last,
            at: this.#now + delay,
            call,
            args,
            every: repeats ? delay : undefined,
          };
          this.#due.push(timer);
          return timer.id;
        };
        const clear = (id) => void (this.#due = this.#due.filter((each) => each.id !== id));
        for (const owner of [globalThis, timers]) {
          replace(name, set, owner);
          replace(name.replace("set", "clear"), clear, owner);
        }
        if (!repeats) replace(name, promised(set, clear, name === "setImmediate"), promises);
      } else {throw notHere(
          `A mock of ${name}`,
          "there are mocks of setTimeout, setInterval, setImmediate and Date",
        );}
    }
  }
  #date() {
    const RealDate = Date;
    const now = () => this.#now;
    return class Date extends RealDate {
      constructor(...args) {
        super(...args.length === 0 ? [now()] : args);
      }
      static now() {
        return now();
      }
    };
  }
  tick(ms = 1) {
    const end = this.#now + ms;
    for (;;) {
      const next = this.#due.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at || a.id - b.id)[0];
      if (!next) break;
      this.#now = Math.max(this.#now, next.at);
      if (next.every === undefined) this.#due = this.#due.filter((each) => each !== next);
      else next.at += next.every;
      next.call(...next.args);
    }
    this.#now = end;
  }
  runAll() {
    while (this.#due.some(({ every }) => every === undefined)) {
      this.tick(Math.max(0, Math.max(...this.#due.map(({ at }) => at)) - this.#now));
    }
  }
  setTime(time) {
    this.#now = time;
  }
  reset() {
    for (const [owner, name, descriptor] of this.#saved ?? []) Object.defineProperty(owner, name, descriptor);
    this.#saved = undefined;
    this.#due = [];
  }
}

export function createMocks() {
  const made = [];
  const timers = new MockTimers();
  const keep = (call) => {
    made.push(call.mock);
    return call;
  };
  const property = (object, name, options, kind) => {
    let owner = object;
    while (owner && !Object.hasOwn(owner, name)) owner = Object.getPrototypeOf(owner);
    const descriptor = owner && Object.getOwnPropertyDescriptor(owner, name);
    const original = descriptor?.[kind];
    checkFunction(original, "methodName");
    const own = Object.hasOwn(object, name);
    const restore = () => {
      if (own) Object.defineProperty(object, name, descriptor);
      else delete object[name];
    };
    const { implementation, options: given } = options;
    const call = mocked(original, implementation ?? original, given, restore);
    Object.defineProperty(object, name, { ...descriptor, [kind]: call, configurable: true });
    return keep(call);
  };
  const split = (implementation, options) =>
    typeof implementation === "function"
      ? { implementation, options }
      : { implementation: undefined, options: implementation };
  return {
    fn(original = () => {}, implementation, options) {
      const { implementation: call = original, options: given } = split(implementation, options);
      return keep(mocked(original, call, given));
    },
    method: (object, name, implementation, options) =>
      property(object, name, split(implementation, options), "value"),
    getter: (object, name, implementation, options) =>
      property(object, name, split(implementation, options), "get"),
    setter: (object, name, implementation, options) =>
      property(object, name, split(implementation, options), "set"),
    timers,
    reset() {
      for (const each of made.splice(0)) each.restore();
      timers.reset();
    },
    restoreAll() {
      for (const each of made) each.restore();
    },
  };
}
