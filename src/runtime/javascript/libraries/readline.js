/** `readline` over any stream. There is no terminal: a question is written, and the next line is its answer. */
import events from "./events.js";
import string from "./string_decoder.js";
import { abortError, checkFunction, checkNumber, coded } from "./errors.js";
import { platform } from "./runtime.js";

const CLOSED = () => coded(Error, "ERR_USE_AFTER_CLOSE", "readline was closed");

class Interface extends events {
  #decoder = new string.StringDecoder("utf8");
  #rest = "";
  #lines = [];
  #waiting = [];
  #question;
  #prompt;
  #paused = false;
  #returned = false;
  #listeners;
  constructor(input, output) {
    super();
    const options = input !== null && typeof input === "object" && "input" in input
      ? input
      : { input, output };
    this.input = options.input;
    this.output = options.output;
    this.terminal = false;
    this.line = "";
    this.cursor = 0;
    this.closed = false;
    this.history = [];
    this.#prompt = options.prompt ?? "> ";
    this.#listeners = {
      data: (chunk) => this.#add(typeof chunk === "string" ? chunk : this.#decoder.write(chunk)),
      end: () => {
        const last = this.#rest + this.#decoder.end();
        this.#rest = "";
        if (last !== "") this.#take(last);
        this.close();
      },
      error: (error) => this.emit("error", error),
    };
    if (!this.input) return;
    for (const name in this.#listeners) this.input.on(name, this.#listeners[name]);
    options.signal?.addEventListener("abort", () => this.close(), { once: true });
    this.input.resume?.();
  }
  #add(text) {
    let whole = this.#rest + text;
    if (this.#returned && whole.startsWith("\n")) whole = whole.slice(1);
    this.#returned = false;
    const lines = whole.split(/\r\n|\n|\r(?!$)|\u2028|\u2029/);
    const last = lines.pop();
    this.#rest = last;
    if (last.endsWith("\r")) {
      this.#rest = "";
      this.#returned = true;
      lines.push(last.slice(0, -1));
    }
    for (const line of lines) this.#take(line);
  }
  #take(line) {
    if (this.closed && !this.#question) return;
    if (this.#question) {
      const answer = this.#question;
      this.#question = undefined;
      answer(line);
    } else if (this.#paused) this.#lines.push(line);
    else this.emit("line", line);
  }
  getPrompt() {
    return this.#prompt;
  }
  setPrompt(prompt) {
    this.#prompt = `${prompt}`;
  }
  prompt() {
    if (this.closed) throw CLOSED();
    this.output?.write(this.#prompt);
    this.resume();
  }
  question(query, options, callback) {
    if (typeof options === "function") [options, callback] = [{}, options];
    checkFunction(callback, "cb");
    if (this.closed) throw CLOSED();
    this.output?.write(query);
    const take = (line) => callback(line);
    this.#question = take;
    options?.signal?.addEventListener("abort", () => {
      if (this.#question === take) this.#question = undefined;
    }, { once: true });
    if (this.#lines.length > 0) this.#take(this.#lines.shift());
  }
  write(data) {
    if (this.closed) throw CLOSED();
    if (data !== null && data !== undefined) this.#add(`${data}`);
  }
  pause() {
    if (this.#paused) return this;
    this.#paused = true;
    this.input?.pause?.();
    this.emit("pause");
    return this;
  }
  resume() {
    if (!this.#paused) return this;
    this.#paused = false;
    this.input?.resume?.();
    this.emit("resume");
    for (const line of this.#lines.splice(0)) this.#take(line);
    return this;
  }
  close() {
    if (this.closed) return;
    this.closed = true;
    for (const name of ["data", "end"]) this.input?.removeListener(name, this.#listeners[name]);
    this.input?.pause?.();
    this.emit("close");
  }
  getCursorPos() {
    return { rows: 0, cols: 0 };
  }
  [Symbol.dispose ?? Symbol.for("nodejs.dispose")]() {
    this.close();
  }
}

/** The lines one by one; those that come meanwhile wait. */
function linesOf(source) {
  const lines = [];
  const waiting = [];
  let done = source.closed;
  source.on(
    "line",
    (line) => waiting.length > 0 ? waiting.shift().resolve({ value: line, done: false }) : lines.push(line),
  );
  let failure;
  source.on("error", (error) => {
    done = true;
    if (waiting.length > 0) waiting.shift().reject(error);
    else failure = { error };
    source.close();
  });
  source.once("close", () => {
    done = true;
    for (const each of waiting.splice(0)) each.resolve({ value: undefined, done: true });
  });
  return {
    next: () => {
      if (lines.length > 0) return Promise.resolve({ value: lines.shift(), done: false });
      if (failure) {
        const { error } = failure;
        failure = undefined;
        return Promise.reject(error);
      }
      if (done) return Promise.resolve({ value: undefined, done: true });
      return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
    },
    return: () => {
      source.close();
      return Promise.resolve({ value: undefined, done: true });
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
/** One of each: loops over the same interface share its lines. */
const iterators = new WeakMap();
Interface.prototype[Symbol.asyncIterator] = function () {
  if (!iterators.has(this)) iterators.set(this, linesOf(this));
  return iterators.get(this);
};

class PromisedInterface extends Interface {
  question(query, { signal } = {}) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(abortError(signal));
      signal?.addEventListener("abort", () => reject(abortError(signal)), { once: true });
      this.once("close", () => reject(abortError()));
      super.question(query, resolve);
    });
  }
}
Interface.prototype.question[Symbol.for("nodejs.util.promisify.custom")] = function (query, options) {
  return PromisedInterface.prototype.question.call(this, query, options);
};

const ESC = "\x1b[";
/** What moves the cursor of a terminal, as Node writes it whatever the stream is. */
function write(output, text, callback) {
  if (callback !== undefined) checkFunction(callback);
  if (output === null || output === undefined || text === "") {
    if (callback) platform.process.nextTick(callback, null);
    return true;
  }
  return output.write(text, callback);
}
const lineOf = (direction) => `${ESC}${direction < 0 ? 1 : direction > 0 ? 0 : 2}K`;
const placeOf = (x, y) => typeof y === "number" ? `${ESC}${y + 1};${x + 1}H` : `${ESC}${x + 1}G`;
const wayOf = (dx, dy) =>
  (dx < 0 ? `${ESC}${-dx}D` : dx > 0 ? `${ESC}${dx}C` : "") +
  (dy < 0 ? `${ESC}${-dy}A` : dy > 0 ? `${ESC}${dy}B` : "");
const moves = {
  clearLine: (output, direction, callback) => write(output, lineOf(direction), callback),
  clearScreenDown: (output, callback) => write(output, `${ESC}0J`, callback),
  cursorTo(output, x, y, callback) {
    const [row, done] = typeof y === "function" ? [undefined, y] : [y, callback];
    checkNumber(x, "x");
    return write(output, placeOf(x, row), done);
  },
  moveCursor: (output, dx, dy, callback) => write(output, wayOf(dx, dy), callback),
  emitKeypressEvents() {},
};

/** Moves that are written together. */
class Readline {
  #output;
  #todo = [];
  #commits;
  constructor(output, { autoCommit = false } = {}) {
    this.#output = output;
    this.#commits = autoCommit;
  }
  #add(text) {
    if (this.#commits) platform.process.nextTick(() => this.#output.write(text));
    else this.#todo.push(text);
    return this;
  }
  clearLine(direction) {
    return this.#add(lineOf(direction));
  }
  clearScreenDown() {
    return this.#add(`${ESC}0J`);
  }
  cursorTo(x, y) {
    return this.#add(placeOf(x, y));
  }
  moveCursor(dx, dy) {
    return this.#add(wayOf(dx, dy));
  }
  commit() {
    return new Promise((resolve) => this.#output.write(this.#todo.splice(0).join(""), () => resolve()));
  }
  rollback() {
    this.#todo = [];
    return this;
  }
}

export const promises = {
  Interface: PromisedInterface,
  createInterface: (...args) => new PromisedInterface(...args),
  Readline,
};
export default { Interface, createInterface: (...args) => new Interface(...args), ...moves, promises };
