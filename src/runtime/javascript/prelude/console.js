/** `console`: log, info, debug, dir, table, … to standard output; warn, error, trace, assert to standard error. */
export function installConsole(host, hooks) {
  const OUT = 1;
  const ERR = 2;
  /** Lines longer than this go out in pieces. */
  const PIECE = 64 * 1024;
  let indent = "";
  const counts = new Map();
  const timers = new Map();

  function write(stream, text) {
    const line = (indent ? indent + text.replaceAll("\n", `\n${indent}`) : text) + "\n";
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

  /** Node's frames: a table of the rows' keys, or of values. */
  function table(data, columns) {
    if (data === null || typeof data !== "object") return write(OUT, format([data]));
    const isMap = data instanceof Map;
    const entries = isMap
      ? Array.from(data, ([key, value], index) => [index, value, key])
      : data instanceof Set
      ? Array.from(data, (value, index) => [index, value])
      : Object.entries(data);
    const keys = [];
    let values = false;
    const rows = entries.slice(0, 1000).map(([index, value, key]) => {
      const row = { index: String(index), cells: {}, key };
      if (value !== null && typeof value === "object" || columns) {
        for (const name of columns ?? Object.keys(value).slice(0, 100)) {
          if (!keys.includes(name)) keys.push(name);
          if (value !== null && typeof value === "object" && Object.hasOwn(value, name)) {
            row.cells[name] = hooks.inspect(value[name], { depth: 0, bound: 1000 });
          }
        }
      } else {
        row.value = hooks.inspect(value, { bound: 1000 });
        values = true;
      }
      return row;
    });
    const heads = [isMap || data instanceof Set ? "(iteration index)" : "(index)"];
    if (isMap) heads.push("Key");
    heads.push(...keys);
    if (values) heads.push("Values");
    const lines = rows.map((row) => {
      const line = [row.index];
      if (isMap) line.push(hooks.inspect(row.key, { depth: 0, bound: 1000 }));
      for (const name of keys) line.push(row.cells[name] ?? "");
      if (values) line.push(row.value ?? "");
      return line;
    });
    const widths = heads.map((head, i) =>
      lines.reduce((most, line) => Math.max(most, line[i].length), head.length) + 2
    );
    const rule = (left, middle, right) =>
      left + widths.map((width) => "─".repeat(width)).join(middle) + right;
    const show = (line) => `│${line.map((cell, i) => ` ${cell}`.padEnd(widths[i])).join("│")}│`;
    write(
      OUT,
      [rule("┌", "┬", "┐"), show(heads), rule("├", "┼", "┤"), ...lines.map(show), rule("└", "┴", "┘")].join(
        "\n",
      ),
    );
  }

  function elapsed(label) {
    const from = timers.get(label);
    if (from === undefined) {
      write(ERR, `Warning: No such label '${label}' for console.time()`);
      return undefined;
    }
    const ms = host.now() - from;
    return `${label}: ${ms >= 1000 ? `${(ms / 1000).toFixed(3)}s` : `${+ms.toFixed(3)}ms`}`;
  }

  const print = (stream) => (...args) => write(stream, format(args));
  const group = (...args) => {
    if (args.length > 0) write(OUT, format(args));
    if (indent.length < 200) indent += "  ";
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
    dir: (value, options) => write(OUT, hooks.inspect(value, options)),
    dirxml: print(OUT),
    table,
    assert: (condition, ...args) => {
      if (condition) return;
      if (typeof args[0] === "string") write(ERR, format([`Assertion failed: ${args[0]}`, ...args.slice(1)]));
      else write(ERR, format(["Assertion failed", ...args]));
    },
    count: (label = "default") => {
      const count = (counts.get(`${label}`) ?? 0) + 1;
      counts.set(`${label}`, count);
      write(OUT, `${label}: ${count}`);
    },
    countReset: (label = "default") => void counts.delete(`${label}`),
    time: (label = "default") => void timers.set(`${label}`, host.now()),
    timeLog: (label = "default", ...args) => {
      const text = elapsed(`${label}`);
      if (text) write(OUT, args.length > 0 ? `${text} ${format(args)}` : text);
    },
    timeEnd: (label = "default") => {
      const text = elapsed(`${label}`);
      timers.delete(`${label}`);
      if (text) write(OUT, text);
    },
    group,
    groupCollapsed: group,
    groupEnd: () => void (indent = indent.slice(0, -2)),
    clear: () => {},
  };
  const console = Object.create({});
  for (const [name, method] of Object.entries(methods)) {
    Object.defineProperty(method, "name", { value: name });
    console[name] = method;
  }
  hooks.define("console", console);
  /** Groups end with the run that opened them. */
  hooks.endGroups = () => void (indent = "");
}
