/** One program: its script to its end, then its handler. */

import type { RunRequest } from "../runtime.ts";
import { EvalFlag, type Value } from "./abi.ts";
import type { Compiler } from "./compiler.ts";
import type { Engine } from "./engine.ts";
import type { EventLoop } from "./event_loop.ts";
import type { Hooks } from "./hooks.ts";
import type { Modules } from "./modules.ts";
import { PRELUDE_NAME } from "./names.ts";
import { commonJs } from "./module_texts.ts";
import { DYNAMIC_IMPORT, type Script } from "./rewrite.ts";
import { type Failure, isValue, type RunState, UNSETTLED } from "./run_state.ts";
import type { Turns } from "./turns.ts";
import type { Thrown } from "./values.ts";

/** The parts of a realm that run a program. */
export interface ProgramParts {
  readonly engine: Engine;
  readonly hooks: Hooks;
  readonly run: RunState;
  readonly compiler: Compiler;
  readonly loop: EventLoop;
  readonly modules: Modules;
}

export class Program {
  readonly #request: RunRequest;
  readonly #parts: ProgramParts;
  /** What was made of it. */
  #ran = "";

  constructor(request: RunRequest, parts: ProgramParts) {
    this.#request = request;
    this.#parts = parts;
  }

  /** The text that was run, in which errors have their places. */
  get ran(): string {
    return this.#ran;
  }

  /** Runs it to its end. @returns the script's value, owned. */
  *run(): Turns<Value | Failure> {
    const { compiler, hooks, engine, modules } = this.#parts;
    if (this.#request.checkOnly) return this.#check();
    const text = modules.programAsModule();
    const loaded = text === undefined ? undefined : this.#load(text);
    if (typeof loaded === "number") return yield* this.#runModule(loaded);
    const script = compiler.compile(this.#request);
    if ("thrown" in script) {
      if (loaded) engine.values.free(loaded);
      return hooks.unlessStopped(script);
    }
    if (!loaded) {
      const ran = yield* this.#runAsFunction();
      if (ran !== undefined) return ran;
    } else {
      // What is no module may be one in another language, as a script may be.
      if (!compiler.failsToCompile(loaded, script, this.#request.filename)) {
        return yield* this.#afterThrow(loaded);
      }
      engine.values.free(loaded);
      modules.programIsModule(false);
    }
    const outcome = this.#evaluate(script);
    if (typeof outcome !== "object") return yield* this.#toEnd(outcome, script);
    const second = compiler.secondTry(this.#request, script, outcome);
    if (!second) return yield* this.#afterThrow(outcome);
    engine.values.free(outcome);
    const again = this.#evaluate(second);
    return yield* typeof again === "object" ? this.#afterThrow(again) : this.#toEnd(again, second);
  }

  /** @returns undefined for what is none. */
  *#runAsFunction(): Turns<Value | Failure | undefined> {
    const { compiler, engine } = this.#parts;
    const script = compiler.asFunction(this.#request);
    if (!script) return undefined;
    const outcome = this.#evaluate(script);
    if (typeof outcome !== "object") return yield* this.#toEnd(outcome, script);
    if (!compiler.failsToCompile(outcome, script, this.#request.filename)) {
      return yield* this.#afterThrow(outcome);
    }
    engine.values.free(outcome);
    return undefined;
  }

  /** Whether it is a program: nothing of it runs, nor of what it imports. */
  #check(): Value | Failure {
    const { hooks, engine, modules } = this.#parts;
    const text = modules.programAsModule();
    const found = text === undefined ? this.#checkScript() : this.#compileModule(text);
    if (typeof found === "object") return hooks.unlessStopped(found);
    engine.values.free(found);
    return engine.values.undefined();
  }

  #checkScript(): Value | Thrown {
    const { compiler, engine } = this.#parts;
    const { code, filename, dialect } = this.#request;
    if (dialect === "typescript") return compiler.compiled(this.#request);
    this.#ran = commonJs(code);
    const asScript = engine.evaluate(this.#ran, filename, EvalFlag.compileOnly);
    if (typeof asScript !== "object") return asScript;
    // What awaits at its top level is one, as in Node.
    const asModule = this.#compileModule(code);
    engine.values.free(typeof asModule === "object" ? asModule : asScript);
    return typeof asModule === "object" ? asScript : asModule;
  }

  #compileModule(text: string): Value | Thrown {
    const { engine, modules } = this.#parts;
    return modules.alone(() =>
      engine.evaluate(text, this.#request.filename, EvalFlag.module | EvalFlag.compileOnly)
    );
  }

  /** Has the engine know it, with what it imports, by its path, as others import it. @param text As a module. */
  #load(text: string): Value | Thrown {
    const { engine, modules } = this.#parts;
    this.#ran = text;
    modules.programIsModule(true);
    return engine.evaluate(text, this.#request.filename, EvalFlag.module | EvalFlag.compileOnly);
  }

  *#runModule(loaded: Value): Turns<Value | Failure> {
    const { engine } = this.#parts;
    engine.values.free(loaded);
    const run = `await ${DYNAMIC_IMPORT}(${JSON.stringify(this.#request.filename)}); undefined`;
    const outcome = engine.evaluate(run, PRELUDE_NAME, EvalFlag.async);
    return yield* typeof outcome === "object"
      ? this.#afterThrow(outcome)
      : this.#toEnd(outcome, { awaits: true });
  }

  /** Ends a program whose script threw: its other work goes on if it takes care of that error. */
  *#afterThrow(thrown: Thrown): Turns<Value | Failure> {
    const { hooks, loop, engine } = this.#parts;
    const ended = hooks.unlessStopped(thrown);
    const failure = typeof ended === "object" ? loop.unlessCaught(ended) : ended;
    return failure ?? (yield* this.#toEnd(engine.values.undefined(), { awaits: false }));
  }

  #evaluate({ code, awaits, isModule }: Script): Value | Thrown {
    this.#ran = code;
    const { filename } = this.#request;
    // A file that is a module is strict; what is written for a session may be as loose as in a console.
    const isStrict = filename.startsWith("/") && (isModule || /\.m[jt]s$/.test(filename));
    const flags = (awaits ? EvalFlag.async : EvalFlag.global) | (isStrict ? EvalFlag.strict : 0);
    return this.#parts.engine.evaluate(code, filename, flags);
  }

  /** Runs jobs and timers until none is left. @param outcome Of the script. @returns the script's value, owned. */
  *#toEnd(outcome: Value, { awaits }: { readonly awaits: boolean }): Turns<Value | Failure> {
    const { run, loop, engine: { values } } = this.#parts;
    const failure = run.stopping
      ? run.stopReason
      : (yield* loop.settle(outcome, awaits)) ?? (yield* loop.endProgram(outcome, awaits));
    if (failure || !awaits) {
      if (failure) values.free(outcome);
      return failure ?? outcome;
    }
    const main = values.promise(outcome);
    values.free(outcome);
    if (main.state === "rejected") {
      // The program took care of it.
      values.free(main.value);
      return values.undefined();
    }
    if (main.state !== "fulfilled") return UNSETTLED;
    const value = values.getProperty(main.value, "value");
    values.free(main.value);
    const rejection = loop.rejection(value);
    if (!rejection) return value;
    values.free(value);
    if (!loop.tookCare) return rejection;
    values.free(rejection);
    return values.undefined();
  }

  /** Calls its handler. @returns JSON of what that returned, owned; undefined if there is nothing to call. */
  *callHandler(): Turns<Value | Failure | undefined> {
    const { hooks, loop, engine: { values } } = this.#parts;
    const { handler, resultMaxBytes } = this.#request;
    const json = values.string(JSON.stringify({ ...handler, limit: resultMaxBytes }));
    const called = hooks.attempt("callHandler", json);
    values.free(json);
    if (!isValue(called)) return called;
    if (values.typeOf(called) === "undefined") {
      values.free(called);
      return undefined;
    }
    let returned = values.getProperty(called, "returned");
    values.free(called);
    const failure = yield* loop.settle(returned, true);
    const settled = failure ? undefined : values.promise(returned);
    if (!settled || settled.state === "pending") {
      values.free(returned);
      return failure ?? UNSETTLED;
    }
    if ("value" in settled) {
      values.free(returned);
      returned = settled.value;
    }
    const text = hooks.attempt("handlerJson", returned);
    values.free(returned);
    return text;
  }
}
