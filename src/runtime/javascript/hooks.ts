/** The functions of the prelude that the host calls, and how their answers are read. */

import type * as z from "zod/mini";
import { ImageError } from "../../executor/wire/image_error.ts";
import type { Value } from "./abi.ts";
import type { Engine } from "./engine.ts";
import { GuestError } from "./guest_error.ts";
import { asJson } from "./guest_json.ts";
import type { HostFunction } from "./host_table.ts";
import { EngineFault } from "./instance.ts";
import { PRELUDE_NAME } from "./names.ts";
import type { Failure, RunState, Stop } from "./run_state.ts";
import type { RealmState } from "./state.ts";
import type { Thrown } from "./values.ts";

const HOOKS = [
  "start",
  "result",
  "describeError",
  "isOutOfMemory",
  "runTicks",
  "endProgram",
  "untilNextTimer",
  "runTimer",
  "dropTimers",
  "endGroups",
  "moduleNames",
  "beginHandler",
  "callHandler",
  "handlerJson",
  "runCommonJs",
  "programIsModule",
  "toJavaScript",
  "isSyntaxError",
  "unhandled",
  "handledLate",
  "uncaught",
  "failProgram",
  "takeMessage",
  "beginThread",
  "tellFailure",
] as const;
type Hook = typeof HOOKS[number];
type Addresses = Readonly<Record<Hook, Value>>;

/** Longest JSON that the prelude has a reason for: the names that a module exports, the description of an error. */
export const ANSWER_MAX_BYTES = 4 * 1024 * 1024;

export class Hooks {
  readonly #engine: Engine;
  readonly #run: RunState;
  readonly #addresses: Addresses;

  private constructor(engine: Engine, run: RunState, addresses: Addresses) {
    this.#engine = engine;
    this.#run = run;
    this.#addresses = addresses;
  }

  /** Those of a new prelude. @param functions What it may call. @throws {EngineFault} */
  static install(
    engine: Engine,
    run: RunState,
    prelude: string,
    functions: Readonly<Record<string, HostFunction>>,
  ): Hooks {
    const { values } = engine;
    const install = ours(engine, engine.evaluate(prelude, PRELUDE_NAME));
    const table = engine.functions(functions);
    const hooks = ours(engine, engine.call(install, table));
    const addresses = HOOKS.map((name) => [name, values.getProperty(hooks, name)]);
    for (const value of [install, table, hooks]) values.free(value);
    return new Hooks(engine, run, Object.fromEntries(addresses));
  }

  /** Those of a heap that is gone on with. @throws {ImageError} if that has others, or other functions of the host's. */
  static again(
    engine: Engine,
    run: RunState,
    state: RealmState,
    functions: Readonly<Record<string, HostFunction>>,
  ): Hooks {
    engine.functionsAgain(functions, state.engine);
    if (HOOKS.some((name) => state.hooks[name] === undefined)) {
      throw new ImageError("the heap was made with another prelude");
    }
    return new Hooks(engine, run, state.hooks as Addresses);
  }

  get state(): RealmState["hooks"] {
    return this.#addresses;
  }

  call(hook: Hook, ...args: readonly Value[]): Value | Thrown {
    return this.#engine.call(this.#addresses[hook], ...args);
  }

  /** Calls one that does not fail. @throws {EngineFault} if it does. */
  ask(hook: Hook, ...args: readonly Value[]): Value {
    return ours(this.#engine, this.call(hook, ...args));
  }

  /** Calls one that runs the program's code, or may. */
  attempt(hook: Hook, ...args: readonly Value[]): Value | Failure {
    return this.unlessStopped(this.call(hook, ...args));
  }

  /** What came of a call; it does not matter any more if the program is to stop. */
  unlessStopped<Outcome extends Value | Thrown>(outcome: Outcome): Outcome | Stop {
    if (!this.#run.stopping) return outcome;
    this.#engine.values.free(outcome);
    return this.#run.stopReason;
  }

  /** An answer in JSON, which goes through functions that a guest can replace. @throws {GuestError} */
  answer<T>(schema: z.ZodMiniType<T>, json: Value): T {
    const text = this.#engine.values.takeBoundedString(json, ANSWER_MAX_BYTES) ?? "";
    const data = asJson(schema, text);
    if (data !== undefined) return data;
    throw new GuestError("JSON.stringify does not do what it should");
  }
}

/** The value of a call into our own prelude, which does not fail. */
function ours({ values }: Engine, result: Value | Thrown): Value {
  if (typeof result !== "object") return result;
  throw new EngineFault(`the prelude failed: ${values.takeString(result.thrown)}`);
}
