/** Attributes of paths: `.gitattributes` in each directory, `info/attributes`, and `core.attributesFile`. */
import { unquotePath } from "./patches.js";
import { note, readText, started } from "./system.js";

export const UNSPECIFIED = "unspecified";
const BUILT_IN = "[attr]binary -diff -merge -text";
const NAME = /^[A-Za-z0-9_.][-A-Za-z0-9_.]*$/;
export const isAttributeName = (name) => NAME.test(name);

/** A pattern as a test of a path below the file's directory. */
function testOf(given) {
  const pattern = given.replace(/\/$/, "");
  const anchored = pattern.includes("/");
  const source = pattern.replace(/^\//, "").replace(
    /\\(.)|^\*\*\/|\/\*\*\/|\/\*\*$|\*+|\?|\[[!^]?\]?[^\]]*\]|[.+^${}()|\\[\]]/g,
    (part, escaped) => {
      if (escaped) return escaped.replace(/\W/g, "\\$&");
      if (part === "**/") return "(?:.*/)?";
      if (part === "/**/") return "/(?:.*/)?";
      if (part === "/**") return "/.*";
      if (part.startsWith("*")) return "[^/]*";
      if (part === "?") return "[^/]";
      return part.length > 1 ? part.replace(/^\[[!^]/, "[^").replace(/\\/g, "\\\\") : `\\${part}`;
    },
  );
  const expression = new RegExp(`^${source}$`, "s");
  return (path) => {
    if (pattern !== given && !path.endsWith("/")) return false;
    const name = path.replace(/\/$/, "");
    return expression.test(anchored ? name : name.slice(name.lastIndexOf("/") + 1));
  };
}

/** What a line says of each attribute. */
const statesOf = (words) =>
  words.map((word) => {
    const [name, value] = /^([^=]*)(?:=(.*))?$/.exec(word).slice(1);
    if (name.startsWith("-")) return [name.slice(1), "unset"];
    if (name.startsWith("!")) return [name.slice(1), UNSPECIFIED];
    return [name, value ?? "set"];
  }).filter(([name]) => NAME.test(name));

export class Attributes {
  #repository;
  #files = new Map();
  #macros = new Map();
  #names = new Set();
  #common;
  #own;

  constructor(repository) {
    this.#repository = repository;
  }

  async load() {
    const { config, gitdir } = this.#repository;
    const user = await config.path_("core.attributesfile") ??
      `${started.env.XDG_CONFIG_HOME ?? `${started.env.HOME ?? "/app"}/.config`}/git/attributes`;
    const read = (file) => this.#parsed(readText(file) ?? "", { macros: true });
    this.#common = [this.#parsed(BUILT_IN, { macros: true }), read(user)];
    this.#inDirectory("");
    this.#own = read(`${gitdir}/info/attributes`);
    return this;
  }

  #inDirectory(directory) {
    if (!this.#files.has(directory)) {
      const name = directory === "" ? ".gitattributes" : `${directory}/.gitattributes`;
      const text = readText(this.#repository.file(name)) ?? "";
      this.#files.set(directory, this.#parsed(text, { macros: directory === "" }));
    }
    return this.#files.get(directory);
  }

  /** Lines as tests and states. @param options.macros Whether names for several attributes are made here. */
  #parsed(text, { macros }) {
    const lines = [];
    for (const line of text.replace(/^\uFEFF/, "").split("\n")) {
      const [, pattern, rest = ""] = /^[ \t\r]*("(?:[^"\\]|\\.)*"|[^ \t\r]+)(.*)$/.exec(line) ?? [];
      if (pattern === undefined || pattern.startsWith("#")) continue;
      const states = statesOf(rest.split(/[ \t\r]+/).filter((word) => word !== ""));
      const macro = /^\[attr\](.*)/.exec(pattern)?.[1];
      if (macro !== undefined) {
        if (macros) {
          this.#names.add(macro);
          this.#macros.set(macro, states);
        }
      } else if (pattern.startsWith("!")) {
        note(
          "warning: Negative patterns are ignored in git attributes\nUse '\\!' for literal leading exclamation.\n",
        );
        continue;
      } else lines.push({ test: testOf(unquotePath(pattern)), states });
      for (const [name] of states) this.#names.add(name);
    }
    return lines;
  }

  /** Attributes of a path by their names, in the order in which those were met. */
  of(path) {
    const parts = path.replace(/\/$/, "").split("/");
    const levels = parts.map((_, depth) => parts.slice(0, depth).join("/"));
    const found = new Map();
    const fill = (states) => {
      for (const [name, value] of [...states].reverse()) {
        if (found.has(name)) continue;
        found.set(name, value);
        if (value === "set") fill(this.#macros.get(name) ?? []);
      }
    };
    const look = (lines, below) => {
      for (const { test, states } of [...lines].reverse()) if (test(below)) fill(states);
    };
    const deeper = levels.map((directory) => [
      this.#inDirectory(directory),
      directory === "" ? path : path.slice(directory.length + 1),
    ]);
    look(this.#own, path);
    for (const [lines, below] of deeper.reverse()) look(lines, below);
    for (const lines of [...this.#common].reverse()) look(lines, path);
    return new Map([...this.#names].filter((name) => found.has(name)).map((name) => [name, found.get(name)]));
  }
}
