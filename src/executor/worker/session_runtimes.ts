/** The interpreters of a session: its own of each language, and those that programs of its shell and pip get. */

import { parseHeap } from "../../image/heap_image.ts";
import type { Language } from "../../languages.ts";
import { createJavaScriptRuntime, parseLibraries } from "../../runtime/javascript/javascript.ts";
import { createPythonRuntime } from "../../runtime/python/python.ts";
import { type LargerBase, largerBases } from "../../runtime/python/state.ts";
import type { RunOutcome, RunRequest, Runtime, RuntimeHost } from "../../runtime/runtime.ts";
import { commandRunner } from "../../runtime/shell/command.ts";
import type { Interpreters } from "../../runtime/shell/programs/program.ts";
import { createShellRuntime, type ShellAssets, type ShellRuntime } from "../../runtime/shell/shell.ts";
import type { LazyAsset } from "../assets/lazy_assets.ts";
import type { SharedAssets } from "../assets/shared_assets.ts";
import type { WorkspaceUsage } from "../wire/workspace_protocol.ts";
import { type Compiled, javascriptEngine, largerInterpreters, lazyFile, shellModule } from "./asset_parts.ts";
import { besideShell } from "./beside_shell.ts";
import type { Census } from "./census.ts";
import { ask, inTask } from "./scope.ts";

export class SessionRuntimes {
  /** Those that share nothing with the session's own but the files. */
  readonly interpreters: Interpreters;
  /** The Pythons with more packages that there are. */
  readonly largerBases: readonly LargerBase[];
  readonly #own: ReadonlyMap<Language, Runtime>;
  readonly #shell: ShellRuntime;
  /** Texts of JavaScript's libraries, once one of them was asked for. */
  #libraries: Readonly<Record<string, string>> | undefined;
  /** A language whose heap was prepared for a session that may never use it. */
  #onTrial: Language | undefined;

  /** @param captureMaxBytes Of what a command prints to whoever runs it. */
  constructor(
    host: RuntimeHost,
    readonly assets: SharedAssets,
    readonly compiled: Compiled,
    census: Census,
    captureMaxBytes: number,
  ) {
    const larger = largerInterpreters(assets, ask, host.memoryBytes, compiled);
    this.largerBases = largerBases(larger);
    const python = { module: assets.python, image: assets.pythonImage };
    const engine = javascriptEngine(assets, ask, compiled);
    const libraries = (name: string) => this.#libraryOf(name);
    this.interpreters = {
      python: (host) => census.add(createPythonRuntime(host, { ...python, larger })),
      javascript: (host) => census.add(createJavaScriptRuntime(host, { engine, libraries })),
      git: (host) => {
        const overlay = parseHeap(this.#bytesOf("javascript-git.image"));
        const { module, base } = engine();
        const git = { module, base: { ...base, overlay } };
        return census.add(createJavaScriptRuntime(host, { engine: () => git, libraries }));
      },
      pip: (host) => {
        const overlay = parseHeap(this.#bytesOf("python-pip.image"));
        return census.add(createPythonRuntime(host, { ...python, overlay }));
      },
    };
    const shellAssets: ShellAssets = {
      shell: shellModule(assets, ask, compiled),
      interpreters: this.interpreters,
      captureMaxBytes,
      census: (runtime) => census.add(runtime),
    };
    this.#shell = createShellRuntime(host, shellAssets);
    const commanding = (): RuntimeHost => {
      const beside = besideShell(host, this.#shell);
      return { ...beside, runCommand: commandRunner(beside, shellAssets, 1) };
    };
    const own: Runtime[] = [
      this.interpreters.python(commanding()),
      this.interpreters.javascript(commanding()),
      census.add(this.#shell),
    ];
    this.#own = new Map(own.map((runtime) => [runtime.language, runtime]));
  }

  /** The session's own. */
  get all(): readonly Runtime[] {
    return [...this.#own.values()];
  }

  /** Those that something has run in. */
  get used(): readonly Runtime[] {
    return this.all.filter((runtime) => runtime.memoryBytes() > 0 && runtime.language !== this.#onTrial);
  }

  /** How many programs of its shell go on with the next script. */
  get programs(): number {
    return this.#shell.programs;
  }

  /**
   * A program of another language has come to its end. What it has begun in the shell and left goes on there for a while, as what
   * a script leaves does.
   *
   * @param request That of the program, with what is left of its fuel. @returns undefined: it has left nothing.
   */
  async settle(request: Pick<RunRequest, "filename" | "fuelBudget">): Promise<RunOutcome | undefined> {
    if (this.#shell.begun === 0) return undefined;
    const { promise, resolve } = Promise.withResolvers<RunOutcome>();
    inTask(() => resolve(this.#shell.executeNow({ ...request, code: "", resultMaxBytes: 0 })));
    const outcome = await promise;
    if (outcome.heap === "discarded") this.#shell.rollback();
    return outcome;
  }

  /** What a program of another language has begun in the shell goes on with later calls. */
  leaveBegun(): void {
    if (this.#shell.begun > 0) this.#shell.leaveBegun();
  }

  /** What heaps there are. */
  get heaps(): WorkspaceUsage["heaps"] {
    return this.all
      .map((runtime) => ({ language: runtime.language, memoryBytes: runtime.memoryBytes() }))
      .filter((heap) => heap.memoryBytes > 0);
  }

  async prepare(languages: readonly Language[]): Promise<void> {
    for (const language of languages) await this.of(language).prepare();
  }

  /** Prepares what the session will probably begin with. To compile the shell's module would take more than it saves. */
  async prepareLikely(language: Language): Promise<void> {
    if (language === "shell" && !this.compiled("shell.wasm")) return;
    await this.prepare([language]);
    this.#onTrial = language;
  }

  /** The one that is to run something. What was prepared though nobody had asked for it is given up for it. */
  take(language: Language): Runtime {
    if (this.#onTrial && language !== this.#onTrial) this.of(this.#onTrial).discardUnused();
    this.#onTrial = undefined;
    return this.of(language);
  }

  /** Throws all heaps away. */
  discard(): void {
    for (const runtime of this.#own.values()) runtime.discard();
  }

  /** Gives back what they hold. They must not be used any more. */
  release(): void {
    for (const runtime of this.#own.values()) runtime.release();
  }

  /** The session's own of a language. */
  of(language: Language): Runtime {
    const runtime = this.#own.get(language);
    if (!runtime) throw new Error(`this Worker has no ${language}`);
    return runtime;
  }

  #libraryOf(name: string): string | undefined {
    this.#libraries ??= parseLibraries(this.#bytesOf("javascript-libraries.json"));
    return Object.hasOwn(this.#libraries, name) ? this.#libraries[name] : undefined;
  }

  #bytesOf(name: LazyAsset): Uint8Array {
    const { bytes, load } = lazyFile(this.assets, name, ask);
    load?.();
    return bytes;
  }
}
