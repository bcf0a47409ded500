/** One booted QuickJS with its prelude: joins the parts that a run of code goes through. */

import type { FuelMeter } from "../../control/meter.ts";
import type { RandomSource } from "../../control/random.ts";
import type { LiveHeap } from "../../image/heap_part.ts";
import { giveUpMemory } from "../given_up.ts";
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
import type { Message } from "./mailboxes.ts";
import { Modules } from "./modules.ts";
import { PRELUDE_NAME } from "./names.ts";
import { Program, type ProgramParts } from "./program.ts";
import { isValue, RunState } from "./run_state.ts";
import { parseRealmState, type RealmState } from "./state.ts";
import { threadFunctions } from "./thread_functions.ts";
import type { Thread, ThreadSettings } from "./thread.ts";
import type { Threads } from "./threads.ts";
import type { Steps } from "../steps.ts";
import type { Turns } from "./turns.ts";

/** What a realm starts from. */
export type Origin =
  /** Nothing: a base image is to be made of it. */
  | { readonly kind: "prelude"; readonly text: string }
  /** A base image: a session begins. */
  | { readonly kind: "base" } & Revival<RealmState>
  /** The heap of a session. */
  | { readonly kind: "image" } & Revival<RealmState>;

/** Nobody sees it. */
const RESULT_OF_THREAD = 100;

export class Realm implements LiveHeap<RealmState> {
  readonly #engine: Engine;
  readonly #run: RunState;
  readonly #hooks: Hooks;
  readonly #modules: Modules;
  readonly #loop: EventLoop;
  readonly #endings: Endings;
  readonly #parts: ProgramParts;
  readonly #threads: Threads;
  readonly #isThread: boolean;
  /** What runs, or ran last. */
  #program: Pick<RunRequest, "code" | "filename" | "dialect"> = { code: "", filename: "" };
  /** Whether the last program ran out of memory. */
  #full = false;

  /**
   * @param threads Of the program that this one runs, or is a thread of. @param self Which of them it is.
   * @param libraries The text of a library that is loaded at its first use, by its name; undefined if there is none.
   * @throws anything an {@link Engine} throws; the realm is then not usable.
   */
  constructor(
    host: RuntimeHost,
    module: WebAssembly.Module,
    meter: FuelMeter,
    libraries: (name: string) => string | undefined,
    origin: Origin,
    threads: Threads,
    self: Thread = threads.main,
  ) {
    this.#threads = threads;
    this.#isThread = self !== threads.main;
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
      resolveRequired: ([base, specifier, kind]) => this.#modules.resolveRequired(base, specifier, kind),
      readRequired: ([name]) => this.#modules.readRequired(name),
      compileRequired: ([name]) => this.#modules.compileRequired(name),
      moduleBegan: ([path]) => this.#modules.moduleBegan(path),
      moduleEnded: ([path]) => this.#modules.moduleEnded(path),
      requireModule: ([name, marked]) => this.#modules.requireModule(name, marked),
      ...contexts(engine, run, host.clock),
      ...threadFunctions({ engine, run, threads, self, program: () => this.#program }),
    });
    const hooks = this.#hooks = origin.kind === "prelude"
      ? Hooks.install(engine, run, origin.text, functions)
      : Hooks.again(engine, run, origin.state, functions);
    const compiler = new Compiler(engine, hooks, run);
    this.#loop = new EventLoop(engine, hooks, run);
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

  /** What its threads have beside that. */
  get threadsBytes(): number {
    return this.#threads.memoryBytes;
  }

  run(request: RunRequest): Steps<Ending> {
    return this.#threads.drive(this.#turns(request), () => this.#run.stopping);
  }

  /** The program of a thread. @param begun What it gets to know. */
  *threadTurns(program: ThreadSettings["program"], begun: () => Message): Turns<Ending> {
    const { values } = this.#engine;
    const { text, data } = begun();
    const given = [values.string(text), values.arrayBuffer(data)];
    values.free(this.#hooks.ask("beginThread", ...given));
    for (const each of given) values.free(each);
    return yield* this.#turns({ ...program, resultMaxBytes: RESULT_OF_THREAD });
  }

  /** Gives its memory back. It must not be used any more. */
  giveUp(): void {
    giveUpMemory(this.#engine.memory);
  }

  *#turns(request: RunRequest): Turns<Ending> {
    this.#program = request;
    this.#modules.beginRun(request.filename);
    this.#run.begin();
    // A program that follows one that filled the heap gets the reserve, to make room.
    if (!this.#full) this.#engine.holdReserve();
    if (request.handler) this.#engine.values.free(this.#hooks.call("beginHandler"));
    this.#run.forgetExit();
    const program = new Program(request, this.#parts);
    const value = yield* program.run();
    const returned = request.handler && isValue(value) ? yield* program.callHandler() : undefined;
    if (typeof value === "object") this.#engine.values.free(this.#hooks.call("failProgram"));
    const thrown = this.#isThread && typeof value === "object"
      ? this.#engine.values.duplicate(value.thrown)
      : undefined;
    this.#engine.releaseReserve();
    const ending = this.#endings.of({ ...request, ran: program.ran }, value, returned);
    this.#full = ending.status === "out_of_memory";
    if (thrown !== undefined) this.#tellFailure(thrown, ending);
    this.#run.end();
    this.#engine.values.free(this.#hooks.call("endGroups"));
    this.#engine.rejections.forgetAll();
    this.#engine.leaveAsyncContext();
    return ending.status === "completed" ? ending : this.#afterEarlyEnd(ending);
  }

  /** Tells who made the thread what its program threw. @param thrown Is freed. */
  #tellFailure(thrown: Value, ending: Ending): void {
    const { values } = this.#engine;
    if (ending.status === "failed") values.free(this.#hooks.call("tellFailure", thrown));
    values.free(thrown);
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
