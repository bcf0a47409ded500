/** Runs JavaScript in one runtime after another, as a session's Worker does. */

import { ControlCell } from "../../src/control/cell.ts";
import { type GuestClock, RealClock } from "../../src/control/guest_clock.ts";
import { platformRandom, type RandomSource } from "../../src/control/random.ts";
import { createFileSystem } from "../../src/fs/layout.ts";
import { createJavaScriptRuntime, type JavaScriptAssets } from "../../src/runtime/javascript/javascript.ts";
import type { Dialect } from "../../src/languages.ts";
import { ensureFresh } from "./fresh_assets.ts";
import { javaScriptAssets, loadJavaScript, type StoredJavaScript } from "./javascript_assets.ts";
import {
  type HandlerCall,
  HostCallError,
  type RunOutcome,
  type Runtime,
  type RuntimeHost,
} from "../../src/runtime/runtime.ts";

await ensureFresh();

/** What an executor would give to its Workers. */
export const stored: StoredJavaScript = loadJavaScript();
export const assets: JavaScriptAssets = javaScriptAssets(stored);

export interface RunOptions {
  readonly resultMaxBytes?: number;
  readonly fuelBudget?: number;
  readonly dialect?: Dialect;
  readonly handler?: HandlerCall;
  /** Called with each piece of output while the run goes on. */
  readonly onWrite?: (text: string, execution: number) => void;
}

export interface SessionOptions {
  readonly memoryBytes?: number;
  readonly clock?: (cell: ControlCell) => GuestClock;
  readonly random?: RandomSource;
}

export type Ran = RunOutcome & { readonly stdout: string; readonly stderr: string };

export class Session {
  readonly cell = ControlCell.allocate();
  readonly fs = createFileSystem({ maxBytes: 64 << 20, maxInodes: 10_000 });
  readonly runtime: Runtime;
  #execution = 0;
  #written = { stdout: "", stderr: "" };
  #onWrite: RunOptions["onWrite"];

  constructor(options: SessionOptions = {}) {
    const host: RuntimeHost = {
      fs: this.fs,
      cell: this.cell,
      clock: options.clock?.(this.cell) ?? new RealClock(this.cell),
      random: options.random ?? platformRandom,
      env: {},
      memoryBytes: options.memoryBytes ?? 64 << 20,
      interruptGraceMs: 0,
      write: (stream, bytes) => {
        const text = new TextDecoder().decode(bytes);
        this.#written[stream] += text;
        this.#onWrite?.(text, this.#execution);
      },
      hostCall: (operation, request) => {
        if (operation !== "echo") throw new HostCallError(`unknown operation '${operation}'`);
        return { json: request, bytes: new Uint8Array(0) };
      },
    };
    this.runtime = createJavaScriptRuntime(host, assets);
  }

  write(path: string, text: string): void {
    this.fs.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    this.fs.writeFile(path, new TextEncoder().encode(text));
  }

  async run(code: string, options: RunOptions = {}): Promise<Ran> {
    const execution = ++this.#execution;
    this.#written = { stdout: "", stderr: "" };
    this.#onWrite = options.onWrite;
    this.cell.enter(execution);
    const outcome = await this.runtime.execute({
      code,
      filename: `<execution ${execution}>`,
      resultMaxBytes: options.resultMaxBytes ?? 10_000,
      ...options.fuelBudget === undefined ? {} : { fuelBudget: options.fuelBudget },
      ...options.dialect && { dialect: options.dialect },
      ...options.handler && { handler: options.handler },
    });
    this.cell.leave();
    return { ...outcome, ...this.#written };
  }

  /** The result of a run that must complete. */
  async value(code: string): Promise<string | null> {
    const ran = await this.run(code);
    if (ran.status !== "completed") throw new Error(`${code}: ${JSON.stringify(ran)}`);
    return ran.result;
  }

  /** The error of a run that must fail and keep its heap. */
  async error(code: string): Promise<{ type: string; message: string; traceback: string }> {
    const ran = await this.run(code);
    if (ran.status !== "failed" || ran.heap !== "kept") throw new Error(`${code}: ${JSON.stringify(ran)}`);
    return ran.error;
  }

  async stdout(code: string): Promise<string> {
    const ran = await this.run(code);
    if (ran.status !== "completed") throw new Error(`${code}: ${JSON.stringify(ran)}`);
    return ran.stdout;
  }
}
