/**
 * Shows values as Node's `util.inspect` does, with its options, within a bound: `left` characters
 * per call, after which "…" stands for the rest. Getters are not called.
 */
export function installInspect(host, hooks) {
  const PRESET = {
    depth: 2,
    breakLength: 80,
    compact: 3,
    maxArrayLength: 100,
    maxStringLength: 10_000,
    sorted: false,
    colors: false,
    showHidden: false,
    getters: false,
    customInspect: true,
    showProxy: false,
    numericSeparator: false,
  };
  /** Levels that are shown at most, whatever is asked for. */
  const MAX_DEPTH = 1000;
  const BOUND = 256 * 1024;

  const { getOwnPropertyDescriptor, getPrototypeOf, keys: ownKeys, getOwnPropertySymbols } = Object;
  const isEnumerable = Object.prototype.propertyIsEnumerable;
  const TypedArray = getPrototypeOf(Uint8Array);
  const tagOf = getOwnPropertyDescriptor(TypedArray.prototype, Symbol.toStringTag).get;
  const mapSize = getOwnPropertyDescriptor(Map.prototype, "size").get;
  const setSize = getOwnPropertyDescriptor(Set.prototype, "size").get;
  const dateTime = Date.prototype.getTime;
  const regexText = RegExp.prototype.toString;
  const regexSource = getOwnPropertyDescriptor(RegExp.prototype, "source").get;
  const apply = Reflect.apply;
  const toText = Object.prototype.toString;
  const custom = Symbol.for("nodejs.util.inspect.custom");
  const { behindProxy, iteratorOf, joinInspected: join, stackOf } = hooks;
  const { coloured, escaped, quote, formatPrimitive, spend } = hooks.inspectPrimitives;
  const contents = hooks.inspectEntries(format, formatElement);

  /** Whether `value` is of the class for real: an object that only inherits from its prototype lacks the slots. */
  function has(value, constructor, probe, ...args) {
    if (!(value instanceof constructor)) return false;
    try {
      apply(probe, value, args);
      return true;
    } catch {
      return false;
    }
  }

  const BOXED = [Number, String, Boolean, BigInt, Symbol];

  function isInstance(value, constructor) {
    try {
      return value instanceof constructor;
    } catch {
      return false;
    }
  }

  /** The name of the class that made it, as its prototypes tell; null if it has none. */
  function constructorName(value) {
    for (let object = value; object !== null; object = getPrototypeOf(object)) {
      const maker = getOwnPropertyDescriptor(object, "constructor")?.value;
      if (typeof maker === "function" && maker.name !== "" && isInstance(value, maker)) {
        return String(maker.name);
      }
    }
    const prototype = getPrototypeOf(value);
    return prototype && `Object <${constructorName(prototype) ?? "[Object: null prototype] {}"}>`;
  }

  function prefix(name, fallback, tag, size = "") {
    const shown = name === null ? `[${fallback}${size}: null prototype] ` : `${name}${size} `;
    return tag !== "" && tag !== name ? `${shown}[${tag}] ` : shown;
  }

  /** With the name of its class, where that is another one. */
  function prefixed(name, type, tag, text) {
    const before = prefix(name, type, tag);
    return before === `${type} ` ? text : before + text;
  }

  function formatFunction(value, name, tag) {
    const source = Function.prototype.toString.call(value);
    if (source.startsWith("class") && /^class(?!\s*\()[\s{]/.test(source)) {
      const own = value.name ? `class ${value.name}` : "class (anonymous)";
      const parent = getPrototypeOf(value);
      const extension = typeof parent === "function" && parent.name ? ` extends ${parent.name}` : "";
      const described = tag !== "" && tag !== name ? ` [${tag}]` : "";
      return `[${own}${described}${extension}]`;
    }
    const kind = name === null ? "Function (null prototype)" : name;
    const base = `[${kind}${value.name ? `: ${value.name}` : " (anonymous)"}]`;
    return tag !== "" && tag !== name ? `${base} [${tag}]` : base;
  }

  function format(context, value, level) {
    if (context.left <= 0) return "…";
    if (value === null || (typeof value !== "object" && typeof value !== "function")) {
      return formatPrimitive(context, value);
    }
    if (context.seen.includes(value)) {
      let index = context.circular.get(value);
      if (index === undefined) context.circular.set(value, index = context.circular.size + 1);
      context.left -= 14;
      return coloured(context, `[Circular *${index}]`, "special");
    }
    let behind = behindProxy(value);
    if (behind) {
      if (context.showProxy) {
        context.seen.push(value);
        const parts = behind.map((each) => format(context, each, level + 1));
        context.seen.pop();
        return level > context.depth
          ? "Proxy [Array]"
          : join(context, parts, "", ["Proxy [", "]"], true, level, parts);
      }
      for (; behind; behind = behindProxy(value)) value = behind[0];
    }
    const own = context.customInspect ? value[custom] : undefined;
    if (
      typeof own === "function" && own !== hooks.inspect && own !== hooks.utilInspect &&
      value.constructor?.prototype !== value
    ) {
      const shown = apply(own, value, [
        context.depth - level,
        optionsOf(context),
        hooks.utilInspect ?? hooks.inspect,
      ]);
      if (shown !== value) {
        if (typeof shown === "object" && shown !== null) return format(context, shown, level);
        return String(shown).replaceAll("\n", `\n${" ".repeat(context.indentation)}`);
      }
    }
    return formatObject(context, value, level);
  }

  /** What a value's own function is given, to show its parts by. */
  function optionsOf(context) {
    const options = { stylize: (text, style) => coloured(context, `${text}`, style) };
    for (const name in PRESET) options[name] = context[name];
    // What a program adds of its own reaches its own.
    for (const name in context.asked) {
      if (!(name in options) && name !== "bound") options[name] = context.asked[name];
    }
    return options;
  }

  function formatObject(context, value, level) {
    const name = constructorName(value);
    let tag = "";
    try {
      const text = value[Symbol.toStringTag];
      // An own one is shown among the properties.
      const isShown = apply(isEnumerable, value, [Symbol.toStringTag]);
      if (typeof text === "string" && text !== "" && text !== name && !isShown) tag = text;
    } catch { /* a getter that throws shows nothing */ }

    let keys = context.showHidden ? allKeys(value) : ownKeys(value);
    const symbols = getOwnPropertySymbols(value).filter((key) =>
      context.showHidden || apply(isEnumerable, value, [key])
    );
    const inherited = context.showHidden ? inheritedOf(value) : [];
    let base = "";
    let braces = ["{", "}"];
    let isArray = false;
    let entries;

    if (Array.isArray(value)) {
      isArray = true;
      keys = keys.slice(indexCount(keys, value.length));
      // What a regular expression has found: the engine gives its fields in another order than V8.
      if (keys[0] === "groups" && keys[1] === "index" && keys[2] === "input") keys.push(keys.shift());
      braces = [
        name !== "Array" || tag !== "" ? `${prefix(name, "Array", tag, `(${value.length})`)}[` : "[",
        "]",
      ];
      if (value.length === 0 && keys.length + symbols.length === 0) return `${braces[0]}]`;
      entries = contents.formatArray;
    } else if (has(value, Map, mapSize)) {
      braces[0] = `${prefix(name, "Map", tag, `(${apply(mapSize, value, [])})`)}{`;
      entries = contents.formatMap;
    } else if (has(value, Set, setSize)) {
      braces[0] = `${prefix(name, "Set", tag, `(${apply(setSize, value, [])})`)}{`;
      entries = contents.formatSet;
    } else if (value instanceof TypedArray && apply(tagOf, value, []) !== undefined) {
      isArray = true;
      keys = keys.slice(indexCount(keys, value.length));
      braces = [`${prefix(name, apply(tagOf, value, []), tag, `(${value.length})`)}[`, "]"];
      if (value.length === 0 && keys.length + symbols.length === 0) return `${braces[0]}]`;
      entries = contents.formatArray;
    } else if (typeof value === "function") {
      base = formatFunction(value, name, tag);
      if (keys.length + symbols.length === 0) return coloured(context, spend(context, base), "special");
    } else if (has(value, RegExp, regexSource)) {
      base = prefixed(name, "RegExp", tag, apply(regexText, value, []));
      if (keys.length + symbols.length === 0 || level > context.depth) {
        return coloured(context, spend(context, base), "regexp");
      }
    } else if (has(value, Date, dateTime)) {
      const time = apply(dateTime, value, []);
      base = prefixed(name, "Date", tag, Number.isNaN(time) ? "Invalid Date" : new Date(time).toISOString());
      if (keys.length + symbols.length === 0) return coloured(context, spend(context, base), "date");
    } else if (value instanceof Error) {
      base = formatError(context, value, keys);
      keys = keys.filter((key) => key !== "stack" && key !== "message" && key !== "cause");
      if ("cause" in value && Object.hasOwn(value, "cause")) keys.push("cause");
      if (keys.length + symbols.length === 0) return base;
    } else if (value instanceof Promise) {
      braces[0] = `${prefix(name, "Promise", tag)}{`;
      entries = contents.formatPromise;
    } else if ((tag === "Map Iterator" || tag === "Set Iterator") && iteratorOf(value)) {
      braces[0] = `[${host.givesEntries(value) === 1 ? tag.replace("Iterator", "Entries") : tag}] {`;
      entries = contents.formatIterator;
    } else if (
      value instanceof ArrayBuffer ||
      (typeof SharedArrayBuffer === "function" && value instanceof SharedArrayBuffer)
    ) {
      braces[0] = `${prefix(name, "ArrayBuffer", tag)}{`;
      entries = contents.formatArrayBuffer;
    } else if (value instanceof DataView) {
      braces[0] = `${prefix(name, "DataView", tag)}{`;
      entries = contents.formatDataView;
    } else if (value instanceof WeakMap || value instanceof WeakSet) {
      return spend(context, `${prefix(name, "WeakSet", tag)}{ <items unknown> }`);
    } else if (BOXED.some((type) => value instanceof type)) {
      const type = BOXED.find((type) => value instanceof type).name;
      const { colors } = context;
      context.colors = false;
      base = `[${type}${name === type ? "" : ` (${name ?? "null prototype"})`}: ${
        formatPrimitive(context, value.valueOf())
      }]`;
      context.colors = colors;
      if (type === "String") keys = keys.slice(value.length);
      if (keys.length + symbols.length === 0) return coloured(context, base, type.toLowerCase());
    } else {
      if (name === null && tag === "Module") braces[0] = "[Module: null prototype] {";
      else if (name === "Object" && tag === "" && apply(toText, value, []) === "[object Arguments]") {
        braces[0] = "[Arguments] {";
      } else if (name !== "Object" || tag !== "") braces[0] = `${prefix(name, "Object", tag)}{`;
      if (keys.length + symbols.length + inherited.length === 0) return spend(context, `${braces[0]}}`);
    }

    if (level > context.depth) {
      const shown = isArray && name === "Array" ? "Array" : `${prefix(name, "Object", tag)}`.trimEnd();
      const text = name === null && !isArray ? "[Object: null prototype]" : `[${shown}]`;
      return coloured(context, spend(context, text), "special");
    }

    context.seen.push(value);
    context.currentDepth = level;
    const output = [];
    if (entries) entries(context, value, level, output);
    const { sorted } = context;
    if (sorted && !isArray) keys.sort(typeof sorted === "function" ? sorted : undefined);
    for (const key of keys) {
      if (context.left <= 0) {
        output.push("…");
        break;
      }
      output.push(formatProperty(context, value, level, key));
    }
    for (const key of symbols) output.push(formatProperty(context, value, level, key));
    if (context.showHidden && value instanceof TypedArray) formatView(value, output);
    for (const [key, slot] of inherited) output.push(`[${key}]: ${formatSlot(context, value, level, slot)}`);
    context.seen.pop();

    const index = context.circular.get(value);
    if (index !== undefined) {
      const reference = `<ref *${index}>`;
      if (base === "") braces[0] = `${reference} ${braces[0]}`;
      else base = `${reference} ${base}`;
    }
    return join(context, output, base, braces, isArray, level, value);
  }

  /** Keys of a function that V8 has before all others; those of one that is not strict, too. */
  const OF_FUNCTIONS = ["length", "name", "arguments", "caller", "prototype"];
  const SLOPPY = new Set(["arguments", "caller"]);

  /** The names of all of its own properties, in the order that V8 has them in. */
  function allKeys(value) {
    if (value instanceof Error) return ownKeys(value);
    const names = Object.getOwnPropertyNames(value);
    if (typeof value !== "function") return names;
    const isSloppy = /^function(?!\s*\*)/.test(Function.prototype.toString.call(value)) &&
      names.includes("prototype");
    const first = OF_FUNCTIONS.filter((key) => SLOPPY.has(key) ? isSloppy : names.includes(key));
    return [...first, ...names.filter((key) => !first.includes(key))];
  }

  function formatView(view, output) {
    for (const key of ["BYTES_PER_ELEMENT", "length", "byteLength", "byteOffset"]) {
      if (!Object.hasOwn(view, key)) output.push(`[${key}]: ${view[key]}`);
    }
    output.push(`[buffer]: ArrayBuffer { byteLength: ${view.buffer.byteLength} }`);
  }

  /** What a value of a program's class has by its prototypes, but for methods. */
  function inheritedOf(value) {
    const found = [];
    for (let at = getPrototypeOf(value); at; at = getPrototypeOf(at)) {
      const maker = getOwnPropertyDescriptor(at, "constructor")?.value;
      if (typeof maker !== "function" || /\[native code\]/.test(Function.prototype.toString.call(maker))) {
        break;
      }
      for (const key of Object.getOwnPropertyNames(at)) {
        const slot = getOwnPropertyDescriptor(at, key);
        if (key !== "constructor" && !Object.hasOwn(value, key) && typeof slot.value !== "function") {
          found.push([key, slot]);
        }
      }
    }
    return found;
  }

  /** How many of an array's keys are its indices; they come first. */
  function indexCount(keys, length) {
    let low = 0;
    let high = Math.min(keys.length, length);
    while (low < high) {
      const middle = (low + high) >> 1;
      if (/^(?:0|[1-9]\d*)$/.test(keys[middle]) && +keys[middle] < length) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  function formatError(context, error, keys) {
    const { head, stack } = stackOf(error);
    let text = stack ? `${head}\n${stack}` : `[${head}]`;
    const named = keys.indexOf("name");
    if (named >= 0 && text.includes(String(error.name))) keys.splice(named, 1);
    if (context.indentation > 0) text = text.replaceAll("\n", `\n${" ".repeat(context.indentation)}`);
    if (error instanceof AggregateError && !keys.includes("errors")) keys.push("errors");
    return spend(context, text.slice(0, Math.max(0, context.left)));
  }

  /** What is under a key: a number of an array's, or a name. */
  function slotOf(object, key) {
    const own = getOwnPropertyDescriptor(object, key);
    if (own) return own;
    if (SLOPPY.has(key) && typeof object === "function") return { value: null, enumerable: false };
    return { value: object[key], enumerable: true };
  }

  function formatElement(context, array, level, index) {
    return formatSlot(context, array, level, slotOf(array, index));
  }

  function formatProperty(context, object, level, key) {
    const slot = slotOf(object, key);
    const isCompact = context.compact === true && !Array.isArray(object);
    let text = formatSlot(context, object, level, slot, isCompact ? 3 : 2);
    if (isCompact && hooks.widthOf(text) > context.breakLength) {
      text = `\n${" ".repeat(context.indentation + 3)}${text}`;
    }
    let name;
    if (typeof key === "symbol") {
      name = `[${coloured(context, escaped(Symbol.prototype.toString.call(key)), "symbol")}]`;
    } else if (key === "__proto__") name = "['__proto__']";
    else if (!slot.enumerable) name = `[${key}]`;
    else {name = /^[a-zA-Z_][a-zA-Z_0-9]*$/.test(key)
        ? key
        : coloured(context, quote(key.length > 1000 ? key.slice(0, 1000) + "…" : key), "string");}
    context.left -= name.length + 2;
    return text.startsWith("\n") ? `${name}:${text}` : `${name}: ${text}`;
  }

  function formatSlot(context, object, level, { value, get, set }, indentation = 2) {
    if (value !== undefined || !(get || set)) {
      context.indentation += indentation;
      const text = format(context, value, level + 1);
      context.indentation -= indentation;
      return text;
    }
    const accessor = get ? set ? "Getter/Setter" : "Getter" : "Setter";
    const text = coloured(context, spend(context, `[${accessor}]`), "special");
    const isAsked = get &&
      (context.getters === true || context.getters && !set === (context.getters === "get"));
    return isAsked ? gotten(context, object, get, level, accessor) : text;
  }

  /** What a getter gives, for those who ask for it. */
  function gotten(context, object, getter, level, accessor) {
    let value;
    try {
      value = apply(getter, object, []);
    } catch (error) {
      return `[${accessor}: <Inspection threw (${error?.message})>]`;
    }
    context.indentation += 2;
    const shown = format(context, value, level + 1);
    context.indentation -= 2;
    return value !== null && typeof value === "object" ? `[${accessor}] ${shown}` : `[${accessor}: ${shown}]`;
  }

  hooks.inspect = (value, options) => {
    const given = {};
    for (const name in PRESET) {
      given[name] = options?.[name] === undefined ? PRESET[name] : options[name] ?? Infinity;
    }
    const context = {
      ...given,
      depth: typeof given.depth === "number" ? Math.min(given.depth, MAX_DEPTH) : PRESET.depth,
      asked: options,
      left: options?.bound ?? BOUND,
      indentation: 0,
      currentDepth: 0,
      seen: [],
      circular: new Map(),
    };
    return format(context, value, 0);
  };
}
