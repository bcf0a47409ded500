/**
 * Finds modules of packages as Node does: `node_modules` of the directories above, `exports` and `imports` with their
 * conditions, `main`; and as bundlers do for the web, `browser`, since nothing here is a Node.
 *
 * @see https://nodejs.org/api/esm.html#resolution-algorithm-specification
 */

import type { FileSystem } from "../../fs/file_system.ts";
import { NODE_MODULES } from "../../fs/places.ts";
import { GuestError } from "./engine.ts";
import { tokenize } from "./tokens.ts";

/** How a module is asked for; both see the condition `browser`, and `default` comes last wherever it is written last. */
export type Kind = "import" | "require";
export type Format = "esm" | "commonjs" | "json";

const CONDITIONS: Readonly<Record<Kind, ReadonlySet<string>>> = {
  import: new Set(["import", "module", "browser", "default"]),
  require: new Set(["require", "browser", "default"]),
};
/** Extensions and files tried, in this order, where a specifier leaves them out. */
const ENDINGS = ["", ".js", ".mjs", ".cjs", ".json", "/index.js", "/index.mjs", "/index.cjs", "/index.json"];
const PACKAGE_JSON_MAX_BYTES = 1024 * 1024;
/** Levels of conditions within conditions that are followed. */
const MAX_DEPTH = 20;
const PACKAGE = /^((?:@[^/@%\\]+\/)?[^/@%\\.][^/%\\]*)(\/.*)?$/;
/** What starts a statement of ES modules, perhaps: a look that spares most files the tokens. */
const MAYBE_ESM = /(?:^|[\n;}\]*/)])\s*(?:import|export)[\s{*"']/;

type Json = { readonly [key: string]: unknown };

interface Scope {
  readonly directory: string;
  readonly json: Json;
}

/** Stands for a module that a package says is empty in a browser. */
export const EMPTY = "wasmbox:empty";

export class PackageResolver {
  readonly #fs: FileSystem;
  readonly #scopes = new Map<string, Json | undefined>();
  readonly #formats = new Map<string, Format>();

  constructor(fs: FileSystem) {
    this.#fs = fs;
  }

  /** Files may have changed. */
  forget(): void {
    this.#scopes.clear();
    this.#formats.clear();
  }

  /**
   * @param specifier `name`, `name/file`, `@scope/name` or `#name`.
   * @param directory Of the module that asks.
   * @returns The path of a file, or {@link EMPTY}; undefined if there is no such package.
   * @throws {GuestError} if there is one, but not what is asked of it.
   */
  resolve(specifier: string, directory: string, kind: Kind): string | undefined {
    const scope = this.#scopeOf(directory);
    if (specifier.startsWith("#")) return this.#internal(specifier, scope, kind);
    const replaced = scope && this.#browserOf(scope, specifier);
    if (replaced === EMPTY) return EMPTY;
    if (replaced !== undefined) {
      return replaced.startsWith("./")
        ? this.#file(`${scope!.directory}/${replaced}`, specifier)
        : this.#external(replaced, directory, scope, kind);
    }
    return this.#external(specifier, directory, scope, kind);
  }

  /**
   * A file or directory by its path, perhaps without extension.
   *
   * @returns The path of a file, or {@link EMPTY}; undefined if there is none.
   */
  find(path: string): string | undefined {
    if (this.#isDirectory(path) && !this.#isFile(`${path}.js`)) {
      const json = this.#packageJson(path);
      const main = json && this.#main({ directory: path, json });
      if (main !== undefined) return main;
    }
    const ending = ENDINGS.find((ending) => this.#isFile(path + ending));
    if (ending === undefined) return undefined;
    const file = normalize(path + ending);
    const scope = this.#scopeOf(directoryOf(file));
    const replaced = scope && this.#browserOf(scope, `.${file.slice(scope.directory.length)}`);
    if (replaced === undefined || replaced === EMPTY) return replaced ?? file;
    return replaced.startsWith("./") ? this.#isFileOr(`${scope!.directory}/${replaced}`, file) : file;
  }

  /** How a file is to be read. @param text Its contents, asked for where they decide. */
  format(path: string, text: () => string): Format {
    const known = this.#formats.get(path);
    if (known) return known;
    const format = this.#formatOf(path, text);
    this.#formats.set(path, format);
    return format;
  }

  #formatOf(path: string, text: () => string): Format {
    if (path.endsWith(".json")) return "json";
    if (path.endsWith(".mjs")) return "esm";
    if (path.endsWith(".cjs")) return "commonjs";
    const type = this.#scopeOf(directoryOf(path))?.json["type"];
    if (type === "module") return "esm";
    if (type === "commonjs") return "commonjs";
    const source = text();
    if (hasModuleSyntax(source)) return "esm";
    // A file of the user's own that is neither is what it has always been here.
    const asks = /\bmodule\.exports\b|\bexports\.[\w$]+\s*=|\bexports\[/.test(source);
    return path.includes("/node_modules/") || asks ? "commonjs" : "esm";
  }

  #external(
    specifier: string,
    directory: string,
    scope: Scope | undefined,
    kind: Kind,
  ): string | undefined {
    const [, name, rest = ""] = PACKAGE.exec(specifier) ?? [];
    if (name === undefined) return undefined;
    const subpath = `.${rest}`;
    if (scope && scope.json["name"] === name && scope.json["exports"] !== undefined) {
      return this.#exported(scope, subpath, kind);
    }
    for (const modules of modulesAbove(directory)) {
      const place = `${modules}/${name}`;
      if (!this.#isDirectory(place)) continue;
      const json = this.#packageJson(place) ?? {};
      const found = { directory: place, json };
      if (json["exports"] !== undefined && json["exports"] !== null) {
        return this.#exported(found, subpath, kind);
      }
      if (subpath !== "." && subpath !== "./") return this.#file(`${place}/${rest}`, specifier);
      const main = this.#main(found);
      if (main === undefined) {
        throw notFound(`The package at ${place} has nothing to import: no main, no index.js`);
      }
      return main;
    }
    return undefined;
  }

  #internal(specifier: string, scope: Scope | undefined, kind: Kind): string | undefined {
    const imports = scope?.json["imports"];
    const target = isObject(imports) ? matching(imports, specifier) : undefined;
    if (!scope || !target) {
      throw notFound(
        `Package import specifier "${specifier}" is not defined`,
        "ERR_PACKAGE_IMPORT_NOT_DEFINED",
      );
    }
    const found = choose(target.value, target.rest, CONDITIONS[kind]);
    if (found === undefined) return undefined;
    if (found.startsWith("./")) return this.#file(`${scope.directory}/${found}`, specifier);
    return this.#external(found.replace(/^node:/, ""), scope.directory, undefined, kind) ?? found;
  }

  #exported({ directory, json }: Scope, subpath: string, kind: Kind): string {
    const { exports } = json;
    const table = isObject(exports) && Object.keys(exports).some((key) => key.startsWith("."))
      ? exports
      : { ".": exports };
    const target = matching(table, subpath);
    const found = target && choose(target.value, target.rest, CONDITIONS[kind]);
    if (!found?.startsWith("./")) {
      const what = subpath === "." ? "No main entry" : `Package subpath '${subpath}'`;
      throw notFound(
        `${what} is exported for ${kind} by ${directory}/package.json`,
        "ERR_PACKAGE_PATH_NOT_EXPORTED",
      );
    }
    const path = normalize(`${directory}/${found}`);
    if (!path.startsWith(`${directory}/`)) {
      throw notFound(
        `${directory}/package.json exports what lies outside of it`,
        "ERR_INVALID_PACKAGE_TARGET",
      );
    }
    if (!this.#isFile(path)) throw notFound(`Cannot find module '${path}'`);
    return path;
  }

  /** `browser`, `main`, `module`, then an index: the first that is there. */
  #main({ directory, json }: Scope): string | undefined {
    for (const key of ["browser", "main", "module"]) {
      const value = json[key];
      if (typeof value !== "string" || value === "") continue;
      const path = normalize(`${directory}/${value}`);
      const ending = ENDINGS.find((ending) => this.#isFile(path + ending));
      if (ending !== undefined) return this.find(path + ending);
    }
    const index = ["/index.js", "/index.mjs", "/index.cjs", "/index.json"]
      .find((name) => this.#isFile(directory + name));
    return index === undefined ? undefined : directory + index;
  }

  /** What a package's `browser` says to take instead: EMPTY, `./file` or another package. */
  #browserOf({ json: { browser } }: Scope, specifier: string): string | undefined {
    if (!isObject(browser)) return undefined;
    const names = specifier.startsWith("./") ? [specifier, specifier.replace(/\.js$/, "")] : [specifier];
    for (const name of names) {
      if (!Object.hasOwn(browser, name)) continue;
      const value = browser[name];
      if (value === false) return EMPTY;
      if (typeof value === "string") return value;
    }
    return undefined;
  }

  #file(path: string, specifier: string): string {
    const found = this.find(normalize(path));
    if (found !== undefined) return found;
    throw notFound(`Cannot find module '${normalize(path)}' for '${specifier}'`);
  }

  #isFileOr(path: string, otherwise: string): string {
    const file = normalize(path);
    const ending = ENDINGS.find((ending) => this.#isFile(file + ending));
    return ending === undefined ? otherwise : file + ending;
  }

  /** The package that a directory is in. */
  #scopeOf(directory: string): Scope | undefined {
    for (let at = directory;; at = directoryOf(at)) {
      if (at.endsWith("/node_modules")) return undefined;
      const json = this.#packageJson(at);
      if (json) return { directory: at === "/" ? "" : at, json };
      if (at === "/" || at === "") return undefined;
    }
  }

  #packageJson(directory: string): Json | undefined {
    const path = `${directory === "/" ? "" : directory}/package.json`;
    if (this.#scopes.has(path)) return this.#scopes.get(path);
    let json: unknown;
    if (this.#isFile(path) && this.#fs.stat(path).size <= PACKAGE_JSON_MAX_BYTES) {
      try {
        json = JSON.parse(new TextDecoder().decode(this.#fs.readFile(path)));
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
        throw new GuestError(`${path} is not JSON: ${error.message}`, { code: "ERR_INVALID_PACKAGE_CONFIG" });
      }
    }
    const found = isObject(json) ? json : undefined;
    this.#scopes.set(path, found);
    return found;
  }

  #isFile(path: string): boolean {
    return this.#fs.exists(path) && this.#fs.stat(path).type === "file";
  }

  #isDirectory(path: string): boolean {
    return this.#fs.exists(path) && this.#fs.stat(path).type === "directory";
  }
}

/** Absolute, without `.`, `..` and empty parts. */
export function normalize(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}

/** Whether a source has an import or export declaration. */
export function hasModuleSyntax(source: string): boolean {
  if (!MAYBE_ESM.test(source)) return false;
  const tokens = tokenize(source);
  if (!tokens) return /^(?:import|export)[\s{*"']/m.test(source);
  return tokens.some(({ kind, text, depth }, at) => {
    if (kind !== "word" || depth !== 0 || tokens[at - 1]?.text === ".") return false;
    const next = tokens[at + 1];
    if (text === "export") return next?.kind === "word" || next?.text === "{" || next?.text === "*";
    return text === "import" &&
      (next?.kind === "word" || next?.kind === "string" || next?.text === "{" || next?.text === "*");
  });
}

/** Where packages may lie that a directory's modules see: nearest first, those that were installed last. */
function* modulesAbove(directory: string): Generator<string> {
  for (let at = directory === "" ? "/" : directory;; at = directoryOf(at)) {
    if (!at.endsWith("/node_modules")) yield `${at === "/" ? "" : at}/node_modules`;
    if (at === "/") break;
  }
  yield NODE_MODULES;
}

/** The entry of `exports` or `imports` for a name: itself, or the longest pattern with `*` that fits. */
function matching(table: Json, name: string): { readonly value: unknown; readonly rest: string } | undefined {
  if (Object.hasOwn(table, name) && !name.includes("*")) return { value: table[name], rest: "" };
  let best: { readonly value: unknown; readonly rest: string; readonly length: number } | undefined;
  for (const [pattern, value] of Object.entries(table)) {
    const star = pattern.indexOf("*");
    const [before, after] = star < 0
      ? pattern.endsWith("/") ? [pattern, ""] : [undefined, ""]
      : [pattern.slice(0, star), pattern.slice(star + 1)];
    if (before === undefined || !name.startsWith(before) || !name.endsWith(after)) continue;
    if (name.length < before.length + after.length || before.length <= (best?.length ?? -1)) continue;
    const rest = name.slice(before.length, name.length - after.length);
    best = {
      value: star < 0 && typeof value === "string" ? `${value}*` : value,
      rest,
      length: before.length,
    };
  }
  return best;
}

/** The target for the first condition that holds, in the order in which the package has written them. */
function choose(
  target: unknown,
  rest: string,
  conditions: ReadonlySet<string>,
  depth = 0,
): string | undefined {
  if (typeof target === "string") return target.replaceAll("*", () => rest);
  if (depth > MAX_DEPTH) return undefined;
  if (Array.isArray(target)) {
    for (const each of target) {
      const found = choose(each, rest, conditions, depth + 1);
      if (found !== undefined) return found;
    }
  } else if (isObject(target)) {
    for (const [condition, value] of Object.entries(target)) {
      if (!conditions.has(condition)) continue;
      const found = choose(value, rest, conditions, depth + 1);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function directoryOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}

function notFound(message: string, code = "ERR_MODULE_NOT_FOUND"): GuestError {
  return new GuestError(message, { code });
}
