/** `console`: log, info, debug, dir, table, … to standard output; warn, error, trace, assert to standard error. */
export function installConsole(host, hooks) {
  const OUT = 1;
  const ERR = 2;
  /** Lines longer than this go out in pieces. */
  const PIECE = 64 * 1024;

  function writeLine(stream, line) {
    const taken = hooks.takenStream?.(stream);
    if (taken) return void taken.write(line);
    for (let at = 0; at < line.length;) {
      let end = Math.min(line.length, at + PIECE);
      const last = line.charCodeAt(end - 1);
      if (end < line.length && last >= 0xd800 && last < 0xdc00) end++;
      const piece = line.slice(at, end).toWellFormed();
      if (piece.includes("\0")) {
        host.writeBytes(stream, hooks.bufferOf(hooks.encodeUtf8(piece)));
      } else host.write(stream, piece);
      at = end;
    }
  }

  const BUILT_IN = new Set([
    Object,
    Array,
    Map,
    Set,
    Promise,
    RegExp,
    Date,
    WeakMap,
    WeakSet,
    ArrayBuffer,
    DataView,
  ]);
  /** Whether a class of the program's, or an error, says what its text is. */
  function hasOwnText(value) {
    if (value instanceof Error || hooks.behindProxy(value)) return !hooks.behindProxy(value);
    if (typeof value.toString !== "function") return false;
    for (let at = value; at !== null; at = Object.getPrototypeOf(at)) {
      const { constructor } = at;
      if (Object.hasOwn(at, "toString")) {
        return at !== Object.prototype && !BUILT_IN.has(constructor) || at === value;
      }
    }
    return false;
  }

  /** Node's `util.format`. */
  function format(args, options) {
    if (args.length === 1) return typeof args[0] === "string" ? args[0] : hooks.inspect(args[0], options);
    let text = "";
    let next = 0;
    if (typeof args[0] === "string" && args[0].includes("%")) {
      next = 1;
      text = args[0].replace(/%[sdifjoOc%]/g, (directive) => {
        if (directive === "%%") return "%";
        if (next >= args.length) return directive;
        const value = args[next++];
        switch (directive) {
          case "%s":
            if (typeof value === "bigint" || Object.is(value, -0)) return hooks.inspect(value);
            if (typeof value === "object" && value !== null && !hasOwnText(value)) {
              return hooks.inspect(value, { depth: 0 });
            }
            return String(value);
          case "%d":
            return typeof value === "bigint"
              ? `${value}n`
              : typeof value === "symbol"
              ? "NaN"
              : hooks.inspect(Number(value));
          case "%i":
            return typeof value === "bigint"
              ? `${value}n`
              : typeof value === "symbol"
              ? "NaN"
              : hooks.inspect(parseInt(value));
          case "%f":
            return typeof value === "symbol" ? "NaN" : hooks.inspect(parseFloat(value));
          case "%j":
            try {
              return JSON.stringify(value);
            } catch {
              return "[Circular]";
            }
          case "%o":
            return hooks.inspect(value, { ...options, depth: 4, showHidden: true });
          case "%O":
            return hooks.inspect(value, options);
          default:
            return "";
        }
      });
    }
    for (let i = next; i < args.length; i++) {
      const shown = typeof args[i] === "string" ? args[i] : hooks.inspect(args[i], options);
      text += i === 0 ? shown : ` ${shown}`;
    }
    return text;
  }
  hooks.format = format;

  const ZERO_WIDTH = /\p{Mn}|\p{Me}|\p{Cf}/u;
  const WIDE =
    /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
  /** How many columns of a terminal a text takes. */
  hooks.widthOf = (text) => {
    if (/^[\x20-\x7e]*$/.test(text)) return text.length;
    let width = 0;
    // deno-lint-ignore no-control-regex
    for (const each of text.replace(/\x1b\[[\d;]*m/g, "").normalize("NFC")) {
      if (!ZERO_WIDTH.test(each)) width += WIDE.test(each) ? 2 : 1;
    }
    return width;
  };

  /** What a cell shows as no more than what it is. */
  const isLarge = (value) =>
    value !== null && typeof value === "object" && !Array.isArray(value) && Object.keys(value).length > 2;

  /** Node's frames: a table of the rows' keys, or of values. */
  function tableOf(data, columns) {
    const isMap = data instanceof Map;
    const isCollection = isMap || data instanceof Set;
    const cell = (value) =>
      hooks.inspect(value, {
        depth: isLarge(value) ? -1 : 0,
        maxArrayLength: 3,
        breakLength: Infinity,
        bound: 1000,
      });
    const entries = isMap
      ? Array.from(data, ([key, value], index) => [index, value, key])
      : data instanceof Set
      ? Array.from(data, (value, index) => [index, value])
      : Object.entries(data);
    // In the order of an object's own, by which numbers come first.
    const keys = { __proto__: null };
    let values = false;
    const rows = entries.slice(0, 1000).map(([index, value, key]) => {
      const row = { index: String(index), cells: {}, key };
      if (
        !isCollection &&
        (value !== null && (typeof value === "object" || typeof value === "function") || columns)
      ) {
        for (const name of columns ?? Object.keys(value).slice(0, 100)) {
          keys[name] = true;
          if (Object(value) === value && Object.hasOwn(value, name)) {
            row.cells[name] = cell(value[name]);
          }
        }
      } else {
        row.value = cell(value);
        values = true;
      }
      return row;
    });
    const heads = [isCollection ? "(iteration index)" : "(index)"];
    if (isMap) heads.push("Key");
    heads.push(...Object.keys(keys));
    if (values) heads.push("Values");
    const lines = rows.map((row) => {
      const line = [row.index];
      if (isMap) line.push(cell(row.key));
      for (const name in keys) line.push(row.cells[name] ?? "");
      if (values) line.push(row.value ?? "");
      return line;
    });
    const widths = heads.map((head, i) =>
      lines.reduce((most, line) => Math.max(most, hooks.widthOf(line[i])), hooks.widthOf(head)) + 2
    );
    const rule = (left, middle, right) =>
      left + widths.map((width) => "─".repeat(width)).join(middle) + right;
    const show = (line) =>
      `│${line.map((cell, i) => ` ${cell}${" ".repeat(widths[i] - 1 - hooks.widthOf(cell))}`).join("│")}│`;
    return [rule("┌", "┬", "┐"), show(heads), rule("├", "┼", "┤"), ...lines.map(show), rule("└", "┴", "┘")]
      .join(
        "\n",
      );
  }

  /** What a console does that writes by `writeLine`. @param options How values are shown. */
  function methodsOver(writeLine, options, unit) {
    let indent = "";
    const counts = new Map();
    const timers = new Map();
    const write = (stream, text) =>
      writeLine(stream, (indent ? indent + text.replaceAll("\n", `\n${indent}`) : text) + "\n");
    const shown = (args) => format(args, options);
    const warn = (text) => hooks.warn(text);

    function elapsed(label, name) {
      const from = timers.get(label);
      if (from === undefined) {
        warn(`No such label '${label}' for console.${name}()`);
        return undefined;
      }
      const ms = host.now() - from;
      return `${label}: ${ms >= 1000 ? `${(ms / 1000).toFixed(3)}s` : `${+ms.toFixed(3)}ms`}`;
    }

    const print = (stream) => (...args) => write(stream, shown(args));
    const group = (...args) => {
      if (args.length > 0) write(OUT, shown(args));
      if (indent.length < 200) indent += unit;
    };
    const methods = {
      log: print(OUT),
      info: print(OUT),
      debug: print(OUT),
      warn: print(ERR),
      error: print(ERR),
      trace: (...args) => {
        const stack = hooks.cleanStack(new Error().stack);
        write(ERR, `Trace${args.length > 0 ? `: ${format(args)}` : ""}${stack ? `\n${stack}` : ""}`);
      },
      dir: (value, given) => write(OUT, hooks.inspect(value, { customInspect: false, ...options, ...given })),
      dirxml: print(OUT),
      table: (data, columns) =>
        write(OUT, data === null || typeof data !== "object" ? shown([data]) : tableOf(data, columns)),
      assert: (condition, ...args) => {
        if (condition) return;
        if (typeof args[0] === "string") {
          write(ERR, format([`Assertion failed: ${args[0]}`, ...args.slice(1)]));
        } else write(ERR, format(["Assertion failed", ...args]));
      },
      count: (label = "default") => {
        const count = (counts.get(`${label}`) ?? 0) + 1;
        counts.set(`${label}`, count);
        write(OUT, `${label}: ${count}`);
      },
      countReset: (label = "default") => {
        if (!counts.delete(`${label}`)) warn(`Count for '${label}' does not exist`);
      },
      time: (label = "default") => {
        if (timers.has(`${label}`)) warn(`Label '${label}' already exists for console.time()`);
        else timers.set(`${label}`, host.now());
      },
      timeLog: (label = "default", ...args) => {
        const text = elapsed(`${label}`, "timeLog");
        if (text) write(OUT, args.length > 0 ? `${text} ${format(args)}` : text);
      },
      timeEnd: (label = "default") => {
        const text = elapsed(`${label}`, "timeEnd");
        timers.delete(`${label}`);
        if (text) write(OUT, text);
      },
      group,
      groupCollapsed: group,
      groupEnd: () => void (indent = indent.slice(0, -unit.length || undefined)),
      clear: () => {},
    };
    for (const [name, method] of Object.entries(methods)) {
      Object.defineProperty(method, "name", { value: name });
    }
    return { methods, endGroups: () => void (indent = "") };
  }

  const { methods, endGroups } = methodsOver(writeLine, undefined, "  ");
  const console = Object.create({});
  for (const [name, method] of Object.entries(methods)) console[name] = method;
  /** One over streams of the program's. Old code calls it without `new`. */
  function Console(given, errors) {
    if (!new.target) return new Console(given, errors);
    const isStream = typeof given?.write === "function";
    const { stdout, stderr = stdout, inspectOptions, groupIndentation = 2, ignoreErrors = true } = isStream
      ? { stdout: given, stderr: errors }
      : given ?? {};
    for (const [name, stream] of [["stdout", stdout], ["stderr", stderr]]) {
      if (typeof stream?.write === "function") continue;
      const error = new TypeError(`Console expects a writable stream instance for ${name}`);
      error.code = "ERR_CONSOLE_WRITABLE_STREAM";
      throw error;
    }
    const own = methodsOver(
      (stream, line) => {
        try {
          (stream === ERR ? stderr : stdout).write(line);
        } catch (error) {
          const isOverflow = error instanceof RangeError && /call stack/.test(error.message);
          if (!ignoreErrors || isOverflow) throw error;
        }
      },
      inspectOptions,
      " ".repeat(groupIndentation),
    );
    Object.assign(this, own.methods);
  }
  Object.defineProperty(console, "Console", { value: Console, writable: true, configurable: true });
  hooks.define("console", console);
  /** Groups end with the run that opened them. */
  hooks.endGroups = endGroups;
}
