/**
 * One session in its Worker: its file system and its interpreters, behind a lock-down.
 *
 * Libraries load first, then every global that is not needed goes, then guest code arrives.
 */

import {
  changesWorkspace,
  IMAGE_BATCH_BYTES,
  IMAGE_WINDOW_BYTES,
  MAX_LOSS_NAME,
  MAX_LOSS_REASON,
  MAX_LOSSES,
} from "../wire/bounds.ts";
import { PIECE_BYTES } from "../../host_calls/bounds.ts";
import { concatBytes } from "../../bytes.ts";
import { Census } from "./census.ts";
import { ControlCell } from "../../control/cell.ts";
import type { ProcessorTurns } from "../../control/processors.ts";
import { type GuestClock, RealClock, VirtualClock } from "../../control/guest_clock.ts";
import { HostCaller } from "../../host_calls/bridge.ts";
import { platformRandom, type RandomSource, seededRandom } from "../../control/random.ts";
import { Displays, type Shown } from "../../display/displays.ts";
import type { FileSystem, Snapshot, Usage } from "../../fs/file_system.ts";
import { createFileSystem } from "../../fs/layout.ts";
import type { LayerNode } from "../../fs/layer.ts";
import type { Mount } from "../../fs/mounts/mount.ts";
import { DISPLAY_OPERATION } from "../../host_calls/display.ts";
import { IMPORTS_OPERATION } from "../../host_calls/imports.ts";
import { createJavaScriptRuntime, parseLibraries } from "../../runtime/javascript/javascript.ts";
import { runNpm } from "../../runtime/npm/npm.ts";
import { installWorking } from "../../runtime/python/installation.ts";
import { createPythonRuntime } from "../../runtime/python/python.ts";
import { largerBases } from "../../runtime/python/state.ts";
import type { Language } from "../../languages.ts";
import type { RunOutcome, Runtime, RuntimeHost } from "../../runtime/runtime.ts";
import { commandRunner } from "../../runtime/shell/command.ts";
import type { Interpreters } from "../../runtime/shell/programs/mod.ts";
import { createShellRuntime, ENVIRONMENT, type ShellAssets } from "../../runtime/shell/shell.ts";
import { decodeEntries, encodeEntries } from "../wire/entry.ts";
import { EntropyPart } from "../../image/entropy_part.ts";
import { FilesPart } from "../../image/files_part.ts";
import { SessionImage } from "../../image/session_image.ts";
import type { ImagePart, PartLoss } from "../../image/part.ts";
import { hostMounts } from "./host_volume.ts";
import type { ImageBuffer } from "./image_buffer.ts";
import { parseHeap } from "../../image/heap_image.ts";
import type { LazyAsset } from "../assets/lazy_assets.ts";
import type { SharedAssets } from "../assets/shared_assets.ts";
import { changedFiles, NO_CHANGED_FILES } from "./changed_files.ts";
import { OutputSink } from "./output.ts";
import type { Bases, ExecuteMessage, OutcomeMessage, WorkerSettings } from "../wire/protocol.ts";
import type { Place, WorkspaceRequest } from "./messages.ts";
import { ask, type Post, postFrom } from "./scope.ts";
import { Imports } from "./imports.ts";
import { QuietInstalls } from "./quiet_installs.ts";
import { Pictures } from "./pictures.ts";
import {
  type Compiled,
  javascriptEngine,
  largerInterpreters,
  lazyFile,
  moreFonts,
  shellModule,
} from "./asset_parts.ts";
import { documentText } from "./document_text.ts";
import { variablesOf } from "./variables.ts";
import { absolute, Workspace } from "./workspace.ts";
import type { LanguageVariables, WorkspaceUsage } from "../wire/workspace_protocol.ts";

/** So many crashes in a row say that the checkpoint itself is spoiled: going back to it would only go on like that. */
const HOPELESS_CRASHES = 3;

/** Most that one answer of a host call may hold. */
const MAX_REPLY_BYTES = 16 * 1024 * 1024;

/** Makes parts of a session's image beside its own, which are restored after those. */
export type MoreParts = (session: {
  readonly fs: FileSystem;
  readonly runtimes: readonly Runtime[];
}) => readonly ImagePart[];

/** What a session finds in its Worker. */
export interface Surroundings {
  readonly assets: SharedAssets;
  /** What all its sessions have below `/usr`. */
  readonly usr: Readonly<Record<string, LayerNode>>;
  readonly compiled: Compiled;
  readonly moreParts: MoreParts;
  /** Of the Worker's programs at the processors. */
  readonly turns: ProcessorTurns;
  readonly neighbours: {
    /** How many sessions there are, this one among them. */
    count(): number;
    /** Called about once a millisecond while a guest runs. */
    look(): void;
  };
}

/** One session as its Worker holds it. */
export class SessionWorker {
  readonly #cell: ControlCell;
  readonly #census: Census;
  readonly #turns: ProcessorTurns;
  readonly #settings: WorkerSettings;
  readonly #clock: GuestClock;
  readonly #random: RandomSource;
  readonly #assets: SharedAssets;
  readonly #sinks: Record<"stdout" | "stderr", OutputSink>;
  readonly #host: RuntimeHost;
  readonly #interpreters: Interpreters;
  readonly #runtimes: ReadonlyMap<Language, Runtime>;
  readonly #image: SessionImage;
  /** Whether a rollback would go to the end of the last execution: it goes further if that was too large to capture. */
  #captured = true;
  /** Executions in a row that ended as "crashed". */
  #crashes = 0;
  /** Texts of JavaScript's libraries, once one of them was asked for. */
  #libraries: Readonly<Record<string, string>> | undefined;
  readonly #fs: FileSystem;
  readonly #displays: Displays;
  readonly #imports: Imports;
  readonly #compiled: Compiled;
  readonly #post: Post;
  /** Fuel that the present execution may use, and all that works for it. */
  #fuelBudget: number | null = null;
  readonly #workspace: Workspace;
  /** Has what programs print that look into the session, which nobody else is to see. */
  #listener: ((stream: "stdout" | "stderr", bytes: Uint8Array) => void) | undefined;
  /** A language whose heap was prepared for a session that may never use it. */
  #onTrial: Language | undefined;
  /** The workspace as it was made. */
  readonly #pristine: Snapshot;
  /** What the layout itself takes; not shown as the user's. */
  readonly #baseline: Usage;

  constructor(
    { assets, usr, compiled, moreParts, turns, neighbours }: Surroundings,
    place: Place,
    settings: WorkerSettings,
  ) {
    const post = this.#post = postFrom(place.seat);
    this.#assets = assets;
    this.#compiled = compiled;
    this.#settings = settings;
    this.#cell = new ControlCell(place.cell);
    this.#census = new Census(this.#cell, neighbours.count, () => this.#fs.usage.bytes);
    this.#clock = settings.clock === "real" ? new RealClock(this.#cell) : new VirtualClock(this.#cell);
    this.#random = settings.seed === null ? platformRandom : seededRandom(settings.seed);
    const sink = (stream: "stdout" | "stderr", maxBytes: number) =>
      new OutputSink(maxBytes, (bytes) => post({ type: "output", stream, bytes }));
    this.#sinks = {
      stdout: sink("stdout", settings.stdoutMaxBytes),
      stderr: sink("stderr", settings.stderrMaxBytes),
    };
    const flush = () => Object.values(this.#sinks).forEach((sink) => sink.flush());
    const waiting = {
      begins: flush,
      goesOn: () => {
        neighbours.look();
        return !this.#cell.isStopped;
      },
    };
    this.#turns = turns;
    this.#cell.onSafePoint = (next) => {
      if (next === "waits") flush();
      else Object.values(this.#sinks).forEach((sink) => sink.flushStale());
      this.#census.look();
      neighbours.look();
      if (next === "waits") turns.pause();
      else turns.look(waiting);
    };
    const hostCaller = new HostCaller(place.replies, this.#cell, MAX_REPLY_BYTES, post);
    this.#fs = this.#makeFileSystem(usr, hostMounts(hostCaller, settings.mappings));
    const pictures = new Pictures(assets.lazy, ask, moreFonts(assets, ask));
    this.#displays = new Displays(this.#fs, this.#cell, settings, pictures.draw);
    this.#pristine = this.#fs.snapshot();
    this.#baseline = this.#fs.usage;
    this.#workspace = new Workspace(this.#fs);
    const larger = largerInterpreters(assets, ask, settings.memoryBytes, compiled);
    const installs = new QuietInstalls(hostCaller, () => ({
      host: this.#host,
      interpreters: this.#interpreters,
      fuelBudget: this.#fuelBudget,
    }));
    this.#imports = new Imports(
      settings.packages,
      largerBases(larger),
      (...call) => installs.pip(...call),
      (...call) => installs.npm(...call),
    );
    this.#host = this.#makeHost(hostCaller);
    const { python, pythonImage } = assets;
    const interpreter = { module: python, image: pythonImage };
    const engine = javascriptEngine(assets, ask, compiled);
    this.#interpreters = {
      python: (host) => this.#census.add(createPythonRuntime(host, { ...interpreter, larger })),
      javascript: (host) =>
        this.#census.add(
          createJavaScriptRuntime(host, { engine, libraries: this.#libraryOf }),
        ),
      git: (host) => {
        const overlay = parseHeap(this.#lazyBytes("javascript-git.image"));
        const { module, base } = engine();
        const git = { module, base: { ...base, overlay } };
        return this.#census.add(
          createJavaScriptRuntime(host, { engine: () => git, libraries: this.#libraryOf }),
        );
      },
      pip: (host) => {
        const overlay = parseHeap(this.#lazyBytes("python-pip.image"));
        return this.#census.add(createPythonRuntime(host, { ...interpreter, overlay }));
      },
    };
    this.#runtimes = new Map(
      this.#makeRuntimes().map((runtime) => [runtime.language, runtime]),
    );
    const runtimes = [...this.#runtimes.values()];
    this.#image = new SessionImage(
      [
        new FilesPart(this.#fs),
        new EntropyPart(this.#clock, this.#random),
        ...runtimes,
        ...moreParts({ fs: this.#fs, runtimes }),
      ],
      settings.imageBytes,
    );
  }

  #makeFileSystem(usr: Readonly<Record<string, LayerNode>>, mounts: readonly Mount[]): FileSystem {
    return createFileSystem({
      maxBytes: this.#settings.workspaceBytes,
      maxInodes: this.#settings.workspaceFiles,
      usr,
      now: () => this.#clock.realtime(),
      random: this.#random,
      mounts,
    });
  }

  #lazyBytes(name: LazyAsset): Uint8Array {
    const { bytes, load } = lazyFile(this.#assets, name, ask);
    load?.();
    return bytes;
  }

  readonly #libraryOf = (name: string): string | undefined => {
    this.#libraries ??= parseLibraries(this.#lazyBytes("javascript-libraries.json"));
    return Object.hasOwn(this.#libraries, name) ? this.#libraries[name] : undefined;
  };

  #makeHost(hostCaller: HostCaller): RuntimeHost {
    return {
      fs: this.#fs,
      cell: this.#cell,
      clock: this.#clock,
      random: this.#random,
      env: { ...ENVIRONMENT, ...this.#settings.env },
      memoryBytes: this.#settings.memoryBytes,
      write: (stream, bytes) => {
        if (this.#listener) this.#listener(stream, bytes);
        else this.#sinks[stream].write(bytes);
      },
      hostCall: (operation, request, bytes) => {
        if (operation === DISPLAY_OPERATION) return this.#displays.take(request, bytes);
        if (operation === IMPORTS_OPERATION) return this.#imports.take(request);
        return hostCaller.exchange(operation, request, bytes && { bytes });
      },
    };
  }

  #makeRuntimes(): Runtime[] {
    const { python, javascript } = this.#interpreters;
    const assets: ShellAssets = {
      shell: shellModule(this.#assets, ask, this.#compiled),
      interpreters: this.#interpreters,
      captureMaxBytes: this.#settings.stdoutMaxBytes,
      census: (runtime) => this.#census.add(runtime),
    };
    const host = { ...this.#host, runCommand: commandRunner(this.#host, assets, 1) };
    const shell = this.#census.add(createShellRuntime(this.#host, assets));
    return [python(host), javascript(host), shell];
  }

  async prepare(languages: readonly Language[]): Promise<void> {
    for (const language of languages) await this.#runtime(language).prepare();
  }

  /** Prepares what the session will probably begin with. To compile the shell's module would take more than it saves. */
  async prepareLikely(language: Language): Promise<void> {
    if (language === "shell" && !this.#compiled("shell.wasm")) return;
    await this.prepare([language]);
    this.#onTrial = language;
  }

  /** Gives up what was prepared though nobody had asked for it. */
  #giveUpLikely(): void {
    if (this.#onTrial) this.#runtime(this.#onTrial).discardUnused();
    this.#onTrial = undefined;
  }

  #runtime(language: Language): Runtime {
    const runtime = this.#runtimes.get(language);
    if (!runtime) throw new Error(`this Worker has no ${language}`);
    return runtime;
  }

  /**
   * Goes on from an image. All of it is copied, and what it arrived in is given up.
   *
   * @param bases What its heaps are deltas of: those of another build's interpreters fit none of this one's.
   * @returns What could not be brought back, and starts fresh.
   */
  restore(image: ImageBuffer, bases: Bases): PartLoss[] {
    using arrived = image;
    const foreign = Object.entries(this.#assets.bases).filter(([part, base]) => bases[part] !== base);
    const unusable = Object.fromEntries(
      foreign.map(([part]) => [part, "another build of wasmbox made them"]),
    );
    return this.#image.restore(arrived.batches.flatMap(decodeEntries), unusable);
  }

  async execute(message: ExecuteMessage): Promise<void> {
    const { stdout, stderr } = this.#sinks;
    stdout.begin();
    stderr.begin();
    this.#displays.begin(message.filename.replaceAll(/\D/g, ""));
    this.#imports.begin();
    this.#fuelBudget = message.fuelBudget;
    const before = this.#fs.snapshot();
    this.#census.begin();
    using _turns = this.#turns.begin(() => this.#cell.fuel);
    this.#cell.enter(message.execution);
    const outcome = await this.#program(message);
    if (this.#cell.ended) return; // nobody waits for it any more
    const left = (message.fuelBudget ?? Infinity) - outcome.fuelConsumed;
    const shown = this.#displays.finish(Math.max(0, left));
    this.#cell.leave();
    const dropped = { stdout: stdout.finish(), stderr: stderr.finish() };
    this.#crashes = outcome.status === "crashed" ? this.#crashes + 1 : 0;
    const useful = this.#captured && this.#crashes < HOPELESS_CRASHES;
    const rolledBack = useful && mustRollBack(outcome, message.onFailure);
    if (rolledBack) this.#image.rollback();
    const displays = this.#show(message.execution, shown, rolledBack);
    this.#post({
      type: "outcome",
      execution: message.execution,
      outcome: { ...outcome, fuelConsumed: outcome.fuelConsumed + shown.fuel },
      rolledBack,
      dropped,
      changed: rolledBack ? NO_CHANGED_FILES : changedFiles(this.#fs, before),
      displays,
      installed: rolledBack ? [] : [...this.#imports.installed],
    });
    this.#checkpoint(message.execution);
  }

  /** Sends the bytes of what is shown. @returns The rest, for the outcome. */
  #show(
    execution: number,
    { entries, bytes, dropped }: Shown,
    rolledBack: boolean,
  ): OutcomeMessage["displays"] {
    const all = concatBytes(bytes);
    for (let at = 0; at < all.length; at += PIECE_BYTES) {
      this.#post({ type: "display", execution, bytes: all.slice(at, at + PIECE_BYTES) });
    }
    // Files that were rolled back are there no more.
    const kept = rolledBack ? entries.filter(({ path }) => path === null) : entries;
    return { entries: [...kept], dropped: dropped + entries.length - kept.length };
  }

  #program(message: ExecuteMessage): RunOutcome | Promise<RunOutcome> {
    switch (message.program) {
      case "code":
        return this.#run(message);
      case "pip":
        return this.#pip(message);
      case "npm":
        return runNpm(this.#host, JSON.parse(message.code));
    }
  }

  #run(message: ExecuteMessage): Promise<RunOutcome> {
    const { dialect, code, filename, resultMaxBytes, fuelBudget, handler, reseed } = message;
    if (message.language !== this.#onTrial) this.#giveUpLikely();
    this.#onTrial = undefined;
    return this.#runtime(message.language).execute({
      ...(dialect && { dialect }),
      code,
      filename,
      resultMaxBytes,
      ...(reseed && { reseed }),
      ...(fuelBudget !== null && { fuelBudget }),
      ...(handler && { handler }),
    });
  }

  #pip({ code, fuelBudget }: ExecuteMessage): RunOutcome {
    return installWorking(this.#host, this.#interpreters, {
      args: JSON.parse(code),
      ...(fuelBudget !== null && { fuelBudget }),
    });
  }

  /**
   * Sends what changed since the last checkpoint, under the number of the execution or request that changed it. Whatever
   * is asked next waits for it, so that it is exact.
   */
  #checkpoint(change: number): void {
    const capture = this.#image.capture();
    this.#captured = capture.kind === "captured";
    if (capture.kind === "captured") {
      for (const batch of encodeEntries(capture.entries, IMAGE_BATCH_BYTES)) {
        this.#cell.send(batch.length, IMAGE_WINDOW_BYTES);
        this.#post({ type: "image", batch }, [batch.buffer as ArrayBuffer]);
      }
    }
    this.#post({ type: "checkpoint", change, complete: capture.kind === "captured" });
  }

  async workspace({ request, operation, bytes }: WorkspaceRequest): Promise<void> {
    if (operation.kind === "variables") {
      const languages = await this.#variables();
      this.#post({ type: "workspace", request, answer: { kind: "variables", languages } });
    } else if (operation.kind === "text") {
      const path = absolute(operation.path);
      const text = documentText(this.#host, this.#interpreters.python, path) ?? null;
      this.#post({ type: "workspace", request, answer: { kind: "text", text } });
    } else if (operation.kind === "info" || operation.kind === "reset") {
      if (operation.kind === "reset") this.#reset();
      this.#post({ type: "workspace", request, answer: { kind: "usage", usage: this.#usage() } });
    } else {
      const { answer, bytes: piece } = this.#workspace.perform(operation, bytes);
      this.#post({ type: "workspace", request, answer, ...(piece && { bytes: piece }) });
      if (answer.kind === "failed") return;
    }
    if (changesWorkspace(operation)) this.#checkpoint(request);
  }

  /** Of the languages that something has run in. */
  async #variables(): Promise<LanguageVariables[]> {
    const all: LanguageVariables[] = [];
    for (const runtime of this.#runtimes.values()) {
      if (runtime.memoryBytes() === 0 || runtime.language === this.#onTrial) continue;
      const { variables, lost } = await variablesOf(runtime, (listener) => this.#listener = listener);
      if (lost && this.#captured) this.#image.rollback();
      all.push(variables);
    }
    return all;
  }

  /** Says that it is there. @param losses What it could not bring back. */
  async opened(prepare: readonly Language[], losses: readonly PartLoss[]): Promise<void> {
    await this.prepare(prepare);
    const lost = losses.slice(0, MAX_LOSSES).map(({ part, whole, reason }) => ({
      part: part.slice(0, MAX_LOSS_NAME),
      whole,
      reason: reason.slice(0, MAX_LOSS_REASON),
    }));
    this.#post({ type: "opened", lost });
    this.weigh();
  }

  /** Tells how much memory it holds now. */
  weigh(): void {
    this.#census.tell();
  }

  /** As {@link weigh}, where that is called so often that mostly nothing new is to be told. */
  glance(): void {
    this.#census.look();
  }

  /** Whether it was given up. */
  get isEnded(): boolean {
    return this.#cell.ended;
  }

  /** Gives back what it holds. It must not be used any more. */
  release(): void {
    for (const runtime of this.#runtimes.values()) runtime.release();
  }

  #reset(): void {
    for (const runtime of this.#runtimes.values()) runtime.discard();
    this.#fs.restore(this.#pristine);
  }

  #usage(): WorkspaceUsage {
    const heaps = [...this.#runtimes.values()]
      .map((runtime) => ({ language: runtime.language, memoryBytes: runtime.memoryBytes() }))
      .filter((heap) => heap.memoryBytes > 0);
    const bytes = this.#fs.usage.bytes - this.#baseline.bytes;
    const files = this.#fs.usage.inodes - this.#baseline.inodes;
    return { bytes, files, heaps };
  }
}

/** Whether a session must go back to what it was before an execution that ended so. */
function mustRollBack(outcome: RunOutcome, onFailure: "keep" | "rollback"): boolean {
  const succeeded = outcome.status === "completed" || outcome.status === "exited" && outcome.exitCode === 0;
  if (succeeded) return false;
  // A program that ended its own process keeps its files; one that was ended did not get to say what they are worth.
  return onFailure === "rollback" || outcome.heap === "discarded" && outcome.status !== "exited";
}
