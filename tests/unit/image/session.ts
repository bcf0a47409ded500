/** A session in this thread, with all that its Worker has: files, both languages, their image. */

import { ok } from "node:assert/strict";
import { ControlCell } from "../../../src/control/cell.ts";
import { RealClock, VirtualClock } from "../../../src/control/guest_clock.ts";
import { platformRandom, seededRandom } from "../../../src/control/random.ts";
import type { FileSystem } from "../../../src/fs/file_system.ts";
import { createFileSystem, pythonLayer } from "../../../src/fs/layout.ts";
import { type BaseHeap, expandBaseHeap } from "../../../src/image/base_heap.ts";
import {
  decodeEntries,
  encodeEntries,
  entryBytes,
  entryKey,
  type ImageEntry,
} from "../../../src/executor/wire/entry.ts";
import { EntropyPart } from "../../../src/image/entropy_part.ts";
import { FilesPart } from "../../../src/image/files_part.ts";
import { SessionImage } from "../../../src/image/session_image.ts";
import {
  createJavaScriptRuntime,
  type JavaScriptAssets,
} from "../../../src/runtime/javascript/javascript.ts";
import { createPythonRuntime } from "../../../src/runtime/python/python.ts";
import {
  HostCallError,
  type RunOutcome,
  type Runtime,
  type RuntimeHost,
} from "../../../src/runtime/runtime.ts";
import type { Language } from "../../../src/languages.ts";
import { javaScriptAssets, loadJavaScript, type StoredJavaScript } from "../../support/javascript_assets.ts";

const dist = new URL("../../../wasm/dist/", import.meta.url);
const read = (name: string) => Deno.readFileSync(new URL(name, dist));

function shared(bytes: Uint8Array): Uint8Array {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
  copy.set(bytes);
  return copy;
}

/** The languages whose state is a heap of WebAssembly. */
export type HeapLanguage = Exclude<Language, "shell">;

/** What an executor gives to its Workers. */
export interface Assets {
  readonly python: WebAssembly.Module;
  readonly javascript: StoredJavaScript;
  readonly base: BaseHeap;
  readonly stdlib: Uint8Array;
}

export function loadAssets(): Assets {
  return {
    python: new WebAssembly.Module(read("python.wasm")),
    javascript: loadJavaScript(),
    base: expandBaseHeap(read("python.image")),
    stdlib: shared(read("python-stdlib.zip")),
  };
}

export interface SessionOptions {
  readonly memoryBytes?: number;
  readonly imageBytes?: number;
  readonly workspaceBytes?: number;
  readonly workspaceFiles?: number;
  /** Absent: real time and randomness. */
  readonly seed?: number;
  /** In the place of what JavaScript has otherwise. */
  readonly javascript?: JavaScriptAssets;
}

export type Ran = RunOutcome & { readonly stdout: string; readonly stderr: string };

export class Session {
  readonly cell = ControlCell.allocate();
  readonly fs: FileSystem;
  readonly image: SessionImage;
  readonly runtimes: Record<HeapLanguage, Runtime>;
  /** Called with each piece of output. */
  onOutput: (text: string, execution: number) => void = () => {};
  /** Number of the last execution. */
  execution = 0;
  #output = { stdout: "", stderr: "" };

  constructor(assets: Assets, options: SessionOptions = {}) {
    this.fs = createFileSystem({
      maxBytes: options.workspaceBytes ?? 64 << 20,
      maxInodes: options.workspaceFiles ?? 5000,
      usr: pythonLayer({ bytes: assets.stdlib }),
    });
    const host: RuntimeHost = {
      fs: this.fs,
      cell: this.cell,
      clock: options.seed === undefined ? new RealClock(this.cell) : new VirtualClock(this.cell),
      random: options.seed === undefined ? platformRandom : seededRandom(options.seed),
      env: { WASMBOX: "1" },
      memoryBytes: options.memoryBytes ?? 256 << 20,
      interruptGraceMs: 0,
      write: (stream, bytes) => {
        const text = new TextDecoder().decode(bytes);
        this.#output[stream] += text;
        this.onOutput(text, this.execution);
      },
      hostCall: () => {
        throw new HostCallError("none here");
      },
    };
    this.runtimes = {
      python: createPythonRuntime(host, { module: assets.python, image: assets.base }),
      javascript: createJavaScriptRuntime(host, options.javascript ?? javaScriptAssets(assets.javascript)),
    };
    const parts = [
      new FilesPart(this.fs),
      new EntropyPart(host.clock, host.random),
      this.runtimes.python,
      this.runtimes.javascript,
    ];
    this.image = new SessionImage(parts, options.imageBytes ?? 512 << 20);
  }

  async run(language: HeapLanguage, code: string): Promise<Ran> {
    const execution = ++this.execution;
    this.#output = { stdout: "", stderr: "" };
    this.cell.enter(execution);
    const request = { code, filename: `<execution ${execution}>`, resultMaxBytes: 10_000 };
    const outcome = await this.runtimes[language].execute(request);
    this.cell.leave();
    return { ...outcome, ...this.#output };
  }

  /** What a program that must complete printed, and its value. */
  async python(code: string): Promise<string> {
    return shown(await this.run("python", code));
  }

  async javascript(code: string): Promise<string> {
    return shown(await this.run("javascript", code));
  }

  /** Runs a program and aborts it as soon as it prints something. */
  async aborted(language: HeapLanguage, code: string): Promise<Ran> {
    this.onOutput = (_text, execution) => this.cell.abort(execution);
    try {
      return await this.run(language, code);
    } finally {
      this.onOutput = () => {};
    }
  }

  /** Captures, and applies what changed to `stored`, by way of bytes as over the pipe. */
  capture(stored: StoredImage): readonly ImageEntry[] {
    const capture = this.image.capture();
    if (capture.kind !== "captured") throw new Error(`too big: ${capture.imageBytes}`);
    for (const batch of encodeEntries(capture.entries, 60 * 1024)) stored.apply(batch);
    ok(stored.bytes <= capture.imageBytes);
    return capture.entries;
  }
}

function shown(ran: Ran): string {
  if (ran.status !== "completed") throw new Error(JSON.stringify(ran));
  return ran.stdout + (ran.result ?? "") + ran.stderr;
}

/** An image as whoever stores it has it. */
export class StoredImage {
  readonly entries = new Map<string, ImageEntry>();

  apply(batch: Uint8Array): void {
    for (const entry of decodeEntries(batch)) {
      if (entry.bytes === null) this.entries.delete(entryKey(entry));
      else this.entries.set(entryKey(entry), entry);
    }
  }

  list(): ImageEntry[] {
    return [...this.entries.values()];
  }

  /** All of it as one batch. */
  encode(): Uint8Array {
    return [...encodeEntries(this.list(), Infinity)][0] ?? new Uint8Array(0);
  }

  get bytes(): number {
    return this.list().reduce((sum, { bytes }) => sum + entryBytes(bytes!.length), 0);
  }
}

/** Programs to run where a session goes on. */
export interface Task {
  /** One batch of entries; none: a fresh session. */
  readonly image: Uint8Array;
  /** How many executions there were before; part of what programs see. */
  readonly before?: number;
  readonly steps: readonly { readonly language: HeapLanguage; readonly code: string }[];
}

/** How each program ended, in text, and the image of the state after the last one. */
export interface Done {
  readonly results: readonly string[];
  readonly image: Uint8Array;
}

/** Goes on from an image, as another executor would. */
export async function goOn(assets: Assets, { image, before = 0, steps }: Task): Promise<Done> {
  const session = new Session(assets);
  session.execution = before;
  const stored = new StoredImage();
  stored.apply(image);
  const losses = session.image.restore(stored.list());
  if (losses.length > 0) throw new Error(JSON.stringify(losses));
  const results: string[] = [];
  for (const { language, code } of steps) {
    results.push(describe(await session.run(language, code)));
    session.capture(stored);
  }
  return { results, image: stored.encode() };
}

/** All that a user sees of an execution. */
export function describe(ran: Ran): string {
  const { status, stdout, stderr } = ran;
  const result = ran.status === "completed" ? ran.result : "error" in ran ? ran.error : null;
  return JSON.stringify({ status, result, stdout, stderr });
}
