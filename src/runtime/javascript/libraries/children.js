/**
 * Processes that this program has started: commands of the session's shell, which run beside it while it waits. What it
 * writes to them goes to the host, and what they print comes from there.
 */
import { asker } from "./host_asker.js";
import { children, isOfShell, whileIdle } from "./process.js";
import { host, platform } from "./runtime.js";

/** How often is looked whether anything has come, ms. */
const LOOK = 3;
/** What is taken at a time. */
const PIECE = 64 * 1024;
/**
 * Where all processes have done nothing for so long but wait for the program, which has nothing else to do, ms: one of the
 * session's own ends; another one ends their input.
 */
const OWN_PATIENCE = 300;
const PATIENCE = 1000;

/** Those that run, or whose pipes are open, by their ids. */
const running = new Map();
let timer;
/** Counts what went to them and came from them. */
let moves = 0;
/** Since when all of them wait. */
let waitSince;

const ask = asker("processes");

/**
 * Begins one.
 *
 * @param request `script`, `name`, `conversation`, and of each stream "pipe", "inherit" or "null".
 * @param told What is called with what comes of it: `output(stream, bytes)`, which returns whether more may come, and `end(stream)`;
 *   `exit(code, signal)`, of which one is null; `close()` when there is nothing more.
 * @returns undefined where no process can run.
 */
export function beginChild(request, told) {
  const answer = ask("begin", request);
  if (!answer?.pid) return undefined;
  const child = new Child(answer.pid, request, told);
  running.set(child.pid, child);
  look();
  return child;
}

class Child {
  #told;
  #outputs;
  /** Pieces of its input, and what is called when one has been taken. */
  #waiting = [];
  #hasEnded = false;
  #takesInput;
  #hasExited = false;
  isRef = true;

  constructor(pid, { stdin, stdout, stderr }, told) {
    this.pid = pid;
    this.#told = told;
    this.#takesInput = stdin === "pipe";
    const piped = Object.entries({ stdout, stderr }).filter(([, target]) => target === "pipe");
    this.#outputs = new Map(piped.map(([stream]) => [stream, { isPaused: false }]));
  }

  /** @param done Called when all was taken, with an error where nobody reads it. */
  write(bytes, done) {
    waitSince = undefined;
    this.#waiting.push({ bytes, done });
    this.pump();
  }

  /** Its input ends with what was written. */
  end() {
    this.#hasEnded = true;
    this.pump();
  }

  /** More of an output may come. */
  resume(stream) {
    const output = this.#outputs.get(stream);
    if (output) output.isPaused = false;
  }

  /** Nobody reads an output any more. */
  close(stream) {
    if (this.#outputs.delete(stream)) ask("close", { pid: this.pid, stream });
  }

  /** @returns Whether it still runs. */
  signal(number) {
    waitSince = undefined;
    const sent = !this.#hasExited && ask("signal", { pid: this.pid, signal: number })?.sent === true;
    look();
    return sent;
  }

  get hasExited() {
    return this.#hasExited;
  }

  pump() {
    this.#give();
    for (const [stream, output] of [...this.#outputs]) this.#take(stream, output);
    if (!this.#hasExited) this.#look();
    if (!this.#hasExited || this.#outputs.size > 0 || !running.delete(this.pid)) return;
    ask("forget", { pid: this.pid });
    this.#told.close();
  }

  #give() {
    while (this.#takesInput && this.#waiting.length > 0) {
      const [first] = this.#waiting;
      const taken = ask("give", { pid: this.pid }, first.bytes)?.taken ?? undefined;
      if (taken === undefined) return this.#refuse();
      moves += taken;
      if (taken < first.bytes.length) {
        first.bytes = first.bytes.subarray(taken);
        return;
      }
      this.#waiting.shift();
      first.done();
    }
    if (this.#takesInput && this.#hasEnded) {
      this.#takesInput = false;
      ask("close", { pid: this.pid, stream: "stdin" });
    }
  }

  #refuse() {
    this.#takesInput = false;
    const error = Object.assign(new Error("write EPIPE"), { code: "EPIPE", errno: -32, syscall: "write" });
    for (const { done } of this.#waiting.splice(0)) done(error);
  }

  #take(stream, output) {
    while (!output.isPaused && this.#outputs.has(stream)) {
      const read = ask("read", { pid: this.pid, stream, most: PIECE }) ?? { state: "end" };
      if (read instanceof Uint8Array) {
        moves++;
        output.isPaused = !this.#told.output(stream, read);
      } else if (read.state === "end") {
        this.#outputs.delete(stream);
        this.#told.end(stream);
      } else return;
    }
  }

  #look() {
    const { state, code, signal } = ask("state", { pid: this.pid }) ?? { state: "unknown" };
    if (state === "running") return;
    moves++;
    this.#hasExited = true;
    this.#refuse();
    // One that is not known was lost: the session went on without it.
    this.#told.exit(code ?? null, state === "ended" ? null : signal ?? SIGKILL);
  }
}

const SIGKILL = 9;

/** While there is something to look for it is looked for. */
function look() {
  if (running.size > 0) timer ??= platform.setInterval(pump, LOOK).unref();
  else if (timer !== undefined) {
    platform.clearInterval(timer);
    timer = undefined;
  }
}

function pump() {
  const before = moves;
  for (const child of [...running.values()]) child.pump();
  if (moves > before) waitSince = undefined;
  look();
}

/** A program has ended, and its timers with it: the next one in this heap hears of those that go on. */
export function handChildrenOver() {
  timer = waitSince = undefined;
  look();
}

/** Nothing else is left to do but to wait for them. @returns Whether that is to be done. */
function waitsForChildren() {
  if (![...running.values()].some((child) => child.isRef)) return false;
  const { all } = ask("waiting") ?? { all: false };
  const now = host.now();
  waitSince = all ? waitSince ?? now : undefined;
  const ms = now - (waitSince ?? now);
  if (!isOfShell && ms >= OWN_PATIENCE) return false;
  if (ms >= PATIENCE) { for (const child of running.values()) child.end(); }
  platform.setTimeout(() => {}, LOOK);
  return true;
}
whileIdle.add(waitsForChildren);
children.kill = (pid, number) => {
  const child = running.get(pid);
  return child !== undefined && (number === 0 ? !child.hasExited : child.signal(number));
};
