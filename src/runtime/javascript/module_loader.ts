/** Finds and loads ES modules, CommonJS and JSON from the session's files, those of packages among them. */

import type { FileSystem } from "../../fs/file_system.ts";
import { WORKING_DIRECTORY } from "../../fs/places.ts";
import { GuestError } from "./guest_error.ts";
import { files } from "./host_functions.ts";
import { hasModuleSyntax, ModuleFormats } from "./module_format.ts";
import { type InstallPackage, ModuleFinder } from "./module_finder.ts";
import { ModuleGraph, pathOf } from "./module_graph.ts";
import {
  builtInModule,
  commonJsModule,
  esModule,
  jsonModule,
  markedModule,
  withoutHashbang,
} from "./module_texts.ts";
import { checkNesting } from "./nesting.ts";
import { type Kind, PackageResolver } from "./package_resolver.ts";
import type { ModulesState } from "./state.ts";

const UNRESOLVED = "wasmbox:unresolved/";
const LEFT_OUT = "wasmbox:left-out";
/** Before the name of an ES module: what that exports, said to be an ES module's, as compilers of such do. */
export const MARKED = "wasmbox:marked";
/** Longest text of a module. */
const TEXT_MAX_BYTES = 32 * 1024 * 1024;
const TYPESCRIPT = /\.[cm]?tsx?$|\.jsx$/;

/** What modules need of the guest's own code. */
export interface GuestServices {
  /** Runs a CommonJS module. @returns The names that it exports. @throws {GuestError} */
  runCommonJs(name: string): readonly string[];
  /** A module in TypeScript as JavaScript. @throws {GuestError} */
  withoutTypes(text: string, path: string): string;
  /** Whether the code of an ES module has failed. */
  hasFailed(name: string): boolean;
}

export class ModuleLoader {
  readonly #fs: FileSystem;
  #builtins: ReadonlyMap<string, readonly string[]> | undefined;
  readonly #listBuiltins: () => Readonly<Record<string, readonly string[]>>;
  readonly #graph: ModuleGraph;
  readonly #unresolved = new Map<string, GuestError>();
  #unresolvedCount = 0;
  #program = "";
  #programIsModule = false;
  /** Whether what is imported is left out. */
  #isAlone = false;
  /** Modules of this run that are being loaded, or whose code has begun and not ended. */
  #active = new Set<string>();
  /** What nothing may be imported from now. */
  #blocked: ReadonlySet<string> = new Set();
  readonly #packages: PackageResolver;
  readonly #formats: ModuleFormats;
  readonly #guest: GuestServices;
  readonly #finder: ModuleFinder;

  /** @param listBuiltins Names that the built-in modules export, by module; called once, when needed. */
  constructor(
    fs: FileSystem,
    listBuiltins: () => Readonly<Record<string, readonly string[]>>,
    guest: GuestServices,
    install: InstallPackage,
    state: ModulesState = { loaded: [], unresolvedCount: 0 },
  ) {
    this.#fs = fs;
    this.#graph = new ModuleGraph(fs, state.loaded);
    this.#packages = new PackageResolver(fs, (name) => this.#known.has(name));
    this.#formats = new ModuleFormats(this.#packages);
    this.#listBuiltins = listBuiltins;
    this.#guest = guest;
    this.#finder = new ModuleFinder(this.#packages, this.#graph, install, () => this.#known.keys());
    this.#unresolvedCount = state.unresolvedCount;
  }

  /** What QuickJS has loaded, to go on with elsewhere. */
  get state(): ModulesState {
    return { loaded: this.#graph.state, unresolvedCount: this.#unresolvedCount };
  }

  get #known(): ReadonlyMap<string, readonly string[]> {
    return this.#builtins ??= new Map(Object.entries(this.#listBuiltins()));
  }

  /** A run starts: files may have changed since the one before. @param program Its file, were it one. */
  beginRun(program: string): void {
    this.#program = program;
    this.#programIsModule = false;
    this.#graph.beginRun();
    this.#unresolved.clear();
    this.#active.clear();
    this.#packages.forget();
    this.#formats.forget();
  }

  /**
   * The text that the program is loaded with by its path, if it is a file that says that it is an ES module: what imports
   * such a program has to find the module that runs already.
   *
   * @throws {GuestError} if it can't be read, or is no JavaScript without types.
   */
  programAsModule(): string | undefined {
    const path = this.#program;
    if (!path.startsWith("/")) return undefined;
    const text = this.#text(path);
    const isModule = this.#formats.of(path, text) === "esm" &&
      (/\.m[jt]s$/.test(path) || hasModuleSyntax(text) || this.#formats.saysModule(path));
    return isModule ? esModule(text, path) : undefined;
  }

  /** Whether the program runs as the module that it is: it is under way then, before its code begins. */
  programIsModule(isOne: boolean): void {
    this.#programIsModule = isOne;
    if (isOne) this.began(this.#program);
    else this.ended(this.#program);
  }

  /** The module's name. QuickJS can't be told here that there is none: {@link load} then throws for that name. */
  resolve(base: string, specifier: string): string {
    if (this.#isAlone) return LEFT_OUT;
    try {
      return specifier.startsWith(MARKED)
        ? `${MARKED}${this.#resolve(base, specifier.slice(MARKED.length), "import")}`
        : this.#resolve(base, specifier, "import");
    } catch (error) {
      if (!(error instanceof GuestError)) throw error;
      const name = `${UNRESOLVED}${this.#unresolvedCount++}`;
      this.#unresolved.set(name, error);
      return name;
    }
  }

  /** Loads modules without what they import, which is for reading them alone: none of them can be run. */
  alone<T>(work: () => T): T {
    this.#isAlone = true;
    try {
      return work();
    } finally {
      this.#isAlone = false;
    }
  }

  /** The code of an ES module begins. */
  began(path: string): void {
    this.#active.add(path);
  }

  /** It has come to its end. */
  ended(path: string): void {
    this.#active.delete(path);
  }

  /**
   * Loads and runs ES modules while others may be under way, which are not among their imports, nor what imports those:
   * the engine takes no module into a circle that it is going through already.
   *
   * One whose code has failed is not under way any more, though it has not come to its end.
   */
  within<T>(work: () => T): T {
    const before = this.#blocked;
    for (const path of this.#active) if (this.#hasFailed(path)) this.#active.delete(path);
    this.#blocked = this.#graph.importersOf([...this.#active]);
    try {
      return work();
    } finally {
      this.#blocked = before;
    }
  }

  #hasFailed(path: string): boolean {
    const name = this.#graph.nameOf(path);
    return name !== undefined && this.#guest.hasFailed(name);
  }

  /** As {@link resolve}, for `require` and `import.meta.resolve`. @throws {GuestError} */
  resolveRequired(base: string, specifier: string, kind: Kind): string {
    return this.#resolve(base, specifier, kind);
  }

  #resolve(base: string, specifier: string, kind: Kind): string {
    const builtin = specifier.replace(/^node:/, "");
    if (this.#known.has(builtin)) return builtin;
    this.#graph.forgetChanged();

    const importer = pathOf(base);
    // What `new Function` makes has no place of its own.
    const asker = importer.startsWith("/") ? importer : this.#program;
    const directory = asker.startsWith("/") ? asker.slice(0, asker.lastIndexOf("/")) : WORKING_DIRECTORY;
    const path = this.#finder.find(importer, directory, specifier, kind);
    if (this.#known.has(path)) return path;
    if (kind === "import" && this.#blocked.has(path)) {
      const message =
        `require() can't load ES modules that import ${path}, which is being loaded: use import()`;
      throw new GuestError(message, { code: "ERR_REQUIRE_CYCLE_MODULE" });
    }
    return this.#graph.imports(importer, path);
  }

  /** @throws {GuestError} that names specifier and importer if there is no such module, or the file can't be read. */
  load(name: string): string {
    if (name === LEFT_OUT) return "";
    const failure = this.#unresolved.get(name);
    if (failure) {
      this.#unresolved.delete(name);
      throw failure;
    }
    const exported = this.#known.get(name);
    if (exported) return builtInModule(name, exported);
    if (name.startsWith(MARKED)) return markedModule(pathOf(name.slice(MARKED.length)));
    const path = pathOf(name);
    const isNew = !this.#active.has(path);
    this.#active.add(path);
    try {
      return this.#textOf(name, path);
    } finally {
      if (isNew) this.#active.delete(path);
    }
  }

  #textOf(name: string, path: string): string {
    const text = this.#text(path);
    const isScript = path === this.#program && !this.#programIsModule;
    switch (isScript ? "commonjs" : this.#formats.of(path, text)) {
      case "json":
        return jsonModule(text, path);
      case "commonjs":
        return commonJsModule(name, this.#guest.runCommonJs(name));
      case "esm":
        return esModule(text, path);
    }
  }

  /**
   * The source of a module for `require`: JSON, or the body of a function.
   *
   * @throws {GuestError} if there is no such module; ERR_REQUIRE_ESM if it is an ES module.
   */
  loadRequired(name: string): string {
    const path = pathOf(name);
    const text = this.#text(path);
    if (
      this.#formats.of(path, text) === "esm" && (/\.m[jt]s$/.test(path) || hasModuleSyntax(text))
    ) {
      const message =
        `require() can't load the ES module ${path}: use import, or await import() where import can't stand`;
      throw new GuestError(message, { code: "ERR_REQUIRE_ESM" });
    }
    return withoutHashbang(text);
  }

  #text(path: string): string {
    const text = new TextDecoder().decode(files(() => {
      const { size } = this.#fs.stat(path);
      if (size <= TEXT_MAX_BYTES) return this.#fs.readFile(path);
      const message =
        `${path} has ${size} bytes: a module may have ${TEXT_MAX_BYTES}. Read data with fs.readFileSync`;
      throw new GuestError(message, { code: "ERR_MODULE_TOO_LARGE" });
    }));
    if (!path.endsWith(".json")) checkNesting(text, path);
    if (!text.includes("\0") || path.endsWith(".json")) {
      return TYPESCRIPT.test(path) ? this.#guest.withoutTypes(withoutHashbang(text), path) : text;
    }
    throw new GuestError(`${path} is not JavaScript: it contains a NUL`, { name: "SyntaxError" });
  }
}
