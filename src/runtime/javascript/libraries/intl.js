/** `Intl`, and what of the language's own goes by it. The host formats; what an object was made with is here. */
import { host } from "./runtime.js";
import { timeZone } from "./time_zone.js";

const ask = (request) => {
  try {
    return JSON.parse(host.intl(JSON.stringify(request)));
  } catch (caught) {
    if (caught?.name !== "RangeError" && caught?.name !== "TypeError") throw caught;
    throw new (caught.name === "RangeError" ? RangeError : TypeError)(
      caught.message.replace(/^Invalid language tag: .*/s, "Incorrect locale information provided"),
    );
  }
};

function localesOf(locales) {
  if (locales === undefined) return undefined;
  if (typeof locales === "string") return locales;
  if (locales instanceof Locale) return locales.toString();
  if (locales === null) throw new TypeError("Cannot convert undefined or null to object");
  return Array.from(Object(locales), (each) => {
    if (typeof each !== "string" && (typeof each !== "object" || each === null)) {
      throw new TypeError("Incorrect locale information provided");
    }
    return `${each}`;
  });
}
/** Options as text, numbers and truth: what each of them is read as. */
function optionsOf(options, needed = false) {
  if (options === undefined) {
    if (needed) throw new TypeError("Cannot convert undefined or null to object");
    return undefined;
  }
  if (options === null) throw new TypeError("Cannot convert undefined or null to object");
  const given = {};
  for (const name in Object(options)) {
    const value = options[name];
    if (value === undefined) continue;
    given[name] = typeof value === "object" || typeof value === "bigint" || typeof value === "function"
      ? `${value}`
      : value;
    if (typeof given[name] === "number" && !Number.isFinite(given[name])) given[name] = `${given[name]}`;
  }
  return given;
}

/** With the program's own zone, where there is one and none is asked for. */
function zoned(kind, options) {
  if (kind !== "DateTimeFormat" || timeZone() === "" || options?.timeZone !== undefined) return options;
  return { ...options, timeZone: timeZone() };
}

const text = (value) => ({ is: "text", value: `${value}` });
function number(value) {
  const plain = typeof value === "object" && value !== null ? value.valueOf() : value;
  if (typeof plain === "bigint") return { is: "bigint", value: `${plain}` };
  if (typeof plain === "string" && /^\s*[+-]?\d+\s*$/.test(plain)) {
    return { is: "bigint", value: `${BigInt(plain.trim().replace(/^\+/, ""))}` };
  }
  const converted = Number(plain);
  return { is: "number", value: Object.is(converted, -0) ? "-0" : `${converted}` };
}
function time(value) {
  const ms = value === undefined ? Date.now() : Number(value);
  if (!(Math.abs(ms) <= 8.64e15)) throw new RangeError("Invalid time value");
  return { is: "number", value: `${Math.trunc(ms)}` };
}
const list = (value) => {
  const items = value === undefined ? [] : Array.from(value);
  for (const each of items) {
    if (typeof each !== "string") throw new TypeError("Iterable yielded a non-String value");
  }
  return { is: "list", value: items };
};
const fields = (value) => ({ is: "fields", value: Object.fromEntries(Object.entries(value)) });

/** Which arguments the methods of a class take, and how they cross. */
const KINDS = {
  NumberFormat: {
    format: [number],
    formatToParts: [number],
    formatRange: [number, number],
    formatRangeToParts: [number, number],
  },
  DateTimeFormat: {
    format: [time],
    formatToParts: [time],
    formatRange: [time, time],
    formatRangeToParts: [time, time],
  },
  PluralRules: { select: [number], selectRange: [number, number] },
  RelativeTimeFormat: { format: [number, text], formatToParts: [number, text] },
  ListFormat: { format: [list], formatToParts: [list] },
  Collator: { compare: [text, text] },
  DisplayNames: { of: [text] },
  DurationFormat: { format: [fields], formatToParts: [fields] },
};
/** Methods that are functions of their own, as `list.sort(collator.compare)` wants them. */
const BOUND = { NumberFormat: "format", DateTimeFormat: "format", Collator: "compare" };
/** Classes that may be called without `new`. */
const CALLABLE = new Set(["NumberFormat", "DateTimeFormat", "Collator"]);

function make(kind, methods) {
  const Class = {
    [kind]: class {
      #asked;
      #resolved;
      #bound;
      constructor(locales, options) {
        this.#asked = {
          kind,
          locales: localesOf(locales),
          options: zoned(kind, optionsOf(options, kind === "DisplayNames")),
        };
        this.#resolved = ask({ ask: "call", ...this.#asked, args: [] });
        const name = BOUND[kind];
        if (!name) return;
        const fast = kind === "Collator" ? simpleCompare(this.#resolved) : undefined;
        this.#bound = (...args) => fast?.(...args) ?? this.#call(name, args);
        Object.defineProperty(this.#bound, "name", { value: "" });
      }
      #call(name, args) {
        return ask({
          ask: "call",
          ...this.#asked,
          method: name,
          args: methods[name].map((convert, at) => convert(args[at])),
        });
      }
      static call(self, name, args) {
        return self.#call(name, args);
      }
      static bound(self) {
        return self.#bound;
      }
      static supportedLocalesOf(locales, options) {
        return ask({
          ask: "supported",
          kind,
          locales: localesOf(locales) ?? [],
          options: optionsOf(options),
        });
      }
      resolvedOptions() {
        return { ...this.#resolved };
      }
      get [Symbol.toStringTag]() {
        return `Intl.${kind}`;
      }
    },
  }[kind];
  const { call, bound } = Class;
  delete Class.call;
  delete Class.bound;
  for (const name of Object.keys(methods)) {
    const range = name.includes("Range");
    const descriptor = BOUND[kind] === name
      ? {
        get: {
          [name]() {
            return bound(this);
          },
        }[name],
      }
      : {
        value: {
          [name](...args) {
            if (range && (args[0] === undefined || args[1] === undefined)) {
              throw new TypeError("Invalid range");
            }
            return dated(kind, call(this, name, args));
          },
        }[name],
        writable: true,
      };
    Object.defineProperty(Class.prototype, name, { ...descriptor, configurable: true, enumerable: false });
  }
  return CALLABLE.has(kind)
    ? new Proxy(Class, { apply: (_target, _self, args) => new Class(...args) })
    : Class;
}
const dated = (kind, result) => kind === "DisplayNames" && result === null ? undefined : result;

/** The order of ASCII in all of these languages, where nothing else was asked for: a call of the host is slow in a sort. */
const ORDER = "_-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789abcdefghijklmnopqrstuvwxyz";
const WEIGHTS = new Map([..." " + ORDER].map((char, at) => [char.charCodeAt(0), at + 1]));
for (let code = 65; code <= 90; code++) WEIGHTS.set(code, WEIGHTS.get(code + 32));
const SIMPLE = new Set(["en", "de", "fr", "es", "it", "pt", "nl", "ja", "zh"]);
const ASCII = /^[ -~]*$/;
function simpleCompare({ locale, usage, sensitivity, ignorePunctuation, numeric, caseFirst, collation }) {
  const simple = SIMPLE.has(locale.split("-")[0]) && !locale.includes("-u-") && usage === "sort" &&
    sensitivity === "variant" &&
    !ignorePunctuation && !numeric && caseFirst === "false" && collation === "default";
  if (!simple) return undefined;
  return (a, b) => {
    const [left, right] = [`${a}`, `${b}`];
    if (!ASCII.test(left) || !ASCII.test(right)) return undefined;
    const length = Math.min(left.length, right.length);
    let tie = 0;
    for (let at = 0; at < length; at++) {
      const [x, y] = [left.charCodeAt(at), right.charCodeAt(at)];
      if (x === y) continue;
      const difference = WEIGHTS.get(x) - WEIGHTS.get(y);
      if (difference !== 0) return difference < 0 ? -1 : 1;
      // Small letters come first, where nothing else differs.
      tie ||= x > y ? -1 : 1;
    }
    return left.length === right.length ? tie : left.length < right.length ? -1 : 1;
  };
}

class Segments {
  #text;
  #starts;
  constructor(text, starts) {
    this.#text = text;
    this.#starts = starts;
  }
  #segment(at) {
    const [index, isWordLike] = this.#starts[at];
    const segment = this.#text.slice(index, this.#starts[at + 1]?.[0]);
    return { segment, index, input: this.#text, ...(isWordLike !== undefined && { isWordLike }) };
  }
  containing(index = 0) {
    if (!(index >= 0 && index < this.#text.length)) return undefined;
    return this.#segment(this.#starts.findLastIndex(([start]) => start <= index));
  }
  *[Symbol.iterator]() {
    for (let at = 0; at < this.#starts.length; at++) yield this.#segment(at);
  }
}
/** Most of a text that the host is given at once; a piece ends where a segment does, but for a few. */
const PIECE = 16_000;
class Segmenter {
  #asked;
  #resolved;
  constructor(locales, options) {
    this.#asked = { kind: "Segmenter", locales: localesOf(locales), options: optionsOf(options) };
    this.#resolved = ask({ ask: "call", ...this.#asked, args: [] });
  }
  static supportedLocalesOf(locales, options) {
    return ask({
      ask: "supported",
      kind: "Segmenter",
      locales: localesOf(locales) ?? [],
      options: optionsOf(options),
    });
  }
  segment(input) {
    const whole = `${input}`;
    const starts = [];
    for (let from = 0; from < whole.length;) {
      const piece = whole.slice(from, from + PIECE);
      const found = ask({ ask: "call", ...this.#asked, method: "segment", args: [text(piece)] });
      // The last one may go on.
      const last = from + PIECE < whole.length && found.length > 1 ? found.pop() : [piece.length];
      for (const [index, ...more] of found) starts.push([from + index, ...more]);
      from += last[0];
    }
    return new Segments(whole, starts);
  }
  resolvedOptions() {
    return { ...this.#resolved };
  }
  get [Symbol.toStringTag]() {
    return "Intl.Segmenter";
  }
}

class Locale {
  #about;
  constructor(tag, options) {
    if (typeof tag !== "string" && !(tag instanceof Locale)) {
      throw new TypeError("First argument to Intl.Locale constructor can't be empty or missing");
    }
    this.#about = ask({ ask: "locale", tag: `${tag}`, options: optionsOf(options) });
  }
  static field(locale, name) {
    return locale.#about.fields[name];
  }
  maximize() {
    return new Locale(this.#about.maximal);
  }
  minimize() {
    return new Locale(this.#about.minimal);
  }
  toString() {
    return this.#about.tag;
  }
  get [Symbol.toStringTag]() {
    return "Intl.Locale";
  }
}
const field = Locale.field;
delete Locale.field;
for (
  const name of [
    "baseName",
    "calendar",
    "caseFirst",
    "collation",
    "hourCycle",
    "language",
    "numberingSystem",
    "numeric",
    "region",
    "script",
  ]
) {
  Object.defineProperty(Locale.prototype, name, {
    get() {
      return field(this, name);
    },
    configurable: true,
  });
}

const Intl = Object.defineProperty({}, Symbol.toStringTag, { value: "Intl", configurable: true });
const members = {
  ...Object.fromEntries(Object.entries(KINDS).map(([kind, methods]) => [kind, make(kind, methods)])),
  Segmenter,
  Locale,
  getCanonicalLocales: (locales) => ask({ ask: "canonical", locales: localesOf(locales) ?? [] }),
  supportedValuesOf: (key) => ask({ ask: "values", key: `${key}` }),
};
for (const name in members) {
  Object.defineProperty(Intl, name, {
    value: members[name],
    writable: true,
    configurable: true,
    enumerable: false,
  });
}

/** Formatters of the language's own methods, for those who call them again and again. */
const known = new Map();
const REMEMBERED = 50;
function formatter(kind, locales, options) {
  const key = JSON.stringify([kind, localesOf(locales), zoned(kind, optionsOf(options))]);
  let made = known.get(key);
  if (!made) {
    if (known.size >= REMEMBERED) known.clear();
    made = new members[kind](locales, options);
    known.set(key, made);
  }
  return made;
}

const DATE = ["weekday", "year", "month", "day"];
const TIME = ["dayPeriod", "hour", "minute", "second", "fractionalSecondDigits"];
/** What a date's own methods show where nothing was asked for. */
function dateOptions(options, required, defaults) {
  const given = optionsOf(options) ?? {};
  const wants = [...required === "time" ? [] : DATE, ...required === "date" ? [] : TIME];
  if (wants.some((name) => given[name] !== undefined)) return given;
  if (given.dateStyle !== undefined || given.timeStyle !== undefined) {
    if (required === "date" && given.timeStyle !== undefined) {
      throw new TypeError("Invalid option : timeStyle");
    }
    if (required === "time" && given.dateStyle !== undefined) {
      throw new TypeError("Invalid option : dateStyle");
    }
    return given;
  }
  if (defaults !== "time") Object.assign(given, { year: "numeric", month: "numeric", day: "numeric" });
  if (defaults !== "date") Object.assign(given, { hour: "numeric", minute: "numeric", second: "numeric" });
  return given;
}
const valueOf = Date.prototype.getTime;
function shownDate(date, locales, options, required, defaults) {
  const ms = valueOf.call(date);
  if (Number.isNaN(ms)) return "Invalid Date";
  return formatter("DateTimeFormat", locales, dateOptions(options, required, defaults)).format(ms);
}

/** What the program's zone is called at a time. */
function zoneName(date) {
  if (timeZone() === "") return "Coordinated Universal Time";
  const parts = formatter("DateTimeFormat", "en-US", { timeZoneName: "long" }).formatToParts(date);
  return parts.find(({ type }) => type === "timeZoneName").value;
}

const methods = [
  [Number.prototype, "toLocaleString", function (locales, options) {
    return formatter("NumberFormat", locales, options).format(Number.prototype.valueOf.call(this));
  }],
  [BigInt.prototype, "toLocaleString", function (locales, options) {
    return formatter("NumberFormat", locales, options).format(BigInt.prototype.valueOf.call(this));
  }],
  ...["toString", "toTimeString"].map((name) => {
    const plain = Date.prototype[name];
    return [Date.prototype, name, function () {
      const text = plain.call(this);
      return text === "Invalid Date" ? text : `${text} (${zoneName(this)})`;
    }];
  }),
  [Date.prototype, "toLocaleString", function (locales, options) {
    return shownDate(this, locales, options, "any", "all");
  }],
  [Date.prototype, "toLocaleDateString", function (locales, options) {
    return shownDate(this, locales, options, "date", "date");
  }],
  [Date.prototype, "toLocaleTimeString", function (locales, options) {
    return shownDate(this, locales, options, "time", "time");
  }],
  [String.prototype, "localeCompare", function (other, locales, options) {
    return formatter("Collator", locales, options).compare(String(this), String(other));
  }],
  [Array.prototype, "toLocaleString", function (locales, options) {
    if (this === undefined || this === null) {
      throw new TypeError("Array.prototype.toLocaleString called on null or undefined");
    }
    const list = Object(this);
    return Array.from({ length: list.length }, (_, index) => {
      const each = list[index];
      return each === null || each === undefined ? "" : String(each.toLocaleString(locales, options));
    }).join(",");
  }],
];
for (
  const [name, upper, plain] of [["toLocaleUpperCase", true, String.prototype.toUpperCase], [
    "toLocaleLowerCase",
    false,
    String.prototype.toLowerCase,
  ]]
) {
  // Methods, which nobody can construct with.
  const { method } = {
    method(locales) {
      // Only a few languages have cases of their own.
      const first = [localesOf(locales)].flat()[0];
      if (first === undefined || !/^(?:tr|az|lt|el)\b/i.test(first)) return plain.call(this);
      return ask({ ask: "case", text: String(this), upper, locales: first });
    },
  };
  methods.push([String.prototype, name, method]);
}

export function installIntl(define) {
  define("Intl", Intl);
  for (const [prototype, name, method] of methods) {
    Object.defineProperty(method, "name", { value: name });
    Object.defineProperty(prototype, name, {
      value: method,
      writable: true,
      configurable: true,
      enumerable: false,
    });
  }
}
