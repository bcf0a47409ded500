/**
 * The modules that a heap has loaded, and which of them import which.
 *
 * QuickJS keeps every module it has loaded under its name. A file that has changed by a later run is therefore loaded
 * again under a new name, `/app/x.js?v=2`, and so is every module that imports it, directly or not; what earlier runs
 * hold of the old one stays as it was. Within one run a module is loaded once.
 */

import type { FileSystem } from "../../fs/file_system.ts";
import { GuestError } from "./guest_error.ts";
import type { ModulesState } from "./state.ts";

interface Loaded {
  /** Counted from 1; 0 of what was missing; negative where it is to be loaded anew. */
  version: number;
  /** Differs when the file may have changed; of a missing file too. */
  readonly signature: string;
  readonly imports: Set<string>;
}

/**
 * Modules that a session may have loaded, their imports of each other, and the characters of their paths: nobody is
 * charged for this memory, and QuickJS gives up none of them.
 */
const MAX_MODULES = 10_000;
const MAX_IMPORTS = 200_000;
const MAX_PATHS = 2 * 1024 * 1024;
/** Modules that are known when one more that does not exist is not. */
const MAX_REMEMBERED = 2000;
const VERSION_SUFFIX = /\?v=\d+$/;

export class ModuleGraph {
  readonly #fs: FileSystem;
  readonly #loaded = new Map<string, Loaded>();
  #importCount = 0;
  #pathCharacters = 0;
  /** Whether this run has looked which files have changed. */
  #checked = false;

  /** @throws {GuestError} if there are too many. */
  constructor(fs: FileSystem, loaded: ModulesState["loaded"]) {
    this.#fs = fs;
    for (const [path, version, signature, imports] of loaded) {
      const imported = new Set(imports.map((index) => loaded[index]![0]));
      this.#remember(path, { version, signature, imports: imported });
      this.#importCount += imported.size;
    }
  }

  /** What QuickJS has loaded, to go on with elsewhere. */
  get state(): ModulesState["loaded"] {
    const indices = new Map([...this.#loaded.keys()].map((path, index) => [path, index]));
    return [...this.#loaded].map(([path, { version, signature, imports }]) =>
      [path, version, signature, [...imports].map((each) => indices.get(each)!)] as const
    );
  }

  /** A run starts: files may have changed since the one before. */
  beginRun(): void {
    this.#checked = false;
  }

  /** The name of a module that is known. */
  nameOf(path: string): string | undefined {
    const module = this.#loaded.get(path);
    return module && nameOf(path, module);
  }

  /** One module imports another, which is there. @returns Its name. @throws {GuestError} if there are too many. */
  imports(importer: string, path: string): string {
    let module = this.#loaded.get(path);
    if (module === undefined || module.version <= 0) {
      module = {
        version: module === undefined ? 1 : 1 - module.version,
        signature: this.#signature(path),
        imports: new Set(),
      };
      this.#remember(path, module);
    }
    this.#connect(importer, path);
    return nameOf(path, module);
  }

  /** One asks for what is not there: once it is, it must be loaded again. @throws {GuestError} if there are too many. */
  misses(importer: string, path: string): void {
    if (!this.#loaded.has(path)) {
      if (this.#loaded.size >= MAX_REMEMBERED) return;
      this.#remember(path, { version: 0, signature: this.#signature(path), imports: new Set() });
    }
    this.#connect(importer, path);
  }

  /** Modules, and all that import them, directly or not. */
  importersOf(paths: readonly string[]): ReadonlySet<string> {
    const found = new Set(paths);
    if (found.size === 0) return found;
    const importers = this.#importers();
    for (const path of found) for (const importer of importers.get(path) ?? []) found.add(importer);
    return found;
  }

  /**
   * Looks once in a run which files have changed since they were loaded: those modules, and all that import them, are
   * loaded anew.
   */
  forgetChanged(): void {
    if (this.#checked) return;
    this.#checked = true;
    const changed = [...this.#loaded].filter(([path, module]) => this.#signature(path) !== module.signature);
    for (const path of this.importersOf(changed.map(([path]) => path))) {
      const module = this.#loaded.get(path);
      if (module && module.version >= 0) module.version = -module.version;
    }
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
  #connect(importer: string, path: string): void {
    const imports = this.#loaded.get(importer)?.imports;
    if (!imports || imports.has(path)) return;
    if (this.#importCount >= MAX_IMPORTS) {
      throw new GuestError(`the modules of the session import each other more than ${MAX_IMPORTS} times`);
    }
    imports.add(path);
    this.#importCount++;
  }

  #signature(path: string): string {
    if (!this.#fs.exists(path)) return "missing";
    const { ino, size, mtime, ctime } = this.#fs.stat(path);
    return `${ino} ${size} ${mtime} ${ctime}`;
  }
}

/** The file of a module by its name. */
export function pathOf(name: string): string {
  return name.replace(VERSION_SUFFIX, "");
}

/** What QuickJS knows a module by. */
function nameOf(path: string, { version }: Loaded): string {
  return version === 1 ? path : `${path}?v=${version}`;
}
