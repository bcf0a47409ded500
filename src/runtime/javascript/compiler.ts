/** What is made of a program's text before it runs, and of a module's in TypeScript. */

import type { RunRequest } from "../runtime.ts";
import { EvalFlag, type Value } from "./abi.ts";
import type { Engine } from "./engine.ts";
import { GuestError } from "./guest_error.ts";
import type { Hooks } from "./hooks.ts";
import { commonJs, withoutHashbang } from "./module_texts.ts";
import { IMPORT_CHECK, PRELUDE_NAME } from "./names.ts";
import { checkNesting } from "./nesting.ts";
import { rewrite, type Script } from "./rewrite.ts";
import type { RunState } from "./run_state.ts";
import type { Thrown } from "./values.ts";

export class Compiler {
  readonly #engine: Engine;
  readonly #hooks: Hooks;
  readonly #run: RunState;
  /** The last module without its types: a program's is asked for twice. */
  #stripped = { path: "", text: "", made: "" };

  constructor(engine: Engine, hooks: Hooks, run: RunState) {
    this.#engine = engine;
    this.#hooks = hooks;
    this.#run = run;
  }

  /** A program as QuickJS is to run it. */
  compile({ code, filename, dialect }: RunRequest): Script | Thrown {
    const refused = this.#refusal(() => checkNesting(code, "the program"));
    if (refused) return refused;
    return dialect === "typescript"
      ? this.#withoutTypes(code, filename)
      : rewrite(code, { importCheck: IMPORT_CHECK });
  }

  /**
   * A file as the function that Node makes of it: what it declares is its own, and it may return. Of what awaits at its top level
   * that is no program.
   *
   * @returns undefined for what is no file of JavaScript.
   */
  asFunction({ code, filename, dialect }: RunRequest): Script | undefined {
    if (dialect === "typescript" || !filename.startsWith("/")) return undefined;
    const args = "module.exports, exports, require, module, __filename, __dirname";
    const text = `${commonJs(withoutHashbang(code))}.call(${args})`;
    return { code: text, awaits: false, lexical: [], isModule: false };
  }

  /**
   * What is no JavaScript, but would be without types, without them.
   *
   * @param failed The program as it was run. @param thrown By that; it stays the caller's.
   */
  secondTry(
    { code, filename, dialect }: RunRequest,
    failed: Script,
    thrown: Thrown,
  ): Script | undefined {
    if (dialect === "typescript" || !this.failsToCompile(thrown, failed, filename)) return undefined;
    const script = this.#withoutTypes(code, filename);
    if (!("thrown" in script)) return this.#compiles(script, filename) ? script : undefined;
    this.#engine.values.free(script);
    return undefined;
  }

  /** The text of a module without its types. @throws {GuestError} */
  moduleWithoutTypes(text: string, path: string): string {
    if (this.#stripped.path !== path || this.#stripped.text !== text) {
      this.#stripped = { path, text, made: this.#moduleWithoutTypes(text, path) };
    }
    return this.#stripped.made;
  }

  #moduleWithoutTypes(text: string, path: string): string {
    const made = this.#toJavaScript(text, path, path.endsWith("x") ? "tsx" : "ts", false);
    if (typeof made === "string") return made;
    const { values } = this.#engine;
    const name = values.textOf(made.thrown, "name");
    const message = values.textOf(made.thrown, "message");
    values.free(made);
    throw new GuestError(`${path}: ${message}`, { name });
  }

  /** What `check` has against a program, as an error of the guest's. */
  #refusal(check: () => void): Thrown | undefined {
    try {
      check();
    } catch (error) {
      if (!(error instanceof GuestError)) throw error;
      const { name = "Error" } = error.fields;
      const made = this.#engine.evaluate(`new ${name}(${JSON.stringify(error.message)})`, PRELUDE_NAME);
      return typeof made === "object" ? made : { thrown: made };
    }
    return undefined;
  }

  /** A program as JavaScript that runs; JSX is taken for JSX where the program is nothing without it. */
  #withoutTypes(code: string, filename: string): Script | Thrown {
    let failure: Thrown | undefined;
    for (const kind of ["ts", "tsx"] as const) {
      const text = this.#toJavaScript(code, filename, kind, true);
      if (typeof text === "string") {
        if (failure) this.#engine.values.free(failure);
        return rewrite(text, { importCheck: IMPORT_CHECK, typesAreGone: true });
      }
      if (failure) this.#engine.values.free(text);
      else failure = text;
    }
    return failure!;
  }

  /** @param keepsImports Of what nothing uses too, for the runs that follow. */
  #toJavaScript(code: string, path: string, kind: "ts" | "tsx", keepsImports: boolean): string | Thrown {
    const { values } = this.#engine;
    const args = [
      ...[code, path, kind].map((text) => values.string(text)),
      values.number(keepsImports ? 1 : 0),
    ];
    const made = this.#hooks.call("toJavaScript", ...args);
    for (const value of args) values.free(value);
    return typeof made === "object" ? made : values.takeString(made);
  }

  /** Whether a program failed before anything of it ran. */
  failsToCompile({ thrown }: Thrown, script: Script, filename: string): boolean {
    const answer = this.#hooks.call("isSyntaxError", thrown);
    const isSyntaxError = typeof answer !== "object" && this.#engine.values.toNumber(answer) === 1;
    this.#engine.values.free(answer);
    return isSyntaxError && !this.#run.stopping && !this.#compiles(script, filename);
  }

  /** A program that does not run. */
  compiled(request: RunRequest): Value | Thrown {
    const script = this.compile(request);
    return "thrown" in script ? script : this.#compiled(script, request.filename);
  }

  #compiles(script: Script, filename: string): boolean {
    const compiled = this.#compiled(script, filename);
    this.#engine.values.free(compiled);
    return typeof compiled !== "object";
  }

  #compiled({ code, awaits }: Script, filename: string): Value | Thrown {
    const flags = EvalFlag.compileOnly | (awaits ? EvalFlag.async : EvalFlag.global);
    return this.#engine.evaluate(code, filename, flags);
  }
}
