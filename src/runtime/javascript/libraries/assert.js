/** `assert`. The package of that name shows values by an inspector of its own, and is of Node 12. */
import { checkFunction, coded, invalidArgType, invalidArgValue } from "./errors.js";
import { isDeepEqual } from "./comparisons.js";
import { wordsFor } from "./assert_diff.js";
import { calledText } from "./assert_source.js";
import { hooks } from "./runtime.js";

export class AssertionError extends Error {
  constructor(options) {
    if (options === null || typeof options !== "object") throw invalidArgType("options", "Object", options);
    const { message, operator, actual, expected } = options;
    super(
      message === undefined || message === null ? wordsFor(operator, actual, expected) : `${message}`,
    );
    this.generatedMessage = message === undefined || message === null;
    this.code = "ERR_ASSERTION";
    this.actual = actual;
    this.expected = expected;
    this.operator = operator;
    Object.defineProperty(this, "name", { value: "AssertionError", writable: true, configurable: true });
    hooks.showCode(this, this.code);
  }
  toString() {
    return `${this.name} [${this.code}]: ${this.message}`;
  }
}

/** @param words What is said if there is no message; absent: what the values say. */
function fail({ message, words, ...about }) {
  if (message instanceof Error) throw message;
  const error = new AssertionError({ message: message ?? words, ...about });
  error.generatedMessage = message === undefined || message === null;
  throw error;
}

const compared = (name, holds) =>
  ({
    [name](...args) {
      if (args.length < 2) {
        throw coded(TypeError, "ERR_MISSING_ARGS", 'The "actual" and "expected" arguments must be specified');
      }
      const [actual, expected, message] = args;
      if (!holds(actual, expected)) fail({ actual, expected, message, operator: SIGNS[name] ?? name });
    },
  })[name];
const SIGNS = { equal: "==", notEqual: "!=" };
const loose = (a, b) => a == b || a !== a && b !== b;

/** What is compared of two errors. */
class Comparison {
  constructor(source, keys) {
    for (const key of keys) if (key in source) this[key] = source[key];
  }
}

function expectedError(error, expected, message, name) {
  if (expected === undefined) return;
  if (typeof expected === "function") {
    if (expected.prototype !== undefined && error instanceof expected) return;
    if (Object.prototype.isPrototypeOf.call(Error, expected) || expected === Error) {
      fail({
        actual: error,
        expected,
        operator: name,
        message,
        words: `The error is expected to be an instance of "${expected.name}". Received ${
          error instanceof Error
            ? `"${error.constructor?.name ?? error.name}"`
            : `"${hooks.inspect(error, { depth: -1 })}"`
        }${error instanceof Error ? `\n\nError message:\n\n${error.message}` : ""}`,
      });
    }
    const result = expected.call({}, error);
    if (result === true) return;
    fail({
      actual: error,
      expected,
      operator: name,
      message,
      words: `${
        expected.name ? `The "${expected.name}" validation function` : "The validation function"
      } is expected to return "true". Received ${hooks.inspect(result)}\n\nCaught error:\n\n${
        hooks.inspect(error)
      }`,
    });
  } else if (expected instanceof RegExp) {
    if (expected.test(`${error}`)) return;
    fail({
      actual: error,
      expected,
      operator: name,
      message,
      words: `The input did not match the regular expression ${hooks.inspect(expected)}. Input:\n\n${
        hooks.inspect(`${error}`)
      }\n`,
    });
  } else if (typeof expected === "object" && expected !== null) {
    const keys = Object.keys(expected);
    if (expected instanceof Error) keys.push("name", "message");
    else if (keys.length === 0) throw invalidArgValue("error", expected, "may not be an empty object");
    if (typeof error !== "object" || error === null) {
      fail({ actual: error, expected, message, operator: name });
    }
    for (const key of new Set(keys)) {
      if (
        typeof error[key] === "string" && expected[key] instanceof RegExp && expected[key].test(error[key])
      ) continue;
      if (key in error && isDeepEqual(error[key], expected[key], true)) continue;
      const pick = (source) => new Comparison(source, keys);
      if (message !== undefined) fail({ actual: error, expected, message, operator: name });
      const made = new AssertionError({
        actual: pick(error),
        expected: pick(expected),
        operator: "deepStrictEqual",
      });
      Object.assign(made, { actual: error, expected, operator: name });
      throw made;
    }
  } else throw invalidArgType("expected", ["Function", "Error", "RegExp", "Object"], expected);
}

function thrownBy(call) {
  checkFunction(call, "fn");
  try {
    call();
  } catch (error) {
    return { error };
  }
  return undefined;
}
function kindOf(value) {
  if (value === null || value === undefined) return `${value}`;
  return value.constructor?.name ? `an instance of ${value.constructor.name}` : `type ${typeof value}`;
}
async function rejectionOf(promiseOrCall) {
  let promise = promiseOrCall;
  if (typeof promiseOrCall === "function") {
    promise = promiseOrCall();
    if (typeof promise?.then !== "function") {
      throw coded(
        TypeError,
        "ERR_INVALID_RETURN_VALUE",
        `Expected instance of Promise to be returned from the "promiseFn" function but got ${
          kindOf(promise)
        }.`,
      );
    }
  } else if (typeof promise?.then !== "function") {
    throw invalidArgType("promiseFn", ["Function", "Promise"], promise);
  }
  try {
    await promise;
  } catch (error) {
    return { error };
  }
  return undefined;
}
function checkThrown(caught, name, expected, message) {
  if (typeof expected === "string") {
    if (message !== undefined) {
      throw invalidArgType("error", ["Function", "Error", "RegExp", "Object"], expected);
    }
    message = expected;
    expected = undefined;
  }
  if (caught) return expectedError(caught.error, expected, message, name);
  const what = name === "rejects" ? "rejection" : "exception";
  const named = expected?.name ? ` (${expected.name})` : "";
  fail({
    actual: undefined,
    expected,
    operator: name,
    message: message instanceof Error
      ? message
      : `Missing expected ${what}${named}${message ? `: ${message}` : "."}`,
  });
}
function checkNotThrown(caught, name, expected, message) {
  if (!caught) return;
  if (typeof expected === "string") [message, expected] = [expected, undefined];
  if (
    expected &&
    !(typeof expected === "function"
      ? expected.prototype !== undefined && caught.error instanceof expected ||
        Object.prototype.isPrototypeOf.call(Error, expected) === false &&
          expected.call({}, caught.error) === true
      : expected.test(`${caught.error}`))
  ) {
    throw caught.error;
  }
  const what = name === "doesNotReject" ? "rejection" : "exception";
  fail({
    actual: caught.error,
    expected,
    operator: name,
    message: `Got unwanted ${what}${
      message ? `: ${message}` : "."
    }\nActual message: "${caught.error?.message}"`,
  });
}

function matching(name, wanted) {
  return {
    [name](text, pattern, message) {
      if (!(pattern instanceof RegExp)) throw invalidArgType("regexp", "RegExp", pattern);
      if (typeof text === "string" && pattern.test(text) === wanted) return;
      const words = typeof text !== "string"
        ? `The "string" argument must be of type string. Received type ${typeof text} (${
          hooks.inspect(text)
        })`
        : `The input ${wanted ? "did not match" : "was expected to not match"} the regular expression ${
          hooks.inspect(pattern)
        }. Input:\n\n${hooks.inspect(text)}\n`;
      fail({ actual: text, expected: pattern, message, words, operator: name });
    },
  }[name];
}

function make() {
  const ok = function ok(...args) {
    const [value, message] = args;
    if (value) return;
    if (message instanceof Error) throw message;
    const text = message === undefined && args.length > 0 ? calledText() : undefined;
    const words = args.length === 0
      ? "No value argument passed to `assert.ok()`"
      : `The expression evaluated to a falsy value${text === undefined ? "" : `:\n\n  ${text}\n`}`;
    const error = new AssertionError({
      actual: value,
      expected: true,
      message: message ?? words,
      operator: "==",
    });
    error.generatedMessage = message === undefined || message === null;
    throw error;
  };
  const assert = function assert(...args) {
    ok(...args);
  };
  return Object.assign(assert, {
    AssertionError,
    ok,
    fail(...args) {
      if (args.length < 2) {
        const [message = "Failed"] = args;
        if (message instanceof Error) throw message;
        const error = new AssertionError({ message, operator: "fail" });
        error.generatedMessage = args.length === 0;
        throw error;
      }
      const [actual, expected, message, operator = args.length === 2 ? "!=" : "fail"] = args;
      fail({ actual, expected, message, operator });
    },
    equal: compared("equal", loose),
    notEqual: compared("notEqual", (a, b) => !loose(a, b)),
    strictEqual: compared("strictEqual", Object.is),
    notStrictEqual: compared("notStrictEqual", (a, b) => !Object.is(a, b)),
    deepEqual: compared("deepEqual", (a, b) => isDeepEqual(a, b, false)),
    notDeepEqual: compared("notDeepEqual", (a, b) => !isDeepEqual(a, b, false)),
    deepStrictEqual: compared("deepStrictEqual", (a, b) => isDeepEqual(a, b, true)),
    notDeepStrictEqual: compared("notDeepStrictEqual", (a, b) => !isDeepEqual(a, b, true)),
    throws: (call, ...rest) => checkThrown(thrownBy(call), "throws", ...rest),
    doesNotThrow: (call, ...rest) => checkNotThrown(thrownBy(call), "doesNotThrow", ...rest),
    rejects: async (call, ...rest) => checkThrown(await rejectionOf(call), "rejects", ...rest),
    doesNotReject: async (call, ...rest) => checkNotThrown(await rejectionOf(call), "doesNotReject", ...rest),
    match: matching("match", true),
    doesNotMatch: matching("doesNotMatch", false),
    ifError(value) {
      if (value === null || value === undefined) return;
      throw new AssertionError({
        actual: value,
        expected: null,
        operator: "ifError",
        message: `ifError got unwanted exception: ${
          typeof value === "object" && typeof value.message === "string"
            ? value.message || (value.constructor?.name ?? "")
            : hooks.inspect(value)
        }`,
      });
    },
  });
}

const assert = make();
const strict = make();
for (const name of ["equal", "notEqual", "deepEqual", "notDeepEqual"]) {
  const long = name.replace(
    /^(not)?(deep)?e/i,
    (_all, not, deep) => not ? (deep ? "notDeepStrictE" : "notStrictE") : deep ? "deepStrictE" : "strictE",
  );
  strict[name] = strict[long];
}
assert.strict = strict;
strict.strict = strict;
export default assert;
