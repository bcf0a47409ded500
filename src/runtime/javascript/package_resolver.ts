/**
 * Finds modules of packages as Node does: `node_modules` of the directories above, `exports` and `imports` with their
 * conditions, `main`. What a package has for browsers counts for nothing: its README is of what it has for Node.
 *
 * Files are looked for more freely than Node's ES modules do: extensions and `index.js` may be left out everywhere but
 * in `exports` and `imports`.
 *
 * @see https://nodejs.org/api/esm.html#resolution-algorithm-specification
 */

import type { FileSystem } from "../../fs/file_system.ts";
import { NODE_MODULES } from "../../fs/places.ts";
import { PATH_MAX } from "../../fs/names.ts";
import { GuestError } from "./guest_error.ts";
import { type Package, PackageJsons } from "./package_json.ts";
import { exportsMap, isObject, lookUp } from "./package_map.ts";

/** How a module is asked for; both see the condition `node`, and `default` comes last wherever it is written last. */
export type Kind = "import" | "require";
/** The code of what is not there, by how it was asked for. */
export const NOT_FOUND: Readonly<Record<Kind, string>> = {
  import: "ERR_MODULE_NOT_FOUND",
  require: "MODULE_NOT_FOUND",
};

/** Conditions that hold besides `default`. */
export type Conditions = Readonly<Record<Kind, ReadonlySet<string>>>;

const CONDITIONS: Conditions = {
  import: new Set(["node", "import"]),
  require: new Set(["node", "require"]),
};
/** Extensions and files tried, in this order, where a specifier leaves them out. */
const INDEX = ["/index.js", "/index.mjs", "/index.cjs", "/index.json", "/index.ts", "/index.tsx"];
const ENDINGS = ["", ".js", ".mjs", ".cjs", ".json", ".ts", ".tsx", ".mts", ".cts", ".jsx", ...INDEX];
/** TypeScript names the files that its compiler would make of its own. */
const COMPILED = /\.([cm]?)js(x?)$/;
const NAME = /^((?:@[^/@%\\]+\/)?[^/@%\\.][^/%\\]*)(\/.*)?$/;

/** The package of `name`, `name/file` or `@scope/name`; undefined if it is none of these. */
export function packageOf(specifier: string): string | undefined {
  return NAME.exec(specifier)?.[1];
}

export class PackageResolver {
  readonly #fs: FileSystem;
  readonly #jsons: PackageJsons;

  /**
   * @param isBuiltIn Whether a module of that name comes with the runtime.
   * @param conditions Those that hold, if others than here.
   */
  constructor(
    fs: FileSystem,
    readonly isBuiltIn: (name: string) => boolean,
    readonly conditions: Conditions = CONDITIONS,
  ) {
    this.#fs = fs;
    this.#jsons = new PackageJsons(fs);
  }

  /** Files may have changed. */
  forget(): void {
    this.#jsons.forget();
  }

  /**
   * @param specifier `name`, `name/file`, `@scope/name` or `#name`; no longer than a path.
   * @param directory Of the module that asks.
   * @returns The path of a file, or the name of what is built in; undefined if there is no such package.
   * @throws {GuestError} if there is one, but not what is asked of it.
   */
  resolve(specifier: string, directory: string, kind: Kind): string | undefined {
    const scope = this.scopeOf(directory);
    if (specifier.startsWith("#")) return this.#internal(specifier, scope, kind);
    return this.#external(specifier, directory, scope, kind);
  }

  /**
   * A file or directory by its path, perhaps without extension.
   *
   * @returns The path of a file; undefined if there is none.
   */
  find(path: string): string | undefined {
    if (this.#isDirectory(path) && !this.#isFile(`${path}.js`)) {
      const json = this.#jsons.in(path);
      const main = json && this.#main({ directory: path, json });
      if (main !== undefined) return main;
    }
    return this.#complete(path);
  }

  /** The package that a directory is in. @throws {GuestError} ERR_INVALID_PACKAGE_CONFIG */
  scopeOf(directory: string): Package | undefined {
    for (let at = directory;; at = directoryOf(at)) {
      if (at.endsWith("/node_modules")) return undefined;
      const json = this.#jsons.in(at);
      if (json) return { directory: at === "/" ? "" : at, json };
      if (at === "/" || at === "") return undefined;
    }
  }

  #external(
    specifier: string,
    directory: string,
    scope: Package | undefined,
    kind: Kind,
  ): string | undefined {
    const [, name, rest = ""] = NAME.exec(specifier) ?? [];
    if (name === undefined) return undefined;
    const subpath = `.${rest}`;
    if (scope?.json["name"] === name && hasExports(scope)) return this.#exported(scope, subpath, kind);
    let missing: GuestError | undefined;
    for (const modules of modulesAbove(directory)) {
      const link = `${modules}/${name}`;
      if (!this.#isDirectory(link)) continue;
      // Whichever way leads to a package, it is one.
      const place = this.#fs.realpath(link);
      const found = { directory: place, json: this.#jsons.in(place) ?? {} };
      if (hasExports(found)) return this.#exported(found, subpath, kind);
      const file = subpath === "." || subpath === "./"
        ? this.#main(found)
        : this.find(normalize(place + rest));
      if (file !== undefined) return file;
      missing ??= notFound(
        subpath === "." || subpath === "./"
          ? `The package at ${place} has nothing to import: no main, no index.js`
          : `Cannot find module '${place}${rest}' for '${specifier}'`,
        kind,
      );
      // CommonJS looks further for what the nearest package of that name has not.
      if (kind === "import") break;
    }
    if (missing) throw missing;
    return undefined;
  }

  #internal(name: string, scope: Package | undefined, kind: Kind): string | undefined {
    if (name === "#" || name.startsWith("#/") || name.endsWith("/")) {
      throw new GuestError(`"${name}" is not the name of an import`, {
        code: "ERR_INVALID_MODULE_SPECIFIER",
      });
    }
    const entries = scope?.json["imports"];
    const file = `${scope?.directory}/package.json`;
    const found = scope && isObject(entries)
      ? lookUp({ field: "imports", entries, file }, name, this.conditions[kind])
      : undefined;
    if (!scope || found === undefined) {
      const where = scope ? ` in package ${file}` : "";
      throw new GuestError(`Package import specifier "${name}" is not defined${where}`, {
        code: "ERR_PACKAGE_IMPORT_NOT_DEFINED",
      });
    }
    if (found.startsWith("./")) return this.#exact(scope, found, kind);
    const builtIn = found.replace(/^node:/, "");
    return this.isBuiltIn(builtIn) ? builtIn : this.#external(found, scope.directory, scope, kind);
  }

  #exported(scope: Package, subpath: string, kind: Kind): string {
    const file = `${scope.directory}/package.json`;
    const found = lookUp(exportsMap(scope.json["exports"], file), subpath, this.conditions[kind]);
    if (found !== undefined) return this.#exact(scope, found, kind);
    const missing = subpath === "."
      ? `No "exports" main defined`
      : `Package subpath '${subpath}' is not defined by "exports"`;
    throw new GuestError(`${missing} in ${file} for ${kind}`, {
      code: "ERR_PACKAGE_PATH_NOT_EXPORTED",
    });
  }

  /** A file of a package that is named in full. @throws {GuestError} ERR_MODULE_NOT_FOUND */
  #exact({ directory }: Package, target: string, kind: Kind): string {
    const path = normalize(`${directory}/${target}`);
    if (!target.endsWith("/") && this.#isFile(path)) return path;
    throw notFound(`Cannot find module '${path}'`, kind);
  }

  /** `main`, `module`, then an index: the first that is there. */
  #main({ directory, json }: Package): string | undefined {
    for (const key of ["main", "module"]) {
      const value = json[key];
      if (typeof value !== "string" || value === "" || value.length > PATH_MAX) continue;
      const file = this.#complete(`${directory}/${value}`);
      if (file !== undefined) return this.find(file);
    }
    return INDEX.map((name) => directory + name).find((path) => this.#isFile(path));
  }

  /** The file at a path that may lack its extension. */
  #complete(path: string): string | undefined {
    const plain = normalize(path);
    const ending = ENDINGS.find((ending) => this.#isFile(plain + ending));
    if (ending !== undefined) return plain + ending;
    if (!COMPILED.test(plain)) return undefined;
    const sources = [plain.replace(COMPILED, ".$1ts$2"), plain.replace(COMPILED, ".tsx")];
    return sources.find((path) => this.#isFile(path));
  }

  #isFile(path: string): boolean {
    return this.#fs.exists(path) && this.#fs.stat(path).type === "file";
  }

  #isDirectory(path: string): boolean {
    return this.#fs.exists(path) && this.#fs.stat(path).type === "directory";
  }
}

function hasExports({ json: { exports } }: Package): boolean {
  return exports !== undefined && exports !== null;
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

/** Where packages may lie that a directory's modules see: nearest first, those that were installed last. */
function* modulesAbove(directory: string): Generator<string> {
  for (let at = directory === "" ? "/" : directory;; at = directoryOf(at)) {
    if (!at.endsWith("/node_modules")) yield `${at === "/" ? "" : at}/node_modules`;
    if (at === "/") break;
  }
  yield NODE_MODULES;
}

export function directoryOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}

function notFound(message: string, kind: Kind): GuestError {
  return new GuestError(message, { code: NOT_FOUND[kind] });
}
