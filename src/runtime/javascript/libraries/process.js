/** `process`: what of it there is without other processes. */
import events from "./events.js";
import { process } from "./builtins.js";
import buffer from "./buffer.js";
import { checkFunction, checkString, coded, invalidArgType, notHere, outOfRange } from "./errors.js";
import { system, systemError } from "./file_errors.js";
import { umask } from "./fs_options.js";
import { NODE_VERSION } from "../node_version.ts";
import { hooks, host, platform } from "./runtime.js";
import { SIGNALS } from "./signals.js";
import stream from "./stream.js";
import { setTimeZone } from "./time_zone.js";
import { parseEnv } from "./util.js";

const { Readable, Writable } = stream;
const { Buffer } = buffer;

const READ_AT_ONCE = 65536;
/** How often is looked whether input has come that is waited for, ms. */
const LOOK = 3;
const started = { at: 0 };
let cwd = "/";
let exitCode;
/** What takes each error that nothing caught, before all listeners. */
let capture = null;

/** Standard output and error: written at once, whatever else goes on. */
class Output extends Writable {
  constructor(fd) {
    super({ decodeStrings: false, emitClose: false, autoDestroy: false });
    Object.defineProperty(this, "fd", { value: fd });
    this._type = "pipe";
    this._isStdio = true;
  }
  write(data, encoding, callback) {
    if (typeof encoding === "function") [encoding, callback] = [undefined, encoding];
    let bytes = data;
    if (typeof data === "string") {
      bytes = encoding && !/^utf-?8$/i.test(encoding) ? Buffer.from(data, encoding) : hooks.encodeUtf8(data);
    } else if (ArrayBuffer.isView(data)) {
      bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    } else throw invalidArgType("chunk", ["string", "Buffer", "TypedArray", "DataView"], data);
    for (let at = 0; at < bytes.length; at += READ_AT_ONCE) {
      host.writeBytes(this.fd, hooks.bufferOf(bytes.subarray(at, at + READ_AT_ONCE)));
    }
    if (callback) process.nextTick(callback);
    return true;
  }
  end(data, encoding, callback) {
    const done = [data, encoding, callback].find((each) => typeof each === "function");
    if (data !== undefined && data !== null && typeof data !== "function") {
      this.write(data, typeof encoding === "string" ? encoding : undefined);
    }
    // It goes on after its end, as in Node; a pipeline that leads into it waits for this.
    process.nextTick(() => {
      this.emit("finish");
      done?.();
    });
    return this;
  }
  _write(data, encoding, callback) {
    this.write(data, encoding === "buffer" ? undefined : encoding);
    callback();
  }
  cork() {}
  uncork() {}
  destroy() {
    return this;
  }
  getColorDepth() {
    return 1;
  }
  hasColors() {
    return false;
  }
  getWindowSize() {
    return [80, 24];
  }
  clearLine(_direction, callback) {
    callback?.();
    return true;
  }
  cursorTo(_x, y, callback) {
    [y, callback].find((each) => typeof each === "function")?.();
    return true;
  }
  moveCursor(_dx, _dy, callback) {
    callback?.();
    return true;
  }
}

class Input extends Readable {
  #isRef = true;
  constructor() {
    super({ highWaterMark: READ_AT_ONCE });
    Object.defineProperty(this, "fd", { value: 0 });
  }
  _read(size) {
    if (!host.hasStdin(0)) return this.#await(size);
    const bytes = Buffer.alloc(Math.min(size, READ_AT_ONCE));
    const count = readStdin(bytes);
    hooks.told(() => this.push(count === 0 ? null : bytes.subarray(0, count)));
  }
  /** It comes while the program waits for time, or for nothing but that. */
  #await(size) {
    let isRead = false;
    const look = () => {
      if (isRead || !this.destroyed && !host.hasStdin(0)) return;
      isRead = true;
      platform.clearInterval(timer);
      whileIdle.delete(waits);
      if (!this.destroyed) this._read(size);
    };
    const waits = () => {
      look();
      if (isRead) return true;
      if (!this.#isRef || this.isPaused()) return false;
      host.hasStdin(1);
      platform.setTimeout(look, LOOK);
      return true;
    };
    const timer = platform.setInterval(look, LOOK).unref();
    whileIdle.add(waits);
  }
  setRawMode() {
    throw notHere("setRawMode", "standard input is no terminal");
  }
  ref() {
    this.#isRef = true;
    return this;
  }
  unref() {
    this.#isRef = false;
    return this;
  }
}

/** Fills a view from standard input. @returns Bytes; 0 at its end. */
function readStdin(into) {
  if (!host.hasStdin(0)) throw systemError("EAGAIN", "read");
  const bytes = new Uint8Array(host.readStdin(into.length));
  into.set(bytes);
  return bytes.length;
}
/** All that is left of standard input. */
function stdinBytes() {
  const parts = [];
  for (;;) {
    if (!host.hasStdin(0)) throw systemError("EAGAIN", "read");
    const bytes = new Uint8Array(host.readStdin(READ_AT_ONCE));
    if (bytes.length === 0) break;
    parts.push(bytes);
  }
  return Buffer.concat(parts);
}

const exits = (code) => {
  if (code === undefined || code === null) return;
  const number = typeof code === "string" && code !== "" ? Number(code) : code;
  if (typeof number !== "number" || typeof code === "string" && !Number.isInteger(number)) {
    throw invalidArgType("code", ["integer"], code);
  }
  if (!Number.isInteger(number)) {
    throw coded(
      RangeError,
      "ERR_OUT_OF_RANGE",
      `The value of "code" is out of range. It must be an integer. Received ${code}`,
    );
  }
};

const lazy = { stdin: () => new Input(), stdout: () => new Output(1), stderr: () => new Output(2) };
const made = new Map();
function streams() {
  for (const [name, make] of Object.entries(lazy)) {
    made.delete(name);
    Object.defineProperty(process, name, {
      get() {
        if (!made.has(name)) made.set(name, make());
        return made.get(name);
      },
      set: (value) => void made.set(name, value),
      enumerable: true,
      configurable: true,
    });
  }
}
/** A standard stream whose `write` a program has put in its own's place, to see what the console prints. */
export function takenStream(fd) {
  const stream = made.get(fd === 1 ? "stdout" : "stderr");
  return stream instanceof Output && stream.write !== Output.prototype.write ? stream : undefined;
}

/** Those that end no program which does not listen for them. */
const HARMLESS = new Set(["SIGCHLD", "SIGCONT", "SIGURG", "SIGWINCH"]);
/** A signal that a program sends to itself. */
function signalled(signal) {
  const name = typeof signal === "number"
    ? Object.keys(SIGNALS).find((each) => SIGNALS[each] === signal)
    : signal;
  const number = SIGNALS[name];
  if (number === undefined) throw coded(TypeError, "ERR_UNKNOWN_SIGNAL", `Unknown signal: ${signal}`);
  if (process.listenerCount(name) > 0) hooks.told(() => process.emit(name, name, number));
  else if (!HARMLESS.has(name)) hooks.leave(128 + number);
}

/** What a program of the shell's is sent by others, where it waits. @returns Whether there was anything. */
export function takeSignals() {
  if (!isOfShell) return false;
  let any = false;
  const heeded = () =>
    process.eventNames().reduce((signals, name) => signals | 1 << (SIGNALS[name] ?? 0), 0) & ~1;
  for (let number; (number = host.takeSignal(heeded())) !== 0;) {
    any = true;
    signalled(number);
  }
  return any;
}

/** Sends signals to processes that the program has started: by a process's id and a signal's number; false: it is none of them. */
export const children = { kill: () => false };

function killOther(pid, signal) {
  const number = typeof signal === "number" ? signal : SIGNALS[signal];
  if (number === undefined) throw coded(TypeError, "ERR_UNKNOWN_SIGNAL", `Unknown signal: ${signal}`);
  if (!children.kill(pid, number)) throw systemError("ESRCH", "kill");
  return true;
}

const memory = () => {
  const used = 16 * 1024 * 1024;
  return { rss: used, heapTotal: used, heapUsed: used, external: 0, arrayBuffers: 0 };
};

Object.setPrototypeOf(
  process,
  Object.create(events.prototype, {
    constructor: { value: { process() {} }.process, writable: true, configurable: true },
  }),
);
Object.assign(process, {
  title: "node",
  version: `v${NODE_VERSION}`,
  versions: { node: NODE_VERSION, quickjs: "ng", wasmbox: "0", modules: "115", unicode: "16.0" },
  arch: "wasm32",
  platform: "linux",
  release: { name: "node", lts: "Iron" },
  argv: ["/usr/bin/node"],
  argv0: "node",
  execArgv: [],
  execPath: "/usr/bin/node",
  pid: 1,
  ppid: 0,
  debugPort: 9229,
  features: { inspector: false, debug: false, ipv6: false, tls: false, typescript: false },
  config: { target_defaults: {}, variables: {} },
  report: undefined,
  cwd: () => cwd,
  chdir(directory) {
    if (typeof directory !== "string") throw invalidArgType("directory", "string", directory);
    const path = directory === "" || directory.startsWith("/") ? directory : `${cwd}/${directory}`;
    const { type } = JSON.parse(system(() => host.stat(path, 1), "chdir", cwd, directory));
    if (type !== "directory") throw systemError("ENOTDIR", "chdir", cwd, directory);
    cwd = host.realpath(path);
  },
  umask,
  uptime: () => (host.now() - started.at) / 1000,
  hrtime: Object.assign((since = [0, 0]) => {
    if (!Array.isArray(since)) throw invalidArgType("time", "Array", since);
    if (since.length !== 2) throw outOfRange("time", "2", since.length);
    const ms = host.now();
    const [seconds, nanoseconds] = [Math.floor(ms / 1000), Math.floor(ms % 1000 * 1e6)];
    const borrow = nanoseconds < since[1] ? 1 : 0;
    return [seconds - since[0] - borrow, nanoseconds - since[1] + borrow * 1e9];
  }, { bigint: () => BigInt(Math.floor(host.now() * 1e6)) }),
  memoryUsage: Object.assign(memory, { rss: () => memory().rss }),
  constrainedMemory: () => 0,
  availableMemory: () => memory().rss,
  resourceUsage: () => ({ userCPUTime: Math.floor(host.now() * 1000), systemCPUTime: 0, maxRSS: 16384 }),
  cpuUsage: (since) => ({ user: Math.floor(host.now() * 1000) - (since?.user ?? 0), system: 0 }),
  nextTick(callback, ...args) {
    checkFunction(callback, "callback");
    hooks.nextTick(callback, args);
  },
  emitWarning(warning, options, code) {
    const isObject = typeof options === "object" && options !== null && !Array.isArray(options);
    const { type = "Warning", code: given = code, detail } = isObject
      ? options
      : { type: options ?? undefined };
    if (type !== undefined && typeof type !== "function") checkString(type, "type");
    if (given !== undefined && typeof given !== "function") checkString(given, "code");
    if (typeof warning !== "string" && !(warning instanceof Error)) {
      throw invalidArgType("warning", ["string", "Error"], warning);
    }
    const error = warning instanceof Error
      ? warning
      : Object.assign(new Error(warning), { name: typeof type === "string" ? type : "Warning" });
    const isCoded = typeof given === "string" && !(warning instanceof Error);
    if (isCoded) error.code = given;
    if (isCoded && typeof detail === "string") error.detail = detail;
    if (error.name === "DeprecationWarning") {
      if (process.noDeprecation) return;
      if (process.throwDeprecation) {
        process.nextTick(() => {
          throw error;
        });
        return;
      }
    }
    const shown = error.code ? `[${error.code}] ` : "";
    process.nextTick(() => {
      process.stderr.write(
        `(node:${process.pid}) ${shown}${error.name}: ${error.message}\n${detail ? `${detail}\n` : ""}`,
      );
      process.emit("warning", error);
    });
  },
  exit(code) {
    exits(code);
    if (code !== undefined && code !== null) exitCode = code;
    tellExit();
    hooks.leave(Number(exitCode ?? 0) & 255);
  },
  reallyExit: (code) => process.exit(code),
  abort() {
    hooks.leave(134);
  },
  kill(pid, signal = "SIGTERM") {
    if (typeof pid !== "number" && !Number.isInteger(+pid)) throw invalidArgType("pid", "number", pid);
    if (+pid !== process.pid) return killOther(+pid, signal);
    if (signal !== 0) signalled(signal);
    return true;
  },
  openStdin() {
    process.stdin.resume();
    return process.stdin;
  },
  getuid: () => 0,
  geteuid: () => 0,
  getgid: () => 0,
  getegid: () => 0,
  getgroups: () => [0],
  ref() {},
  unref() {},
  loadEnvFile(path = ".env") {
    const text = hooks.decodeUtf8(
      new Uint8Array(
        system(() => host.readFile(path.startsWith("/") ? path : `${cwd}/${path}`), "open", path),
      ),
      false,
    );
    for (const [name, value] of Object.entries(parseEnv(text))) process.env[name] ??= value;
  },
  binding(name) {
    throw notHere(`process.binding("${name}")`, "it leads into Node itself");
  },
  dlopen() {
    throw notHere("process.dlopen", "native code can't run here");
  },
  setUncaughtExceptionCaptureCallback(call) {
    if (call !== null && typeof call !== "function") throw invalidArgType("fn", ["Function", "null"], call);
    if (call !== null && capture !== null) {
      throw coded(
        Error,
        "ERR_UNCAUGHT_EXCEPTION_CAPTURE_ALREADY_SET",
        "`process.setupUncaughtExceptionCapture()` was called while a capture callback was already active",
      );
    }
    capture = call;
  },
  hasUncaughtExceptionCaptureCallback: () => capture !== null,
  setSourceMapsEnabled() {},
  getActiveResourcesInfo: () => [],
  allowedNodeEnvironmentFlags: new Set(),
});
Object.defineProperty(process, "exitCode", {
  get: () => exitCode,
  set(code) {
    exits(code);
    exitCode = code ?? undefined;
  },
  enumerable: true,
  configurable: true,
});
Object.defineProperty(process, Symbol.toStringTag, { value: "process", configurable: true });
streams();

/** Whether the program has been told that it ends. */
let told = false;
function tellExit(code = Number(exitCode ?? 0)) {
  if (told) return;
  told = true;
  process.emit("exit", code);
}

/** The code that Node ends with after an error that nothing caught. */
const FAILED = 1;

/** The program has failed. */
export function onFailure() {
  if (!told) exitCode = FAILED;
  tellExit(FAILED);
}

/** Asked, when nothing else is left to do, whether the program waits for something all the same. */
export const whileIdle = new Set();
/** What is called, one at a time, when nothing is left to do at all. */
export const whenIdle = new Set();
/** How much had been begun when the program was told last that nothing is left to do. */
let begunBefore;
/** A program has come to its end by itself. @returns 1 if it was told, and may have more to do: then it is asked again. */
export function endProgram() {
  for (const waits of whileIdle) if (waits()) return 1;
  for (const call of whenIdle) {
    whenIdle.delete(call);
    call();
    return 1;
  }
  if (process.listenerCount("beforeExit") > 0 && !(hooks.begun() <= begunBefore)) {
    begunBefore = hooks.begun();
    process.emit("beforeExit", Number(exitCode ?? 0));
    return 1;
  }
  tellExit();
  const code = Number(exitCode ?? 0) & 255;
  if (code !== 0) hooks.leave(code);
  return 0;
}

/** What a program that follows must not inherit: it would not learn of its own errors. */
const OF_PROGRAMS = [
  "beforeExit",
  "exit",
  "uncaughtException",
  "uncaughtExceptionMonitor",
  "unhandledRejection",
  "rejectionHandled",
];

/** The next program of the session is another one. */
export function forgetProgram() {
  const signals = process.eventNames().filter((name) => Object.hasOwn(SIGNALS, name));
  for (const name of [...OF_PROGRAMS, ...signals]) process.removeAllListeners(name);
  whenIdle.clear();
  capture = null;
  told = false;
  exitCode = undefined;
  begunBefore = undefined;
}

/** @returns Whether the program has a say in promises that are rejected and not handled. */
export function onUnhandledRejection(reason, promise) {
  return process.emit("unhandledRejection", reason, promise) ||
    onUncaughtException(reason, "unhandledRejection");
}

export const onRejectionHandled = (promise) => process.emit("rejectionHandled", promise);

/** @returns Whether the program goes on after an error that nothing caught. */
export function onUncaughtException(error, origin) {
  if (capture !== null) {
    capture(error);
    return true;
  }
  process.emit("uncaughtExceptionMonitor", error, origin);
  return process.emit("uncaughtException", error, origin);
}

/** Local time goes by the environment, also when that changes. */
function followTimeZone(name, { TZ = "" }) {
  if (name === "TZ") setTimeZone(TZ, (text) => process.stderr.write(text));
}

/** An environment as Node's: every value is text. */
function environment(entries) {
  const env = { ...entries };
  followTimeZone("TZ", env);
  return new Proxy(env, {
    set(target, name, value) {
      if (typeof name === "symbol") throw new TypeError("Cannot convert a Symbol value to a string");
      target[name] = `${value}`;
      followTimeZone(name, target);
      return true;
    },
    defineProperty(target, name, descriptor) {
      const isDone = Reflect.defineProperty(
        target,
        name,
        "value" in descriptor ? { ...descriptor, value: `${descriptor.value}` } : descriptor,
      );
      followTimeZone(name, target);
      return isDone;
    },
    deleteProperty(target, name) {
      const isDone = Reflect.deleteProperty(target, name);
      followTimeZone(name, target);
      return isDone;
    },
  });
}

/** Whether it is a program of the shell's, which nobody asks anything when it has ended. */
export let isOfShell = false;

/** A session begins, or a program of the shell does. */
export function startProcess({ argv, env, pid = 1, ppid = 0 } = {}) {
  isOfShell = argv !== undefined;
  cwd = host.cwd();
  started.at = host.now();
  process.argv = argv ?? ["/usr/bin/node", `${cwd}/index.js`];
  process.pid = pid;
  process.ppid = ppid;
  exitCode = undefined;
  told = false;
  streams();
  process.env = environment(env ?? JSON.parse(host.environment()));
}
export { readStdin, stdinBytes };
export default process;
