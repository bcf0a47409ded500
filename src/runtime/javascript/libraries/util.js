/** `util`. What shows values is the prelude's, which is bounded and calls no getters. */
import { checkFunction, checkObject, checkString, coded, invalidArgType, invalidArgValue } from "./errors.js";
import { isDeepEqual } from "./comparisons.js";
import { parseArgs } from "./parse_args.js";
import { hooks, platform } from "./runtime.js";

const tag = (value) => Object.prototype.toString.call(value).slice(8, -1);
const TypedArray = Object.getPrototypeOf(Uint8Array);
const tagOf = Object.getOwnPropertyDescriptor(TypedArray.prototype, Symbol.toStringTag).get;
const typeOf = (value) => ArrayBuffer.isView(value) ? tagOf.call(value) : undefined;
const AsyncFunction = (async () => {}).constructor;
const GeneratorFunction = (function* () {}).constructor;
const AsyncGeneratorFunction = (async function* () {}).constructor;

/** Whether it is one for real: an object that only inherits lacks the slot. */
const having = (Class, probe) => (value) => {
  if (!(value instanceof Class)) return false;
  try {
    probe.call(value);
    return true;
  } catch {
    return false;
  }
};
const getter = (Class, name) => Object.getOwnPropertyDescriptor(Class.prototype, name).get;

const types = {
  isExternal: () => false,
  isDate: having(Date, Date.prototype.getTime),
  isArgumentsObject: (value) => tag(value) === "Arguments",
  isBigIntObject: having(BigInt, BigInt.prototype.valueOf),
  isBooleanObject: having(Boolean, Boolean.prototype.valueOf),
  isNumberObject: having(Number, Number.prototype.valueOf),
  isStringObject: having(String, String.prototype.valueOf),
  isSymbolObject: having(Symbol, Symbol.prototype.valueOf),
  isBoxedPrimitive: (value) =>
    typeof value === "object" &&
    [
      types.isBigIntObject,
      types.isBooleanObject,
      types.isNumberObject,
      types.isStringObject,
      types.isSymbolObject,
    ]
      .some((is) => is(value)),
  isNativeError: (value) => value instanceof Error && tag(value) === "Error",
  isRegExp: having(RegExp, getter(RegExp, "source")),
  isAsyncFunction: (value) =>
    typeof value === "function" &&
    (value instanceof AsyncFunction || value instanceof AsyncGeneratorFunction),
  isGeneratorFunction: (value) =>
    typeof value === "function" &&
    (value instanceof GeneratorFunction || value instanceof AsyncGeneratorFunction),
  isGeneratorObject: (value) => tag(value) === "Generator",
  isPromise: (value) => value instanceof Promise,
  isMap: having(Map, getter(Map, "size")),
  isSet: having(Set, getter(Set, "size")),
  isMapIterator: (value) => tag(value) === "Map Iterator",
  isSetIterator: (value) => tag(value) === "Set Iterator",
  isWeakMap: (value) => value instanceof WeakMap,
  isWeakSet: (value) => value instanceof WeakSet,
  isArrayBuffer: having(ArrayBuffer, getter(ArrayBuffer, "byteLength")),
  isDataView: (value) => ArrayBuffer.isView(value) && !(value instanceof TypedArray),
  isSharedArrayBuffer: (value) => tag(value) === "SharedArrayBuffer",
  isProxy: (value) => hooks.behindProxy(value) !== undefined,
  isModuleNamespaceObject: (value) => tag(value) === "Module",
  isAnyArrayBuffer: (value) => types.isArrayBuffer(value) || types.isSharedArrayBuffer(value),
  isCryptoKey: (value) => tag(value) === "CryptoKey",
  isKeyObject: (value) => value?.constructor?.name === "KeyObject",
  isArrayBufferView: (value) => ArrayBuffer.isView(value),
  isTypedArray: (value) => typeOf(value) !== undefined,
};
for (
  const name
    of ("Uint8Array Uint8ClampedArray Uint16Array Uint32Array Int8Array Int16Array Int32Array Float32Array " +
      "Float64Array BigInt64Array BigUint64Array").split(" ")
) {
  types[`is${name}`] = (value) => typeOf(value) === name;
}

const ANSI = {
  reset: [0, 0],
  bold: [1, 22],
  dim: [2, 22],
  italic: [3, 23],
  underline: [4, 24],
  blink: [5, 25],
  inverse: [7, 27],
  hidden: [8, 28],
  strikethrough: [9, 29],
  doubleunderline: [21, 24],
  framed: [51, 54],
  overlined: [53, 55],
};
"black red green yellow blue magenta cyan white".split(" ").forEach((name, at) => {
  ANSI[name] = [30 + at, 39];
  ANSI[`bg${name[0].toUpperCase()}${name.slice(1)}`] = [40 + at, 49];
  ANSI[`${name}Bright`] = [90 + at, 39];
  ANSI[`bg${name[0].toUpperCase()}${name.slice(1)}Bright`] = [100 + at, 49];
});
ANSI.gray = ANSI.grey = ANSI.blackBright;
ANSI.bgGray = ANSI.bgGrey = ANSI.bgBlackBright;

export function inspect(value, options, ...more) {
  const chosen = typeof options === "boolean"
    ? { showHidden: options, ...(more.length > 0 && { depth: more[0] }) }
    : options;
  return hooks.inspect(value, { ...inspect.defaultOptions, ...chosen });
}
inspect.custom = Symbol.for("nodejs.util.inspect.custom");
inspect.defaultOptions = {};
inspect.colors = Object.assign(Object.create(null), ANSI);
inspect.styles = Object.assign(Object.create(null), {
  special: "cyan",
  number: "yellow",
  bigint: "yellow",
  boolean: "yellow",
  undefined: "grey",
  null: "bold",
  string: "green",
  symbol: "green",
  date: "magenta",
  regexp: "red",
  module: "underline",
});

const CUSTOM_PROMISIFY = Symbol.for("nodejs.util.promisify.custom");
export function promisify(original) {
  checkFunction(original, "original");
  const custom = original[CUSTOM_PROMISIFY];
  if (custom) {
    checkFunction(custom, "util.promisify.custom");
    return Object.defineProperty(custom, CUSTOM_PROMISIFY, { value: custom, configurable: true });
  }
  const promised = function (...args) {
    return new Promise((resolve, reject) => {
      original.call(this, ...args, (error, value) => error ? reject(error) : resolve(value));
    });
  };
  Object.setPrototypeOf(promised, Object.getPrototypeOf(original));
  Object.defineProperty(promised, CUSTOM_PROMISIFY, { value: promised, configurable: true });
  return Object.defineProperties(promised, Object.getOwnPropertyDescriptors(original));
}
promisify.custom = CUSTOM_PROMISIFY;

export function callbackify(original) {
  checkFunction(original, "original");
  const called = function (...args) {
    const done = args.pop();
    checkFunction(done, "last argument");
    Reflect.apply(original, this, args).then(
      (value) => platform.process.nextTick(done.bind(this), null, value),
      (reason) => {
        let error = reason;
        if (!reason) {
          error = coded(Error, "ERR_FALSY_VALUE_REJECTION", "Promise was rejected with falsy value");
          error.reason = reason;
        }
        platform.process.nextTick(done.bind(this), error);
      },
    );
  };
  const described = Object.getOwnPropertyDescriptors(original);
  if (typeof described.length.value === "number") described.length.value++;
  if (typeof described.name.value === "string") described.name.value += "Callbackified";
  return Object.defineProperties(called, described);
}

const warned = new Set();
export function deprecate(call, message, code) {
  checkFunction(call, "fn");
  if (code !== undefined) checkString(code, "code");
  let done = false;
  const deprecated = function (...args) {
    if (!done) {
      done = true;
      if (code === undefined || !warned.has(code)) {
        warned.add(code);
        platform.process.emitWarning(message, "DeprecationWarning", code);
      }
    }
    return new.target ? Reflect.construct(call, args, new.target) : Reflect.apply(call, this, args);
  };
  Object.setPrototypeOf(deprecated, call);
  if (call.prototype) deprecated.prototype = call.prototype;
  return deprecated;
}

function debuglog(set) {
  const wanted = `${platform.process.env.NODE_DEBUG ?? ""}`.toUpperCase().split(",");
  const enabled = wanted.includes(`${set}`.toUpperCase());
  const log = (...args) => {
    if (enabled) console.error(`${`${set}`.toUpperCase()} ${platform.process.pid}: ${hooks.format(args)}`);
  };
  return Object.assign(log, { enabled });
}

export function inherits(constructor, parent) {
  checkFunction(constructor, "ctor");
  if (parent === null || typeof parent !== "object" && typeof parent !== "function") {
    checkFunction(parent, "superCtor");
  }
  if (parent.prototype === undefined) throw invalidArgType("superCtor.prototype", "Object", parent.prototype);
  Object.defineProperty(constructor, "super_", { value: parent, writable: true, configurable: true });
  Object.setPrototypeOf(constructor.prototype, parent.prototype);
}

function styleText(format, text, options) {
  checkString(text, "text");
  const codes = [format].flat().map((name) => {
    const found = ANSI[name];
    if (!found) {
      throw invalidArgValue(
        "format",
        name,
        `must be one of: ${Object.keys(ANSI).map((each) => `'${each}'`).join(", ")}`,
      );
    }
    return found;
  });
  // Nothing here is a terminal.
  if (options?.validateStream !== false) return text;
  return codes.map(([open]) => `\x1b[${open}m`).join("") + text +
    codes.toReversed().map(([, close]) => `\x1b[${close}m`).join("");
}

function aborted(signal, resource) {
  if (signal === undefined) throw invalidArgType("signal", "AbortSignal", signal);
  checkObject(resource, "resource");
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

class MIMEType {
  #type;
  #subtype;
  #params = new Map();
  constructor(text) {
    const [, type, subtype, rest] =
      /^\s*([\w!#$%&'*+.^`|~-]+)\/([\w!#$%&'*+.^`|~-]+)\s*(?:;(.*))?$/s.exec(`${text}`) ?? [];
    if (type === undefined) {
      throw coded(
        TypeError,
        "ERR_INVALID_MIME_SYNTAX",
        `The MIME syntax for a type in ${JSON.stringify(`${text}`)} is invalid at 0`,
      );
    }
    this.#type = type.toLowerCase();
    this.#subtype = subtype.toLowerCase();
    for (
      const [, name, quoted, plain] of (rest ?? "").matchAll(/([^=;\s]+)=(?:"((?:[^"\\]|\\.)*)"|([^;]*))/g)
    ) {
      if (!this.#params.has(name.toLowerCase())) {
        this.#params.set(name.toLowerCase(), quoted?.replace(/\\(.)/g, "$1") ?? plain.trim());
      }
    }
  }
  get type() {
    return this.#type;
  }
  get subtype() {
    return this.#subtype;
  }
  get essence() {
    return `${this.#type}/${this.#subtype}`;
  }
  get params() {
    return this.#params;
  }
  toString() {
    const shown = [...this.#params].map(([name, value]) =>
      `;${name}=${/^[\w!#$%&'*+.^`|~-]+$/.test(value) ? value : `"${value.replace(/["\\]/g, "\\$&")}"`}`
    );
    return this.essence + shown.join("");
  }
  toJSON() {
    return this.toString();
  }
}

const ERRORS = [
  ["E2BIG", 7, "argument list too long"],
  ["EACCES", 13, "permission denied"],
  ["EAGAIN", 11, "resource temporarily unavailable"],
  ["EBADF", 9, "bad file descriptor"],
  ["EBUSY", 16, "resource busy or locked"],
  ["EEXIST", 17, "file already exists"],
  ["EINVAL", 22, "invalid argument"],
  ["EIO", 5, "i/o error"],
  ["EISDIR", 21, "illegal operation on a directory"],
  ["ELOOP", 40, "too many symbolic links encountered"],
  ["EMFILE", 24, "too many open files"],
  ["ENAMETOOLONG", 36, "name too long"],
  ["ENOENT", 2, "no such file or directory"],
  ["ENOSPC", 28, "no space left on device"],
  ["ENOSYS", 38, "function not implemented"],
  ["ENOTDIR", 20, "not a directory"],
  ["ENOTEMPTY", 39, "directory not empty"],
  ["ENOTSUP", 95, "operation not supported on socket"],
  ["EPERM", 1, "operation not permitted"],
  ["EPIPE", 32, "broken pipe"],
  ["EROFS", 30, "read-only file system"],
  ["ETIMEDOUT", 110, "connection timed out"],
  ["EXDEV", 18, "cross-device link not permitted"],
  ["ECONNREFUSED", 111, "connection refused"],
  ["ECONNRESET", 104, "connection reset by peer"],
];
/** What Node says for a system error: number and words by its code. */
export const systemErrors = new Map(
  ERRORS.map(([name, number, message]) => [name, { number: -number, message }]),
);

const CONTROL =
  // deno-lint-ignore no-control-regex -- it is these that are to go
  /[\u001b\u009b](?:\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[[()#;?]*(?:\d{1,4}(?:[;:]\d{0,4})*)?[\dA-PR-TZcf-nq-uy=><~])/g;

const util = {
  inspect,
  promisify,
  callbackify,
  deprecate,
  debuglog,
  debug: debuglog,
  inherits,
  types,
  parseArgs,
  styleText,
  aborted,
  MIMEType,
  format: (...args) => hooks.format(args),
  formatWithOptions(options, ...args) {
    checkObject(options, "inspectOptions");
    return hooks.format(args, options);
  },
  isArray: Array.isArray,
  isDeepStrictEqual: (a, b) => isDeepEqual(a, b, true),
  stripVTControlCharacters: (text) => (checkString(text, "str"), text.replace(CONTROL, "")),
  toUSVString: (text) => `${text}`.toWellFormed(),
  getSystemErrorName: (number) => [...systemErrors].find(([, each]) => each.number === number)?.[0],
  getSystemErrorMap: () =>
    new Map([...systemErrors].map(([name, { number, message }]) => [number, [name, message]])),
  parseEnv,
  isBoolean: (value) => typeof value === "boolean",
  isNull: (value) => value === null,
  isNullOrUndefined: (value) => value === null || value === undefined,
  isNumber: (value) => typeof value === "number",
  isString: (value) => typeof value === "string",
  isSymbol: (value) => typeof value === "symbol",
  isUndefined: (value) => value === undefined,
  isRegExp: types.isRegExp,
  isObject: (value) => value !== null && typeof value === "object",
  isDate: types.isDate,
  isError: (value) => value instanceof Error,
  isFunction: (value) => typeof value === "function",
  isPrimitive: (value) => value === null || typeof value !== "object" && typeof value !== "function",
  isBuffer: (value) => platform.Buffer.isBuffer(value),
  _extend: (target, source) =>
    source !== null && typeof source === "object" ? Object.assign(target, source) : target,
  log: (...args) => console.log(`${new Date().toString().slice(4, 24)} - ${hooks.format(args)}`),
  transferableAbortController: () => new platform.AbortController(),
  transferableAbortSignal: (signal) => signal,
  TextEncoder: globalThis.TextEncoder,
  TextDecoder: globalThis.TextDecoder,
};

/** The variables of an `.env` file. */
export function parseEnv(content) {
  checkString(content, "content");
  const found = {};
  const line =
    /^\s*(?:export\s+)?([\w.-]+)\s*=\s*(?:'([^']*)'|"((?:[^"\\]|\\.)*)"|`([^`]*)`|([^\r\n#]*))?[^\r\n]*$/gm;
  for (const [, name, single, double, back, bare] of content.matchAll(line)) {
    found[name] = single ?? double?.replaceAll("\\n", "\n") ?? back ?? (bare ?? "").trim();
  }
  return found;
}

export default util;
