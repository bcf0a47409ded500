/**
 * `worker_threads`: programs with heaps of their own beside this one, which take turns with it
 * (`src/runtime/javascript/threads.ts`). What they tell each other is copied, but for memory that is shared.
 */
import { asBuffer } from "./buffer.js";
import { checkString, coded, invalidArgType, notHere } from "./errors.js";
import EventEmitter from "./events.js";
import { system } from "./file_errors.js";
import { beginProcess } from "./forked.js";
import { receiveMessage, tellings } from "./messages/mod.js";
import { endPorts, importPort, sendable, unpacked, waits } from "./messages/ports.js";
import process from "./process.js";
import { hooks, host, platform } from "./runtime.js";
import { Writer } from "./serializer/writer.js";
import { forgetShared } from "./shared_memory.js";
import stream from "./stream.js";

const SHARE_ENV = Symbol.for("nodejs.worker_threads.SHARE_ENV");
const DATA_URL = /^data:(?:text|application)\/(?:javascript|ecmascript)(?:;[^,]*?)?(;base64)?,(.*)$/s;

/** What threads that are made get to know, by `setEnvironmentData`. */
let environmentData = new Map();

function fileOf(filename) {
  if (filename instanceof URL || filename instanceof globalThis.URL) {
    if (filename.protocol === "file:") return decodeURIComponent(filename.pathname);
    return filename.href;
  }
  if (typeof filename !== "string") throw invalidArgType("filename", ["string", "URL"], filename);
  if (/^(?:\/|\.\.?\/)/.test(filename)) {
    return filename.startsWith("/") ? filename : `${process.cwd()}/${filename}`;
  }
  throw coded(
    TypeError,
    "ERR_WORKER_PATH",
    "The worker script or module filename must be an absolute path or a relative path starting with './' or " +
      `'../'. Received "${filename}"`,
  );
}

/** The text of a program in a file; undefined where it is that of this one, which has none. One that is not there fails. */
export function textOf(path) {
  if (path === globalThis.require?.main?.filename) return undefined;
  if (host.exists(path) === 1) {
    const text = hooks.decodeUtf8(new Uint8Array(system(() => host.readFile(path), "open", path)), false);
    return text.replace(/^\uFEFF?#!.*/, "");
  }
  return `throw Object.assign(new Error(${
    JSON.stringify(`Cannot find module '${path}'`)
  }), { code: "MODULE_NOT_FOUND" })`;
}

/** The program of a thread, as the host takes it: its text, and its path if it has one. */
function programOf(filename, { eval: isText = false }) {
  if (isText) {
    if (typeof filename === "string") return { code: filename };
    throw coded(
      TypeError,
      "ERR_INVALID_ARG_VALUE",
      "The property 'options.eval' must be false when 'filename' is not a string. Received true",
    );
  }
  const path = fileOf(filename);
  if (path.startsWith("/")) return { path, code: textOf(path) };
  const [, base64, text] = DATA_URL.exec(path) ?? [];
  if (text === undefined) {
    throw notHere(`a worker from ${path.slice(0, 100)}`, "workers are files, texts and data: URLs");
  }
  const raw = decodeURIComponent(text);
  return { code: base64 ? platform.Buffer.from(raw, "base64").toString() : raw };
}

const output = () => new stream.Readable({ read() {} });

/** A thread and what it tells: of Worker, and of `fork`. */
export class Thread {
  #id;
  #tell;
  #isRef = true;
  #over = false;
  /** @param tell Called with what the thread tells. */
  constructor(program, { data, options, tell }) {
    const { bytes, moved } = data;
    this.#id = host.startThread(JSON.stringify({ ...program, ...options }), bytes, moved);
    waits.threads++;
    this.#tell = tell;
    tellings.set(this.#id, this);
  }
  get id() {
    return this.#id;
  }
  get isOver() {
    return this.#over;
  }
  told(kind, ...rest) {
    if (kind === "exit") this.#end();
    this.#tell(kind, ...rest);
  }
  #end() {
    this.cut();
    tellings.delete(this.#id);
    if (this.#isRef) waits.threads--;
  }
  /** It is no more. */
  cut() {
    this.#over = true;
  }
  set isRef(isRef) {
    if (!this.#over && isRef !== this.#isRef) waits.threads += isRef ? 1 : -1;
    this.#isRef = isRef;
  }
  end() {
    if (!this.#over) host.endThread(this.#id);
  }
}
/** The threads of a call end with it. */
export function endThreads() {
  for (const thread of tellings.values()) thread.cut();
  waits.threads = 0;
  tellings.clear();
  endPorts();
  forgetShared();
}

export const overWithCall = (what) => notHere(what, "it ended with the call that made it", "Make it again");

/** What a thread threw; what the host says where that has ended it. */
export function failureOf(data, text) {
  if (data.byteLength === 0) {
    const { code, message } = JSON.parse(text);
    return code ? coded(Error, code, message) : new Error(message);
  }
  const { thrown, own } = unpacked(data).value;
  for (const [name, value] of Object.entries(own)) {
    Object.defineProperty(thrown, name, {
      value,
      writable: true,
      configurable: true,
      enumerable: name !== "name",
    });
  }
  return thrown;
}

/** What of an error is copied beside its class, as Node does: what it has of its own, and its name. */
function ownOf(error) {
  if (!(error instanceof Error)) return {};
  const names = [...Object.keys(error), ...error.name === new Error().name ? [] : ["name"]];
  return Object.fromEntries(
    names.map((name) => [name, error[name]]).filter(([, value]) => isCloneable(value)),
  );
}
function isCloneable(value) {
  try {
    new Writer().value(value);
    return true;
  } catch {
    return false;
  }
}

class Worker extends EventEmitter {
  #thread;
  #port;
  #exited;
  #exitCode;
  constructor(filename, options = {}) {
    super();
    const program = programOf(filename, options);
    const { argv, env, workerData, transferList = [], stdout = false, stderr = false, name = "" } = options;
    for (const name of ["argv", "execArgv"]) {
      const given = options[name];
      if (given && !Array.isArray(given)) throw invalidArgType(`options.${name}`, "Array", given);
    }
    if (env !== undefined && env !== null && env !== SHARE_ENV && typeof env !== "object") {
      throw invalidArgType("options.env", ["Object", "undefined", "null", "worker_threads.SHARE_ENV"], env);
    }
    checkString(name, "options.name");
    const id = host.newChannel();
    this.#port = importPort(id);
    const data = sendable([workerData, environmentData], transferList);
    this.threadId = 0;
    this.resourceLimits = {};
    for (const [name, value] of Object.entries({ stdin: null, stdout: output(), stderr: output() })) {
      Object.defineProperty(this, name, { value, enumerable: false });
    }
    this.#thread = new Thread(program, {
      data: { ...data, moved: JSON.stringify([...JSON.parse(data.moved), id + 1]) },
      options: {
        kind: "worker",
        port: id + 1,
        argv: (argv ?? []).map((each) => `${each}`),
        execArgv: options.execArgv ?? [],
        env: env && env !== SHARE_ENV ? entriesOf(env) : { ...process.env },
        cwd: process.cwd(),
        name: `${name}`,
        stdout: Boolean(stdout),
        stderr: Boolean(stderr),
      },
      tell: (...told) => this.#told(...told),
    });
    this.threadId = this.#thread.id;
    this.#port.addEventListener("message", ({ data }) => this.emit("message", data));
    this.#port.addEventListener("messageerror", ({ data }) => this.emit("messageerror", data));
    this.#port.unref();
  }
  #told(kind, data, text) {
    if (kind === "online") this.emit("online");
    else if (kind === "stdout" || kind === "stderr") this[kind].push(asBuffer(new Uint8Array(data)));
    else if (kind === "error") this.emit("error", failureOf(data, text));
    else if (kind === "exit") {
      this.#exitCode = Number(text);
      this.threadId = -1;
      this.#port.close();
      for (const each of [this.stdout, this.stderr]) each.push(null);
      this.emit("exit", this.#exitCode);
      this.#exited?.resolve(this.#exitCode);
    }
  }
  postMessage(value, transfer) {
    if (this.#exitCode !== undefined) return;
    if (this.#thread.isOver) throw overWithCall("this worker");
    this.#port.postMessage(value, transfer);
  }
  terminate(callback) {
    if (typeof callback === "function") this.once("exit", (code) => callback(null, code));
    if (this.#thread.isOver) return Promise.resolve(this.#exitCode);
    this.#thread.isRef = true;
    this.#exited ??= Promise.withResolvers();
    this.#thread.end();
    return this.#exited.promise;
  }
  [Symbol.asyncDispose]() {
    return this.terminate();
  }
  ref() {
    this.#thread.isRef = true;
  }
  unref() {
    this.#thread.isRef = false;
  }
  getHeapSnapshot() {
    return Promise.reject(notHere("getHeapSnapshot of a Worker", "the engine makes none"));
  }
  get performance() {
    return { eventLoopUtilization: () => ({ idle: 0, active: 0, utilization: 0 }) };
  }
}

const entriesOf = (env) =>
  Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined).map(([name, value]) => [name, `${value}`]),
  );

const workerThreads = {
  isMainThread: true,
  isInternalThread: false,
  parentPort: null,
  workerData: null,
  threadId: 0,
  threadName: "",
  resourceLimits: {},
  SHARE_ENV,
  MessageChannel: undefined,
  MessagePort: undefined,
  BroadcastChannel: undefined,
  markAsUntransferable() {},
  isMarkedAsUntransferable: () => false,
  markAsUncloneable() {},
  moveMessagePortToContext() {
    throw notHere("moveMessagePortToContext", "ports are the program's own");
  },
  getEnvironmentData: (key) => environmentData.get(key),
  setEnvironmentData(key, value) {
    if (value === undefined) environmentData.delete(key);
    else environmentData.set(key, value);
  },
  receiveMessageOnPort: receiveMessage,
  Worker,
};

/** Makes the program that begins one of a thread. @param json What `startThread` was given. @param data What went with it. */
function beginThread(json, data) {
  const { id, kind, port, path, argv, execArgv, env, name } = JSON.parse(json);
  hooks.startProcess({ argv: ["/usr/bin/node", path ?? "[worker eval]", ...argv], env });
  process.execArgv = execArgv;
  if (path !== undefined) hooks.surround(path, true);
  if (kind === "process") return beginProcess(id, port);
  const { value: [workerData, shared] } = unpacked(data);
  environmentData = shared;
  const parentPort = importPort(port);
  Object.assign(workerThreads, {
    isMainThread: false,
    parentPort,
    workerData,
    threadId: id,
    threadName: name,
  });
}

/** The thread's program has failed. */
function tellFailure(error) {
  let bytes;
  try {
    ({ bytes } = sendable({ thrown: error, own: ownOf(error) }));
  } catch {
    ({ bytes } = sendable({ thrown: new Error(hooks.inspect(error, { bound: 1000 })), own: {} }));
  }
  host.tellParent(bytes);
}

export function installThreads() {
  const { BroadcastChannel, MessageChannel, MessagePort } = platform;
  Object.assign(workerThreads, { BroadcastChannel, MessageChannel, MessagePort });
  Object.assign(hooks, { beginThread, tellFailure });
}
export { workerThreads };
