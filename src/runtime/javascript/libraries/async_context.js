/**
 * AsyncLocalStorage: what holds in a function and in all that it sets going. The host knows in which context each job of
 * a promise goes on (`async_contexts.ts`), once it is asked to look; timers and ticks remember theirs.
 */
import { checkFunction } from "./errors.js";
import { hooks, host } from "./runtime.js";

/** Contexts by their numbers, those of this program. Each: `{ number, stores }`. */
let contexts = [undefined];
/** Of what runs; undefined is the program's own. */
let current;
let follows = false;

/** Has the host follow promises; until then it costs nothing. */
function follow() {
  if (follows) return;
  follows = true;
  const { prototype } = Promise;
  const plain = Promise;
  host.followPromises();
  Object.defineProperty(prototype, "constructor", {
    get() {
      host.waitsFor(this);
      return plain;
    },
    set(value) {
      Object.defineProperty(this, "constructor", {
        value,
        writable: true,
        configurable: true,
        enumerable: true,
      });
    },
    configurable: true,
    enumerable: false,
  });
}

function enter(context) {
  current = context;
  if (follows) host.enterContext(context?.number ?? 0);
}
function contextWith(change) {
  const stores = new Map(current?.stores);
  change(stores);
  const context = { number: contexts.length, stores };
  contexts.push(context);
  return context;
}

/** The context of what runs, for what is put off. */
export const contextNow = () => current;
export function runIn(context, call, args, self) {
  if (context === current) return Reflect.apply(call, self, args);
  const before = current;
  enter(context);
  try {
    return Reflect.apply(call, self, args);
  } finally {
    enter(before);
  }
}

/** Called by the host before a job. */
export function enterNumbered(number) {
  current = contexts[number];
}
/** The next program is another one. */
export function forgetContexts() {
  contexts = [undefined];
  current = undefined;
}

export class AsyncLocalStorage {
  #default;
  #name;
  constructor({ defaultValue, name = "" } = {}) {
    this.#default = defaultValue;
    this.#name = name;
    follow();
  }
  get name() {
    return this.#name;
  }
  getStore() {
    return current?.stores.has(this) ? current.stores.get(this) : this.#default;
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
    const context = current;
    return (call, ...args) => runIn(context, call, args);
  }
}

export class AsyncResource {
  #context = current;
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
  Object.assign(hooks, { contextNow, runIn, enterContext: enterNumbered });
}
