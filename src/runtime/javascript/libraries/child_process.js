/**
 * `child_process`: commands of the session's shell. One is run as a whole, at once or when its input is all there; what it
 * prints comes when it has ended, after the timers that were due before that: one that they kill has been killed.
 */
import buffer, { asBuffer } from "./buffer.js";
import { abortError, checkFunction, checkString, coded, invalidArgType, notHere } from "./errors.js";
import EventEmitter from "./events.js";
import { fork } from "./fork.js";
import process, { whenIdle } from "./process.js";
import { platform } from "./runtime.js";
import { nextId, runCommand } from "./shell_script.js";
import { os } from "./os.js";
import stream from "./stream.js";
import { promisify } from "./util.js";

const { Buffer } = buffer;
const NO_SHELL = "commands can't be run from here";
const INSTEAD = 'Shell commands run with execute_command, or execute_code with language="shell"';
const MAX_BUFFER = 1024 * 1024;
const NUMBERS = { ENOENT: -2, EACCES: -13 };
const ETIMEDOUT = -110;
const ENOBUFS = -105;
const SHELLS = new Set(["/bin/sh", "/bin/bash", "sh", "bash"]);

/** How long input that is not ended is waited for while the program has other things to do, ms. */
const PATIENCE = 1000;
/** Signals that end nothing by themselves. */
const HARMLESS = new Set(
  ["SIGCHLD", "SIGCONT", "SIGSTOP", "SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGURG", "SIGWINCH"],
);

/** The name of a signal; undefined for 0, which only asks. */
function signalOf(signal) {
  if (signal === 0) return undefined;
  const { signals } = os.constants;
  const name = typeof signal === "number"
    ? Object.keys(signals).find((each) => signals[each] === signal)
    : `${signal}`.toUpperCase();
  if (name !== undefined && name in signals) return name;
  throw coded(TypeError, "ERR_UNKNOWN_SIGNAL", `Unknown signal: ${signal}`);
}

/** Options of all, with the arguments that may be left out. */
function parse(name, file, args, options) {
  checkString(file, name.startsWith("exec") && !name.includes("File") ? "command" : "file");
  if (file === "") {
    throw coded(TypeError, "ERR_INVALID_ARG_VALUE", "The argument 'file' cannot be empty. Received ''");
  }
  if (!Array.isArray(args)) [args, options] = [[], args ?? options];
  if (options !== undefined && (options === null || typeof options !== "object")) {
    throw invalidArgType("options", "object", options);
  }
  const { shell, cwd } = options ?? {};
  if (typeof shell === "string" && !SHELLS.has(shell)) {
    throw notHere(
      `The shell ${shell}`,
      "the session's shell is a bash",
      "Leave the option out, or use /bin/bash",
    );
  }
  const words = args.map((arg) => `${arg}`);
  return {
    ...options,
    cwd: cwd instanceof URL ? cwd.pathname : cwd,
    ...shell ? { line: [file, ...words].join(" ") } : { file, args: words },
    shown: [file, ...words],
    /** What Node would start. */
    spawned: shell ? ["/bin/sh", "-c", [file, ...words].join(" ")] : [file, ...words],
  };
}

/** What becomes of stdin, stdout and stderr. */
function streamsOf(stdio = "pipe") {
  const given = Array.isArray(stdio) ? stdio : [stdio, stdio, stdio];
  return [0, 1, 2].map((at) => {
    const kind = given[at] ?? "pipe";
    if (kind === "overlapped") return "pipe";
    if (["pipe", "inherit", "ignore"].includes(kind)) return kind;
    if (kind === at || kind === process.stdout || kind === process.stderr) return "inherit";
    if (kind === "ipc") throw noChannel();
    throw notHere(
      "A stream as an entry of the option 'stdio'",
      "commands run as a whole",
      "Use 'pipe', and pipe() it",
    );
  });
}
const noChannel = () =>
  notHere("A channel between processes", "every command runs as a whole", "Let it print, and read that");

const decoded = (bytes, encoding) =>
  bytes === null
    ? null
    : !encoding || encoding === "buffer"
    ? asBuffer(bytes)
    : asBuffer(bytes).toString(encoding);

function failure(name, { spawned }, errno, code) {
  const syscall = `${name} ${spawned[0]}`;
  const error = new Error(`${syscall} ${code}`);
  return Object.assign(error, { errno, code, syscall, path: spawned[0], spawnargs: spawned.slice(1) });
}

const bytesOf = (data, encoding) =>
  data === undefined || data === null
    ? undefined
    : typeof data === "string"
    ? Buffer.from(data, encoding)
    : data;

/** Runs it, in the words of `spawnSync`. */
function ended(name, options) {
  const [, ...stdio] = streamsOf(options.stdio);
  const { timeout = 0, killSignal = "SIGTERM", maxBuffer = MAX_BUFFER, signal } = options;
  if (signal?.aborted) throw abortError(signal);
  const ran = runCommand({ ...options, timeout, stdio, input: bytesOf(options.input) });
  if (!ran) throw notHere(`${name} of Node's module 'child_process'`, NO_SHELL, INSTEAD);
  const { id, code, missing, timedOut, complete, stdout, stderr } = ran;
  if (missing) {
    const error = failure(name, options, NUMBERS[missing], missing);
    return { error, status: null, signal: null, output: null, pid: 0, stdout: null, stderr: null };
  }
  let error;
  if (timedOut) error = failure(name, options, ETIMEDOUT, "ETIMEDOUT");
  else if (!complete || stdout?.length > maxBuffer || stderr?.length > maxBuffer) {
    error = failure(name, options, ENOBUFS, "ENOBUFS");
  }
  // What a shell gives for a process that a signal ended stays a code: the signal is the shell's to know.
  const status = error ? null : code;
  return { ...error && { error }, status, signal: error ? killSignal : null, pid: id, stdout, stderr };
}

function inWords(result, encoding) {
  const stdout = decoded(result.stdout, encoding);
  const stderr = decoded(result.stderr, encoding);
  const { status, signal, pid, ...rest } = result;
  const output = result.output === null ? null : [null, stdout, stderr];
  return { ...rest.error && { error: rest.error }, status, signal, output, pid, stdout, stderr };
}

function spawnSync(file, args, options) {
  const parsed = parse("spawnSync", file, args, options);
  return inWords(ended("spawnSync", parsed), parsed.encoding);
}

/** As `execSync` and `execFileSync` have it: stderr is shown unless the program takes it. */
function outputOf(name, parsed) {
  const shows = parsed.stdio === undefined;
  const result = inWords(ended(name, { ...parsed, stdio: parsed.stdio ?? "pipe" }), parsed.encoding);
  if (shows && result.stderr?.length > 0) process.stderr.write(result.stderr);
  if (result.error) throw Object.assign(result.error, result, { error: undefined });
  if (result.status === 0) return result.stdout;
  const told = result.stderr?.length > 0 ? `\n${result.stderr}` : "";
  throw Object.assign(new Error(`Command failed: ${parsed.shown.join(" ")}${told}`), result);
}
const execSync = (command, options) =>
  outputOf("spawnSync", parse("execSync", command, [], { ...options, shell: true }));
const execFileSync = (file, args, options) =>
  outputOf("spawnSync", parse("execFileSync", file, args, options));

class ChildProcess extends EventEmitter {
  #options;
  /** It waits for its turn or "reads" its input, then it "ran", and is "over" when that is told. */
  #state = "waits";
  #parts = [];
  /** Whether the program has asked for its input, which it may be writing later. */
  #asked = false;
  #patience;
  #result;

  constructor(options) {
    super();
    this.#options = options;
    const [kind, ...stdio] = streamsOf(options.stdio);
    this.pid = nextId();
    this.spawnfile = options.spawned[0];
    this.spawnargs = options.spawned;
    this.exitCode = null;
    this.signalCode = null;
    this.killed = false;
    this.connected = false;
    const [stdout, stderr] = stdio.map((kind) => kind === "pipe" ? new stream.Readable({ read() {} }) : null);
    const stdin = kind === "pipe" ? this.#input() : null;
    Object.defineProperty(this, "stdin", {
      get: () => {
        this.#asked = true;
        return stdin;
      },
      set: (value) => void Object.defineProperty(this, "stdin", { value, writable: true }),
      enumerable: true,
      configurable: true,
    });
    Object.assign(this, { stdout, stderr, stdio: [stdin, stdout, stderr] });
    this.#follow(options.signal);
    setImmediate(() => {
      if (this.#state !== "waits") return;
      this.emit("spawn");
      if (this.#state !== "waits") return; // who heard of it has killed it
      const isWritten = this.#asked || this.#parts.length > 0;
      if (stdin && isWritten && !stdin.writableEnded) this.#read();
      else this.#run();
    });
  }

  #input() {
    return new stream.Writable({
      write: (chunk, encoding, done) => {
        if (this.#state === "ran" || this.#state === "over") {
          return done(
            coded(
              Error,
              "EPIPE",
              "write EPIPE: the command has run already, with what had been written by then, as it runs as a whole: " +
                "begin to write at once, write all of its input, and end() it",
            ),
          );
        }
        this.#parts.push(bytesOf(chunk, encoding));
        this.#patience?.refresh();
        done();
      },
      final: (done) => {
        done();
        if (this.#state === "reads") this.#run();
      },
    });
  }

  #follow(signal) {
    if (!signal) return;
    const abort = () => {
      if (this.kill(this.#options.killSignal)) this.emit("error", abortError(signal));
    };
    if (signal.aborted) process.nextTick(abort);
    else signal.addEventListener("abort", abort, { once: true });
  }

  /** Waits for its input: to the input's end, or until nothing else is left to do. */
  #read() {
    this.#state = "reads";
    const run = () => {
      if (this.#state === "reads") this.#run();
    };
    whenIdle.add(run);
    this.#patience = platform.setTimeout(run, PATIENCE).unref();
  }

  kill(signal = "SIGTERM") {
    const name = signalOf(signal);
    if (this.#state === "over") return false;
    if (name === undefined || HARMLESS.has(name)) return true;
    this.killed = true;
    this.#result = { status: null, signal: name, stdout: null, stderr: null };
    if (this.#state === "ran") return true;
    this.#state = "ran";
    setImmediate(() => this.#end());
    return true;
  }

  #run() {
    this.#state = "ran";
    const input = Buffer.concat(this.#parts);
    let result;
    try {
      result = ended("spawn", { maxBuffer: Infinity, ...this.#options, input });
    } catch (error) {
      result = { error };
    }
    if (result.error && result.status === null && result.pid === 0 || result.status === undefined) {
      this.#state = "over";
      this.pid = undefined;
      this.emit("error", result.error);
      for (const readable of [this.stdout, this.stderr]) readable?.push(null);
      this.emit("close", result.error.errno ?? NUMBERS.ENOENT, null);
      return;
    }
    this.result = result;
    this.#result = result;
    this.killed = result.error?.code === "ETIMEDOUT";
    platform.setTimeout(() => this.#end(), 1);
  }

  #end() {
    const { status, signal, stdout, stderr } = this.#result;
    this.#state = "over";
    this.exitCode = status;
    this.signalCode = signal;
    this.emit("exit", status, signal);
    const readables = [this.stdout, this.stderr].filter((readable) => readable !== null);
    let open = readables.length;
    const close = () => this.emit("close", status, signal);
    for (const [readable, bytes] of [[this.stdout, stdout], [this.stderr, stderr]]) {
      if (!readable) continue;
      readable.once("close", () => --open || close());
      if (bytes?.length > 0) readable.push(asBuffer(bytes));
      readable.push(null);
    }
    if (readables.length === 0) setImmediate(close);
    // Nobody may read it.
    for (const readable of readables) {
      if (readable.listenerCount("data") === 0) setImmediate(() => drained(readable));
    }
  }

  ref() {}
  unref() {}
  disconnect() {}
  send() {
    throw noChannel();
  }
  [Symbol.dispose]() {
    this.kill();
  }
}
function drained(readable) {
  if (readable.readableFlowing === null && readable.listenerCount("readable") === 0) readable.resume();
}

const spawn = (file, args, options) => new ChildProcess(parse("spawn", file, args, options));

/** `exec` and `execFile`. */
function collect(parsed, callback) {
  if (callback !== undefined) checkFunction(callback);
  const { encoding, maxBuffer = MAX_BUFFER } = { encoding: "utf8", ...parsed };
  const child = new ChildProcess({ ...parsed, stdio: "pipe", maxBuffer });
  const parts = { stdout: [], stderr: [] };
  for (const name of ["stdout", "stderr"]) {
    if (Buffer.isEncoding(encoding)) child[name].setEncoding(encoding);
    child[name].on("data", (chunk) => parts[name].push(chunk));
  }
  const whole = (name) => child[name].readableEncoding ? parts[name].join("") : Buffer.concat(parts[name]);
  let failed;
  child.on("error", (error) => failed = error);
  child.on("close", (code, signal) => {
    let [stdout, stderr] = [whole("stdout"), whole("stderr")];
    const cmd = parsed.shown.join(" ");
    let error = failed ?? null;
    const { error: bound } = child.result ?? {};
    if (bound?.code === "ENOBUFS") {
      const name = stdout.length > maxBuffer || stderr.length <= maxBuffer ? "stdout" : "stderr";
      error = coded(RangeError, "ERR_CHILD_PROCESS_STDIO_MAXBUFFER", `${name} maxBuffer length exceeded`);
      [stdout, stderr] = [stdout.slice(0, maxBuffer), stderr.slice(0, maxBuffer)];
    } else if (!error && (code !== 0 || signal !== null)) {
      const killed = child.killed || bound?.code === "ETIMEDOUT";
      error = Object.assign(new Error(`Command failed: ${cmd}\n${stderr}`), { code, killed, signal, cmd });
    }
    if (error) Object.assign(error, { stdout, stderr, cmd });
    callback?.(error, stdout, stderr);
  });
  return child;
}
function exec(command, options, callback) {
  if (typeof options === "function") [options, callback] = [{}, options];
  return collect(parse("exec", command, [], { ...options, shell: options?.shell ?? true }), callback);
}
function execFile(file, args, options, callback) {
  const given = [args, options, callback];
  const called = given.find((each) => typeof each === "function");
  const [first, second] = given.filter((each) => typeof each !== "function");
  return collect(parse("execFile", file, first, second), called);
}
for (const call of [exec, execFile]) {
  Object.defineProperty(call, promisify.custom, {
    value: (...args) => {
      const { promise, resolve, reject } = Promise.withResolvers();
      promise.child = call(
        ...args,
        (error, stdout, stderr) => error ? reject(error) : resolve({ stdout, stderr }),
      );
      return promise;
    },
    configurable: true,
  });
}

export default { ChildProcess, exec, execFile, execFileSync, execSync, fork, spawn, spawnSync };
