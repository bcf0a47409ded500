/**
 * `vm`: scripts in realms of their own. A context's global object has what its sandbox has, by accessors; what a script
 * declares goes over to the sandbox when it has run.
 */
import { checkString, coded, invalidArgType, notHere } from "./errors.js";
import { hooks, host, platform } from "./runtime.js";

const { defineProperty, getOwnPropertyDescriptor, getPrototypeOf, setPrototypeOf, hasOwn } = Object;
const { ownKeys } = Reflect;

/** What V8's realms have; the engine's have more. */
const STANDARD = new Set(
  ("globalThis Infinity NaN undefined eval isFinite isNaN parseFloat parseInt decodeURI decodeURIComponent encodeURI " +
    "encodeURIComponent escape unescape Object Function Boolean Symbol Error AggregateError EvalError RangeError " +
    "ReferenceError SyntaxError TypeError URIError InternalError Number BigInt Math Date String RegExp Array Int8Array " +
    "Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array Float32Array Float64Array BigInt64Array " +
    "BigUint64Array Map Set WeakMap WeakSet WeakRef FinalizationRegistry ArrayBuffer SharedArrayBuffer DataView Atomics " +
    "JSON Promise Reflect Proxy Iterator").split(" "),
);
/** By the engine's own ways they would differ from the program's. */
const OF_THE_PROGRAM = [
  ["Number", ["toLocaleString"]],
  ["BigInt", ["toLocaleString"]],
  ["Date", ["toLocaleString", "toLocaleDateString", "toLocaleTimeString"]],
  ["String", ["localeCompare", "toLocaleUpperCase", "toLocaleLowerCase"]],
  ["Array", ["toLocaleString"]],
];

const TOLD_APART =
  ("Error Map Set Date RegExp Promise ArrayBuffer SharedArrayBuffer DataView WeakMap WeakSet Number " +
    "String Boolean BigInt Symbol").split(" ");

/** Contexts by their sandboxes. */
const contexts = new WeakMap();

function newRealm() {
  const global = host.newGlobal();
  for (const name of ownKeys(global)) {
    if (typeof name === "string" && !STANDARD.has(name)) delete global[name];
  }
  for (const [Class, names] of OF_THE_PROGRAM) {
    for (const name of names) {
      const descriptor = getOwnPropertyDescriptor(globalThis[Class].prototype, name);
      defineProperty(global[Class].prototype, name, descriptor);
    }
  }
  global.Math.random = Math.random;
  hooks.keepConstants(global);
  // What is told apart by its class is so across realms; in Node nothing of a context is an instance of the program's.
  for (const name of TOLD_APART) setPrototypeOf(global[name].prototype, globalThis[name].prototype);
  setPrototypeOf(getPrototypeOf(global.Uint8Array).prototype, getPrototypeOf(Uint8Array).prototype);
  // As V8's, it prints nowhere.
  const silent = Object.keys(console).map((name) => [name, () => undefined]);
  defineProperty(global, "console", {
    value: Object.fromEntries(silent),
    writable: true,
    configurable: true,
  });
  hooks.tellErrors(global.Error);
  for (const name of ["Intl", "Atomics", "WeakRef"]) {
    defineProperty(global, name, {
      value: platform[name] ?? globalThis[name],
      writable: true,
      configurable: true,
    });
  }
  return global;
}

class Context {
  #sandbox;
  #global = newRealm();
  #own = new Set(ownKeys(this.#global));
  /** Names that are accessors to the sandbox. */
  #shared = new Set();
  /** What is declared, and no property in Node either. */
  #lexical = new Set();
  #evaluate = this.#global.eval;

  constructor(sandbox) {
    this.#sandbox = sandbox;
  }

  #share(name) {
    const sandbox = this.#sandbox;
    // What a script has declared can't become an accessor.
    if (getOwnPropertyDescriptor(this.#global, name)?.configurable === false) {
      Reflect.set(this.#global, name, sandbox[name]);
      return;
    }
    this.#shared.add(name);
    defineProperty(this.#global, name, {
      get: () => sandbox[name],
      // As scripts that are not strict have it: what can't be set stays.
      set: (value) => void Reflect.set(sandbox, name, value),
      configurable: true,
      enumerable: true,
    });
  }

  /** The global object has what the sandbox has, and no more. */
  #take() {
    const names = new Set();
    for (let each = this.#sandbox; each && each !== Object.prototype; each = getPrototypeOf(each)) {
      for (const name of ownKeys(each)) names.add(name);
    }
    for (const name of this.#shared) {
      if (names.has(name)) continue;
      this.#shared.delete(name);
      delete this.#global[name];
    }
    for (const name of names) if (!this.#shared.has(name)) this.#share(name);
  }

  /** The sandbox has what has been declared. */
  #give() {
    for (const name of ownKeys(this.#global)) {
      const descriptor = getOwnPropertyDescriptor(this.#global, name);
      if (this.#own.has(name) || this.#lexical.has(name) || !("value" in descriptor)) continue;
      this.#sandbox[name] = descriptor.value;
      if (descriptor.configurable) this.#share(name);
    }
    for (const name of this.#shared) {
      if (!hasOwn(this.#global, name)) {
        this.#shared.delete(name);
        delete this.#sandbox[name];
      }
    }
  }

  run(script) {
    for (const name of script.lexical) this.#lexical.add(name);
    this.#take();
    try {
      return (0, this.#evaluate)(script.code);
    } finally {
      this.#give();
    }
  }
}

const isObject = (value) => typeof value === "object" && value !== null || typeof value === "function";

function createContext(sandbox = {}, options = {}) {
  if (sandbox === constants.DONT_CONTEXTIFY) sandbox = {};
  if (!isObject(sandbox)) throw invalidArgType("object", "Object", sandbox);
  if (options === null || typeof options !== "object") throw invalidArgType("options", "Object", options);
  if (!contexts.has(sandbox)) contexts.set(sandbox, new Context(sandbox));
  return sandbox;
}
function isContext(object) {
  if (!isObject(object)) throw invalidArgType("object", "Object", object);
  return contexts.has(object);
}
function contextOf(sandbox) {
  if (!isObject(sandbox) || !contexts.has(sandbox)) {
    throw invalidArgType("contextifiedObject", "vm.Context", sandbox);
  }
  return contexts.get(sandbox);
}

const optionsOf = (given) => typeof given === "string" ? { filename: given } : given ?? {};
function timed(options, run) {
  const { timeout } = options;
  if (timeout === undefined) return run();
  if (typeof timeout !== "number") throw invalidArgType("options.timeout", "number", timeout);
  if (!(timeout >= 1)) {
    throw coded(
      RangeError,
      "ERR_OUT_OF_RANGE",
      `The value of "options.timeout" is out of range. It must be >= 1 && <= 4294967295. Received ${timeout}`,
    );
  }
  try {
    return host.within(run, timeout);
  } catch (error) {
    if (error?.code !== "ERR_SCRIPT_EXECUTION_TIMEOUT" || error.isTold) throw error;
    throw Object.defineProperty(
      coded(Error, error.code, `Script execution timed out after ${timeout}ms`),
      "isTold",
      { value: true },
    );
  }
}

class Script {
  #script;
  constructor(code, options) {
    const { filename = "evalmachine.<anonymous>" } = optionsOf(options);
    checkString(filename, "options.filename");
    this.#script = JSON.parse(host.lastingScript(`${code}`, filename));
  }
  runInThisContext(options) {
    return timed(optionsOf(options), () => (0, eval)(this.#script.code));
  }
  runInContext(sandbox, options) {
    const context = contextOf(sandbox);
    return timed(optionsOf(options), () => context.run(this.#script));
  }
  runInNewContext(sandbox, options) {
    return this.runInContext(createContext(sandbox), options);
  }
  createCachedData() {
    throw notHere("createCachedData of Node's module 'vm'", "scripts are kept as text");
  }
}

const constants = Object.freeze({
  USE_MAIN_CONTEXT_DEFAULT_LOADER: Symbol("vm_dynamic_import_main_context_default"),
  DONT_CONTEXTIFY: Symbol("vm_context_no_contextify"),
});

function compileFunction(code, params = [], options = {}) {
  checkString(code, "code");
  if (!Array.isArray(params)) throw invalidArgType("params", "Array", params);
  const { parsingContext } = options;
  const text = `(function (${params.join(", ")}) {${code}\n})`;
  return parsingContext === undefined
    ? new Script(text, options).runInThisContext()
    : new Script(text, options).runInContext(parsingContext);
}

const absent = (name) =>
  class {
    static name = name;
    constructor() {
      throw notHere(`${name} of Node's module 'vm'`, "modules are files here", "vm.Script runs scripts");
    }
  };

export default {
  Script,
  createContext,
  isContext,
  runInContext: (code, sandbox, options) => new Script(code, options).runInContext(sandbox, options),
  runInNewContext: (code, sandbox, options) => new Script(code, options).runInNewContext(sandbox, options),
  runInThisContext: (code, options) => new Script(code, options).runInThisContext(options),
  createScript: (code, options) => new Script(code, options),
  compileFunction,
  measureMemory() {
    throw notHere("measureMemory of Node's module 'vm'", "a session's memory is one");
  },
  Module: absent("Module"),
  SourceTextModule: absent("SourceTextModule"),
  SyntheticModule: absent("SyntheticModule"),
  constants,
};
