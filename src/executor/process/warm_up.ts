/**
 * What an executor does while nobody asks it for anything: it runs programs that stand for all, so that V8 has compiled
 * the interpreters with all its skill when a guest needs them. All Workers of the process share that code; without it the
 * first second of what a guest computes takes two to four times as long.
 *
 * The programs are our own, in a Worker that has no other session. As soon as a session is asked for something they end.
 */

import * as z from "zod/mini";
import type { Processors } from "../../control/processors.ts";
import type { ExecutorAssets } from "../assets/assets.ts";
import type { CodeAsset } from "../assets/lazy_assets.ts";
import type { StoredAsset } from "../../program/stored_asset.ts";
import type { ExecuteMessage, WorkerSettings } from "../wire/to_executor.ts";
import { type Seat, type SessionMessage, WorkerHandle } from "./worker_handle.ts";

/** So long nobody has asked for anything, and nothing runs: clients that go on at once are not to wait for a Worker being made. */
const IDLE_MS = 500;

/** Asset: programs by language, short ones first. */
export const WARM_UP_ASSET = "warm_up.json";
const programsAsset = z.object({ python: z.array(z.string()), javascript: z.array(z.string()) });

/**
 * What a program may fill. Below what the interpreter with science's packages takes no session goes there, as it would
 * for sqlite3; so nothing is loaded that nobody has asked for.
 */
const SMALL_BYTES = 48 << 20;
const LARGE_BYTES = 256 << 20;

/** Loaded when a session asks for the packages of science. */
const SCIENCE_MODULE = "python-science.wasm" satisfies CodeAsset;

const SETTINGS: Omit<WorkerSettings, "memoryBytes"> = {
  workspaceBytes: 16 << 20,
  workspaceFiles: 1000,
  stdoutMaxBytes: 0,
  stderrMaxBytes: 0,
  maxDisplays: 0,
  displayMaxBytes: 0,
  imageBytes: 0, // nobody goes on with it
  interruptGraceMs: 0,
  clock: "real",
  seed: null,
  env: {},
  prepare: [],
  mappings: [],
  packages: "off",
};

interface Program extends Pick<WorkerSettings, "memoryBytes"> {
  readonly language: "python" | "javascript";
  readonly code: string;
}

/** A Worker in which a program runs. */
interface Running extends Pick<WorkerSettings, "memoryBytes"> {
  readonly worker: WorkerHandle;
  readonly seat: Seat;
}

export class WarmUp {
  readonly #assets: ExecutorAssets;
  /** Begun ones are gone: one that had to end has had its share. */
  readonly #waiting: Program[] = [];
  #running: Running | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param busy Whether some session's program runs. */
  constructor(assets: ExecutorAssets, readonly processors: Processors, readonly busy: () => boolean) {
    this.#assets = assets;
  }

  /** Begins when there has been nothing else to do for a while. Never rejects. */
  async begin(stored: StoredAsset): Promise<void> {
    let python: readonly string[];
    let javascript: readonly string[];
    try {
      ({ python, javascript } = programsAsset.parse(
        JSON.parse(new TextDecoder().decode(await stored.read())),
      ));
    } catch (error) {
      return console.error(`${WARM_UP_ASSET} can't be read: ${error}`);
    }
    this.#add("python", SMALL_BYTES, python);
    this.#add("javascript", SMALL_BYTES, javascript);
    this.#assets.loader.onModule((asset) => {
      // With the import they run in the interpreter whose module it is.
      if (asset !== SCIENCE_MODULE) return;
      this.#add("python", LARGE_BYTES, python.map((code) => `import numpy\n${code}`));
    });
  }

  /** A session is asked for something: the processors are its own. */
  giveWay(): void {
    this.#end();
    this.#rearm();
  }

  /** There is no memory for what waits. */
  giveUp(): void {
    this.#waiting.length = 0;
    this.#end();
  }

  #add(language: Program["language"], memoryBytes: number, programs: readonly string[]): void {
    this.#waiting.push(...programs.map((code) => ({ language, memoryBytes, code })));
    if (!this.#running) this.#rearm();
  }

  #rearm(): void {
    clearTimeout(this.#timer);
    if (this.#waiting.length === 0) return;
    this.#timer = setTimeout(() => {
      if (this.busy()) this.#rearm();
      else this.#next();
    }, IDLE_MS);
  }

  #next(): void {
    const program = this.#waiting.shift();
    if (!program) return this.#end();
    const { memoryBytes, ...run } = program;
    if (this.#running?.memoryBytes !== memoryBytes) this.#end();
    const { seat } = this.#running ??= this.#open(memoryBytes);
    seat.post(
      {
        type: "execute",
        execution: 1,
        program: "code",
        filename: "<warm-up>",
        resultMaxBytes: 0,
        fuelBudget: null,
        onFailure: "keep",
        handler: null,
        ...run,
      } satisfies ExecuteMessage,
    );
  }

  #open(memoryBytes: number): Running {
    const worker = new WorkerHandle(this.processors).initialise(this.#assets);
    const seat = worker.open(
      { type: "open", settings: { ...SETTINGS, memoryBytes }, image: null },
      (message) => {
        if (this.#running?.seat === seat) this.#heard(message);
      },
    );
    return { memoryBytes, worker, seat };
  }

  /** After the checkpoint, which is what a run does last. How the program ended is all the same. */
  #heard(message: SessionMessage): void {
    if (message.type === "checkpoint") this.#next();
    if (message.type === "lost") this.giveUp();
  }

  #end(): void {
    const running = this.#running;
    this.#running = undefined;
    if (!running) return;
    running.seat.close(() => {});
    running.worker.close();
  }
}
