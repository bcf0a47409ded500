/** The small ones of Node's modules. */
import events from "./events.js";
import { invalidArgType, notHere } from "./errors.js";
import { AsyncLocalStorage, AsyncResource } from "./async_context.js";
import { MEMORY } from "./os.js";
import process from "./process.js";
import { hooks } from "./runtime.js";
import { deserialize, serialize } from "./serialized.js";

export const asyncHooks = {
  AsyncLocalStorage,
  AsyncResource,
  createHook: () => ({
    enable() {
      throw notHere("createHook of Node's module 'async_hooks'", "the engine tells nothing of its promises");
    },
    disable() {
      return this;
    },
  }),
  executionAsyncId: () => 1,
  triggerAsyncId: () => 0,
  executionAsyncResource: () => ({}),
};

export const tty = {
  isatty: () => false,
  ReadStream: class ReadStream extends events {},
  WriteStream: class WriteStream extends events {},
};

export const v8 = {
  getHeapStatistics: () => {
    const { heapTotal } = process.memoryUsage();
    return {
      total_heap_size: heapTotal,
      used_heap_size: heapTotal,
      heap_size_limit: MEMORY,
      total_available_size: MEMORY,
    };
  },
  getHeapSpaceStatistics: () => [],
  setFlagsFromString() {},
  serialize,
  deserialize,
};

export function moduleOf(names) {
  const createRequire = (from) => {
    const path = from instanceof URL
      ? decodeURIComponent(from.pathname)
      : `${from}`.startsWith("file:")
      ? decodeURIComponent(new URL(from).pathname)
      : from;
    if (typeof path !== "string" || !path.startsWith("/")) {
      throw invalidArgType("filename", ["file URL object", "file URL string", "absolute path string"], from);
    }
    return hooks.requireFrom(path);
  };
  const Module = function Module(id = "") {
    this.id = id;
    this.exports = {};
  };
  return Object.assign(Module, {
    Module,
    builtinModules: names,
    createRequire,
    isBuiltin: (name) => names.includes(`${name}`.replace(/^node:/, "")) || name === "node:test",
    syncBuiltinESMExports() {},
    findSourceMap: () => undefined,
    register() {
      throw notHere("register of Node's module 'module'", "there are no loaders");
    },
    _extensions: { ".js"() {}, ".json"() {}, ".node"() {} },
    _cache: {},
    _load: (name) => globalThis.require(name),
    _resolveFilename: (name) => globalThis.require.resolve(name),
    _nodeModulePaths: (from) =>
      from.split("/").map((_part, at, all) => `${all.slice(0, at + 1).join("/")}/node_modules`).reverse(),
    wrap: (text) => `(function (exports, require, module, __filename, __dirname) { ${text}\n});`,
    globalPaths: [],
  });
}
