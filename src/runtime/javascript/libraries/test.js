/** `node:test`: tests, suites, hooks and mocks. */
import assert from "./assert.js";
import process from "./process.js";
import { checkFunction } from "./errors.js";
import { createMocks } from "./test_mocks.js";
import { failureOf, reporters } from "./test_reporters.js";
import { host, platform } from "./runtime.js";
import { hasFailed, HEADERS, noCounts, SUMMARIES } from "../test_summary.ts";

/** What a run of tests has counted, and what failed. */
let totals;
/** The tests and suites outside of any other that wait, and whether they are being run. */
const queue = [];
let running = false;
let current;
/** Given by whoever runs several files and makes one report of them; absent: the report is made here. */
let tell;
/** What a command line asks for: tests by patterns of their names, those with `only`, a time, a reporter; `first`: those told before. */
let asked = { names: [], skips: [], only: false, reporter: "spec", first: { top: 0, all: 0 } };
const reporter = () => reporters[asked.reporter];

function begin() {
  totals = { ...noCounts(), began: host.now(), failures: [] };
  if (!tell) process.stdout.write(HEADERS[asked.reporter]);
}

/** A test or a suite. */
class Node {
  constructor(kind, name, options, call, parent) {
    Object.assign(this, { kind, name, options, call, parent });
    this.depth = parent ? parent.depth + 1 : 0;
    this.children = [];
    this.hooks = { before: [], after: [], beforeEach: [], afterEach: [] };
    this.diagnostics = [];
    this.failed = false;
  }
  get fullName() {
    return this.parent ? `${this.parent.fullName} > ${this.name}` : this.name;
  }
}

/** What the arguments of `test` and `describe` say: each may be left out. */
function given(args) {
  const name = args.find((each) => typeof each === "string");
  const options = args.find((each) => typeof each === "object" && each !== null) ?? {};
  const call = args.find((each) => typeof each === "function");
  return { name: name ?? (call?.name || "<anonymous>"), options, call: call ?? (() => {}) };
}

class TestContext {
  #node;
  #planned;
  #asserted = 0;
  constructor(node, controller) {
    this.#node = node;
    this.signal = controller.signal;
    this.mock = createMocks();
    this.assert = Object.fromEntries(
      Object.entries(assert).filter(([, method]) => typeof method === "function").map(([name, method]) => [
        name,
        (...args) => {
          this.#asserted++;
          return method(...args);
        },
      ]),
    );
  }
  get name() {
    return this.#node.name;
  }
  get fullName() {
    return this.#node.fullName;
  }
  test(...args) {
    this.#asserted++;
    return subtest(this.#node, "test", args);
  }
  diagnostic(message) {
    this.#node.diagnostics.push(`${message}`);
  }
  skip(message) {
    this.#node.skipped = message ?? true;
  }
  todo(message) {
    this.#node.todo = message ?? true;
  }
  plan(count) {
    this.#planned = count;
  }
  runOnly() {}
  before(call) {
    this.#node.hooks.before.push(call);
  }
  after(call) {
    this.#node.hooks.after.push(call);
  }
  beforeEach(call) {
    this.#node.hooks.beforeEach.push(call);
  }
  afterEach(call) {
    this.#node.hooks.afterEach.push(call);
  }
  checkPlan() {
    if (this.#planned !== undefined && this.#planned !== this.#asserted) {
      throw new Error(`plan expected ${this.#planned} assertions but received ${this.#asserted}`);
    }
  }
}

/** A test within a running one: it runs after those that were begun before it. */
function subtest(parent, kind, args) {
  const { name, options, call } = given(args);
  const node = new Node(kind, name, options, call, parent);
  parent.children.push(node);
  announce(parent);
  parent.last = (parent.last ?? Promise.resolve()).then(() => run(node));
  return parent.last;
}

/** The line above what is within. */
function announce(node) {
  if (node.announced) return;
  node.announced = true;
  if (node.parent) announce(node.parent);
  reporter().announce(node);
}

const CANCELLED = "test did not finish before its parent and was cancelled";
/** Errors of tests that took too long: those are cancelled. */
const late = new WeakSet();

async function limited(promise, ms, controller) {
  if (ms === undefined || ms === Infinity) return await promise;
  let timer;
  const timedOut = new Promise((_resolve, reject) => {
    timer = setTimeout(() => {
      controller.abort();
      const error = new Error(`test timed out after ${ms}ms`);
      late.add(error);
      reject(error);
    }, ms);
  });
  try {
    return await Promise.race([promise, timedOut]);
  } finally {
    clearTimeout(timer);
  }
}

/** A function that ends by what it gives, or by calling its last parameter. */
async function called(call, context, self) {
  if (call.length < 2) return await call.call(self, context);
  return await new Promise((resolve, reject) => {
    const done = (error) => error ? reject(error) : resolve();
    const returned = call.call(self, context, done);
    if (typeof returned?.then === "function") {
      reject(new Error("passed a callback but also returned a Promise"));
    }
  });
}

const outer = (node, name) =>
  node
    ? name === "beforeEach"
      ? [...outer(node.parent, name), ...node.hooks[name]]
      : [...node.hooks[name], ...outer(node.parent, name)]
    : roots[name];
const roots = { before: [], after: [], beforeEach: [], afterEach: [] };

async function run(node) {
  const { options } = node;
  const controller = new platform.AbortController();
  const context = new TestContext(node, controller);
  const start = host.now();
  const before = current;
  let error;
  node.skipped = options.skip || leftOut(node);
  node.todo = options.todo || false;
  if (!node.skipped) {
    current = node;
    try {
      if (node.kind === "suite") await runSuite(node, context);
      else {
        for (const each of outer(node.parent, "beforeEach")) await called(each, context);
        try {
          await limited(called(node.call, context), options.timeout ?? asked.timeout, controller);
          await node.last;
          for (const each of node.children) {
            if (!each.failed || each.todo) continue;
            const failed = node.children.filter((child) => child.failed && !child.todo).length;
            throw subtestsFailed(failed);
          }
          context.checkPlan();
        } finally {
          for (const each of [...node.hooks.after]) await called(each, context);
          for (const each of outer(node.parent, "afterEach")) await called(each, context);
        }
      }
    } catch (caught) {
      error = { caught };
    }
    context.mock.reset();
    current = before;
  }
  end(node, host.now() - start, error);
}

async function runSuite(node, context) {
  await node.collected;
  if (node.children.length > 0) announce(node);
  try {
    try {
      if (node.collectError) throw node.collectError.error;
      for (const each of node.hooks.before) await called(each, context);
    } catch (error) {
      cancelChildren(node);
      throw error;
    }
    for (const child of node.children) await run(child);
  } finally {
    for (const each of node.hooks.after) await called(each, context);
  }
  const failed = node.children.filter((child) => child.failed && !child.todo).length;
  if (failed > 0) throw subtestsFailed(failed);
}
/** A suite that did not come to its tests has not passed them. */
function cancelChildren(node) {
  for (const child of node.children) {
    if (child.kind === "suite") {
      if (child.children.length > 0) announce(child);
      cancelChildren(child);
    }
    child.skipped = child.options.skip;
    child.todo = child.options.todo || false;
    end(child, 0, child.skipped ? undefined : { caught: CANCELLED });
  }
}
const subtestsFailed = (count) =>
  Object.assign(new Error(`${count} subtest${count > 1 ? "s" : ""} failed`), {
    code: "ERR_TEST_FAILURE",
    ofSubtests: true,
  });

function end(node, ms, error) {
  const { skipped, todo } = node;
  node.done?.();
  node.collecting = false;
  node.failed = error !== undefined;
  if (node.kind === "suite") totals.suites++;
  else {
    totals.tests++;
    if (skipped) totals.skipped++;
    else if (todo) totals.todo++;
    else if (error?.caught === CANCELLED || late.has(error?.caught)) totals.cancelled++;
    else if (error) totals.fail++;
    else totals.pass++;
  }
  if (!node.parent) totals.top++;
  const number = node.parent ? 1 + (node.parent.ended ?? 0) : asked.first.top + totals.top;
  if (node.parent) node.parent.ended = number;
  if (node.parent && asked.reporter === "tap") announce(node.parent);
  reporter().ended(node, ms, error, number, asked.first.all + totals.tests + totals.suites);
  if (error && !todo && !error.caught?.ofSubtests) totals.failures.push(failureOf(node, ms, error.caught));
}

const spacedName = ({ name, parent }) => parent ? `${spacedName(parent)} ${name}` : name;
/** Why a command line leaves a test out; false if it does not. */
function leftOut(node) {
  if (onlyMode && !isOnly(node)) return "'only' option not set";
  if (node.kind === "suite") return false;
  const name = spacedName(node);
  const { names, skips } = asked;
  const matches = ({ source, flags }) => new RegExp(source, flags).test(name);
  if (names.length > 0 && !names.some(matches)) return "test name does not match pattern";
  return skips.some(matches) && "test name matches skip pattern";
}

let onlyMode = false;
const isWithinOnly = ({ options, parent }) => Boolean(options.only || parent && isWithinOnly(parent));
const hasOnly = ({ options, children }) => Boolean(options.only || children.some(hasOnly));
/** What has `only`, is within it, or leads to it. */
const isOnly = (node) => isWithinOnly(node) || hasOnly(node);

async function runQueue() {
  running = true;
  while (queue.length > 0) await run(queue.shift());
  running = false;
  for (const each of roots.after.splice(0)) await called(each, {});
  // What comes with later turns of the loop is still of this run.
  setImmediate(() =>
    setImmediate(() => {
      if (!running && queue.length === 0 && totals) finish();
    })
  );
}
async function runRootHooks() {
  for (const each of roots.before.splice(0)) await called(each, {});
}

function finish() {
  const counted = totals;
  totals = undefined;
  if (hasFailed(counted)) process.exitCode = 1;
  const summary = { ...counted, duration: host.now() - counted.began };
  if (tell) tell(summary);
  else process.stdout.write(SUMMARIES[asked.reporter](summary));
  for (const name of ["beforeEach", "afterEach"]) roots[name] = [];
  onlyMode = asked.only;
}

function register(kind, args, parent) {
  const { name, options, call } = given(args);
  if (options.only) onlyMode = true;
  const node = new Node(kind, name, options, call, parent);
  if (kind === "suite") {
    const before = current;
    current = node;
    node.collecting = true;
    try {
      node.collected = options.skip
        ? undefined
        : call.call({ name }, { name, signal: new platform.AbortController().signal });
      node.collected?.then?.(undefined, (error) => void (node.collectError = { error }));
    } catch (error) {
      node.collectError = { error };
    }
    current = before;
    if (typeof node.collected?.then !== "function") node.collecting = false;
    else node.collected = node.collected.then(() => void (node.collecting = false), () => {});
  }
  if (parent) {
    parent.children.push(node);
    return Promise.resolve();
  }
  if (!totals) begin();
  queue.push(node);
  const done = new Promise((resolve) => node.done = resolve);
  if (!running) {
    running = true;
    setImmediate(() => runRootHooks().then(runQueue));
  }
  return done.then(() => undefined);
}

function make(kind) {
  const method = (...args) => {
    if (current && !(current.kind === "suite" && current.collecting) && kind === "test") {
      return subtest(current, "test", args);
    }
    return register(kind, args, current);
  };
  return method;
}
/** With `test.skip` and the like. */
function variants(kind) {
  const base = make(kind);
  const called = (...args) => base(...args);
  for (const option of ["skip", "todo", "only"]) {
    called[option] = (...args) => {
      const { name, options, call } = given(args);
      return base(name, { ...options, [option]: true }, call);
    };
  }
  return called;
}
function hook(name) {
  return (call) => {
    checkFunction(call, "fn");
    const list = current ? current.hooks : roots;
    list[name].push(call);
  };
}

const test = variants("test");
const it = variants("test");
const describe = variants("suite");
const mock = createMocks();
Object.assign(test, {
  test,
  it,
  describe,
  suite: describe,
  before: hook("before"),
  after: hook("after"),
  beforeEach: hook("beforeEach"),
  afterEach: hook("afterEach"),
  mock,
  run() {
    throw new Error(
      "run of node:test is not here: a program's tests run by themselves, and node --test runs those of files",
    );
  },
});

/** What a command line asks for; with a listener, somebody else makes the report from now on. */
export function testBy(options, listener) {
  asked = options;
  onlyMode = options.only;
  tell = listener;
}
export default test;
