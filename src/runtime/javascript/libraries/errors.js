/** Errors with the codes and the words of Node's. */
import { hooks } from "./runtime.js";

const CLASS = /^[A-Z][a-zA-Z0-9]*$/;
const PRIMITIVES = new Set([
  "string",
  "function",
  "number",
  "object",
  "boolean",
  "bigint",
  "symbol",
  "Function",
  "Object",
]);

/** An error of that class with a code, which its stack shows as Node's does. */
export function coded(Base, code, message, fields) {
  const error = new Base(message);
  hooks.showCode(error, code);
  Object.defineProperty(error, "toString", {
    value() {
      return `${this.name} [${code}]: ${this.message}`;
    },
    writable: true,
    configurable: true,
    enumerable: false,
  });
  error.code = code;
  return fields ? Object.assign(error, fields) : error;
}

const listed = (items, word = "or") =>
  items.length < 3 ? items.join(` ${word} `) : `${items.slice(0, -1).join(", ")}, ${word} ${items.at(-1)}`;

/** As Node's messages say what was given instead. */
export function received(value) {
  if (value === null || value === undefined) return ` Received ${value}`;
  if (typeof value === "function") return ` Received function ${value.name}`;
  if (typeof value === "object") {
    const name = value.constructor?.name;
    return name ? ` Received an instance of ${name}` : ` Received ${hooks.inspect(value, { depth: -1 })}`;
  }
  let shown = hooks.inspect(value, { bound: 200 });
  if (shown.length > 28) shown = `${shown.slice(0, 25)}...`;
  return ` Received type ${typeof value} (${shown})`;
}

export function invalidArgType(name, expected, actual) {
  const all = [expected].flat();
  const types = all.filter((each) => PRIMITIVES.has(each)).map((each) => each.toLowerCase());
  const classes = all.filter((each) => !PRIMITIVES.has(each) && CLASS.test(each));
  const others = all.filter((each) => !PRIMITIVES.has(each) && !CLASS.test(each));
  const parts = [];
  if (types.length > 0) parts.push(`${types.length > 1 ? "one of type" : "of type"} ${listed(types)}`);
  if (classes.length > 0) parts.push(`an instance of ${listed(classes)}`);
  if (others.length > 0) {
    if (others.length > 1) parts.push(`one of ${listed(others)}`);
    else parts.push(`${others[0].toLowerCase() === others[0] ? "" : "an "}${others[0]}`);
  }
  const what = name.endsWith(" argument")
    ? `The ${name}`
    : `The "${name}" ${name.includes(".") ? "property" : "argument"}`;
  return coded(
    TypeError,
    "ERR_INVALID_ARG_TYPE",
    `${what} must be ${parts.join(" or ")}.${received(actual)}`,
  );
}

const KEYS = ["string", "ArrayBuffer", "Buffer", "TypedArray", "DataView", "KeyObject", "CryptoKey"];
export const invalidKey = (key) => invalidArgType("key", KEYS, key);

export function invalidArgValue(name, value, reason = "is invalid") {
  let shown = hooks.inspect(value, { bound: 200 });
  if (shown.length > 128) shown = `${shown.slice(0, 128)}...`;
  const what = name.includes(".") ? "property" : "argument";
  return coded(TypeError, "ERR_INVALID_ARG_VALUE", `The ${what} '${name}' ${reason}. Received ${shown}`);
}

export function outOfRange(name, range, value) {
  let shown = typeof value === "bigint" ? `${value}n` : hooks.inspect(value, { bound: 200 });
  if (Number.isInteger(value) && Math.abs(value) > 2 ** 32 || typeof value === "bigint") {
    shown = shown.replace(/\B(?=(\d{3})+n?$)/g, "_");
  }
  return coded(
    RangeError,
    "ERR_OUT_OF_RANGE",
    `The value of "${name}" is out of range. It must be ${range}. Received ${shown}`,
  );
}

export function checkString(value, name) {
  if (typeof value !== "string") throw invalidArgType(name, "string", value);
}

export function checkFunction(value, name = "callback") {
  if (typeof value !== "function") throw invalidArgType(name, "Function", value);
}

export function checkObject(value, name) {
  if (value === null || Array.isArray(value) || typeof value !== "object") {
    throw invalidArgType(name, "Object", value);
  }
}

export function checkNumber(value, name, least, most) {
  if (typeof value !== "number") throw invalidArgType(name, "number", value);
  if (
    least !== undefined && value < least || most !== undefined && value > most ||
    Number.isNaN(value) && (least ?? most) !== undefined
  ) {
    const bounds = [least === undefined ? "" : `>= ${least}`, most === undefined ? "" : `<= ${most}`];
    throw outOfRange(name, bounds.filter(Boolean).join(" && "), value);
  }
}

export function checkInteger(value, name, least = Number.MIN_SAFE_INTEGER, most = Number.MAX_SAFE_INTEGER) {
  if (typeof value !== "number") throw invalidArgType(name, "number", value);
  if (!Number.isInteger(value)) throw outOfRange(name, "an integer", value);
  if (value < least || value > most) throw outOfRange(name, `>= ${least} && <= ${most}`, value);
}

/** Why nothing of the network works, in the words of the other languages. */
export const NO_NETWORK = "there is no network here (the sandbox reaches no other computer)";

/** For what is not here: what, why, and what to do instead. */
export function notHere(what, why, instead) {
  return coded(
    Error,
    "ERR_FEATURE_UNAVAILABLE_ON_PLATFORM",
    `${what} is not here: ${why}${instead ? `. ${instead}` : ""}`,
  );
}

/** A function that throws {@link notHere}. */
export function refusing(name, what, why, instead) {
  return {
    [name]: function () {
      throw notHere(what, why, instead);
    },
  }[name];
}

export function abortError(signal) {
  const error = new Error("The operation was aborted");
  error.name = "AbortError";
  error.code = "ABORT_ERR";
  if (signal?.reason !== undefined) {
    Object.defineProperty(error, "cause", { value: signal.reason, writable: true, configurable: true });
  }
  return error;
}
