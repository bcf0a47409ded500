/** `child_process`: commands of the session's shell, which run beside the program, or as a whole while it waits (`*Sync`). */
import buffer, { asBuffer } from "./buffer.js";
import { abortError, checkFunction, checkString, coded, invalidArgType, notHere } from "./errors.js";
import EventEmitter from "./events.js";
import { beginChild } from "./children.js";
import { fork } from "./fork.js";
import fs from "./fs.js";
import process from "./process.js";
import { platform } from "./runtime.js";
import { environment, missingOf, quoted, redirections, runCommand } from "./shell_script.js";
import { os } from "./os.js";
import stream from "./stream.js";
import { promisify } from "./util.js";

const { Buffer } = buffer;
const { Readable, Writable } = stream;
const NO_SHELL = "commands can't be run from here";
const INSTEAD = 'Shell commands run with execute_command, or execute_code with language="shell"';
const MAX_BUFFER = 1024 * 1024;
const NUMBERS = { ENOENT: -2, EACCES: -13 };
const ETIMEDOUT = -110;
const ENOBUFS = -105;
const SHELLS = new Set(["/bin/sh", "/bin/bash", "sh", "bash"]);

/** Shells that read what they are to do, and options with which they do. */
const BARE = new Set(["bash", "sh", "dash", "/bin/bash", "/bin/sh", "/usr/bin/bash"]);
const BARE_OPTIONS = new Set(["-s", "-l", "-i", "--login", "--norc", "--noprofile", "--posix"]);
/** Most characters of the name under which a process is shown. */
const NAME_MAX = 200;
const BROKEN_PIPE = 13;

const nameOf = (number) => Object.entries(os.constants.signals).find(([, each]) => each === number)?.[0];

/** The name of a signal; undefined for 0, which only asks. */
function signalOf(signal) {
  if (signal === 0) return undefined;
  const { signals } = os.constants;
  const name = typeof signal === "number" ? nameOf(signal) : `${signal}`.toUpperCase();
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

/** What becomes of stdin, stdout and stderr: "pipe", "inherit", "ignore", or the number of an open file. */
function streamsOf(stdio = "pipe") {
  const given = Array.isArray(stdio) ? stdio : [stdio, stdio, stdio];
  return [0, 1, 2].map((at) => {
    const kind = given[at] ?? "pipe";
    if (kind === "overlapped") return "pipe";
    if (["pipe", "inherit", "ignore"].includes(kind)) return kind;
    if (kind === "ipc") throw noChannel();
    const fd = typeof kind === "number" ? kind : kind.fd;
    if (fd === at || fd === 0) return "inherit";
    if (typeof fd === "number") return fd;
    throw notHere("This entry of the option 'stdio'", "it is no open file", "Use 'pipe', and pipe() it");
  });
}
const noChannel = () =>
  notHere(
    "A channel to a command",
    "it is none of Node's programs",
    "Use fork(), or let it print, and read that",
  );

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
  const [kind, ...stdio] = streamsOf(options.stdio);
  const { timeout = 0, killSignal = "SIGTERM", maxBuffer = MAX_BUFFER, signal } = options;
  if (signal?.aborted) throw abortError(signal);
  const input = typeof kind === "number" ? rest(kind) : bytesOf(options.input);
  const ran = runCommand({ ...options, timeout, stdio, input });
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
  #child;
  #isShell;
  #timer;

  constructor(options) {
    super();
    const kinds = streamsOf(options.stdio);
    this.#isShell = options.line !== undefined;
    this.spawnfile = options.spawned[0];
    this.spawnargs = options.spawned;
    Object.assign(this, { exitCode: null, signalCode: null, killed: false, connected: false });
    const [stdout, stderr] = [1, 2].map((fd) => kinds[fd] === "pipe" ? this.#output(names[fd]) : null);
    const stdin = kinds[0] === "pipe" ? this.#input() : null;
    Object.assign(this, { stdin, stdout, stderr, stdio: [stdin, stdout, stderr] });
    const missing = missingOf(options);
    if (missing) return this.#fail(failure("spawn", options, NUMBERS[missing], missing));
    this.#child = beginChild(requestOf(options, kinds), {
      output: (stream, bytes) => this[stream].push(asBuffer(bytes)),
      end: (stream) => void this[stream].push(null),
      exit: (code, signal) => this.#exit(code, signal),
      close: () => this.#close(),
    });
    if (!this.#child) throw notHere("spawn of Node's module 'child_process'", NO_SHELL, INSTEAD);
    this.pid = this.#child.pid;
    if (typeof kinds[0] === "number") {
      this.#child.write(rest(kinds[0]), () => {});
      this.#child.end();
    }
    this.#follow(options);
    setImmediate(() => this.emit("spawn"));
  }

  #output(stream) {
    return new Readable({
      read: () => this.#child?.resume(stream),
      destroy: (error, done) => {
        this.#child?.close(stream);
        done(error);
      },
    });
  }

  #input() {
    return new Writable({
      write: (chunk, encoding, done) =>
        this.#child ? this.#child.write(bytesOf(chunk, encoding), done) : done(),
      final: (done) => {
        this.#child?.end();
        done();
      },
      destroy: (error, done) => {
        this.#child?.end();
        done(error);
      },
    });
  }

  #follow({ signal, timeout = 0, killSignal = "SIGTERM" }) {
    if (timeout > 0) this.#timer = platform.setTimeout(() => this.kill(killSignal), timeout);
    if (!signal) return;
    const abort = () => {
      if (this.kill(killSignal)) this.emit("error", abortError(signal));
    };
    if (signal.aborted) process.nextTick(abort);
    else signal.addEventListener("abort", abort, { once: true });
    this.once("exit", () => signal.removeEventListener("abort", abort));
  }

  /** It could not be started. */
  #fail(error) {
    process.nextTick(() => {
      this.emit("error", error);
      for (const readable of [this.stdout, this.stderr]) readable?.push(null);
      this.stdin?.destroy();
      this.emit("close", error.errno, null);
    });
  }

  #exit(code, signal) {
    platform.clearTimeout(this.#timer);
    // Of a shell that is nothing but its command's.
    const number = code === 128 + BROKEN_PIPE && !this.#isShell ? BROKEN_PIPE : signal;
    if (number === null) this.exitCode = code;
    else this.signalCode = nameOf(number);
    this.stdin?.destroy();
    this.emit("exit", this.exitCode, this.signalCode);
    // Nobody may read it.
    for (const readable of [this.stdout, this.stderr]) readable && setImmediate(() => drained(readable));
  }

  #close() {
    const open = [this.stdout, this.stderr].filter((readable) => readable && !readable.closed);
    let count = open.length;
    const close = () => this.emit("close", this.exitCode, this.signalCode);
    for (const readable of open) readable.once("close", () => --count || close());
    if (count === 0) setImmediate(close);
  }

  kill(signal = "SIGTERM") {
    const name = signalOf(signal);
    if (!this.#child || this.#child.hasExited) return false;
    if (name === undefined) return this.killed = true;
    const number = os.constants.signals[name];
    if (!this.#child.signal(number)) return false;
    this.killed = true;
    return true;
  }

  ref() {
    if (this.#child) this.#child.isRef = true;
  }
  unref() {
    if (this.#child) this.#child.isRef = false;
  }
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

const names = ["stdin", "stdout", "stderr"];

/** What is to be begun, as `beginChild` has it. */
function requestOf({ line, file, args = [], cwd, env, shown }, kinds) {
  // What goes to the other one of the program's own streams is that one's.
  const target = (kind) =>
    kind === "pipe" ? "pipe" : kind === "inherit" || kind === 1 || kind === 2 ? "inherit" : "null";
  const isBare = line === undefined && BARE.has(file) && args.every((arg) => BARE_OPTIONS.has(arg));
  const command = line ?? [file, ...args].map(quoted).join(" ");
  const conversation = isBare && kinds[0] === "pipe" ? command : null;
  const script = [
    `cd ${quoted(cwd ?? process.cwd())}`,
    ...environment(env ?? process.env),
    ...redirections(kinds.slice(1)).map((each) => `exec ${each}`),
    ...conversation === null ? [command] : [],
  ].join("; ");
  return {
    script,
    name: shown.join(" ").slice(0, NAME_MAX),
    conversation,
    stdin: kinds[0] === "ignore" || kinds[0] === "inherit" ? "null" : "pipe",
    stdout: target(kinds[1]),
    stderr: target(kinds[2]),
  };
}

/** What is left of an open file. */
function rest(fd) {
  const pieces = [];
  for (;;) {
    const piece = Buffer.alloc(65536);
    const count = fs.readSync(fd, piece);
    if (count === 0) return Buffer.concat(pieces);
    pieces.push(piece.subarray(0, count));
  }
}

const spawn = (file, args, options) => new ChildProcess(parse("spawn", file, args, options));

/** `exec` and `execFile`. */
function collect(parsed, callback) {
  if (callback !== undefined) checkFunction(callback);
  const { encoding, maxBuffer = MAX_BUFFER } = { encoding: "utf8", ...parsed };
  const child = new ChildProcess({ ...parsed, stdio: "pipe" });
  const parts = { stdout: [], stderr: [] };
  const lengths = { stdout: 0, stderr: 0 };
  let failed = null;
  for (const name of ["stdout", "stderr"]) {
    if (Buffer.isEncoding(encoding)) child[name].setEncoding(encoding);
    child[name].on("data", (chunk) => {
      const left = maxBuffer - lengths[name];
      lengths[name] += chunk.length;
      parts[name].push(chunk.length > left ? chunk.slice(0, Math.max(0, left)) : chunk);
      if (chunk.length <= left || failed) return;
      failed = coded(RangeError, "ERR_CHILD_PROCESS_STDIO_MAXBUFFER", `${name} maxBuffer length exceeded`);
      child.kill(parsed.killSignal);
    });
  }
  const whole = (name) => child[name].readableEncoding ? parts[name].join("") : Buffer.concat(parts[name]);
  child.on("error", (error) => failed ??= error);
  child.on("close", (code, signal) => {
    const [stdout, stderr] = [whole("stdout"), whole("stderr")];
    const cmd = parsed.shown.join(" ");
    let error = failed;
    if (!error && (code !== 0 || signal !== null)) {
      const { killed } = child;
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
