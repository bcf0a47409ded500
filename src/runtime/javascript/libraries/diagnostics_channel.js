/** `diagnostics_channel`. */
import { checkFunction } from "./errors.js";

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
