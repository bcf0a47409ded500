/** One booted QuickJS with its prelude: joins the parts that a run of code goes through. */

import type { FuelMeter } from "../../control/meter.ts";
import type { RandomSource } from "../../control/random.ts";
import type { LiveHeap } from "../../image/heap_part.ts";
import type { RunRequest, RuntimeHost } from "../runtime.ts";
import type { Value } from "./abi.ts";
import { Compiler } from "./compiler.ts";
import { contexts } from "./contexts.ts";
import { type Ending, Endings } from "./ending.ts";
import { Engine, type Revival } from "./engine.ts";
import { EventLoop } from "./event_loop.ts";
import { GuestError } from "./guest_error.ts";
import { Hooks } from "./hooks.ts";
import { hostFunctions } from "./host_functions.ts";
import { installerOf } from "./installer.ts";
import { largestMemory } from "./instance.ts";
import { Modules } from "./modules.ts";
import { PRELUDE_NAME } from "./names.ts";
import { Program, type ProgramParts } from "./program.ts";
import { isValue, RunState } from "./run_state.ts";
import { parseRealmState, type RealmState } from "./state.ts";

/** What a realm starts from. */
export type Origin =
  /** Nothing: a base image is to be made of it. */
  | { readonly kind: "prelude"; readonly text: string }
  /** A base image: a session begins. */
  | { readonly kind: "base" } & Revival<RealmState>
  /** The heap of a session. */
  | { readonly kind: "image" } & Revival<RealmState>;

export class Realm implements LiveHeap<RealmState> {
  readonly #engine: Engine;
  readonly #run: RunState;
  readonly #hooks: Hooks;
  readonly #modules: Modules;
  readonly #loop: EventLoop;
  readonly #endings: Endings;
  readonly #parts: ProgramParts;
  /** What runs, or ran last. */
  #program: Pick<RunRequest, "code" | "filename"> = { code: "", filename: "" };
  /** Whether the last program ran out of memory. */
  #full = false;

  /**
   * @param libraries The text of a library that is loaded at its first use, by its name; undefined if there is none.
   * @throws anything an {@link Engine} throws; the realm is then not usable.
   */
  constructor(
    host: RuntimeHost,
    module: WebAssembly.Module,
    meter: FuelMeter,
    libraries: (name: string) => string | undefined,
    origin: Origin,
  ) {
    const revival = origin.kind === "prelude" ? undefined : origin;
    const run = this.#run = new RunState(host.cell);
    const engine = this.#engine = new Engine(module, {
      memoryBytes: host.memoryBytes,
      interrupted: () => run.interrupted(),
      meter,
      clock: host.clock,
      random: host.random,
      resolve: (base, specifier) => this.#modules.resolve(base, specifier),
      load: (name) => this.#modules.load(name),
    }, revival && { fill: revival.fill, state: revival.state.engine });

    const functions = run.unlessExited({
      ...hostFunctions(host, engine.values, meter),
      exit: ([code]) => run.exit(code === undefined ? 0 : engine.values.toNumber(code)),
      sourceOf: ([name]) => this.#sourceOf(engine.values.given(name)),
      setTimeZone: ([name]) => this.#setTimeZone(engine.values.given(name)),
      library: ([value]) => this.#loadLibrary(engine.values.given(value), libraries),
      resolveRequired: ([base, specifier]) => this.#modules.resolveRequired(base, specifier),
      readRequired: ([name]) => this.#modules.readRequired(name),
      compileRequired: ([name]) => this.#modules.compileRequired(name),
      moduleBegan: ([path]) => this.#modules.moduleBegan(path),
      moduleEnded: ([path]) => this.#modules.moduleEnded(path),
      requireModule: ([name, marked]) => this.#modules.requireModule(name, marked),
      ...contexts(engine, run, host.clock),
    });
    const hooks = this.#hooks = origin.kind === "prelude"
      ? Hooks.install(engine, run, origin.text, functions)
      : Hooks.again(engine, run, origin.state, functions);
    const compiler = new Compiler(engine, hooks, run);
    this.#loop = new EventLoop(engine, hooks, run, host.clock);
    this.#endings = new Endings(engine, hooks, run, largestMemory(host.memoryBytes));
    const install = installerOf(host);
    this.#modules = new Modules(
      { fs: host.fs, engine, hooks, run, compiler, install },
      revival?.state.modules,
    );
    this.#parts = { engine, hooks, run, compiler, loop: this.#loop, modules: this.#modules };
    if (origin.kind !== "base") return;
    engine.seed(host.random);
    engine.values.free(hooks.ask("start"));
  }

  /** The text of the program, by its name; undefined of anything else. */
  #sourceOf(name: string): Value | undefined {
    const { filename, code } = this.#program;
    return name === filename ? this.#engine.values.string(code) : undefined;
  }

  #setTimeZone(tz: string): Value | undefined {
    const zone = this.#engine.setTimeZone(tz);
    return zone === undefined ? undefined : this.#engine.values.string(zone);
  }

  /** The value of a library's text. */
  #loadLibrary(name: string, libraries: (name: string) => string | undefined): Value {
    const text = libraries(name);
    if (text === undefined) {
      throw new GuestError(`this build has no library ${JSON.stringify(name.slice(0, 50))}`);
    }
    const made = this.#run.uninterrupted(() => this.#engine.evaluate(text, PRELUDE_NAME));
    if (typeof made !== "object") return made;
    const failed = this.#engine.values.takeString(made.thrown);
    // A library is known to load: it failed for want of memory, or by what the guest has made of the language's objects.
    throw new GuestError(`the library could not be loaded: ${failed}`);
  }

  get memory(): WebAssembly.Memory {
    return this.#engine.memory;
  }

  get deadBelow(): number {
    return 0;
  }

  get state(): RealmState {
    return { engine: this.#engine.state, hooks: this.#hooks.state, modules: this.#modules.state };
  }

  /** Gives `Math.random` another state. */
  reseed(random: RandomSource): void {
    this.#engine.seed(random);
  }

  /** Makes zeros of memory that is free. For base images. */
  scrub(): void {
    this.#engine.scrub();
  }

  goOn(state: unknown): void {
    // Addresses and host functions are those that a realm is made with.
    this.#modules.goOn(parseRealmState(state).modules);
  }

  get memoryBytes(): number {
    return this.#engine.memory.buffer.byteLength;
  }

  run(request: RunRequest): Ending {
    this.#program = request;
    this.#modules.beginRun(request.filename);
    this.#run.begin();
    // A program that follows one that filled the heap gets the reserve, to make room.
    if (!this.#full) this.#engine.holdReserve();
    if (request.handler) this.#engine.values.free(this.#hooks.call("beginHandler"));
    this.#run.forgetExit();
    const program = new Program(request, this.#parts);
    const value = program.run();
    const returned = request.handler && isValue(value) ? program.callHandler() : undefined;
    if (typeof value === "object") this.#engine.values.free(this.#hooks.call("failProgram"));
    this.#engine.releaseReserve();
    const ending = this.#endings.of({ ...request, ran: program.ran }, value, returned);
    this.#full = ending.status === "out_of_memory";
    this.#run.end();
    this.#engine.values.free(this.#hooks.call("endGroups"));
    this.#engine.rejections.forgetAll();
    this.#engine.leaveAsyncContext();
    return ending.status === "completed" ? ending : this.#afterEarlyEnd(ending);
  }

  /** Gives up what a run that ended early has set going. */
  #afterEarlyEnd(ending: Ending): Ending {
    const timersDropped = this.#loop.dropTimers();
    const drained = this.#loop.drainJobs();
    this.#engine.rejections.forgetAll();
    const told = timersDropped > 0 && ending.status !== "exited" ? { ...ending, timersDropped } : ending;
    return drained ? told : { ...told, heap: "discarded" };
  }
}
