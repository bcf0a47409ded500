/** `diagnostics_channel`. */
import { checkFunction, invalidArgType } from "./errors.js";
import { platform } from "./runtime.js";

/** A listener's failure is the program's, but not that of what is told of. */
function throwLater(error) {
  platform.process.nextTick(() => {
    throw error;
  });
}

class Channel {
  #subscribers = [];
  /** Those that hold what is published while a function runs, with what makes it of the message. */
  #stores = new Map();
  constructor(name) {
    this.name = name;
  }
  get hasSubscribers() {
    return this.#subscribers.length + this.#stores.size > 0;
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
    for (const listener of this.#subscribers) {
      try {
        listener(message, this.name);
      } catch (error) {
        throwLater(error);
      }
    }
  }
  bindStore(store, transform) {
    this.#stores.set(store, transform);
  }
  unbindStore(store) {
    return this.#stores.delete(store);
  }
  runStores(message, call, self, ...args) {
    let run = () => {
      this.publish(message);
      return Reflect.apply(call, self, args);
    };
    for (const [store, transform] of this.#stores) {
      const next = run;
      run = () => {
        let held = message;
        try {
          if (transform) held = transform(message);
        } catch (error) {
          throwLater(error);
          return next();
        }
        return store.run(held, next);
      };
    }
    return run();
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
    return this.start.runStores(context, () => {
      try {
        return context.result = Reflect.apply(call, self, args);
      } catch (error) {
        this.#failed(context, error);
        throw error;
      } finally {
        this.end.publish(context);
      }
    });
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
    checkFunction(callback, "callback");
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
  if (typeof name !== "string" && typeof name !== "symbol") {
    throw invalidArgType("channel", ["string", "symbol"], name);
  }
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
