/**
 * Finds and loads ES modules and JSON from the session's files.
 *
 * QuickJS keeps every module it has loaded under its name. A file that has changed by a later run is therefore loaded
 * again under a new name, `/app/x.js?v=2`, and so is every module that imports it, directly or not; what earlier runs
 * hold of the old one stays as it was. Within one run a module is loaded once.
 */

import type { FileSystem } from "../../fs/file_system.ts";
import { WORKING_DIRECTORY } from "../../fs/layout.ts";
import { PATH_MAX } from "../../fs/names.ts";
import { GuestError } from "./engine.ts";
import { files } from "./host_functions.ts";
import type { ModulesState } from "./state.ts";

interface Loaded {
  version: number;
  /** Differs when the file may have changed; of a missing file too. */
  readonly signature: string;
  readonly imports: Set<string>;
}

const UNRESOLVED = "wasmbox:unresolved/";
/** Modules that are known when one more that does not exist is not: nobody is charged for this memory. */
const MAX_REMEMBERED = 2000;
const VERSION_SUFFIX = /\?v=\d+$/;
/** Extensions and files tried, in this order, where the specifier leaves them out. */
const ENDINGS = ["", ".js", ".mjs", ".json", "/index.js"];

export class ModuleLoader {
  readonly #fs: FileSystem;
  #builtins: ReadonlyMap<string, readonly string[]> | undefined;
  readonly #listBuiltins: () => Readonly<Record<string, readonly string[]>>;
  readonly #loaded = new Map<string, Loaded>();
  readonly #unresolved = new Map<string, GuestError>();
  #unresolvedCount = 0;
  #checked = false;

  /** @param listBuiltins Names that the built-in modules export, by module; called once, when needed. */
  constructor(
    fs: FileSystem,
    listBuiltins: () => Readonly<Record<string, readonly string[]>>,
    state: ModulesState = { loaded: [], unresolvedCount: 0 },
  ) {
    this.#fs = fs;
    this.#listBuiltins = listBuiltins;
    this.#unresolvedCount = state.unresolvedCount;
    for (const [path, version, signature, imports] of state.loaded) {
      const imported = new Set(imports.map((index) => state.loaded[index]![0]));
      this.#loaded.set(path, { version, signature, imports: imported });
    }
  }

  /** What QuickJS has loaded, to go on with elsewhere. */
  get state(): ModulesState {
    const indices = new Map([...this.#loaded.keys()].map((path, index) => [path, index]));
    const loaded = [...this.#loaded].map(([path, { version, signature, imports }]) =>
      [path, version, signature, [...imports].map((each) => indices.get(each)!)] as const
    );
    return { loaded, unresolvedCount: this.#unresolvedCount };
  }

  get #known(): ReadonlyMap<string, readonly string[]> {
    return this.#builtins ??= new Map(Object.entries(this.#listBuiltins()));
  }

  /** A run starts: files may have changed since the one before. */
  beginRun(): void {
    this.#checked = false;
    this.#unresolved.clear();
  }

  /** The module's name. QuickJS can't be told here that there is none: {@link load} then throws for that name. */
  resolve(base: string, specifier: string): string {
    try {
      return this.#resolve(base, specifier);
    } catch (error) {
      if (!(error instanceof GuestError)) throw error;
      const name = `${UNRESOLVED}${this.#unresolvedCount++}`;
      this.#unresolved.set(name, error);
      return name;
    }
  }

  #resolve(base: string, specifier: string): string {
    const builtin = specifier.replace(/^node:/, "");
    if (this.#known.has(builtin)) return builtin;
    this.#forgetChanged();

    const importer = base.replace(VERSION_SUFFIX, "");
    const path = this.#find(importer, specifier);
    let module = this.#loaded.get(path);
    if (module === undefined || module.version < 0) {
      module = {
        version: module === undefined ? 1 : 1 - module.version,
        signature: this.#signature(path),
        imports: new Set(),
      };
      this.#loaded.set(path, module);
    }
    this.#loaded.get(importer)?.imports.add(path);
    return module.version === 1 ? path : `${path}?v=${module.version}`;
  }

  /** @throws {GuestError} that names specifier and importer if there is no such module, or the file can't be read. */
  load(name: string): string {
    const failure = this.#unresolved.get(name);
    if (failure) {
      this.#unresolved.delete(name);
      throw failure;
    }
    const exported = this.#known.get(name);
    if (exported) {
      const names = exported.filter((each) => each !== "default").join(", ");
      return `const module = globalThis[Symbol.for("wasmbox.modules")].modules[${JSON.stringify(name)}];
export default module; export const { ${names} } = module;`;
    }
    const path = name.replace(VERSION_SUFFIX, "");
    const text = new TextDecoder().decode(files(() => this.#fs.readFile(path)));
    if (path.endsWith(".json")) {
      const parse = `globalThis[Symbol.for("wasmbox.modules")].parseJson`;
      return `export default ${parse}(${JSON.stringify(text)}, ${JSON.stringify(path)});`;
    }
    if (text.includes("\0")) {
      throw new GuestError(`${path} is not JavaScript: it contains a NUL`, { name: "SyntaxError" });
    }
    return text;
  }

  #find(importer: string, specifier: string): string {
    if (specifier.length > PATH_MAX) {
      throw new GuestError(`Cannot find module '${specifier.slice(0, 64)}…': its name is too long`, {
        code: "ERR_MODULE_NOT_FOUND",
      });
    }
    const file = specifier.startsWith("file:///") ? decodePath(specifier.slice("file://".length)) : specifier;
    if (!/^\.{0,2}\//.test(file)) {
      const known = [...this.#known.keys()].join(", ");
      throw new GuestError(
        `Cannot find package '${specifier}': modules are files of the session, like './${specifier}.js', or one of ${known}`,
        { code: "ERR_MODULE_NOT_FOUND" },
      );
    }
    const directory = importer.startsWith("/")
      ? importer.slice(0, importer.lastIndexOf("/"))
      : WORKING_DIRECTORY;
    const path = normalize(file.startsWith("/") ? file : `${directory}/${file}`);
    for (const ending of ENDINGS) {
      if (this.#isFile(path + ending)) return path + ending;
    }
    // The importer depends on what is not there: once it is, the importer must be loaded again.
    if (this.#loaded.has(path) || this.#loaded.size < MAX_REMEMBERED) {
      this.#loaded.get(importer)?.imports.add(path);
      if (!this.#loaded.has(path)) {
        this.#loaded.set(path, { version: 0, signature: this.#signature(path), imports: new Set() });
      }
    }
    const from = importer.startsWith("/") ? ` imported from ${importer}` : "";
    throw new GuestError(`Cannot find module '${path}'${from}`, { code: "ERR_MODULE_NOT_FOUND" });
  }

  #isFile(path: string): boolean {
    return this.#fs.exists(path) && this.#fs.stat(path).type === "file";
  }

  #signature(path: string): string {
    if (!this.#fs.exists(path)) return "missing";
    const { ino, size, mtime, ctime } = this.#fs.stat(path);
    return `${ino} ${size} ${mtime} ${ctime}`;
  }

  /** Marks the modules whose file changed since they were loaded, and all that import them: their version turns negative. */
  #forgetChanged(): void {
    if (this.#checked) return;
    this.#checked = true;
    const stale: string[] = [];
    const importers = new Map<string, string[]>();
    for (const [path, module] of this.#loaded) {
      if (this.#signature(path) !== module.signature) stale.push(path);
      for (const imported of module.imports) {
        const known = importers.get(imported);
        if (known) known.push(path);
        else importers.set(imported, [path]);
      }
    }
    const seen = new Set(stale);
    for (const path of stale) {
      const module = this.#loaded.get(path);
      if (module && module.version >= 0) module.version = -module.version;
      for (const importer of importers.get(path) ?? []) {
        if (seen.has(importer)) continue;
        seen.add(importer);
        stale.push(importer);
      }
    }
  }
}

function normalize(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
