/**
 * AsyncLocalStorage: what holds in a function and in all that it sets going. The engine has the context of what runs, and
 * each job of a promise goes on in that in which its handler was given, or its function waited
 * (`wasm/quickjs/patches/async-context.patch`); timers and ticks remember theirs.
 */
import { checkFunction } from "./errors.js";
import { hooks, host } from "./runtime.js";

const enter = (context) => host.enterAsyncContext(context);
/** A context: what the storages hold in it. The program's own is undefined. */
function contextWith(change) {
  const stores = new Map(contextNow());
  change(stores);
  return stores;
}

/** The context of what runs, for what is put off. */
export const contextNow = () => host.asyncContext();
export function runIn(context, call, args, self) {
  const before = contextNow();
  if (context === before) return Reflect.apply(call, self, args);
  enter(context);
  try {
    return Reflect.apply(call, self, args);
  } finally {
    enter(before);
  }
}

/** The context that was left by what has thrown an error which nobody has taken care of yet. */
let failed;
/** As {@link runIn}, for what the event loop calls: nobody but the program itself catches what that throws. */
export function runCallback(context, call, args, self) {
  const before = contextNow();
  if (context !== before) enter(context);
  try {
    return Reflect.apply(call, self, args);
  } catch (error) {
    failed = { context: contextNow() };
    throw error;
  } finally {
    if (contextNow() !== before) enter(before);
  }
}
/** Where an error was thrown that nobody has caught. */
export function failedIn() {
  const { context } = failed ?? { context: contextNow() };
  failed = undefined;
  return context;
}

export class AsyncLocalStorage {
  #default;
  #name;
  constructor({ defaultValue, name = "" } = {}) {
    this.#default = defaultValue;
    this.#name = name;
  }
  get name() {
    return this.#name;
  }
  getStore() {
    const stores = contextNow();
    return stores?.has(this) ? stores.get(this) : this.#default;
  }
  enterWith(store) {
    enter(contextWith((stores) => stores.set(this, store)));
  }
  run(store, callback, ...args) {
    checkFunction(callback);
    return runIn(contextWith((stores) => stores.set(this, store)), callback, args);
  }
  exit(callback, ...args) {
    checkFunction(callback);
    return runIn(contextWith((stores) => stores.set(this, undefined)), callback, args);
  }
  disable() {
    enter(contextWith((stores) => stores.delete(this)));
  }
  static bind(call) {
    checkFunction(call, "fn");
    return AsyncResource.bind(call);
  }
  static snapshot() {
    const context = contextNow();
    return (call, ...args) => runIn(context, call, args);
  }
}

export class AsyncResource {
  #context = contextNow();
  constructor(type) {
    this.type = type;
  }
  runInAsyncScope(call, self, ...args) {
    return runIn(this.#context, call, args, self);
  }
  emitDestroy() {
    return this;
  }
  asyncId() {
    return 1;
  }
  triggerAsyncId() {
    return 0;
  }
  bind(call, self) {
    checkFunction(call, "fn");
    const context = this.#context;
    return function (...args) {
      return runIn(context, call, args, self ?? this);
    };
  }
  static bind(call, type, self) {
    return new AsyncResource(type ?? call.name).bind(call, self);
  }
}

export function installContexts() {
  Object.assign(hooks, { contextNow, runIn, runCallback, failedIn });
}
