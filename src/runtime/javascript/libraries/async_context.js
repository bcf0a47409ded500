/**
 * AsyncLocalStorage, as far as it can be: the engine tells nobody of its promises. A store holds while its function
 * runs, and, if that gave a promise, until this has settled: programs that do one thing at a time see what they would
 * see elsewhere. Where two would hold at once, and each would see the other's, that is refused.
 */
import { checkFunction, notHere } from "./errors.js";

export class AsyncLocalStorage {
  #store = undefined;
  /** Functions that gave a promise which has not settled. */
  #pending = 0;
  #default;
  constructor({ defaultValue } = {}) {
    this.#default = defaultValue;
  }
  getStore() {
    return this.#store === undefined ? this.#default : this.#store;
  }
  enterWith(store) {
    this.#store = store;
  }
  run(store, callback, ...args) {
    checkFunction(callback);
    const before = this.#store;
    const others = this.#pending;
    this.#store = store;
    let result;
    try {
      result = callback(...args);
    } catch (error) {
      this.#store = before;
      throw error;
    }
    if (!(result instanceof Promise)) {
      this.#store = before;
      return result;
    }
    if (others > 0) {
      this.#store = before;
      throw notHere(
        "AsyncLocalStorage for several asynchronous functions at once",
        "the engine does not say which of them goes on after an await, and each would see the other's store",
        "Wait for one before running the next, or pass what it needs as an argument",
      );
    }
    this.#pending++;
    const end = () => {
      this.#pending--;
      this.#store = before;
    };
    result.then(end, end);
    return result;
  }
  exit(callback, ...args) {
    const before = this.#store;
    this.#store = undefined;
    try {
      return callback(...args);
    } finally {
      this.#store = before;
    }
  }
  disable() {
    this.#store = undefined;
  }
  static bind(call) {
    return call;
  }
  static snapshot() {
    return (call, ...args) => call(...args);
  }
}

export class AsyncResource {
  constructor(type) {
    this.type = type;
  }
  runInAsyncScope(call, self, ...args) {
    return call.apply(self, args);
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
  bind(call) {
    return call.bind(this);
  }
  static bind(call) {
    return call;
  }
}
