/** Where a session lives: its Worker in an executor, and how it moves from one to another. */

import type { Checkpoints } from "../checkpoints/checkpoints.ts";
import type { Limits } from "../config/limits.ts";
import type { ExecutorProcess } from "../executor/server/executor_process.ts";
import type { ExecutorPool } from "../executor/server/pool.ts";
import { isBound, type Standing } from "../executor/server/tenant.ts";
import type { FromExecutor } from "../executor/wire/from_executor.ts";
import type { PackagesMode, WorkerSettings } from "../executor/wire/to_executor.ts";
import type { WasmboxError } from "../errors.ts";
import type { Mapping } from "../host_calls/volume.ts";
import type { PartLoss } from "../image/part.ts";
import type { Language } from "../languages.ts";
import type { ExecutorEndCause } from "../telemetry/events.ts";
import { within } from "../within.ts";
import { Evicted } from "./evicted.ts";
import { ExecutorLost } from "./executor_lost.ts";

/** Executors that are tried before a session gives up moving in. */
const MAX_ATTEMPTS = 3;
/** Until the memory of those that had to leave is free, and a process that they leave empty was replaced, ms. */
const ROOM_PAUSE = 1_000;
/** What a session's coming back takes at most for each byte of its image, which is in its heap and on its way. */
const ROOM_SHARE = 2;
/**
 * A session that would lose its last change is looked at so often, and for so long, before it waits for its neighbour's
 * program, ms: once nothing can be lost it can move instead, and such a program may take minutes.
 */
const SAVING_LOOK_MS = 5;
const SAVING_MS = 1_000;

/** What sessions live among. */
export interface Neighbourhood {
  readonly pool: ExecutorPool;
  /** Directories and files of the host that a principal's sessions see. */
  mappings(principal: string): readonly Mapping[];
  readonly packages: PackagesMode;
}

/** What a session's Worker is to hold to, and what it finds there. */
export function settingsOf(
  limits: Limits,
  mappings: readonly Mapping[],
  packages: PackagesMode,
  prepare: readonly Language[] = [],
): WorkerSettings {
  return {
    ...limits,
    imageBytes: limits.checkpointMaxBytes,
    prepare: [...prepare],
    mappings: [...mappings],
    packages,
  };
}

/** A place in an executor: the process, and the session's channel there. */
export interface Home {
  readonly executor: ExecutorProcess;
  readonly channel: number;
  /** Ends the wait for its opening, if the session is not in it yet. */
  readonly giveUp: () => void;
}

/**
 * What a session wants of its Worker. A Worker does one thing after another, so that what a session wants can follow it,
 * and its image, before it is in: what comes back is never told before that, nor what it asks of the host, so that what is sent once
 * more has left no trace.
 */
export interface Errand {
  /** Sends it; once more to another executor, if one ends before the session is in it. @returns False if it is not wanted any more. */
  send(home: Home): boolean;
  /** It was sent, and the session is in. Called before anything that comes of it. */
  begun?(): void;
}

/** The session, as what happens where it lives concerns it. Only of its present home is it told, but for output. */
export interface Resident {
  readonly principal: string;
  readonly id: string;
  readonly limits: Limits;
  /** Aborted when it ends. */
  readonly closing: AbortSignal;
  /** What calls are told then. */
  closed(): WasmboxError;
  standing(): Standing;
  message(message: FromExecutor, bytes: Uint8Array): void;
  output(stream: "stdout" | "stderr", bytes: Uint8Array): void;
  /** It goes on from its image, but for these parts of it. */
  restored(lost: readonly PartLoss[]): void;
  executorLost(reason: string, cause: ExecutorEndCause): void;
  /** Its memory is needed elsewhere. */
  evicted(why: string): void;
}

export class Residence {
  #home: Home | undefined;

  constructor(
    readonly resident: Resident,
    readonly around: Neighbourhood,
    readonly checkpoints: Checkpoints,
  ) {}

  get home(): Home | undefined {
    return this.#home;
  }

  /**
   * Has the session in a live executor, and its errand done there; makes a new place where the last was lost.
   *
   * An executor that goes away before the session is in it has run nothing of it: another one is tried. So it is where
   * memory was short meanwhile, once there is room.
   */
  async settle(prepare: readonly Language[], errand?: Errand): Promise<void> {
    let moves = false;
    for (let attempt = 1;; attempt++) {
      if (this.resident.closing.aborted) throw this.resident.closed();
      const home = this.#home;
      if (home?.executor.alive) {
        const claim = await this.#claim(home);
        if (claim === "left" || this.#home !== home) continue; // it may have ended since that was found
        if (claim === "granted") return this.#send(home, errand);
        moves = home.executor.alive;
        if (moves) this.moveOut();
      }
      await this.#home?.executor.ended; // what was lost with it must be known before the session goes on
      try {
        return await this.#moveIn(prepare, moves, errand);
      } catch (error) {
        const final = error instanceof ExecutorLost && error.isFinal;
        if (attempt >= MAX_ATTEMPTS || final) throw error;
        if (error instanceof Evicted) {
          await new Promise((resolve) => setTimeout(resolve, attempt * ROOM_PAUSE));
        }
      }
    }
  }

  /** Its Worker has done what it was asked for. */
  done(): void {
    this.#home?.executor.done(this.#home.channel);
  }

  /** It asks for nothing more for now: neighbours may have its Worker. */
  rest(): void {
    this.#home?.executor.rest(this.#home.channel);
  }

  /** Leaves its Worker; it goes on from its image. Nothing runs, and nothing is lost. */
  moveOut(): void {
    this.leave();
    this.checkpoints.dropPending();
  }

  /** Ends its Worker, if it has one. */
  leave(): void {
    const home = this.#home;
    this.#home = undefined;
    home?.executor.close(home.channel);
    home?.giveUp();
  }

  /** Its Worker is gone. */
  forget(): void {
    this.#home = undefined;
  }

  /**
   * Asks for the Worker where the session is.
   *
   * @returns "taken" if a neighbour's program has it and the session can go elsewhere; "left" if it had to meanwhile.
   */
  async #claim(home: Home): Promise<"granted" | "taken" | "left"> {
    const begun = performance.now();
    while (!await home.executor.claim(home.channel)) {
      if (this.#home !== home) return "left";
      if (!home.executor.alive || !isBound(this.resident.standing())) return "taken";
      // Whoever would lose something waits for the neighbour's program, unless that is saved soon.
      if (performance.now() - begun > SAVING_MS) break;
      await new Promise((resolve) => setTimeout(resolve, SAVING_LOOK_MS));
      if (this.resident.closing.aborted || this.#home !== home) return "left";
    }
    return this.#home === home ? "granted" : "left";
  }

  #send(home: Home, errand?: Errand): void {
    if (errand?.send(home)) errand.begun?.();
  }

  /** @param moves Whether it left a Worker that others had. */
  async #moveIn(prepare: readonly Language[], moves: boolean, errand?: Errand): Promise<void> {
    const { resident, around } = this;
    const { limits } = resident;
    const mappings = around.mappings(resident.principal);
    const image = await this.checkpoints.begin();
    const executor = await around.pool.acquire(resident.principal, resident.id);
    using _turn = await executor.openings.next(); // until it is in
    await executor.vacancy(moves);
    const held = image ? ROOM_SHARE * this.checkpoints.history.presentBytes : 0;
    using _room = await around.pool.memory.room(executor, held);
    if (resident.closing.aborted) throw resident.closed();
    if (!executor.alive) throw new ExecutorLost("it ended before the session was in it", "exited");
    const opened = Promise.withResolvers<void>();
    opened.promise.catch(() => {});
    const isCurrent = () => this.#home === home;
    /** The session is in, which is told once. At once, as what comes of it may come with the same piece of the pipe. */
    let enter: ((lost: readonly PartLoss[]) => void) | undefined = (lost) => {
      enter = undefined;
      const asked = follow();
      executor.entered(channel, asked);
      if (isCurrent()) {
        resident.restored(lost);
        if (asked) errand?.begun?.();
      }
      opened.resolve();
    };
    const channel = executor.open(
      {
        settings: settingsOf(limits, mappings, around.packages, prepare),
        moves,
      },
      {
        message: (message, bytes) => {
          try {
            if (message.type === "opened") return enter?.(message.lost);
          } catch (error) {
            return opened.reject(error);
          }
          if (message.type === "lost") opened.reject(new Error(message.reason));
          if (isCurrent()) resident.message(message, bytes);
        },
        output: (stream, bytes) => resident.output(stream, bytes),
        image: (batch) => this.checkpoints.receive(batch),
        imageSent: () => void follow(),
        executorLost: (reason, cause) => {
          opened.reject(new ExecutorLost(reason, cause));
          if (isCurrent()) resident.executorLost(reason, cause);
        },
        standing: () => resident.standing(),
        evict: (why) => {
          opened.reject(new Evicted(why));
          if (isCurrent()) resident.evicted(why);
        },
      },
      image,
    );
    // A closed channel says nothing more: its executor would be taken for one that is slow to start, and killed.
    const giveUp = () => opened.reject(resident.closed());
    const home: Home = { executor, channel, giveUp };
    this.#home = home;
    let sent: boolean | undefined;
    /** Sends the errand, once. @returns Whether it was sent. */
    const follow = () => sent ??= isCurrent() && errand?.send(home) === true;
    if (!image) follow();
    let { steps } = executor;
    await within(opened.promise, limits.executorStartMs, () => {
      // Among hundreds that are wanted at once some wait for the others, which are not to be lost for it.
      if (executor.steps > steps) return void ({ steps } = executor);
      executor.kill("slow_start", `it was not ready within ${limits.executorStartMs / 1000} s`);
    });
    if (resident.closing.aborted) {
      executor.close(channel);
      throw resident.closed();
    }
  }
}
