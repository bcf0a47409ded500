/**
 * Timers, queueMicrotask and `performance`. A binary heap ordered by time, then by age, as the host asks for one timer at a time.
 * Nothing here waits: the host does, between jobs.
 */
export function installTimers(host, hooks) {
  const apply = Reflect.apply;
  const MAX_DELAY = 2 ** 31 - 1;
  let heap = [];
  let byId = new Map();
  let lastId = 0;

  const before = (a, b) => a.due < b.due || (a.due === b.due && a.age < b.age);
  function place(index, timer) {
    heap[index] = timer;
    timer.index = index;
  }
  function rise(timer) {
    let index = timer.index;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!before(timer, heap[parent])) break;
      place(index, heap[parent]);
      index = parent;
    }
    place(index, timer);
  }
  function sink(timer) {
    let index = timer.index;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && before(heap[child + 1], heap[child])) child++;
      if (!before(heap[child], timer)) break;
      place(index, heap[child]);
      index = child;
    }
    place(index, timer);
  }
  function remove(timer) {
    const last = heap.pop();
    if (last !== timer) {
      place(timer.index, last);
      rise(last);
      sink(last);
    }
  }

  let age = 0;
  function schedule(timer, now) {
    timer.due = now + timer.delay;
    timer.age = age++;
    timer.index = heap.length;
    heap.push(timer);
    rise(timer);
  }
  function add(name, callback, delay, repeats, args) {
    if (typeof callback !== "function") {
      throw new TypeError(`${name}: the callback must be a function, not ${hooks.describeType(callback)}`);
    }
    let ms = +delay;
    if (!(ms >= 1 && ms <= MAX_DELAY)) ms = 1;
    const context = hooks.contextNow();
    const timer = {
      id: ++lastId,
      callback,
      args,
      context,
      delay: ms,
      repeats,
      due: 0,
      age: 0,
      index: 0,
      idle: false,
    };
    byId.set(timer.id, timer);
    waited++;
    schedule(timer, host.now());
    return new Timeout(timer);
  }
  /** Timers that the program waits for. */
  let waited = 0;
  function end(timer) {
    byId.delete(timer.id);
    if (!timer.idle) waited--;
  }
  /** What Node gives for a timer: an object that is its number where one is asked for. */
  class Timeout {
    #timer;
    constructor(timer) {
      this.#timer = timer;
    }
    #wait(idle) {
      const timer = this.#timer;
      if (timer.idle !== idle && byId.has(timer.id)) waited += idle ? -1 : 1;
      timer.idle = idle;
      return this;
    }
    ref() {
      return this.#wait(false);
    }
    unref() {
      return this.#wait(true);
    }
    hasRef() {
      return !this.#timer.idle;
    }
    refresh() {
      const timer = this.#timer;
      if (!byId.has(timer.id)) return this;
      if (heap[timer.index] === timer) remove(timer);
      schedule(timer, host.now());
      return this;
    }
    close() {
      clear(this.#timer.id);
      return this;
    }
    [Symbol.toPrimitive]() {
      return this.#timer.id;
    }
    [Symbol.dispose ?? Symbol.for("nodejs.dispose")]() {
      clear(this.#timer.id);
    }
  }
  function clear(id) {
    if (id === null || id === undefined || typeof id === "symbol") return;
    const timer = byId.get(typeof id === "number" ? id : +id);
    if (!timer) return;
    end(timer);
    if (heap[timer.index] === timer) remove(timer);
  }

  hooks.define("setTimeout", function setTimeout(callback, delay, ...args) {
    return add("setTimeout", callback, delay, false, args);
  });
  hooks.define("setInterval", function setInterval(callback, delay, ...args) {
    return add("setInterval", callback, delay, true, args);
  });
  hooks.define("setImmediate", function setImmediate(callback, ...args) {
    return add("setImmediate", callback, 0, false, args);
  });
  for (const name of ["clearTimeout", "clearInterval", "clearImmediate"]) {
    hooks.define(name, { [name]: (id) => clear(id) }[name]);
  }
  const settled = Promise.resolve();
  const then = Promise.prototype.then;
  hooks.define("queueMicrotask", function queueMicrotask(callback) {
    if (typeof callback !== "function") {
      throw new TypeError(
        `queueMicrotask: the callback must be a function, not ${hooks.describeType(callback)}`,
      );
    }
    apply(then, settled, [() => {
      try {
        callback();
      } catch (error) {
        // Out of a job it would be lost in a promise: out of a timer it ends the run, as in Node.
        add(
          "queueMicrotask",
          () => {
            throw error;
          },
          0,
          false,
          [],
        );
      }
    }]);
  });

  let origin = 0;
  const performance = { now: () => host.now() - origin, timeOrigin: 0, [Symbol.toStringTag]: "Performance" };
  hooks.define("performance", performance);
  hooks.onStart(() => {
    origin = host.now();
    performance.timeOrigin = Date.now();
  });

  /** Milliseconds until the next timer is due, at least 0; -1 if there is none. */
  hooks.untilNextTimer = () => waited === 0 ? -1 : Math.max(0, heap[0].due - host.now());
  /** Runs the callback of the first timer. */
  hooks.runTimer = () => {
    const timer = heap[0];
    if (!timer) return;
    remove(timer);
    if (timer.repeats) schedule(timer, host.now());
    else end(timer);
    const { callback, args, context } = timer;
    hooks.runIn(context, callback, args);
  };
  /** @returns how many there were. */
  hooks.dropTimers = () => {
    const count = heap.length;
    heap = [];
    byId = new Map();
    waited = 0;
    return count;
  };
  /** Timers that nobody waits for end with their program. */
  hooks.dropIdleTimers = () => {
    if (waited === 0) hooks.dropTimers();
  };
}
