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
  };
  /** Levels that are shown at most, whatever is asked for. */
  const MAX_DEPTH = 1000;
  const BOUND = 256 * 1024;
  const OBJECT = 0;
  const ARRAY = 1;

  const { getOwnPropertyDescriptor, getPrototypeOf, keys: ownKeys, getOwnPropertySymbols } = Object;
  const isEnumerable = Object.prototype.propertyIsEnumerable;
  const TypedArray = getPrototypeOf(Uint8Array);
  const tagOf = getOwnPropertyDescriptor(TypedArray.prototype, Symbol.toStringTag).get;
  const mapSize = getOwnPropertyDescriptor(Map.prototype, "size").get;
  const setSize = getOwnPropertyDescriptor(Set.prototype, "size").get;
  const dateTime = Date.prototype.getTime;
  const regexSource = getOwnPropertyDescriptor(RegExp.prototype, "source").get;
  const apply = Reflect.apply;
  const toText = Object.prototype.toString;
  const custom = Symbol.for("nodejs.util.inspect.custom");

  /** What stands behind a proxy: the engine does not tell, and a proxy's traps are not called to show it. */
  const targets = new WeakMap();
  const NativeProxy = Proxy;
  const known = (proxy, target, handler) => {
    targets.set(proxy, [target, handler]);
    return proxy;
  };
  const revocable = NativeProxy.revocable;
  hooks.define(
    "Proxy",
    new NativeProxy(NativeProxy, {
      construct: (_, [target, handler]) => known(new NativeProxy(target, handler), target, handler),
    }),
  );
  NativeProxy.revocable = {
    revocable(target, handler) {
      const made = apply(revocable, NativeProxy, [target, handler]);
      known(made.proxy, target, handler);
      return made;
    },
  }.revocable;
  /** `[target, handler]` of a proxy; undefined for anything else. */
  hooks.behindProxy = (value) =>
    value !== null && (typeof value === "object" || typeof value === "function")
      ? targets.get(value)
      : undefined;

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
  const ESCAPES = {
    "\b": "\\b",
    "\t": "\\t",
    "\n": "\\n",
    "\f": "\\f",
    "\r": "\\r",
    "\\": "\\\\",
    "\v": "\\x0B",
  };
  function quote(text) {
    let mark = "'";
    if (text.includes("'")) {
      if (!text.includes('"')) mark = '"';
      else if (!text.includes("`") && !text.includes("${")) mark = "`";
    }
    const escaped = text.replace(
      // deno-lint-ignore no-control-regex
      /[\x00-\x1f\x7f-\x9f\\'"`]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
      (char) => {
        if (char === "'" || char === '"' || char === "`") return char === mark ? "\\" + char : char;
        const known = ESCAPES[char];
        if (known) return known;
        const code = char.charCodeAt(0);
        return code > 0xff
          ? "\\u" + code.toString(16)
          : "\\x" + code.toString(16).toUpperCase().padStart(2, "0");
      },
    );
    return mark + escaped + mark;
  }

  function formatString(context, value) {
    let rest = "";
    let text = value;
    const most = Math.min(context.maxStringLength, context.left);
    if (text.length > most) {
      const more = text.length - most;
      rest = `... ${more} more character${more > 1 ? "s" : ""}`;
      text = text.slice(0, most);
    }
    context.left -= text.length;
    if (
      context.compact !== true && text.length > 16 &&
      text.length > context.breakLength - context.indentation - 4 && text.includes("\n")
    ) {
      const lines = text.split(/(?<=\n)/).map(quote);
      return lines.join(` +\n${" ".repeat(context.indentation + 2)}`) + rest;
    }
    return quote(text) + rest;
  }

  function formatPrimitive(context, value) {
    let text;
    switch (typeof value) {
      case "string":
        return coloured(context, formatString(context, value), "string");
      case "number":
        text = Object.is(value, -0) ? "-0" : `${value}`;
        break;
      case "bigint":
        // Making the digits of a big one takes time that grows with the square of their number.
        text = value > 2n ** 8192n || value < -(2n ** 8192n) ? "[BigInt: too long to show]" : `${value}n`;
        break;
      case "symbol":
        text = Symbol.prototype.toString.call(value);
        break;
      default:
        text = `${value}`;
    }
    context.left -= text.length;
    return value === null
      ? context.colors ? `\u001b[1mnull\u001b[22m` : text
      : coloured(context, text, typeof value);
  }

  function constructorName(value) {
    let object = value;
    let first = true;
    while (object !== null) {
      const found = getOwnPropertyDescriptor(object, "constructor");
      if (found && typeof found.value === "function" && found.value.name !== "") {
        const isOwn = first && object === value && typeof value !== "function";
        if (!isOwn || getPrototypeOf(value) === null) return String(found.value.name);
      }
      object = getPrototypeOf(object);
      first = false;
    }
    return null;
  }

  function prefix(name, fallback, tag, size = "") {
    const shown = name === null ? `[${fallback}${size}: null prototype] ` : `${name}${size} `;
    return tag !== "" && tag !== name ? `${shown}[${tag}] ` : shown;
  }

  /** Codes that an error's first line shows: those of errors that are the runtime's own. */
  const codes = new WeakMap();
  hooks.showCode = (error, code) => void codes.set(error, code);

  /** The first line of an error with the name of its class, where that says more. */
  function withClass(head, name, constructor) {
    const isNamed = name.endsWith("Error") && head.startsWith(name) &&
      /^(?:$|[:\n])/.test(head.slice(name.length));
    if (!isNamed || !constructor || constructor === name) return head;
    const rest = head.slice(name.length);
    return constructor.includes(name) ? `${constructor}${rest}` : `${constructor} [${name}]${rest}`;
  }

  function stackOf(error) {
    let name = "Error";
    let message = "";
    let constructor = "";
    try {
      name = String(error.name ?? "Error");
      message = String(error.message ?? "");
      constructor = String(error.constructor?.name ?? "");
    } catch { /* an error of the guest's own making */ }
    let head = message ? `${name}: ${message}` : name;
    let stack = "";
    try {
      if (typeof error.stack === "string") {
        const at = error.stack.search(/^ +at /m);
        // What the error was when its stack was asked for first, or what the program has put in its place.
        head = (at < 0 ? error.stack : error.stack.slice(0, at).trimEnd()) || head;
        stack = at < 0 ? "" : hooks.cleanStack(error.stack.slice(at));
      }
    } catch { /* as above */ }
    const code = codes.get(error);
    head = code !== undefined && head.startsWith(name)
      ? `${name} [${code}]${head.slice(name.length)}`
      : withClass(head, name, constructor);
    return { head, name: name === "Error" && constructor ? constructor : name, message, stack };
  }
  hooks.stackOf = stackOf;

  function formatFunction(value, name, tag) {
    const source = Function.prototype.toString.call(value);
    if (source.startsWith("class") && /^class[\s{]/.test(source)) {
      const own = value.name ? `class ${value.name}` : "class (anonymous)";
      const parent = getPrototypeOf(value);
      const extension = typeof parent === "function" && parent.name ? ` extends ${parent.name}` : "";
      return `[${own}${extension}]`;
    }
    const kind = name === null ? "Function (null prototype)" : name;
    const base = `[${kind}${value.name ? `: ${value.name}` : " (anonymous)"}]`;
    return tag !== "" && tag !== name ? `${base} [${tag}]` : base;
  }

  function format(context, value, level, typed) {
    if (context.left <= 0) return "…";
    if (value === null || (typeof value !== "object" && typeof value !== "function")) {
      return formatPrimitive(context, value);
    }
    if (context.seen.includes(value)) {
      let index = context.circular.get(value);
      if (index === undefined) context.circular.set(value, index = context.circular.size + 1);
      context.left -= 14;
      return `[Circular *${index}]`;
    }
    let behind = targets.get(value);
    if (behind) {
      if (context.showProxy) {
        context.seen.push(value);
        const parts = behind.map((each) => format(context, each, level + 1));
        context.seen.pop();
        return level > context.depth
          ? "Proxy [Array]"
          : join(context, parts, "", ["Proxy [", "]"], ARRAY, level, parts);
      }
      for (; behind; behind = targets.get(value)) value = behind[0];
    }
    const own = context.customInspect ? value[custom] : undefined;
    if (typeof own === "function" && own !== hooks.inspect) {
      const { breakLength, compact, colors, depth, sorted, maxArrayLength, maxStringLength } = context;
      const options = {
        breakLength,
        compact,
        colors,
        depth: depth - level,
        sorted,
        maxArrayLength,
        maxStringLength,
      };
      options.stylize = (text) => `${text}`;
      const shown = apply(own, value, [depth - level, options, hooks.inspect]);
      if (shown !== value) return typeof shown === "string" ? shown : format(context, shown, level);
    }
    return formatObject(context, value, level, typed);
  }

  function formatObject(context, value, level, typed) {
    const name = constructorName(value);
    let tag = "";
    try {
      const text = value[Symbol.toStringTag];
      // An own one is shown among the properties.
      const isShown = apply(isEnumerable, value, [Symbol.toStringTag]);
      if (typeof text === "string" && text !== "" && text !== name && !isShown) tag = text;
    } catch { /* a getter that throws shows nothing */ }

    let keys = ownKeys(value);
    const symbols = getOwnPropertySymbols(value).filter((key) => apply(isEnumerable, value, [key]));
    let base = "";
    let braces = ["{", "}"];
    let kind = OBJECT;
    let entries;

    if (Array.isArray(value)) {
      kind = ARRAY;
      keys = keys.slice(indexCount(keys, value.length));
      // What a regular expression has found: the engine gives its fields in another order than V8.
      if (keys[0] === "groups" && keys[1] === "index" && keys[2] === "input") keys.push(keys.shift());
      braces = [
        name !== "Array" || tag !== "" ? `${prefix(name, "Array", tag, `(${value.length})`)}[` : "[",
        "]",
      ];
      if (value.length === 0 && keys.length + symbols.length === 0) return `${braces[0]}]`;
      entries = formatArray;
    } else if (has(value, Map, mapSize)) {
      braces[0] = `${prefix(name, "Map", tag, `(${apply(mapSize, value, [])})`)}{`;
      entries = formatMap;
    } else if (has(value, Set, setSize)) {
      braces[0] = `${prefix(name, "Set", tag, `(${apply(setSize, value, [])})`)}{`;
      entries = formatSet;
    } else if (value instanceof TypedArray && apply(tagOf, value, []) !== undefined) {
      kind = ARRAY;
      keys = keys.slice(indexCount(keys, value.length));
      braces = [`${prefix(name, apply(tagOf, value, []), tag, `(${value.length})`)}[`, "]"];
      if (value.length === 0 && keys.length + symbols.length === 0) return `${braces[0]}]`;
      entries = formatArray;
    } else if (typeof value === "function") {
      base = formatFunction(value, name, tag);
      if (keys.length + symbols.length === 0 && !context.showHidden) return spend(context, base);
    } else if (has(value, RegExp, regexSource)) {
      base = String(value);
      if (keys.length + symbols.length === 0) return spend(context, base);
    } else if (has(value, Date, dateTime)) {
      const time = apply(dateTime, value, []);
      base = Number.isNaN(time) ? "Invalid Date" : new Date(time).toISOString();
      if (keys.length + symbols.length === 0) return spend(context, base);
    } else if (value instanceof Error) {
      base = formatError(context, value, keys);
      keys = keys.filter((key) => key !== "stack" && key !== "message" && key !== "cause");
      if ("cause" in value && Object.hasOwn(value, "cause")) keys.push("cause");
      if (keys.length + symbols.length === 0) return base;
    } else if (value instanceof Promise) {
      braces[0] = `${prefix(name, "Promise", tag)}{`;
      entries = formatPromise;
    } else if ((tag === "Map Iterator" || tag === "Set Iterator") && iteratorOf(value)) {
      braces[0] = `[${host.givesEntries(value) === 1 ? tag.replace("Iterator", "Entries") : tag}] {`;
      entries = formatIterator;
    } else if (
      value instanceof ArrayBuffer ||
      (typeof SharedArrayBuffer === "function" && value instanceof SharedArrayBuffer)
    ) {
      braces[0] = `${prefix(name, "ArrayBuffer", tag)}{`;
      entries = formatArrayBuffer;
    } else if (value instanceof DataView) {
      braces[0] = `${prefix(name, "DataView", tag)}{`;
      entries = formatDataView;
    } else if (value instanceof WeakMap || value instanceof WeakSet) {
      return spend(context, `${prefix(name, "WeakSet", tag)}{ <items unknown> }`);
    } else if (BOXED.some((type) => value instanceof type)) {
      const type = BOXED.find((type) => value instanceof type).name;
      base = `[${type}: ${formatPrimitive(context, value.valueOf())}]`;
      if (type === "String") keys = keys.slice(value.length);
      if (keys.length + symbols.length === 0) return base;
    } else {
      if (name === null && tag === "Module") braces[0] = "[Module: null prototype] {";
      else if (name === "Object" && tag === "" && apply(toText, value, []) === "[object Arguments]") {
        braces[0] = "[Arguments] {";
      } else if (name !== "Object" || tag !== "") braces[0] = `${prefix(name, "Object", tag)}{`;
      if (keys.length + symbols.length === 0) return spend(context, `${braces[0]}}`);
    }

    if (level > context.depth) {
      const shown = kind === ARRAY && name === "Array" ? "Array" : `${prefix(name, "Object", tag)}`.trimEnd();
      return spend(context, name === null && kind !== ARRAY ? "[Object: null prototype]" : `[${shown}]`);
    }

    context.seen.push(value);
    context.currentDepth = level;
    const output = [];
    if (entries) entries(context, value, level, output, typed);
    const { sorted } = context;
    if (sorted && kind === OBJECT) keys.sort(typeof sorted === "function" ? sorted : undefined);
    if (context.showHidden) keys.push(...hiddenKeys(value));
    for (const key of keys) {
      if (context.left <= 0) {
        output.push("…");
        break;
      }
      output.push(formatProperty(context, value, level, key, OBJECT));
    }
    for (const key of symbols) output.push(formatProperty(context, value, level, key, OBJECT));
    context.seen.pop();

    const index = context.circular.get(value);
    if (index !== undefined) {
      const reference = `<ref *${index}>`;
      if (base === "") braces[0] = `${reference} ${braces[0]}`;
      else base = `${reference} ${base}`;
    }
    return join(context, output, base, braces, kind, level, value);
  }

  /** What is not enumerable: all that makes a difference to somebody who asks for it. */
  function hiddenKeys(value) {
    const names = Object.getOwnPropertyNames(value).filter((key) => !apply(isEnumerable, value, [key]));
    return value instanceof Error ? [] : names;
  }

  const STYLES = {
    bigint: 33,
    boolean: 33,
    number: 33,
    string: 32,
    symbol: 32,
    undefined: 90,
  };
  /** @param style A type, or the number of a colour. */
  function coloured(context, text, style) {
    const colour = STYLES[style] ?? style;
    return context.colors && typeof colour === "number" ? `\u001b[${colour}m${text}\u001b[39m` : text;
  }

  function spend(context, text) {
    context.left -= text.length;
    return text;
  }

  /** How many of an array's keys are its indices; they come first. */
  function indexCount(keys, length) {
    let low = 0;
    let high = Math.min(keys.length, length);
    while (low < high) {
      const middle = (low + high) >> 1;
      if (/^\d+$/.test(keys[middle]) && +keys[middle] < length) low = middle + 1;
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

  function more(output, count, what = "item") {
    if (count > 0) output.push(`... ${count} more ${what}${count > 1 ? "s" : ""}`);
  }

  function formatArray(context, value, level, output) {
    const typed = !Array.isArray(value);
    let shown = 0;
    let index = 0;
    for (; index < value.length && shown < context.maxArrayLength && context.left > 0; shown++) {
      if (typed || Object.hasOwn(value, index)) {
        output.push(formatProperty(context, value, level, index++, ARRAY));
        continue;
      }
      const from = index;
      // Holes are counted without visiting each of, say, four thousand million.
      while (index < value.length && index - from < 10_000 && !Object.hasOwn(value, index)) index++;
      if (index - from === 10_000) index = nextIndex(value, index);
      output.push(spend(context, `<${index - from} empty item${index - from > 1 ? "s" : ""}>`));
    }
    more(output, value.length - index);
  }

  function nextIndex(array, from) {
    for (const key of ownKeys(array)) if (+key >= from) return +key;
    return array.length;
  }

  function formatMap(context, map, level, output) {
    const size = apply(mapSize, map, []);
    context.indentation += 2;
    let shown = 0;
    for (const [key, value] of map) {
      if (shown++ === context.maxArrayLength || context.left <= 0) {
        more(output, size - shown + 1);
        break;
      }
      output.push(`${format(context, key, level + 1)} => ${format(context, value, level + 1)}`);
    }
    context.indentation -= 2;
  }

  function formatSet(context, set, level, output) {
    const size = apply(setSize, set, []);
    context.indentation += 2;
    let shown = 0;
    for (const value of set) {
      if (shown++ === context.maxArrayLength || context.left <= 0) {
        more(output, size - shown + 1);
        break;
      }
      output.push(format(context, value, level + 1));
    }
    context.indentation -= 2;
  }

  const nextOf = new Map([Map, Set].map((Class) => {
    const prototype = getPrototypeOf(new Class().values());
    return [prototype, prototype.next];
  }));
  /** What iterators would have given that were shown: they give it from here. */
  const shownOf = new WeakMap();
  /** What is left of an iterator of a Map or Set. Nothing but its `next` tells, and can't be asked twice. */
  function iteratorOf(iterator) {
    const next = nextOf.get(getPrototypeOf(iterator));
    if (!next) return undefined;
    const known = shownOf.get(iterator);
    if (known) return known;
    if (Object.hasOwn(iterator, "next")) return undefined;
    const left = [];
    for (let each = apply(next, iterator, []); !each.done; each = apply(next, iterator, [])) {
      left.push(each.value);
    }
    shownOf.set(iterator, left);
    Object.defineProperty(iterator, "next", {
      value: () => left.length > 0 ? { value: left.shift(), done: false } : { value: undefined, done: true },
      writable: true,
      configurable: true,
      enumerable: false,
    });
    return left;
  }
  function formatIterator(context, iterator, level, output) {
    const left = iteratorOf(iterator);
    context.indentation += 2;
    for (const value of left.slice(0, context.maxArrayLength)) {
      if (context.left <= 0) break;
      output.push(format(context, value, level + 1));
    }
    context.indentation -= 2;
    more(output, left.length - output.length);
  }

  function formatArrayBuffer(context, buffer, _level, output) {
    const bytes = new Uint8Array(buffer, 0, Math.min(50, buffer.byteLength));
    let text = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(" ");
    if (buffer.byteLength > 50) text += ` ... ${buffer.byteLength - 50} more bytes`;
    output.push(spend(context, `[Uint8Contents]: <${text}>`), `byteLength: ${buffer.byteLength}`);
  }

  function formatDataView(context, view, level, output) {
    output.push(`byteLength: ${view.byteLength}`, `byteOffset: ${view.byteOffset}`);
    context.indentation += 2;
    output.push(`buffer: ${format(context, view.buffer, level + 1)}`);
    context.indentation -= 2;
  }

  function formatPromise(context, promise, level, output) {
    const state = host.promiseState(promise);
    if (state === "pending") output.push(spend(context, "<pending>"));
    else {
      context.indentation += 2;
      const text = format(context, host.promiseValue(promise), level + 1);
      output.push(state === "rejected" ? `<rejected> ${text}` : text);
      context.indentation -= 2;
    }
  }

  function formatProperty(context, object, level, key, kind) {
    const found = getOwnPropertyDescriptor(object, key) ?? { value: object[key], enumerable: true };
    let text;
    if (found.value !== undefined || !(found.get || found.set)) {
      context.indentation += 2;
      text = format(context, found.value, level + 1);
      context.indentation -= 2;
    } else {
      const accessor = found.get ? found.set ? "Getter/Setter" : "Getter" : "Setter";
      text = spend(context, `[${accessor}]`);
      if (
        context.getters && found.get &&
        (context.getters === true || !found.set === (context.getters === "get"))
      ) {
        text = gotten(context, object, found.get, level, accessor);
      }
    }
    if (kind === ARRAY) return text;
    let name;
    if (typeof key === "symbol") name = `[${Symbol.prototype.toString.call(key)}]`;
    else if (key === "__proto__") name = "['__proto__']";
    else if (!found.enumerable) name = `[${key}]`;
    else {name = /^[a-zA-Z_][a-zA-Z_0-9]*$/.test(key)
        ? key
        : quote(key.length > 1000 ? key.slice(0, 1000) + "…" : key);}
    context.left -= name.length + 2;
    return `${name}: ${text}`;
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

  function group(context, output, value) {
    let totalLength = 0;
    let maxLength = 0;
    const extra = value.length > context.maxArrayLength || output.at(-1)?.startsWith("... ") ? 1 : 0;
    const length = output.length - extra;
    const lengths = [];
    for (let i = 0; i < length; i++) {
      lengths.push(output[i].length);
      totalLength += output[i].length + 2;
      maxLength = Math.max(maxLength, output[i].length);
    }
    const actualMax = maxLength + 2;
    if (
      actualMax * 3 + context.indentation >= context.breakLength ||
      !(totalLength / actualMax > 5 || maxLength <= 6)
    ) return output;
    const bias = Math.sqrt(actualMax - totalLength / output.length);
    const biasedMax = Math.max(actualMax - 3 - bias, 1);
    const columns = Math.min(
      Math.round(Math.sqrt(2.5 * biasedMax * length) / biasedMax),
      Math.floor((context.breakLength - context.indentation) / actualMax),
      context.compact * 4,
      15,
    );
    if (columns <= 1) return output;
    const widths = [];
    for (let i = 0; i < columns; i++) {
      let width = 0;
      for (let j = i; j < length; j += columns) width = Math.max(width, lengths[j]);
      widths.push(width + 2);
    }
    let padStart = true;
    for (let i = 0; i < length && padStart; i++) {
      padStart = typeof value[i] === "number" || typeof value[i] === "bigint";
    }
    const rows = [];
    for (let i = 0; i < length; i += columns) {
      const end = Math.min(i + columns, length);
      let row = "";
      let j = i;
      for (; j < end - 1; j++) {
        const cell = `${output[j]}, `;
        row += padStart ? cell.padStart(widths[j - i]) : cell.padEnd(widths[j - i]);
      }
      row += padStart ? output[j].padStart(widths[j - i] - 2) : output[j];
      rows.push(row);
    }
    if (extra) rows.push(output[length]);
    return rows;
  }

  function join(context, entries, base, braces, kind, level, value) {
    let output = entries;
    const { compact } = context;
    if (typeof compact === "number" && compact >= 1 && kind === ARRAY && entries.length > 6) {
      output = group(context, entries, value);
    }
    const lead = base ? `${base} ` : "";
    if (entries.length === 0) return `${lead}${braces[0]}${braces[1]}`;
    if (
      compact === true ||
      typeof compact === "number" && context.currentDepth - level < compact &&
        entries.length === output.length
    ) {
      const start = output.length + context.indentation + braces[0].length + base.length + 10;
      let total = output.length + start;
      for (const entry of output) total += entry.length;
      if (total <= context.breakLength && !base.includes("\n")) {
        const line = output.join(", ");
        if (!line.includes("\n")) return `${lead}${braces[0]} ${line} ${braces[1]}`;
      }
    }
    const indentation = `\n${" ".repeat(context.indentation)}`;
    return `${lead}${braces[0]}${indentation}  ${output.join(`,${indentation}  `)}${indentation}${braces[1]}`;
  }

  hooks.inspect = (value, options) => {
    const given = {};
    for (const name in PRESET) {
      given[name] = options?.[name] === undefined ? PRESET[name] : options[name] ?? Infinity;
    }
    const context = {
      ...given,
      depth: typeof given.depth === "number" ? Math.min(given.depth, MAX_DEPTH) : PRESET.depth,
      left: options?.bound ?? BOUND,
      indentation: 0,
      currentDepth: 0,
      seen: [],
      circular: new Map(),
    };
    return format(context, value, 0);
  };

  /** What a message calls the type of a value that has the wrong one. */
  hooks.describeType = (value) => value === null ? "null" : typeof value;

  /** The value of a run; nothing for undefined. */
  hooks.result = (value, bound) => {
    if (value === undefined || gaveNothing(value)) return undefined;
    const shown = hooks.inspect(value, { bound });
    if (hasMoreToShow(value)) hooks.displayResult(value);
    return shown;
  };

  /** Whether it is the promise of a function that has returned nothing, as that of most programs whose last line is `main()`. */
  function gaveNothing(value) {
    return typeof value === "object" && host.promiseState(value) === "fulfilled" &&
      host.promiseValue(value) === undefined;
  }

  /** Whether a value may have a better form than that of `inspect`. Cheap: it is asked of every result. */
  function hasMoreToShow(value) {
    if (typeof value !== "object" || value === null) return false;
    try {
      return Array.isArray(value)
        ? typeof value[0] === "object" && value[0] !== null
        : Symbol.for("Jupyter.display") in value;
    } catch {
      return false; // a proxy that refuses
    }
  }
}
