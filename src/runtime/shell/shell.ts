/** The shell: a bash compiled to WebAssembly over the session's files, with the session's other languages as programs. */

import { Aborted } from "../../control/cell.ts";
import { OutOfFuel } from "../../control/meter.ts";
import { Section } from "../../executor/wire/entry.ts";
import { ImageError } from "../../executor/wire/image_error.ts";
import { ExitCode } from "../../exit_code.ts";
import type { BaseHeap } from "../../image/base_heap.ts";
import { HeapRuntime } from "../heap_runtime.ts";
import { LastWords } from "../last_words.ts";
import { unlessOverspent } from "../overspent.ts";
import type { RunOutcome, RunRequest, Runtime, RuntimeHost, SynchronousRuntime } from "../runtime.ts";
import { commandRunner } from "./command.ts";
import { type ScriptEnding, ShellInstance } from "./instance.ts";
import { OUTSIDE } from "./instance_processes.ts";
import { OutsideProcesses } from "./outside_processes.ts";
import type { Processes } from "./processes.ts";
import { canRunFibers, Fiber } from "./programs/fiber.ts";
import { programInSteps, runProgram, runsInSteps } from "./programs/mod.ts";
import type {
  FuelPurse,
  Interpreters,
  Pipes,
  Spawned,
  SpawnRequest,
  Surroundings,
} from "./programs/program.ts";
import type { ParsedSpawn } from "./spawn.ts";
import type { ShellState } from "./state.ts";

/** What the session has installed comes first, as in a virtual environment. */
const PATH = "/opt/python/bin:/usr/local/bin:/usr/bin:/bin";
/** What programs see in their environment, unless the policy says otherwise. */
export const ENVIRONMENT = {
  HOME: "/app",
  USER: "user",
  LOGNAME: "user",
  SHELL: "/bin/bash",
  LANG: "C.UTF-8",
  PATH,
};
/** Shells within programs within shells: each has an interpreter's memory. */
const MAX_LEVEL = 6;
/** What it says of an allocation that failed, and of what made it panic. */
const FULL = /memory allocation of \d+ bytes failed|capacity overflow/;
const PANIC = /panicked at ([\s\S]*)$/;

/** The shell's module, and the image of it that sessions start from. */
export interface ShellModule {
  readonly module: WebAssembly.Module;
  readonly heap: BaseHeap;
}

/** What a shell needs besides its host. */
export interface ShellAssets {
  /** Asked for with the first script. */
  readonly shell: () => ShellModule;
  readonly interpreters: Interpreters;
  /** Most that a command may print whose output is for the program that waits for it, bytes. */
  readonly captureMaxBytes: number;
  /** Counts the memory of a shell. */
  readonly census: <Kind extends Runtime>(shell: Kind) => Kind;
}

type Verdict =
  & Pick<RunOutcome, "heap" | "jobsLeft">
  & DistributiveOmit<RunOutcome, "heap" | "jobsLeft" | "fuelConsumed" | "memoryBytes">;
type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

export interface ShellRuntime extends SynchronousRuntime {
  /** How many programs go on with the next script: servers of background jobs. They are no part of the session's image. */
  readonly programs: number;
  /** How many processes run that programs outside of it have begun since something was run in it. */
  readonly begun: number;
  /** They are not waited for. */
  leaveBegun(): void;
  /**
   * Has them go on while a program outside of the shell waits, as far as they get without waiting.
   *
   * @param purse That of the program. @param ms At most for so long.
   * @throws whatever ends it from outside; the heap is discarded then.
   */
  tend(purse: FuelPurse, ms: number): void;
  /**
   * Those of a program outside of the shell.
   *
   * @param purseOf That of the program, while it runs. @throws as {@link tend}.
   */
  processesOf(purseOf: () => FuelPurse | undefined): Processes;
}

/** @param level How many shells wait for this one. */
export function createShellRuntime(host: RuntimeHost, assets: ShellAssets, level = 0): ShellRuntime {
  return new LiveShellRuntime(host, assets, level);
}

/** A script may have made the variable what it likes. */
const RESEED = "{ RANDOM=$SRANDOM; } 2>/dev/null";

class LiveShellRuntime extends HeapRuntime<ShellState, ShellInstance> implements ShellRuntime {
  readonly #host: RuntimeHost;
  readonly #assets: ShellAssets;
  readonly #level: number;
  readonly #words = new LastWords();

  constructor(host: RuntimeHost, assets: ShellAssets, level: number) {
    const options = {
      sections: { state: Section.shellState, page: Section.shellPage },
      baseOf: () => assets.shell().heap,
      maxBytes: host.memoryBytes,
    };
    super("shell", options, host.fs);
    this.#host = {
      ...host,
      write: (stream, bytes) => {
        if (stream === "stderr") this.#words.add(bytes);
        host.write(stream, bytes);
      },
    };
    this.#assets = assets;
    this.#level = level;
  }

  get programs(): number {
    return this.instance?.running ?? 0;
  }

  leaveBegun(): void {
    this.instance?.settle();
  }

  get begun(): number {
    return this.instance?.fresh ?? 0;
  }

  tend(purse: FuelPurse, ms: number): void {
    const { instance } = this;
    // Nor within a program of another shell that runs in steps.
    if (!instance || this.programs === 0 || !canRunFibers()) return;
    this.#workFor(purse, instance, () => instance.tend(ms));
  }

  /** @returns undefined where the shell was lost by it. */
  #workFor<T>(purse: FuelPurse, instance: ShellInstance, body: () => T): T | undefined {
    this.begin();
    instance.meter.begin(purse.left());
    try {
      return body();
    } catch (error) {
      this.discard();
      // Nobody else is to lose anything by what a job of the shell's came to.
      if (error instanceof Aborted || error instanceof OutOfFuel) throw error;
      this.rollback();
    } finally {
      purse.spend(instance.meter.consumed());
    }
  }

  processesOf(purseOf: () => FuelPurse | undefined): Processes {
    const env = { ...ENVIRONMENT, ...this.#host.env };
    return new OutsideProcesses(<T>(body: (processes: Processes) => T, begins = false): T | undefined => {
      const purse = purseOf();
      const instance = begins ? this.live() : this.instance;
      return purse && instance &&
        this.#workFor(purse, instance, () => body(instance.processes(OUTSIDE, env, canRunFibers)));
    });
  }

  protected run({ code, fuelBudget, reseed }: RunRequest): RunOutcome {
    this.#words.clear();
    let verdict: Verdict;
    try {
      const instance = this.live();
      instance.meter.begin(fuelBudget);
      this.#host.clock.begin(instance.meter);
      this.#host.cell.throwIfAborted();
      if (reseed) instance.run(RESEED);
      verdict = this.#verdict(instance.run(code));
    } catch (error) {
      verdict = { heap: "discarded", ...this.#ending(error) };
    }
    this.#host.clock.end();
    const { meter } = this.instance ?? {};
    const outcome = {
      ...unlessOverspent(verdict, meter),
      fuelConsumed: meter?.consumed() ?? 0,
      memoryBytes: this.memoryBytes(),
    };
    if (outcome.heap === "discarded") this.discard();
    return outcome;
  }

  #verdict(ending: ScriptEnding): Verdict {
    // Whatever the script made of it.
    if (this.#host.cell.requested() !== "none") return { status: "stopped", heap: "kept" };
    const exitCode = ending.kind === "exited" ? ending.exitCode : ExitCode.notRun;
    const jobsLeft = this.instance?.jobsLeft ?? 0;
    const kept = { heap: "kept", ...(jobsLeft > 0 && { jobsLeft }) } as const;
    return exitCode === 0
      ? { ...kept, status: "completed", result: null }
      : { ...kept, status: "exited", exitCode };
  }

  /** What ended the guest from outside. */
  #ending(error: unknown): DistributiveOmit<Verdict, "heap"> {
    if (error instanceof Aborted) return { status: "stopped" };
    if (error instanceof OutOfFuel) return { status: "out_of_fuel" };
    if (error instanceof RangeError && /call stack/i.test(error.message)) {
      return { status: "crashed", reason: "the shell's stack overflowed" };
    }
    if (this.#words.match(FULL)) return { status: "out_of_memory" };
    return { status: "crashed", reason: this.#words.match(PANIC)?.[1]?.trim() ?? String(error) };
  }

  protected live(): ShellInstance {
    if (this.instance) return this.instance;
    const instance = this.#make();
    instance.restore(this.#assets.shell().heap);
    instance.begin({ ...ENVIRONMENT, ...this.#host.env });
    return this.instance = instance;
  }

  #make(): ShellInstance {
    return new ShellInstance(this.#assets.shell().module, this.#host, {
      spawn: (request) => this.#spawn(request),
      begin: (request, pipes) => this.#begin(request, pipes),
      canRunBeside: canRunFibers,
    });
  }

  #spawn(request: SpawnRequest): Spawned {
    if (this.#level >= MAX_LEVEL) {
      const stderr = new TextEncoder().encode("bash: fork: Resource temporarily unavailable\n");
      return { exitCode: 254, stdout: new Uint8Array(0), stderr };
    }
    return runProgram(this.#surroundings(), request);
  }

  /** @returns undefined if that program can't run beside others, or nothing can here. */
  #begin(request: ParsedSpawn, pipes: Pick<Pipes, "write" | "processes">): Fiber | undefined {
    const surroundings = this.#surroundings();
    if (this.#level >= MAX_LEVEL || !canRunFibers() || !runsInSteps(surroundings, request)) return undefined;
    const fiber = new Fiber(surroundings.fuel, pipes);
    fiber.run(
      programInSteps(
        { ...surroundings, fuel: fiber.fuel },
        { ...request, stdin: fiber.input, fiber, processes: pipes.processes },
      ),
    );
    return fiber;
  }

  #surroundings(): Surroundings {
    const { meter } = this.instance!;
    return {
      host: this.#host,
      interpreters: this.#assets.interpreters,
      fuel: { left: () => meter.left(), spend: (fuel) => meter.charge(fuel) },
      runnerFor: (host) => commandRunner(host, this.#assets, this.#level + 1),
    };
  }

  protected revive(state: unknown, fill: (memory: WebAssembly.Memory) => void): void {
    const instance = this.#make();
    try {
      fill(instance.memory);
      instance.goOn(state);
    } catch (error) {
      instance.close();
      if (error instanceof ImageError) throw error;
      throw new ImageError(`the shell's heap can't be gone on with: ${error}`);
    }
    this.discard();
    this.instance = instance;
  }
}
