/** The module `sandbox_utils`: helpers for files and data; those of Python's module of that name, as far as they fit. */
export function installUtils(_host, hooks) {
  /** A library's, which are not there yet. */
  let fs;
  let path;
  hooks.onStart(() => ({ fs, path } = hooks.modules));

  /** A glob as a regular expression; its `*` stops at a slash, its `**` does not. */
  function expressionOf(glob) {
    const source = glob.replaceAll(/\*\*\/?|[*?]|\[[^\]]+\]|[.+^${}()|\\[\]]/g, (part) => {
      if (part.startsWith("**")) return ".*";
      if (part === "*") return "[^/]*";
      if (part === "?") return "[^/]";
      return part.length > 1 ? part.replace("[!", "[^") : `\\${part}`;
    });
    return new RegExp(`^${source}$`, "u");
  }

  function* walk(directory) {
    const entries = fs.readdirSync(directory, { withFileTypes: true });
    for (const entry of entries) {
      const found = path.join(directory, entry.name);
      yield [found, entry];
      if (entry.isDirectory()) yield* walk(found);
    }
  }

  /** Paths below `where`, sorted, whose name (or whose path, if `pattern` has a slash) matches a glob. */
  function find(pattern = "*", where = ".", { kind = "file", maxResults = 1000 } = {}) {
    const expression = expressionOf(pattern);
    const found = [];
    for (const [name, entry] of walk(where)) {
      if (kind !== "any" && entry.isDirectory() !== (kind === "directory")) continue;
      const text = pattern.includes("/") ? path.relative(where, name) : entry.name;
      if (expression.test(text)) found.push(name);
      if (found.length === maxResults) break;
    }
    return found.sort();
  }

  function readable(size) {
    const unit = size < 1024 ? 0 : size < 1024 ** 2 ? 1 : 2;
    return unit === 0 ? `${size} B` : `${(size / 1024 ** unit).toFixed(1)} ${["", "KB", "MB"][unit]}`;
  }

  /** The files and directories below `where` as an indented drawing. */
  function tree(where = ".", { depth = 3, maxEntries = 200 } = {}) {
    const lines = [where];
    const draw = (directory, indent, left) => {
      const entries = fs.readdirSync(directory, { withFileTypes: true });
      entries.forEach((entry, index) => {
        if (lines.length > maxEntries) return;
        const last = index === entries.length - 1;
        const inner = path.join(directory, entry.name);
        const size = entry.isDirectory() ? "/" : ` (${readable(fs.lstatSync(inner).size)})`;
        lines.push(`${indent}${last ? "└── " : "├── "}${entry.name}${size}`);
        if (entry.isDirectory() && left > 1) draw(inner, indent + (last ? "    " : "│   "), left - 1);
      });
    };
    draw(where, "", depth);
    if (lines.length > maxEntries) lines.splice(maxEntries, lines.length, "…");
    return lines.join("\n");
  }

  const readText = (name) => fs.readFileSync(name, "utf8").replace(/^\ufeff/, "");
  const linesOf = (text) => text.split(/(?<=\n)/);

  /** Lines that an expression is found in, as `{path, line, text}`, in one file or all text files below a directory. */
  function grep(pattern, where = ".", { glob = "*", ignoreCase = false, maxMatches = 200 } = {}) {
    const expression = pattern instanceof RegExp
      ? new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ""))
      : new RegExp(pattern, ignoreCase ? "i" : "");
    const files = fs.statSync(where).isDirectory() ? find(glob, where, { maxResults: 100_000 }) : [where];
    const matches = [];
    for (const file of files) {
      if (fs.readFileSync(file).subarray(0, 1024).includes(0)) continue;
      readText(file).split("\n").forEach((text, index) => {
        if (matches.length < maxMatches && expression.test(text)) {
          matches.push({ path: file, line: index + 1, text });
        }
      });
    }
    return matches;
  }

  const head = (name, lines = 10) => linesOf(readText(name)).slice(0, lines).join("");
  const tail = (name, lines = 10) => {
    const all = linesOf(readText(name));
    return all.slice(Math.max(0, all.length - lines)).join("");
  };

  /** The fields of CSV text, row by row (RFC 4180). */
  function parseCsv(text, delimiter) {
    const rows = [[]];
    let at = 0;
    while (at < text.length) {
      let field = "";
      if (text[at] === '"') {
        at++;
        for (;;) {
          const end = text.indexOf('"', at);
          if (end < 0) throw new SyntaxError(`a quoted field of row ${rows.length} has no end`);
          field += text.slice(at, end);
          at = end + 1;
          if (text[at] !== '"') break;
          field += '"';
          at++;
        }
      }
      const from = at;
      while (at < text.length && text[at] !== delimiter && text[at] !== "\n" && text[at] !== "\r") at++;
      rows.at(-1).push(field + text.slice(from, at));
      if (text[at] === delimiter) {
        at++;
        if (at === text.length) rows.at(-1).push("");
        continue;
      }
      if (text[at] === "\r" && text[at + 1] === "\n") at++;
      if (++at < text.length) rows.push([]);
    }
    return rows.filter((row) => row.length > 1 || row[0] !== undefined && row[0] !== "");
  }

  function converted(text) {
    if (text === "") return null;
    return /^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/.test(text) ? Number(text) : text;
  }

  /** The rows of a CSV file, as objects by the names in its first line. `convert`: numbers become numbers, "" null. */
  function readCsv(name, { delimiter, convert = true } = {}) {
    const text = readText(name);
    const first = text.split("\n", 1)[0];
    const by = delimiter ??
      [",", ";", "\t", "|"].reduce((best, each) =>
        first.split(each).length > first.split(best).length ? each : best
      );
    const [names = [], ...rows] = parseCsv(text, by);
    return rows.map((row) =>
      Object.fromEntries(names.map((each, index) => {
        const field = row[index] ?? null;
        return [each, convert && field !== null ? converted(field) : field];
      }))
    );
  }

  /** Writes objects as a CSV file. @returns The number of rows. */
  function writeCsv(name, rows, { columns = [...new Set(rows.flatMap(Object.keys))] } = {}) {
    const field = (value) => {
      const text = value === null || value === undefined
        ? ""
        : typeof value === "object"
        ? JSON.stringify(value)
        : `${value}`;
      return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    };
    const lines = [columns, ...rows.map((row) => columns.map((column) => row[column]))];
    fs.writeFileSync(name, lines.map((line) => `${line.map(field).join(",")}\n`).join(""));
    return rows.length;
  }

  const readJson = (name) => hooks.parseJson(readText(name), name);
  const writeJson = (name, value, { indent = 2 } = {}) =>
    fs.writeFileSync(name, `${JSON.stringify(value, null, indent)}\n`);
  const readJsonl = (name) =>
    readText(name).split("\n").filter((line) => line.trim() !== "").map((line) => JSON.parse(line));
  const writeJsonl = (name, values) => {
    fs.writeFileSync(name, values.map((value) => `${JSON.stringify(value)}\n`).join(""));
    return values.length;
  };

  /** An object without objects in it: `{a: {b: 1}}` becomes `{"a.b": 1}`. */
  function flatten(value, separator = ".") {
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, item]) =>
        typeof item === "object" && item !== null && !Array.isArray(item) && Object.keys(item).length > 0
          ? Object.entries(flatten(item, separator)).map(([inner, each]) => [key + separator + inner, each])
          : [[key, item]]
      ),
    );
  }

  /** Rows by the value of a column, or by what a function gives for a row. */
  function groupBy(rows, key) {
    const groups = {};
    for (const row of rows) (groups[typeof key === "function" ? key(row) : row[key]] ??= []).push(row);
    return groups;
  }

  const utils = {
    find,
    tree,
    grep,
    head,
    tail,
    readCsv,
    writeCsv,
    readJson,
    writeJson,
    readJsonl,
    writeJsonl,
    flatten,
    groupBy,
  };
  hooks.modules.sandbox_utils = utils;
}
