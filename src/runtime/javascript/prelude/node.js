/** The small ones of Node's modules that packages in plain JavaScript ask for, as far as they use them. */
export function installNode(host, hooks) {
  /** Beside the objects: old code makes emitters of objects that no constructor has seen. */
  const tables = new WeakMap();
  const entriesOf = (emitter, name) => tables.get(emitter)?.get(name) ?? [];
  const put = (emitter, name, entries) => {
    if (!tables.has(emitter)) tables.set(emitter, new Map());
    if (entries.length > 0) tables.get(emitter).set(name, entries);
    else tables.get(emitter).delete(name);
    return emitter;
  };
  const add = (emitter, name, listener, { once = false, first = false } = {}) => {
    if (typeof listener !== "function") throw new TypeError('The "listener" must be a function');
    if (name !== "newListener") emitter.emit("newListener", name, listener);
    const entry = { listener, once };
    const entries = entriesOf(emitter, name);
    return put(emitter, name, first ? [entry, ...entries] : [...entries, entry]);
  };
  // A function, since old code calls it without `new`.
  function EventEmitter() {}
  const methods = {
    on(name, listener) {
      return add(this, name, listener);
    },
    addListener(name, listener) {
      return add(this, name, listener);
    },
    prependListener(name, listener) {
      return add(this, name, listener, { first: true });
    },
    once(name, listener) {
      return add(this, name, listener, { once: true });
    },
    prependOnceListener(name, listener) {
      return add(this, name, listener, { once: true, first: true });
    },
    off(name, listener) {
      const entries = entriesOf(this, name);
      const at = entries.findLastIndex((entry) => entry.listener === listener);
      return at < 0 ? this : put(this, name, entries.toSpliced(at, 1));
    },
    removeListener(name, listener) {
      return this.off(name, listener);
    },
    removeAllListeners(name) {
      if (name !== undefined) return put(this, name, []);
      tables.delete(this);
      return this;
    },
    emit(name, ...args) {
      const entries = entriesOf(this, name);
      if (entries.length === 0 && name === "error") {
        throw args[0] instanceof Error ? args[0] : new Error(`Unhandled error. (${hooks.inspect(args[0])})`);
      }
      for (const { listener, once } of entries) {
        if (once) this.off(name, listener);
        listener.apply(this, args);
      }
      return entries.length > 0;
    },
    eventNames() {
      return [...tables.get(this)?.keys() ?? []];
    },
    listeners(name) {
      return entriesOf(this, name).map(({ listener }) => listener);
    },
    listenerCount(name) {
      return entriesOf(this, name).length;
    },
    setMaxListeners() {
      return this;
    },
    getMaxListeners: () => Infinity,
  };
  for (const name in methods) {
    Object.defineProperty(EventEmitter.prototype, name, {
      value: methods[name],
      writable: true,
      configurable: true,
    });
  }
  const events = EventEmitter;
  events.EventEmitter = EventEmitter;
  events.once = (emitter, name) =>
    new Promise((resolve, reject) => {
      emitter.once(name, (...args) => resolve(args));
      if (name !== "error") emitter.once("error", reject);
    });

  const tag = (value) => Object.prototype.toString.call(value).slice(8, -1);
  const types = {
    isDate: (value) => tag(value) === "Date",
    isRegExp: (value) => tag(value) === "RegExp",
    isMap: (value) => value instanceof Map,
    isSet: (value) => value instanceof Set,
    isPromise: (value) => value instanceof Promise,
    isNativeError: (value) => value instanceof Error,
    isTypedArray: (value) => ArrayBuffer.isView(value) && !(value instanceof DataView),
    isUint8Array: (value) => value instanceof Uint8Array,
    isAnyArrayBuffer: (value) => value instanceof ArrayBuffer,
    isArrayBuffer: (value) => value instanceof ArrayBuffer,
    isArrayBufferView: (value) => ArrayBuffer.isView(value),
    isGeneratorFunction: (value) => tag(value) === "GeneratorFunction",
    isAsyncFunction: (value) => tag(value) === "AsyncFunction",
    isProxy: () => false,
  };
  const inspect = (value, options) => hooks.inspect(value, { ...options });
  inspect.custom = Symbol.for("nodejs.util.inspect.custom");
  inspect.defaultOptions = {};
  const promisify = (call) => {
    if (typeof call !== "function") throw new TypeError('The "original" must be a function');
    if (call[promisify.custom]) return call[promisify.custom];
    return function (...args) {
      return new Promise((resolve, reject) => {
        call.call(this, ...args, (error, value) => error ? reject(error) : resolve(value));
      });
    };
  };
  promisify.custom = Symbol.for("nodejs.util.promisify.custom");
  const util = {
    inspect,
    promisify,
    types,
    format: (...args) => hooks.format(args),
    deprecate: (call) => call,
    debuglog: () => Object.assign(() => {}, { enabled: false }),
    inherits(constructor, parent) {
      constructor.super_ = parent;
      Object.setPrototypeOf(constructor.prototype, parent.prototype);
    },
    callbackify: (call) =>
      function (...args) {
        const done = args.pop();
        call.apply(this, args).then((value) => done(null, value), (error) => done(error));
      },
    isArray: Array.isArray,
    isDeepStrictEqual: (a, b) => equal(a, b, true),
    // deno-lint-ignore no-control-regex -- it is these that are to go
    stripVTControlCharacters: (text) => text.replace(/\u001b\[[\d;]*[A-Za-z]/g, ""),
    TextEncoder: globalThis.TextEncoder,
    TextDecoder: globalThis.TextDecoder,
  };

  function equal(a, b, strict) {
    if (strict ? Object.is(a, b) : a == b || a !== a && b !== b) return true;
    if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
    if (tag(a) !== tag(b) || strict && Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
    if (a instanceof Date) return a.getTime() === b.getTime();
    if (a instanceof RegExp) return `${a}` === `${b}`;
    if (a instanceof Error) return a.message === b.message && a.name === b.name;
    if (a instanceof Map || a instanceof Set) {
      return a.size === b.size && equal([...a].sort(), [...b].sort(), strict);
    }
    const keys = Object.keys(a);
    return keys.length === Object.keys(b).length &&
      keys.every((key) => Object.hasOwn(b, key) && equal(a[key], b[key], strict));
  }

  class AssertionError extends Error {
    constructor({ message, actual, expected, operator }) {
      super(message ?? `${hooks.inspect(actual)} ${operator} ${hooks.inspect(expected)}`);
      this.code = "ERR_ASSERTION";
      Object.assign(this, { actual, expected, operator });
    }
    get name() {
      return "AssertionError";
    }
  }
  function check(holds, message, actual, expected, operator) {
    if (holds) return;
    if (message instanceof Error) throw message;
    throw new AssertionError({ message, actual, expected, operator });
  }
  const assert = (value, message) => check(value, message, value, true, "==");
  const throws = (call, expected, message) => {
    let thrown;
    try {
      call();
    } catch (error) {
      thrown = { error };
    }
    check(thrown, typeof expected === "string" ? expected : message, undefined, expected, "throws");
    const { error } = thrown;
    if (expected instanceof RegExp) check(expected.test(`${error}`), message, error, expected, "throws");
    else if (typeof expected === "function") {
      const fits = expected.prototype && error instanceof expected ||
        !(expected.prototype instanceof Error) && expected(error) === true;
      check(fits, message, error, expected, "throws");
    }
  };
  Object.assign(assert, {
    AssertionError,
    ok: assert,
    fail: (message = "Failed") => check(false, message),
    equal: (a, b, message) =>
      check(equal(a, b, false) && (typeof a !== "object" || a === b), message, a, b, "=="),
    notEqual: (a, b, message) => check(a != b, message, a, b, "!="),
    strictEqual: (a, b, message) => check(Object.is(a, b), message, a, b, "strictEqual"),
    notStrictEqual: (a, b, message) => check(!Object.is(a, b), message, a, b, "notStrictEqual"),
    deepEqual: (a, b, message) => check(equal(a, b, false), message, a, b, "deepEqual"),
    deepStrictEqual: (a, b, message) => check(equal(a, b, true), message, a, b, "deepStrictEqual"),
    notDeepStrictEqual: (a, b, message) => check(!equal(a, b, true), message, a, b, "notDeepStrictEqual"),
    match: (text, pattern, message) => check(pattern.test(text), message, text, pattern, "match"),
    throws,
  });
  assert.strict = assert;

  const url = {
    URL: globalThis.URL,
    URLSearchParams: globalThis.URLSearchParams,
    fileURLToPath: (url) => decodeURIComponent(new URL(url).pathname),
    pathToFileURL: (path) => new URL(`file://${encodeURI(path)}`),
  };

  const stream = (number) => ({
    isTTY: false,
    fd: number,
    write(data) {
      if (typeof data === "string") host.writeBytes(number, hooks.bufferOf(hooks.encodeUtf8(data)));
      else host.writeBytes(number, hooks.bufferOf(data));
      return true;
    },
  });
  const started = host.now();
  const process = Object.assign(new EventEmitter(), {
    argv: ["/usr/bin/node"],
    argv0: "node",
    execArgv: [],
    env: {},
    platform: "linux",
    arch: "wasm32",
    pid: 1,
    version: "v0.0.0",
    versions: { quickjs: "ng" },
    release: {},
    exitCode: undefined,
    stdout: stream(1),
    stderr: stream(2),
    cwd: () => host.cwd(),
    nextTick: (call, ...args) => queueMicrotask(() => call(...args)),
    uptime: () => (host.now() - started) / 1000,
    hrtime: Object.assign((since = [0, 0]) => {
      const ms = host.now();
      const [seconds, nanoseconds] = [Math.floor(ms / 1000), Math.floor(ms % 1000 * 1e6)];
      const borrow = nanoseconds < since[1] ? 1 : 0;
      return [seconds - since[0] - borrow, nanoseconds - since[1] + borrow * 1e9];
    }, { bigint: () => BigInt(Math.floor(host.now() * 1e6)) }),
    memoryUsage: () => ({ rss: 0, heapTotal: 0, heapUsed: 0, external: 0 }),
    emitWarning: (warning) => console.warn(`${warning}`),
    exit(code) {
      throw new Error(`process.exit(${code ?? 0}) is not here: a program ends at its end`);
    },
  });

  /** Modules for what nothing here has: they can be loaded, and say so when they are used. */
  const absent = {
    child_process: "exec execFile execFileSync execSync fork spawn spawnSync",
    cluster: "fork",
    dns: "lookup resolve",
    http: "createServer get request Agent",
    https: "createServer get request Agent",
    net: "connect createConnection createServer Socket",
    tls: "connect createServer",
    worker_threads: "Worker",
  };
  const modules = {
    assert,
    events,
    os: {
      EOL: "\n",
      arch: () => "wasm32",
      cpus: () => [],
      homedir: () => "/app",
      hostname: () => "localhost",
      platform: () => "linux",
      release: () => "",
      tmpdir: () => "/tmp",
      type: () => "Linux",
    },
    process,
    timers: {
      setTimeout: globalThis.setTimeout,
      clearTimeout: globalThis.clearTimeout,
      setInterval: globalThis.setInterval,
      clearInterval: globalThis.clearInterval,
      setImmediate: (call, ...args) => setTimeout(call, 0, ...args),
      clearImmediate: (id) => clearTimeout(id),
    },
    tty: { isatty: () => false },
    url,
    util,
  };
  for (const [name, members] of Object.entries(absent)) {
    modules[name] = {};
    for (const member of members.split(" ")) {
      modules[name][member] = function () {
        throw new Error(
          `${member} of Node's module '${name}' is not here: there are no processes and no network`,
        );
      };
    }
  }
  hooks.hook("node", modules);
  hooks.hook("offerProcess", () => {
    if (!("process" in globalThis)) hooks.define("process", process);
  });
}
