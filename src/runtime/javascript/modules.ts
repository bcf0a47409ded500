/** The modules of a realm: what QuickJS and the prelude's `require` ask for, found and loaded with the guest's help. */

import * as z from "zod/mini";
import type { FileSystem } from "../../fs/file_system.ts";
import type { Value } from "./abi.ts";
import type { Compiler } from "./compiler.ts";
import type { Engine } from "./engine.ts";
import { GuestError } from "./guest_error.ts";
import type { Hooks } from "./hooks.ts";
import type { InstallPackage } from "./module_finder.ts";
import { MARKED, ModuleLoader } from "./module_loader.ts";
import { commonJs } from "./module_texts.ts";
import type { RunState } from "./run_state.ts";
import type { ModulesState } from "./state.ts";

/** What a CommonJS module exports, or what it threw. */
const commonJsAnswer = z.object({
  names: z.array(z.string()),
  error: z.optional(z.object({ name: z.string(), message: z.string() })),
});

/** What the modules that come with the runtime export. */
const moduleNames = z.record(z.string(), z.array(z.string()));

/** The parts of a realm that its modules need. */
export interface ModulesParts {
  readonly fs: FileSystem;
  readonly engine: Engine;
  readonly hooks: Hooks;
  readonly run: RunState;
  readonly compiler: Compiler;
  readonly install: InstallPackage;
}

export class Modules {
  readonly #parts: ModulesParts;
  #loader: ModuleLoader;

  constructor(parts: ModulesParts, state?: ModulesState) {
    this.#parts = parts;
    this.#loader = this.#makeLoader(state);
  }

  get state(): ModulesState {
    return this.#loader.state;
  }

  goOn(state: ModulesState): void {
    this.#loader = this.#makeLoader(state);
  }

  /** @param program The file of the run, were it one. */
  beginRun(program: string): void {
    this.#loader.beginRun(program);
  }

  /**
   * As {@link ModuleLoader.programAsModule}.
   *
   * @returns undefined too where it can't be read as one, which the program itself has to tell.
   */
  programAsModule(): string | undefined {
    try {
      return this.#loader.programAsModule();
    } catch (error) {
      if (!(error instanceof GuestError)) throw error;
      return undefined;
    }
  }

  /** Whether the program runs as the module that it is. */
  programIsModule(isOne: boolean): void {
    this.#loader.programIsModule(isOne);
    if (isOne) this.#parts.engine.values.free(this.#parts.hooks.ask("programIsModule"));
  }

  /** Loads modules without what they import. */
  alone<T>(work: () => T): T {
    return this.#loader.alone(work);
  }

  // For QuickJS.

  /** @throws {GuestError} */
  resolve(base: string, specifier: string): string {
    this.#goOn();
    return this.#loader.resolve(base, specifier);
  }

  /** @throws {GuestError} */
  load(name: string): string {
    this.#goOn();
    return this.#loader.load(name);
  }

  // For the prelude.

  resolveRequired(base: Value | undefined, specifier: Value | undefined, kind: Value | undefined): Value {
    const { values } = this.#parts.engine;
    const how = values.given(kind) === "import" ? "import" : "require";
    return values.string(this.#loader.resolveRequired(values.given(base), values.given(specifier), how));
  }

  readRequired(name: Value | undefined): Value {
    const { values } = this.#parts.engine;
    return values.string(this.#loader.loadRequired(values.given(name)));
  }

  /** A function that runs a CommonJS module; what its compilation threw, if it did. */
  compileRequired(given: Value | undefined): Value {
    const { engine } = this.#parts;
    const name = engine.values.given(given);
    const text = this.#loader.loadRequired(name);
    const made = engine.evaluate(commonJs(text), name);
    return typeof made === "object" ? made.thrown : made;
  }

  moduleBegan(path: Value | undefined): void {
    this.#loader.began(this.#parts.engine.values.given(path));
  }

  moduleEnded(path: Value | undefined): void {
    this.#loader.ended(this.#parts.engine.values.given(path));
  }

  /**
   * What an ES module exports, for `require`.
   *
   * @param marked 1: said to be an ES module's, as compilers of such do.
   * @throws {GuestError} if it is not there at once, and what it throws itself.
   */
  requireModule(given: Value | undefined, marked: Value | undefined): Value {
    const { engine, engine: { values } } = this.#parts;
    const name = values.given(given);
    const isMarked = marked !== undefined && values.toNumber(marked) === 1;
    const made = this.#loader.within(() => engine.importNow(isMarked ? `${MARKED}${name}` : name));
    if (typeof made === "object") return engine.raise(made);
    if (values.promise(made).state === "none") return made;
    values.free(made);
    const message = `require() can't load the ES module ${name}, which awaits at its top level: use import()`;
    throw new GuestError(message, { code: "ERR_REQUIRE_ASYNC_MODULE" });
  }

  /**
   * Between two modules: no code of the guest, in which a stop is seen, runs while those that a module imports are found.
   *
   * @throws {GuestError} on a soft stop. @throws {Aborted} on a hard one.
   */
  #goOn(): void {
    if (this.#parts.run.interrupted()) throw new GuestError("the program was stopped");
  }

  #makeLoader(state?: ModulesState): ModuleLoader {
    const { fs, engine, hooks, compiler, install } = this.#parts;
    const list = () => hooks.answer(moduleNames, hooks.ask("moduleNames"));
    const guest = {
      runCommonJs: (name: string) => this.#runCommonJs(name),
      withoutTypes: (text: string, path: string) => compiler.moduleWithoutTypes(text, path),
      hasFailed: (name: string) => engine.moduleHasFailed(name),
    };
    return new ModuleLoader(fs, list, guest, install, state);
  }

  /** Runs a CommonJS module that an ES module imports, to see what it exports. */
  #runCommonJs(name: string): readonly string[] {
    const { hooks, engine: { values } } = this.#parts;
    const given = values.string(name);
    const answer = hooks.call("runCommonJs", given);
    values.free(given);
    if (typeof answer === "object") {
      values.free(answer);
      throw new GuestError(`${name} was stopped`);
    }
    const { names, error } = hooks.answer(commonJsAnswer, answer);
    if (error) throw new GuestError(error.message, { name: error.name });
    return names;
  }
}
