/**
 * Timers, immediates, queueMicrotask and `performance`. As Node's loop, it goes round in phases: timers that are due, what
 * files and their like have done, immediates. Nothing here waits: the host does, between jobs, and asks for one callback at
 * a time.
 */
export function installTimers(host, hooks) {
  const apply = Reflect.apply;
  const MAX_DELAY = 2 ** 31 - 1;
  /** Timers ordered by time, then by age: a binary heap. */
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

  /** Whole milliseconds, as in Node: a timer that was set for a moment before another comes first, however fast the program is. */
  const now = () => Math.floor(host.now());
  const delayOf = (delay) => {
    const ms = +delay;
    return ms >= 1 && ms <= MAX_DELAY ? Math.trunc(ms) : 1;
  };
  let age = 0;
  function schedule(timer, from) {
    timer.due = from + delayOf(timer.handle._idleTimeout);
    timer.age = age++;
    timer.index = heap.length;
    heap.push(timer);
    rise(timer);
  }
  const isScheduled = (timer) => heap[timer.index] === timer;
  function checkCallback(callback) {
    if (typeof callback !== "function") throw hooks.notFunction(callback);
  }

  /** Timers, immediates and files that the program waits for. */
  let waited = 0;
  /** How many there have been that it was to wait for. */
  let begun = 0;
  hooks.begun = () => begun;
  /** Whether what other threads tell is waited for. */
  hooks.awaitsMessages = () => false;
  hooks.takeSignals = () => false;
  /** Counts in and out what the program waits for. */
  class Waited {
    #waits = false;
    #idle = false;
    begin() {
      if (!this.#waits && !this.#idle) waited++;
      this.#waits = true;
      begun++;
    }
    end() {
      if (this.#waits && !this.#idle) waited--;
      this.#waits = false;
    }
    get isIdle() {
      return this.#idle;
    }
    set isIdle(idle) {
      if (this.#waits && this.#idle !== idle) {
        waited += idle ? -1 : 1;
        begun += idle ? -1 : 1;
      }
      this.#idle = idle;
    }
  }

  function end(timer) {
    byId.delete(timer.id);
    timer.waited.end();
    timer.handle._destroyed = true;
    if (isScheduled(timer)) remove(timer);
  }
  /** What Node gives for a timer: an object that is its number where one is asked for. */
  class Timeout {
    #timer;
    constructor(callback, delay, repeats, args, isOurs) {
      this._idleTimeout = delayOf(delay);
      this._onTimeout = callback;
      this._timerArgs = args;
      this._repeat = repeats ? this._idleTimeout : null;
      this._destroyed = false;
      const timer = {
        id: ++lastId,
        isOurs,
        handle: this,
        context: hooks.contextNow(),
        waited: new Waited(),
        due: 0,
        age: 0,
        index: 0,
      };
      this.#timer = timer;
      byId.set(timer.id, timer);
      timer.waited.begin();
      schedule(timer, now());
    }
    ref() {
      if (#timer in this) this.#timer.waited.isIdle = false;
      return this;
    }
    unref() {
      if (#timer in this) this.#timer.waited.isIdle = true;
      return this;
    }
    hasRef() {
      return !this.#timer.waited.isIdle;
    }
    refresh() {
      const timer = this.#timer;
      if (timer.cleared) return this;
      if (isScheduled(timer)) remove(timer);
      byId.set(timer.id, timer);
      timer.waited.begin();
      this._destroyed = false;
      schedule(timer, now());
      return this;
    }
    close() {
      clear(this);
      return this;
    }
    [Symbol.toPrimitive]() {
      return this.#timer.id;
    }
    [Symbol.dispose ?? Symbol.for("nodejs.dispose")]() {
      clear(this);
    }
    static of(given) {
      return typeof given === "object" && given !== null && #timer in given ? given.#timer : undefined;
    }
  }
  const timerOf = Timeout.of;
  delete Timeout.of;
  function clear(given) {
    if (given === null || given === undefined || typeof given === "symbol") return;
    const timer = timerOf(given) ??
      (typeof given === "number" || typeof given === "string" ? byId.get(+given) : undefined);
    if (!timer) return;
    timer.cleared = true;
    end(timer);
  }

  const setters = (isOurs) => ({
    setTimeout: function setTimeout(callback, delay, ...args) {
      checkCallback(callback);
      return new Timeout(callback, delay, false, args, isOurs);
    },
    setInterval: function setInterval(callback, delay, ...args) {
      checkCallback(callback);
      return new Timeout(callback, delay, true, args, isOurs);
    },
  });
  for (const [name, set] of Object.entries(setters(false))) hooks.define(name, set);
  /** For what libraries wait for by themselves: no program has set it. */
  hooks.librariesTimers = setters(true);
  for (const name of ["clearTimeout", "clearInterval"]) {
    hooks.define(name, { [name]: (timer) => clear(timer) }[name]);
  }

  /** What is put off to the next phase of immediates. */
  let immediates = [];
  class Immediate {
    #entry;
    constructor(callback, args) {
      this._onImmediate = callback;
      this._argv = args;
      this._destroyed = false;
      this.#entry = { handle: this, context: hooks.contextNow(), waited: new Waited() };
      this.#entry.waited.begin();
      immediates.push(this.#entry);
    }
    ref() {
      if (#entry in this) this.#entry.waited.isIdle = false;
      return this;
    }
    unref() {
      if (#entry in this) this.#entry.waited.isIdle = true;
      return this;
    }
    hasRef() {
      return !this.#entry.waited.isIdle;
    }
    [Symbol.dispose ?? Symbol.for("nodejs.dispose")]() {
      endImmediate(this);
    }
    static end(given) {
      if (typeof given !== "object" || given === null || !(#entry in given)) return;
      given._destroyed = true;
      given.#entry.waited.end();
    }
  }
  const endImmediate = Immediate.end;
  delete Immediate.end;
  hooks.define("setImmediate", function setImmediate(callback, ...args) {
    checkCallback(callback);
    return new Immediate(callback, args);
  });
  hooks.define("clearImmediate", function clearImmediate(immediate) {
    endImmediate(immediate);
  });

  /** What is done, and waits for the loop to come round. */
  let done = [];
  /** Has the program told of what is done as of what the system does for it: before the next immediates but these. */
  hooks.told = (callback, ...args) => {
    const entry = { callback, args, context: hooks.contextNow(), waited: new Waited() };
    entry.waited.begin();
    done.push(entry);
  };

  const settled = Promise.resolve();
  const then = Promise.prototype.then;
  hooks.define("queueMicrotask", function queueMicrotask(callback) {
    checkCallback(callback);
    apply(then, settled, [() => {
      try {
        callback();
      } catch (error) {
        // Out of a job it would be lost in a promise: out of a tick it ends the run, as in Node.
        hooks.nextTick(() => {
          throw error;
        }, []);
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

  /** What of `done` and `immediates` this round has to tell yet, and which timers are due in it: until when, of what age. */
  let round;
  const newRound = (until) => {
    round = { until, before: age, timers: true, done, doneAt: 0, immediates: undefined, immediateAt: 0 };
    done = [];
  };
  /** As the first round comes, a timer of a millisecond is due, whatever the program took: which one is first is no chance. */
  const firstRound = () => {
    round = undefined;
  };
  /** What comes next: `{ timer }`, `{ told }`, `{ immediate }`; undefined if all wait for a time, or there is nothing. */
  function next() {
    if (!round) {
      newRound(now() + 1);
      done = round.done;
      round.done = [];
    }
    for (let rounds = 0; rounds < 2;) {
      if (round.timers) {
        if (heap[0]?.due <= round.until && heap[0].age < round.before) return { timer: heap[0] };
        round.timers = false;
      }
      if (round.doneAt < round.done.length) return { told: round.done[round.doneAt] };
      if (!round.immediates) {
        round.immediates = immediates;
        immediates = [];
      }
      while (round.immediates[round.immediateAt]?.handle._destroyed) round.immediateAt++;
      const immediate = round.immediates[round.immediateAt];
      if (immediate) return { immediate };
      newRound(now());
      rounds++;
    }
    return undefined;
  }

  /**
   * Milliseconds until there is something to run, at least 0; Infinity if only other threads can have something for it, -1 if
   * there is nothing to wait for.
   */
  hooks.untilNextTimer = () => {
    const awaits = hooks.awaitsMessages();
    if (waited === 0 && !awaits) return -1;
    if (hooks.takeSignals()) return 0;
    const found = next();
    const timer = found ? found.timer : heap[0];
    if (!timer) return found || !awaits ? 0 : Infinity;
    const at = host.now();
    awaited = { timer, at };
    return Math.max(0, timer.due - at);
  };
  /** What the host has waited for. */
  let awaited;
  /** At the end of a virtual clock's time nothing advances it: what was waited for has come all the same. */
  const atTheEnd = () =>
    awaited && isScheduled(awaited.timer) && host.now() === awaited.at ? { timer: awaited.timer } : {};
  /** Runs the callback that comes first. */
  hooks.runTimer = () => {
    const { timer, told, immediate } = next() ?? atTheEnd();
    if (timer) return runTimer(timer);
    if (told) {
      const { callback, args, context, waited } = told;
      round.doneAt++;
      waited.end();
      hooks.runCallback(context, callback, args);
    } else if (immediate) {
      const { handle, context } = immediate;
      round.immediateAt++;
      endImmediate(handle);
      hooks.runCallback(context, handle._onImmediate, handle._argv, handle);
    }
  };
  function runTimer(timer) {
    const { handle, context } = timer;
    remove(timer);
    const from = now();
    try {
      if (typeof handle._onTimeout === "function") {
        hooks.runCallback(context, handle._onTimeout, handle._timerArgs, handle);
      }
    } finally {
      if (isScheduled(timer)); // refreshed by itself
      else if (handle._repeat && !timer.cleared && byId.has(timer.id)) {
        handle._idleTimeout = handle._repeat;
        schedule(timer, from);
      } else end(timer);
    }
  }
  /** @returns how many timers of the program's own there were that it would have waited for. */
  hooks.dropTimers = () => {
    const count = heap.filter(({ isOurs, waited }) => !isOurs && !waited.isIdle).length;
    heap = [];
    byId = new Map();
    immediates = [];
    done = [];
    waited = 0;
    firstRound();
    return count;
  };
  /** Timers that nobody waits for end with their program. */
  hooks.dropIdleTimers = () => {
    if (waited === 0) hooks.dropTimers();
  };
}
