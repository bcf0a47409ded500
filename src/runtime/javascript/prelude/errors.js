/** What the host reports of a program's error. */
export function installErrors(_host, hooks) {
  const { getPrototypeOf, getOwnPropertyDescriptor, defineProperty, hasOwn } = Object;
  /** Classes of an error that are looked at, from its own up. */
  const MOST_CLASSES = 10;
  const titleOf = Error.prototype.toString;

  /** What the engine says where programs know V8's words, by the class of its error. */
  const WORDS = [
    [
      TypeError,
      /^cannot read property 'Symbol\.iterator' of undefined$/,
      "undefined is not iterable (cannot read property Symbol(Symbol.iterator))",
    ],
    [
      TypeError,
      /^cannot read property 'Symbol\.iterator' of null$/,
      "object null is not iterable (cannot read property Symbol(Symbol.iterator))",
    ],
    [
      TypeError,
      /^cannot read property '(.*)' of (undefined|null)$/s,
      "Cannot read properties of $2 (reading '$1')",
    ],
    [
      TypeError,
      /^cannot set property '(.*)' of (undefined|null)$/s,
      "Cannot set properties of $2 (setting '$1')",
    ],
    [
      TypeError,
      /^.* is not a function$/s,
      (all, made) => {
        const name = made.isNative() ? made.getFunctionName() : undefined;
        if (name === "Promise") return `Promise resolver ${all}`;
        return name === "sort" || name === "toSorted"
          ? "The comparison function must be either a function or undefined"
          : all;
      },
    ],
    [
      SyntaxError,
      /^Could not find export '(.*)' in module '(.*?)(?:\?v=\d+)?'$/s,
      "The requested module '$2' does not provide an export named '$1'",
    ],
    [TypeError, /^cannot convert symbol to string$/, "Cannot convert a Symbol value to a string"],
    [
      ReferenceError,
      /^this is not initialized$/,
      "Must call super constructor in derived class before accessing 'this' or returning from derived constructor",
    ],
    [ReferenceError, /^(\S+) is not initialized$/, "Cannot access '$1' before initialization"],
    [RangeError, /^invalid array length$/, "Invalid array length"],
    [TypeError, /^BigInt are forbidden in JSON\.stringify$/, "Do not know how to serialize a BigInt"],
    [
      TypeError,
      /^private class field '(.*)' does not exist$/,
      "Cannot read private member $1 from an object whose class did not declare it",
    ],
    [
      RangeError,
      /^invalid number of digits$/,
      (_all, made) => {
        const name = made.getFunctionName();
        if (name === "toPrecision") return "toPrecision() argument must be between 1 and 100";
        return name === "toExponential"
          ? "toExponential() argument must be between 0 and 100"
          : "toFixed() digits argument must be between 0 and 100";
      },
    ],
    [TypeError, /^bigint argument with unary \+$/, "Cannot convert a BigInt value to a number"],
    [
      TypeError,
      /^cannot convert BigInt to number$/,
      (_all, made) =>
        made.isNative()
          ? "Cannot convert a BigInt value to a number"
          : "Cannot mix BigInt and other types, use explicit conversions",
    ],
    [TypeError, /^cannot convert symbol to number$/, "Cannot convert a Symbol value to a number"],
    [URIError, /^expecting hex digit$/, "URI malformed"],
    [TypeError, /^empty array$/, "Reduce of empty array with no initial value"],
    [RangeError, /^invalid string length$/, "Invalid string length"],
    [RangeError, /^Date value is NaN$/, "Invalid time value"],
    [RangeError, /^bad normalization form$/, "The normalization form should be one of NFC, NFD, NFKC, NFKD."],
    [
      TypeError,
      /^class constructors must be invoked with 'new'$/,
      (_all, made) => `Class constructor ${made.getFunctionName() ?? ""} cannot be invoked without 'new'`,
    ],
    [
      TypeError,
      /^must be called with new$/,
      (all, made) => {
        const name = made.getFunctionName();
        if (!name) return all;
        return name === "Promise"
          ? "Promise constructor cannot be invoked without 'new'"
          : `Constructor ${name} requires 'new'`;
      },
    ],
  ];
  const wordsOf = Map.groupBy(WORDS, ([Class]) => Class.name);
  /** @param made The call that made it; undefined if nothing of a program's did. */
  function reword(error, made) {
    const { message, name } = error;
    if (typeof message !== "string" || !wordsOf.has(name)) return;
    for (const [, words, instead] of wordsOf.get(name)) {
      if (!words.test(message)) continue;
      if (typeof instead === "string") error.message = message.replace(words, instead);
      else if (made) error.message = instead(message, made);
      return;
    }
  }

  /** A program's own `Error.prepareStackTrace`. */
  let prepare;
  /** Calls of the program's: not ours, nor those of natives that we have called. */
  const theirs = (sites) =>
    sites.filter((_site, at) => {
      let caller = at;
      while (sites[caller]?.isNative()) caller++;
      return sites[caller]?.getFileName() !== "wasmbox:prelude";
    });

  /** Calls but those of an error's own classes, which have made it: V8 begins with who calls these. */
  function withoutConstructors(error, sites) {
    const names = new Set();
    let proto = getPrototypeOf(error);
    for (let depth = 0; proto !== null && depth < MOST_CLASSES; depth++) {
      const made = getOwnPropertyDescriptor(proto, "constructor")?.value;
      const name = typeof made === "function" ? getOwnPropertyDescriptor(made, "name")?.value : undefined;
      if (typeof name === "string" && name !== "") names.add(name);
      proto = getPrototypeOf(proto);
    }
    const first = sites.findIndex((site) => site.isNative() || !names.has(site.getFunctionName()));
    return first < 0 ? sites : sites.slice(first);
  }

  /** What an error is, in a line. */
  function title(error) {
    try {
      return titleOf.call(error);
    } catch {
      return "Error";
    }
  }

  /** Gives an error a stack of its own. As in V8, that begins with what the error is when somebody asks for it first. */
  function give(error, frames) {
    let text;
    defineProperty(error, "stack", {
      __proto__: null,
      get: () => text ??= title(error) + frames,
      set(value) {
        const enumerable = this !== error;
        defineProperty(this, "stack", {
          __proto__: null,
          value,
          enumerable,
          writable: true,
          configurable: true,
        });
      },
      enumerable: false,
      configurable: true,
    });
  }
  /** The frames that were told of last. */
  let lastFrames;

  /**
   * What an error is given as it is made. Our own frames are none of the program's.
   *
   * @param isEngines Whether the engine has made it, which a program's own words are not taken from. Where this throws,
   *   the engine gives it a stack.
   */
  function prepareStack(error, sites, isEngines) {
    lastFrames = undefined;
    try {
      if (isEngines && error instanceof Error) reword(error, sites[0]);
    } catch { /* the guest has changed what this needs */ }
    if (typeof prepare === "function") {
      try {
        const value = prepare(error, theirs(sites));
        defineProperty(error, "stack", {
          __proto__: null,
          value,
          enumerable: false,
          writable: true,
          configurable: true,
        });
        return value;
      } catch { /* then it has the usual one */ }
    }
    let text = "";
    for (const site of withoutConstructors(error, theirs(sites))) {
      const file = site.getFileName();
      const name = site.getFunctionName();
      const place = site.isNative() ? "native" : `${file}:${site.getLineNumber()}:${site.getColumnNumber()}`;
      text += name === "<eval>" || name === null && file !== undefined && !site.isNative()
        ? `\n    at ${place}`
        : `\n    at ${name || "<anonymous>"} (${place})`;
    }
    give(error, text);
    lastFrames = text;
    return text;
  }
  const { set } = getOwnPropertyDescriptor(Error, "prepareStackTrace");
  set.call(Error, prepareStack);
  defineProperty(Error, "prepareStackTrace", {
    get: () => prepare,
    set: (given) => void (prepare = given),
    configurable: true,
    enumerable: false,
  });

  /** The engine gives an object the frames alone. */
  function captureWhole(Class) {
    const capture = Class.captureStackTrace;
    const captureStackTrace = (object, ...where) => {
      lastFrames = undefined;
      capture(object, ...where);
      if (lastFrames !== undefined) give(object, lastFrames);
    };
    defineProperty(Class, "captureStackTrace", { value: captureStackTrace });
  }
  captureWhole(Error);
  /** Has another realm's errors tell of themselves as the program's own. */
  hooks.tellErrors = (Class) => {
    Class.prepareStackTrace = prepareStack;
    captureWhole(Class);
  };

  /** What V8's call sites say beside. */
  const SITE = {
    isEval: () => false,
    isConstructor: () => false,
    isToplevel: () => true,
    isAsync: () => false,
    isPromiseAll: () => false,
    getEvalOrigin: () => undefined,
    getThis: () => undefined,
    getTypeName: () => null,
    getMethodName: () => null,
    getPromiseIndex: () => null,
    getScriptNameOrSourceURL() {
      return this.getFileName();
    },
    toString() {
      const place = `${this.getFileName() ?? "native"}:${this.getLineNumber()}:${this.getColumnNumber()}`;
      const name = this.getFunctionName();
      return name ? `${name} (${place})` : place;
    },
  };
  set.call(Error, (_error, [first]) => getPrototypeOf(first));
  const site = new Error().stack;
  set.call(Error, prepareStack);
  // Modules that are loaded anew have a number in their names that is the host's alone.
  const { getFileName } = site;
  defineProperty(site, "getFileName", {
    value: {
      getFileName() {
        const name = getFileName.call(this);
        return name?.includes("?v=") ? name.replace(/\?v=\d+$/, "") : name;
      },
    }.getFileName,
  });
  for (const name in SITE) {
    if (!hasOwn(site, name)) {
      defineProperty(site, name, { value: SITE[name], writable: true, configurable: true });
    }
  }

  // The engine's `Promise.any` makes one without a message; a program's own has none if it was given none.
  const plainErrors = new WeakSet();
  let constructing = false;
  const { AggregateError } = globalThis;
  defineProperty(AggregateError.prototype, "message", {
    get() {
      const isOwn = constructing || this === AggregateError.prototype || plainErrors.has(this);
      return isOwn ? "" : "All promises were rejected";
    },
    set(value) {
      defineProperty(this, "message", {
        __proto__: null,
        value,
        writable: true,
        configurable: true,
        enumerable: true,
      });
    },
    configurable: true,
    enumerable: false,
  });
  const construct = (target, args, newTarget) => {
    const before = constructing;
    constructing = true;
    try {
      const made = Reflect.construct(target, args, newTarget);
      plainErrors.add(made);
      return made;
    } finally {
      constructing = before;
    }
  };
  const Told = new Proxy(AggregateError, {
    construct,
    apply: (target, _self, args) => construct(target, args, Told),
  });
  for (const [owner, name] of [[globalThis, "AggregateError"], [AggregateError.prototype, "constructor"]]) {
    defineProperty(owner, name, { value: Told });
  }

  /** Drops our own frames. */
  hooks.cleanStack = (stack) => {
    const lines = [];
    for (const line of stack.split("\n")) {
      if (line.trim() === "" || line.includes("wasmbox:prelude") || line.includes("at <input>:")) continue;
      lines.push(line.replace(/at <eval> \((.*)\)$/, "at $1"));
    }
    return lines.join("\n");
  };

  /** The line of the run's own code that the topmost frame in it names, with a mark under the column. */
  function excerpt(stack, filename, source, ran) {
    const at = stack.indexOf(`${filename}:`);
    if (at < 0) return "";
    const [, line, column] = /^:(\d+)(?::(\d+))?/.exec(stack.slice(at + filename.length)) ?? [];
    const text = source.split("\n", +line)[+line - 1];
    if (text === undefined || text.length > 400) return "";
    // Columns are those of what ran, and so of this line as long as the two are equally long.
    const sameColumns = ran === "" || ran.split("\n", +line)[+line - 1]?.length === text.length;
    const mark = column && sameColumns ? `\n${text.slice(0, column - 1).replace(/[^\t]/g, " ")}^` : "";
    return `${filename}:${line}\n${text}${mark}\n\n`;
  }

  /** @param grown 1 if memory can't grow any more: then null stands for an error that there was no room for. */
  hooks.isOutOfMemory = (thrown, grown) => {
    if (thrown === null) return grown;
    try {
      return thrown instanceof InternalError && thrown.message === "out of memory" ? 1 : 0;
    } catch {
      return 0;
    }
  };

  /** JSON of {type, message, traceback}. @param source the run's code as the user wrote it; `ran`: what was made of it. */
  hooks.describeError = (thrown, filename, source, ran) => {
    if (!(thrown instanceof Error)) {
      const shown = hooks.inspect(thrown, { bound: 10_000 });
      const text = `Uncaught ${shown}`;
      return JSON.stringify({
        type: typeof thrown === "object" ? "Object" : typeof thrown,
        message: typeof thrown === "string" ? thrown.slice(0, 10_000) : shown,
        traceback: text,
      });
    }
    const { head, name, message, stack } = hooks.stackOf(thrown);
    const whole = hooks.inspect(thrown, { bound: 64 * 1024 });
    // An error without a call of the program's is shown in brackets, and then what it has beside: its cause.
    const beside = whole.startsWith(`[${head}]`) ? whole.slice(head.length + 2) : "";
    const shown = stack ? whole : beside ? head + beside : `${name}: ${message}`;
    return JSON.stringify({
      type: name.slice(0, 200),
      message: message.slice(0, 10_000),
      traceback: excerpt(stack, filename, source, ran) + shown,
    }).toWellFormed();
  };
}
