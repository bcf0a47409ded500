/**
 * One session in its Worker: its file system and its interpreters, behind a lock-down.
 *
 * Libraries load first, then every global that is not needed goes, then guest code arrives.
 */

import { changesWorkspace, MAX_LOSS_NAME, MAX_LOSS_REASON, MAX_LOSSES } from "../wire/bounds.ts";
import { PIECE_BYTES } from "../../host_calls/bounds.ts";
import { concatBytes } from "../../bytes.ts";
import { Census } from "./census.ts";
import { ControlCell } from "../../control/cell.ts";
import type { ProcessorTurns } from "../../control/processors.ts";
import { type GuestClock, RealClock, VirtualClock } from "../../control/guest_clock.ts";
import { HostCaller } from "../../host_calls/bridge.ts";
import { platformRandom, type RandomSource, seededRandom } from "../../control/random.ts";
import { Displays, type Shown } from "../../display/displays.ts";
import type { FileSystem, ShownText, Snapshot, Usage } from "../../fs/file_system.ts";
import { createFileSystem } from "../../fs/layout.ts";
import type { LayerNode } from "../../fs/layer.ts";
import { WORKING_DIRECTORY } from "../../fs/places.ts";
import type { Mount } from "../../fs/mounts/mount.ts";
import { DISPLAY_OPERATION } from "../../host_calls/display.ts";
import { IMPORTS_OPERATION } from "../../host_calls/imports.ts";
import { Loopback } from "../../runtime/loopback.ts";
import { runNpm } from "../../runtime/npm/npm.ts";
import { installWorking } from "../../runtime/python/installation.ts";
import type { Language } from "../../languages.ts";
import type { RunOutcome, Runtime, RuntimeHost } from "../../runtime/runtime.ts";
import { ENVIRONMENT } from "../../runtime/shell/shell.ts";
import { EntropyPart } from "../../image/entropy_part.ts";
import { FilesPart } from "../../image/files_part.ts";
import { SessionImage } from "../../image/session_image.ts";
import type { ImagePart, PartLoss } from "../../image/part.ts";
import { hostMounts } from "./host_volume.ts";
import type { ImageBuffer } from "./image_buffer.ts";
import type { SharedAssets } from "../assets/shared_assets.ts";
import { changedFiles, NO_CHANGED_FILES } from "./changed_files.ts";
import type { Bases } from "../wire/bases.ts";
import type { OutcomeMessage } from "../wire/from_executor.ts";
import type { ExecuteMessage, WorkerSettings } from "../wire/to_executor.ts";
import type { Place, WorkspaceRequest } from "./messages.ts";
import { ask, type Post, postFrom } from "./scope.ts";
import { Imports } from "./imports.ts";
import { QuietInstalls } from "./quiet_installs.ts";
import { Pictures } from "./pictures.ts";
import { SessionCheckpoint } from "./session_checkpoint.ts";
import { SessionOutput } from "./session_output.ts";
import { SessionRuntimes } from "./session_runtimes.ts";
import { StandardInput } from "./standard_input.ts";
import { type Compiled, moreFonts } from "./asset_parts.ts";
import { documentText } from "./document_text.ts";
import { variablesOf } from "./variables.ts";
import { absolute, Workspace } from "./workspace.ts";
import type { LanguageVariables, WorkspaceUsage } from "../wire/workspace_protocol.ts";

/** Most that one answer of a host call may hold. */
const MAX_REPLY_BYTES = 16 * 1024 * 1024;

/** How programs end that nobody ends. */
const ENDED_BY_THEMSELVES: ReadonlySet<RunOutcome["status"]> = new Set(["completed", "failed", "exited"]);

/** Where a program finds itself: `__file__`, `__filename`. A text of the shell has no name, as that of `bash -c`. */
const PROGRAM_FILES: Readonly<Partial<Record<Language, string>>> = {
  python: "__main__.py",
  javascript: "index.js",
};

function programFile({ program, language, code }: ExecuteMessage): ShownText | undefined {
  const name = program === "code" ? PROGRAM_FILES[language] : undefined;
  return name === undefined ? undefined : { directory: WORKING_DIRECTORY, name, text: code };
}

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
  readonly #output: SessionOutput;
  readonly #host: RuntimeHost;
  readonly #runtimes: SessionRuntimes;
  readonly #checkpoint: SessionCheckpoint;
  readonly #mounts: readonly Mount[];
  readonly #fs: FileSystem;
  readonly #displays: Displays;
  readonly #imports: Imports;
  readonly #post: Post;
  /** Fuel that the present execution may use, and all that works for it. */
  #fuelBudget: number | null = null;
  readonly #workspace: Workspace;
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
    this.#settings = settings;
    this.#cell = new ControlCell(place.cell);
    this.#census = new Census(this.#cell, neighbours.count, () => this.#fs.usage.bytes);
    this.#clock = settings.clock === "real" ? new RealClock(this.#cell) : new VirtualClock(this.#cell);
    this.#random = settings.seed === null ? platformRandom : seededRandom(settings.seed);
    const output = this.#output = new SessionOutput(settings, post);
    const waiting = {
      begins: () => output.flush(),
      goesOn: () => {
        neighbours.look();
        return !this.#cell.isStopped;
      },
    };
    this.#turns = turns;
    this.#cell.onSafePoint = (next) => {
      if (next === "waits") output.flush();
      else output.flushStale();
      this.#census.look();
      neighbours.look();
      if (next === "waits") turns.pause();
      else turns.look(waiting);
    };
    const hostCaller = new HostCaller(place.replies, this.#cell, MAX_REPLY_BYTES, post);
    this.#mounts = hostMounts(hostCaller, settings.mappings);
    this.#fs = this.#makeFileSystem(usr);
    const pictures = new Pictures(assets.lazy, ask, moreFonts(assets, ask));
    this.#displays = new Displays(this.#fs, this.#cell, settings, pictures.draw);
    this.#pristine = this.#fs.snapshot();
    this.#baseline = this.#fs.usage;
    this.#workspace = new Workspace(this.#fs);
    this.#host = this.#makeHost(hostCaller);
    const runtimes = new SessionRuntimes(this.#host, assets, compiled, this.#census, settings.stdoutMaxBytes);
    this.#runtimes = runtimes;
    const installs = new QuietInstalls(hostCaller, () => ({
      host: this.#host,
      interpreters: runtimes.interpreters,
      fuelBudget: this.#fuelBudget,
    }));
    this.#imports = new Imports(
      settings.packages,
      runtimes.largerBases,
      (...call) => installs.pip(...call),
      (...call) => installs.npm(...call),
    );
    const image = new SessionImage(
      [
        new FilesPart(this.#fs),
        new EntropyPart(this.#clock, this.#random),
        ...runtimes.all,
        ...moreParts({ fs: this.#fs, runtimes: runtimes.all }),
      ],
      settings.imageBytes,
    );
    this.#checkpoint = new SessionCheckpoint(image, assets.bases, this.#cell, post);
  }

  #makeFileSystem(usr: Readonly<Record<string, LayerNode>>): FileSystem {
    return createFileSystem({
      maxBytes: this.#settings.workspaceBytes,
      maxInodes: this.#settings.workspaceFiles,
      usr,
      now: () => this.#clock.realtime(),
      random: this.#random,
      mounts: this.#mounts,
    });
  }

  /** Between two requests of a client anything may have happened at the host. */
  #forgetMounts(): void {
    for (const { source } of this.#mounts) source.forget();
  }

  #makeHost(hostCaller: HostCaller): RuntimeHost {
    const input = new StandardInput((operation, request) => hostCaller.exchange(operation, request));
    return {
      fs: this.#fs,
      cell: this.#cell,
      clock: this.#clock,
      random: this.#random,
      env: { ...ENVIRONMENT, ...this.#settings.env },
      memoryBytes: this.#settings.memoryBytes,
      interruptGraceMs: this.#settings.interruptGraceMs,
      loopback: new Loopback(),
      read: (buffer) => input.read(buffer),
      write: (stream, bytes) => this.#output.write(stream, bytes),
      hostCall: (operation, request, bytes) => {
        if (operation === DISPLAY_OPERATION) return this.#displays.take(request, bytes);
        if (operation === IMPORTS_OPERATION) return this.#imports.take(request);
        return hostCaller.exchange(operation, request, bytes && { bytes });
      },
    };
  }

  /** Prepares what the session will probably begin with. */
  prepareLikely(language: Language): Promise<void> {
    return this.#runtimes.prepareLikely(language);
  }

  /** As {@link SessionCheckpoint.restore}. */
  restore(image: ImageBuffer, bases: Bases): PartLoss[] {
    return this.#checkpoint.restore(image, bases);
  }

  async execute(message: ExecuteMessage): Promise<void> {
    this.#output.begin();
    this.#displays.begin(message.filename.replaceAll(/\D/g, ""));
    this.#imports.begin();
    this.#fuelBudget = message.fuelBudget;
    this.#forgetMounts();
    const before = this.#fs.snapshot();
    this.#census.begin();
    using _turns = this.#turns.begin(() => this.#cell.fuel);
    this.#fs.show(programFile(message));
    this.#cell.enter(message.execution);
    const outcome = await this.#settled(message, await this.#program(message));
    this.#fs.show();
    if (this.#cell.ended) return; // nobody waits for it any more
    const left = (message.fuelBudget ?? Infinity) - outcome.fuelConsumed;
    const shown = this.#displays.finish(Math.max(0, left));
    this.#cell.leave();
    const dropped = this.#output.finish();
    const runtime = this.#runtimes.of(message.language);
    const wentBack = this.#checkpoint.executed(outcome, message.onFailure, runtime);
    const rolledBack = wentBack === "session";
    const displays = this.#show(message.execution, shown, rolledBack);
    this.#post({
      type: "outcome",
      execution: message.execution,
      outcome: { ...outcome, fuelConsumed: outcome.fuelConsumed + shown.fuel },
      rolledBack,
      ...(wentBack === "heap" && { heapBack: true }),
      programs: this.#runtimes.programs,
      dropped,
      changed: rolledBack ? NO_CHANGED_FILES : changedFiles(this.#fs, before),
      displays,
      installed: rolledBack ? [] : [...this.#imports.installed],
    });
    this.#checkpoint.send(message.execution);
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
    return this.#runtimes.take(message.language).execute({
      ...(dialect && { dialect }),
      code,
      filename,
      resultMaxBytes,
      ...(reseed && { reseed }),
      ...(fuelBudget !== null && { fuelBudget }),
      ...(handler && { handler }),
    });
  }

  /** What a program has left running has its time, too: it is stopped as the program is, and nothing is lost by that. */
  async #settled({ filename, fuelBudget }: ExecuteMessage, outcome: RunOutcome): Promise<RunOutcome> {
    if (this.#cell.requested() !== "none" || !ENDED_BY_THEMSELVES.has(outcome.status)) {
      this.#runtimes.leaveBegun();
      return outcome;
    }
    const left = fuelBudget === null ? {} : { fuelBudget: Math.max(1, fuelBudget - outcome.fuelConsumed) };
    const settled = await this.#runtimes.settle({ filename, ...left });
    if (!settled) return outcome;
    const { fuelConsumed, jobsLeft } = settled;
    return {
      ...outcome,
      fuelConsumed: outcome.fuelConsumed + fuelConsumed,
      ...(jobsLeft !== undefined && { jobsLeft }),
    };
  }

  #pip({ code, fuelBudget }: ExecuteMessage): RunOutcome {
    return installWorking(this.#host, this.#runtimes.interpreters, {
      args: JSON.parse(code),
      ...(fuelBudget !== null && { fuelBudget }),
    });
  }

  async workspace({ request, operation, bytes }: WorkspaceRequest): Promise<void> {
    this.#forgetMounts();
    if (operation.kind === "variables") {
      const languages = await this.#variables();
      this.#post({ type: "workspace", request, answer: { kind: "variables", languages } });
    } else if (operation.kind === "text") {
      const path = absolute(operation.path);
      const text = documentText(this.#host, this.#runtimes.interpreters.python, path) ?? null;
      this.#post({ type: "workspace", request, answer: { kind: "text", text } });
    } else if (operation.kind === "info" || operation.kind === "reset") {
      if (operation.kind === "reset") this.#reset();
      this.#post({ type: "workspace", request, answer: { kind: "usage", usage: this.#usage() } });
    } else {
      const { answer, bytes: piece } = this.#workspace.perform(operation, bytes);
      this.#post({ type: "workspace", request, answer, ...(piece && { bytes: piece }) });
      if (answer.kind === "failed") return;
    }
    if (changesWorkspace(operation)) this.#checkpoint.send(request);
  }

  /** Of the languages that something has run in. */
  async #variables(): Promise<LanguageVariables[]> {
    const all: LanguageVariables[] = [];
    for (const runtime of this.#runtimes.used) {
      const { variables, lost } = await variablesOf(runtime, (listener) => this.#output.listen(listener));
      if (lost) this.#checkpoint.rollBack();
      all.push(variables);
    }
    return all;
  }

  /** Says that it is there. @param losses What it could not bring back. */
  async opened(prepare: readonly Language[], losses: readonly PartLoss[]): Promise<void> {
    await this.#runtimes.prepare(prepare);
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
    this.#runtimes.release();
  }

  #reset(): void {
    this.#runtimes.discard();
    this.#fs.restore(this.#pristine);
  }

  #usage(): WorkspaceUsage {
    const bytes = this.#fs.usage.bytes - this.#baseline.bytes;
    const files = this.#fs.usage.inodes - this.#baseline.inodes;
    return { bytes, files, heaps: this.#runtimes.heaps };
  }
}
