/** `fork`: a program of Node's as a thread, which tells its parent things by a channel. */
import { asBuffer } from "./buffer.js";
import { checkString, coded } from "./errors.js";
import EventEmitter from "./events.js";
import { importPort, sendable } from "./messages/ports.js";
import process from "./process.js";
import { host } from "./runtime.js";
import stream from "./stream.js";
import { failureOf, overWithCall, textOf, Thread } from "./worker_threads.js";

const pathOf = (file, cwd) => file.startsWith("/") ? file : `${cwd}/${file}`;
const NAMED = /\.[cm]?[jt]s$/;

/** A path that Node would run: without its extension, too. */
function programAt(path) {
  if (NAMED.test(path) || host.exists(path) === 1 && !isDirectory(path)) return path;
  return [`${path}.js`, `${path}/index.js`].find((each) => host.exists(each) === 1) ?? path;
}
const isDirectory = (path) => JSON.parse(host.stat(path, 1)).type === "directory";

class ForkedProcess extends EventEmitter {
  #thread;
  #port;
  constructor(file, args, { cwd = process.cwd(), env = process.env, silent, stdio, execArgv = [] }) {
    super();
    const directory = cwd instanceof URL ? decodeURIComponent(cwd.pathname) : `${cwd}`;
    const path = programAt(pathOf(`${file}`, directory));
    const [, out, err] = Array.isArray(stdio) ? stdio : Array(3).fill(stdio ?? (silent ? "pipe" : "inherit"));
    const id = host.newChannel();
    this.#port = importPort(id);
    const streamOf = (kind) => kind === "pipe" ? new stream.Readable({ read() {} }) : null;
    this.stdin = null;
    this.stdout = streamOf(out);
    this.stderr = streamOf(err);
    this.stdio = [null, this.stdout, this.stderr, null];
    this.spawnfile = process.execPath;
    this.spawnargs = [process.execPath, file, ...args];
    Object.assign(this, { connected: true, killed: false, exitCode: null, signalCode: null });
    const { bytes } = sendable([undefined, new Map()]);
    this.#thread = new Thread({ path, code: textOf(path) }, {
      data: { bytes, moved: JSON.stringify([id + 1]) },
      options: {
        kind: "process",
        port: id + 1,
        argv: args.map((each) => `${each}`),
        execArgv,
        env: Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined)),
        cwd: directory,
        name: "",
        stdout: out === "pipe" || out === "ignore",
        stderr: err === "pipe" || err === "ignore",
      },
      tell: (...told) => this.#told(...told),
    });
    this.pid = this.#thread.id + 1;
    this.channel = { ref() {}, unref() {} };
    this.#port.addEventListener("message", ({ data }) => this.emit("message", data, undefined));
    this.#port.addEventListener("close", () => this.#disconnected());
    this.#port.unref();
  }
  #told(kind, data, text) {
    if (kind === "online") this.emit("spawn");
    else if (kind === "stdout" || kind === "stderr") this[kind]?.push(asBuffer(new Uint8Array(data)));
    else if (kind === "error") {
      const error = failureOf(data, text);
      const said = `${error?.stack ?? error}\n`;
      if (this.stderr) this.stderr.push(said);
      else process.stderr.write(said);
    } else if (kind === "exit") this.#exit(Number(text));
  }
  #exit(code) {
    this.#disconnected();
    this.exitCode = this.signalCode === null ? code : null;
    const ended = [this.exitCode, this.signalCode];
    this.emit("exit", ...ended);
    for (const each of [this.stdout, this.stderr]) each?.push(null);
    setImmediate(() => this.emit("close", ...ended));
  }
  #disconnected() {
    if (!this.connected) return;
    this.connected = false;
    this.#port.close();
    this.emit("disconnect");
  }
  send(message, ...rest) {
    const callback = rest.find((each) => typeof each === "function");
    if (!this.connected || this.#thread.isOver) {
      const error = this.connected
        ? overWithCall("this process")
        : coded(Error, "ERR_IPC_CHANNEL_CLOSED", "Channel closed");
      process.nextTick(() => callback ? callback(error) : this.emit("error", error));
      return false;
    }
    this.#port.postMessage(message);
    if (callback) process.nextTick(callback, null);
    return true;
  }
  disconnect() {
    if (this.connected) process.nextTick(() => this.#disconnected());
  }
  kill(signal = "SIGTERM") {
    if (this.#thread.isOver) return false;
    if (signal === 0) return true;
    this.killed = true;
    this.signalCode = typeof signal === "string" ? signal : "SIGTERM";
    this.#thread.end();
    return true;
  }
  ref() {
    this.#thread.isRef = true;
  }
  unref() {
    this.#thread.isRef = false;
  }
  [Symbol.dispose]() {
    this.kill();
  }
}

export function fork(file, args, options) {
  checkString(file instanceof URL ? file.pathname : file, "modulePath");
  const [given, more] = Array.isArray(args) ? [args, options] : [[], args ?? options];
  return new ForkedProcess(file instanceof URL ? decodeURIComponent(file.pathname) : file, given, more ?? {});
}
