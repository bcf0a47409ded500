/**
 * Finds and loads ES modules, CommonJS and JSON from the session's files, those of packages among them.
 *
 * QuickJS keeps every module it has loaded under its name. A file that has changed by a later run is therefore loaded
 * again under a new name, `/app/x.js?v=2`, and so is every module that imports it, directly or not; what earlier runs
 * hold of the old one stays as it was. Within one run a module is loaded once.
 */

import type { FileSystem } from "../../fs/file_system.ts";
import type { NpmArrival } from "../../host_calls/imports.ts";
import { WORKING_DIRECTORY } from "../../fs/places.ts";
import { PATH_MAX } from "../../fs/names.ts";
import { GuestError } from "./guest_error.ts";
import { files } from "./host_functions.ts";
import { hasModuleSyntax, ModuleFormats } from "./module_format.ts";
import { checkNesting } from "./nesting.ts";
import { isObject } from "./package_map.ts";
import { type Kind, normalize, packageOf, PackageResolver } from "./package_resolver.ts";
import type { ModulesState } from "./state.ts";

interface Loaded {
  /** Counted from 1; 0 of what was missing; negative where it is to be loaded anew. */
  version: number;
  /** Differs when the file may have changed; of a missing file too. */
  readonly signature: string;
  readonly imports: Set<string>;
}

/** Where the prelude keeps what the text of modules needs. */
const MODULES = 'globalThis[Symbol.for("wasmbox.modules")]';
const CODES: Readonly<Record<Kind, string>> = { import: "ERR_MODULE_NOT_FOUND", require: "MODULE_NOT_FOUND" };
/** Node's modules that are not here and that packages ask for. */
const NODE_MODULE_NAMES = new Set(
  ("async_hooks buffer cluster crypto dgram diagnostics_channel dns fs http http2 https inspector module net perf_hooks " +
    "punycode querystring readline repl sea sqlite stream string_decoder tls tty v8 vm wasi worker_threads zlib")
    .split(
      " ",
    ),
);
const UNRESOLVED = "wasmbox:unresolved/";
const LEFT_OUT = "wasmbox:left-out";
/** Before the name of an ES module: what that exports, said to be an ES module's, as compilers of such do. */
export const MARKED = "wasmbox:marked";
/**
 * Modules that a session may have loaded, their imports of each other, and the characters of their paths: nobody is
 * charged for this memory, and QuickJS gives up none of them.
 */
const MAX_MODULES = 10_000;
const MAX_IMPORTS = 200_000;
const MAX_PATHS = 2 * 1024 * 1024;
/** Modules that are known when one more that does not exist is not. */
const MAX_REMEMBERED = 2000;
/** Longest text of a module. */
const TEXT_MAX_BYTES = 32 * 1024 * 1024;
const VERSION_SUFFIX = /\?v=\d+$/;
const HASHBANG = /^\uFEFF?#!.*/;
const TYPESCRIPT = /\.[cm]?tsx?$|\.jsx$/;
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** What modules need of the guest's own code. */
export interface GuestServices {
  /** Runs a CommonJS module. @returns The names that it exports. @throws {GuestError} */
  runCommonJs(name: string): readonly string[];
  /** A module in TypeScript as JavaScript. @throws {GuestError} */
  withoutTypes(text: string, path: string): string;
  /** Whether the code of an ES module has failed. */
  hasFailed(name: string): boolean;
}

/** Has a package come that a program imports. @param versions Those that its project asks for. */
export type InstallPackage = (name: string, versions: string | undefined) => NpmArrival;

export class ModuleLoader {
  readonly #fs: FileSystem;
  #builtins: ReadonlyMap<string, readonly string[]> | undefined;
  readonly #listBuiltins: () => Readonly<Record<string, readonly string[]>>;
  readonly #loaded = new Map<string, Loaded>();
  readonly #unresolved = new Map<string, GuestError>();
  #unresolvedCount = 0;
  #checked = false;
  #program = "";
  #programIsModule = false;
  /** Whether what is imported is left out. */
  #isAlone = false;
  /** Modules of this run that are being loaded, or whose code has begun and not ended. */
  #active = new Set<string>();
  /** What nothing may be imported from now. */
  #blocked: ReadonlySet<string> = new Set();
  #importCount = 0;
  #pathCharacters = 0;
  readonly #packages: PackageResolver;
  readonly #formats: ModuleFormats;
  readonly #guest: GuestServices;
  readonly #install: InstallPackage;

  /** @param listBuiltins Names that the built-in modules export, by module; called once, when needed. */
  constructor(
    fs: FileSystem,
    listBuiltins: () => Readonly<Record<string, readonly string[]>>,
    guest: GuestServices,
    install: InstallPackage,
    state: ModulesState = { loaded: [], unresolvedCount: 0 },
  ) {
    this.#fs = fs;
    this.#packages = new PackageResolver(fs, (name) => this.#known.has(name));
    this.#formats = new ModuleFormats(this.#packages);
    this.#listBuiltins = listBuiltins;
    this.#guest = guest;
    this.#install = install;
    this.#unresolvedCount = state.unresolvedCount;
    for (const [path, version, signature, imports] of state.loaded) {
      const imported = new Set(imports.map((index) => state.loaded[index]![0]));
      this.#remember(path, { version, signature, imports: imported });
      this.#importCount += imported.size;
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

  /** A run starts: files may have changed since the one before. @param program Its file, were it one. */
  beginRun(program: string): void {
    this.#program = program;
    this.#programIsModule = false;
    this.#checked = false;
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
    return isModule ? asModule(text.replace(HASHBANG, ""), path) : undefined;
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
    this.#blocked = this.#importersOf([...this.#active]);
    try {
      return work();
    } finally {
      this.#blocked = before;
    }
  }

  #hasFailed(path: string): boolean {
    const module = this.#loaded.get(path);
    return module !== undefined && this.#guest.hasFailed(nameOf(path, module));
  }

  /** Modules, and all that import them, directly or not. */
  #importersOf(paths: readonly string[]): ReadonlySet<string> {
    const found = new Set(paths);
    if (found.size === 0) return found;
    const importers = this.#importers();
    for (const path of found) for (const importer of importers.get(path) ?? []) found.add(importer);
    return found;
  }

  #importers(): ReadonlyMap<string, readonly string[]> {
    const importers = new Map<string, string[]>();
    for (const [path, { imports }] of this.#loaded) {
      for (const imported of imports) {
        const known = importers.get(imported);
        if (known) known.push(path);
        else importers.set(imported, [path]);
      }
    }
    return importers;
  }

  /** As {@link resolve}, for `require`. @throws {GuestError} */
  resolveRequired(base: string, specifier: string): string {
    return this.#resolve(base, specifier, "require");
  }

  #resolve(base: string, specifier: string, kind: Kind): string {
    const builtin = specifier.replace(/^node:/, "");
    if (this.#known.has(builtin)) return builtin;
    this.#forgetChanged();

    const importer = base.replace(VERSION_SUFFIX, "");
    const path = this.#find(importer, specifier, kind);
    if (this.#known.has(path)) return path;
    if (kind === "import" && this.#blocked.has(path)) {
      const message =
        `require() can't load ES modules that import ${path}, which is being loaded: use import()`;
      throw new GuestError(message, { code: "ERR_REQUIRE_CYCLE_MODULE" });
    }
    let module = this.#loaded.get(path);
    if (module === undefined || module.version <= 0) {
      module = {
        version: module === undefined ? 1 : 1 - module.version,
        signature: this.#signature(path),
        imports: new Set(),
      };
      this.#remember(path, module);
    }
    this.#imports(importer, path);
    return nameOf(path, module);
  }

  /** @throws {GuestError} if there are too many. */
  #remember(path: string, module: Loaded): void {
    const before = this.#loaded.get(path);
    if (before) this.#importCount -= before.imports.size;
    else if (this.#loaded.size >= MAX_MODULES || this.#pathCharacters + path.length > MAX_PATHS) {
      throw new GuestError(
        `${
          path.slice(0, 100)
        } is one module too many: a session has room for ${MAX_MODULES}, whose paths have ` +
          `${MAX_PATHS} characters together`,
      );
    } else this.#pathCharacters += path.length;
    this.#loaded.set(path, module);
  }

  /** @throws {GuestError} if there are too many. */
  #imports(importer: string, path: string): void {
    const imports = this.#loaded.get(importer)?.imports;
    if (!imports || imports.has(path)) return;
    if (this.#importCount >= MAX_IMPORTS) {
      throw new GuestError(`the modules of the session import each other more than ${MAX_IMPORTS} times`);
    }
    imports.add(path);
    this.#importCount++;
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
    if (exported) {
      const names = exported.filter((each) => each !== "default").join(", ");
      return `const module = ${MODULES}.modules[${JSON.stringify(name)}];
export default module; export const { ${names} } = module;`;
    }
    if (name.startsWith(MARKED)) return asMarked(name.slice(MARKED.length));
    const path = name.replace(VERSION_SUFFIX, "");
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
      case "json": {
        const parse = `${MODULES}.parseJson`;
        return `export default ${parse}(${JSON.stringify(text)}, ${JSON.stringify(path)});`;
      }
      case "commonjs":
        return commonJsAsModule(name, this.#guest.runCommonJs(name));
      case "esm":
        return asModule(text.replace(HASHBANG, ""), path);
    }
  }

  /**
   * The source of a module for `require`: JSON, or the body of a function.
   *
   * @throws {GuestError} if there is no such module; ERR_REQUIRE_ESM if it is an ES module.
   */
  loadRequired(name: string): string {
    const path = name.replace(VERSION_SUFFIX, "");
    const text = this.#text(path);
    if (
      this.#formats.of(path, text) === "esm" && (/\.m[jt]s$/.test(path) || hasModuleSyntax(text))
    ) {
      const message =
        `require() can't load the ES module ${path}: use import, or await import() where import can't stand`;
      throw new GuestError(message, { code: "ERR_REQUIRE_ESM" });
    }
    return text.replace(HASHBANG, "");
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
      return TYPESCRIPT.test(path) ? this.#guest.withoutTypes(text.replace(HASHBANG, ""), path) : text;
    }
    throw new GuestError(`${path} is not JavaScript: it contains a NUL`, { name: "SyntaxError" });
  }

  #find(importer: string, specifier: string, kind: Kind): string {
    if (specifier.length > PATH_MAX) {
      throw new GuestError(`Cannot find module '${specifier.slice(0, 64)}…': its name is too long`, {
        code: "ERR_MODULE_NOT_FOUND",
      });
    }
    const file = specifier.startsWith("file:///") ? decodePath(specifier.slice("file://".length)) : specifier;
    // What `new Function` makes has no place of its own.
    const asker = importer.startsWith("/") ? importer : this.#program;
    const directory = asker.startsWith("/") ? asker.slice(0, asker.lastIndexOf("/")) : WORKING_DIRECTORY;
    if (!/^\.{0,2}\/|^\.{1,2}$/.test(file)) {
      const resolve = () => files(() => this.#packages.resolve(specifier, directory, kind));
      const found = resolve();
      if (found !== undefined) return found;
      const { installed, reason } = this.#bring(specifier, directory);
      if (installed) this.#packages.forget();
      const arrived = installed ? resolve() : undefined;
      if (arrived !== undefined) return arrived;
      throw this.#noPackage(specifier, kind, reason);
    }
    const path = normalize(file.startsWith("/") ? file : `${directory}/${file}`);
    const found = files(() => this.#packages.find(path) ?? this.#packages.find(path.replace(/[?#].*$/s, "")));
    if (found !== undefined) return found;
    // The importer depends on what is not there: once it is, the importer must be loaded again.
    if (this.#loaded.has(path) || this.#loaded.size < MAX_REMEMBERED) {
      if (!this.#loaded.has(path)) {
        this.#remember(path, { version: 0, signature: this.#signature(path), imports: new Set() });
      }
      this.#imports(importer, path);
    }
    const from = /^\/.*[^/]$/.test(importer) ? ` imported from ${importer}` : "";
    throw new GuestError(`Cannot find module '${path}'${from}`, { code: CODES[kind] });
  }

  /** Has the package come that one of the session's own modules imports. Packages try what they can do without. */
  #bring(specifier: string, directory: string): NpmArrival {
    const name = packageOf(specifier);
    if (name === undefined || `${directory}/`.includes("/node_modules/")) return { installed: false };
    const { dependencies, devDependencies } = this.#packages.scopeOf(directory)?.json ?? {};
    const versions = [dependencies, devDependencies]
      .map((wanted) => isObject(wanted) && Object.hasOwn(wanted, name) ? wanted[name] : undefined)
      .find((spec) => typeof spec === "string");
    return this.#install(name, versions);
  }

  #noPackage(specifier: string, kind: Kind, reason: string | undefined): GuestError {
    const known = [...this.#known.keys()].join(", ");
    const message = specifier.startsWith("node:") || NODE_MODULE_NAMES.has(specifier)
      ? `Cannot find '${specifier}': of Node's own modules there are ${known}`
      : reason !== undefined
      ? `Cannot find package '${specifier}', and it can't be installed: ${reason}`
      : `Cannot find package '${specifier}': install_package with language "javascript" brings packages from npm; modules of ` +
        `the session are files, like './${specifier}.js'; Node's own modules are built in`;
    return new GuestError(message, { code: CODES[kind] });
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
    for (const [path, module] of this.#loaded) {
      if (this.#signature(path) !== module.signature) stale.push(path);
    }
    const importers = this.#importers();
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

/** The text of a CommonJS module as a function. */
export function commonJs(text: string): string {
  return `(function (exports, require, module, __filename, __dirname) {${text}\n})`;
}

/** What QuickJS knows a module by. */
function nameOf(path: string, { version }: Loaded): string {
  return version === 1 ? path : `${path}?v=${version}`;
}

/** The text of an ES module that has what another one exports, and a mark. */
function asMarked(name: string): string {
  const path = JSON.stringify(name.replace(VERSION_SUFFIX, ""));
  return `export * from ${path}; export { default } from ${path}; export const __esModule = true;`;
}

/** The text of an ES module that has what a CommonJS module exports. @param names What it exports. */
function commonJsAsModule(name: string, names: readonly string[]): string {
  const own = names.filter((each) => each !== "default" && IDENTIFIER.test(each));
  const locals = own.map((each, index) => `${each}: e${index}`).join(", ");
  const exported = own.map((each, index) => `e${index} as ${each}`).join(", ");
  return `const module = ${MODULES}.exportsOf(${JSON.stringify(name)}); export default module;
const { ${locals} } = Object(module); export { ${exported} };`;
}

/** A module that knows of itself, and tells of its beginning and its end. It begins in the same line. */
function asModule(text: string, path: string): string {
  const given = JSON.stringify(path);
  return `Object.assign(import.meta, ${MODULES}.beginModule(${given}));${text}\n;${MODULES}.endModule(${given});`;
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
