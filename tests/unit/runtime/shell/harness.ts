/** One shell in this process, with real interpreters, as a session's Worker holds it. */

import { concatBytes } from "../../../../src/bytes.ts";
import { ControlCell } from "../../../../src/control/cell.ts";
import { RealClock } from "../../../../src/control/guest_clock.ts";
import { platformRandom } from "../../../../src/control/random.ts";
import { loadAssets } from "../../../../src/executor/assets/assets.ts";
import type { FileSystem } from "../../../../src/fs/file_system.ts";
import { createFileSystem, pythonLayer } from "../../../../src/fs/layout.ts";
import { type HeapImage, parseHeap } from "../../../../src/image/heap_image.ts";
import { createJavaScriptRuntime } from "../../../../src/runtime/javascript/javascript.ts";
import { createPythonRuntime } from "../../../../src/runtime/python/python.ts";
import {
  HostCallError,
  type RunOutcome,
  type Runtime,
  type RuntimeHost,
} from "../../../../src/runtime/runtime.ts";
import { createShellRuntime } from "../../../../src/runtime/shell/shell.ts";
import { loadJavaScript } from "../../../support/javascript_assets.ts";
import { shellModule } from "../../../support/shell_module.ts";
import { stdlib } from "../../../support/python_harness.ts";
import { DELAY, TARGET } from "../python/stopper.ts";

const { shared: assets } = await loadAssets();
const javascript = loadJavaScript();

let overlay: HeapImage | undefined;
const gitOverlay = (): HeapImage =>
  overlay ??= parseHeap(
    Deno.readFileSync(new URL("../../../../wasm/dist/javascript-git.image", import.meta.url)),
  );

export interface Ran {
  readonly outcome: RunOutcome;
  /** As a shell would give it; undefined if the script was stopped. */
  readonly exitCode: number | undefined;
  readonly bytes: Uint8Array;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly fuelBudget?: number;
  /** Called with each piece of output, while the script runs. */
  readonly onWrite?: (cell: ControlCell, execution: number) => void;
}

export interface ShellOptions {
  readonly maxBytes?: number;
  readonly maxInodes?: number;
  readonly memoryBytes?: number;
  readonly env?: Readonly<Record<string, string>>;
}

export class Shell {
  readonly cell = ControlCell.allocate();
  readonly fs: FileSystem;
  readonly runtime: Runtime;
  #execution = 0;
  #written: Record<"stdout" | "stderr", Uint8Array[]> = { stdout: [], stderr: [] };
  #onWrite: RunOptions["onWrite"];

  constructor(
    { maxBytes = 64 << 20, maxInodes = 5000, memoryBytes = 256 << 20, env = {} }: ShellOptions = {},
  ) {
    this.fs = createFileSystem({
      maxBytes,
      maxInodes,
      usr: pythonLayer({ bytes: stdlib }),
    });
    const host: RuntimeHost = {
      fs: this.fs,
      cell: this.cell,
      clock: new RealClock(this.cell),
      random: platformRandom,
      env,
      memoryBytes,
      interruptGraceMs: 0,
      write: (stream, bytes) => {
        this.#written[stream].push(bytes.slice());
        this.#onWrite?.(this.cell, this.#execution);
      },
      hostCall: () => {
        throw new HostCallError("none here");
      },
    };
    this.runtime = createShellRuntime(host, {
      shell: () => shellModule,
      interpreters: {
        python: (host) => createPythonRuntime(host, { module: assets.python, image: assets.pythonImage }),
        javascript: (host) =>
          createJavaScriptRuntime(host, {
            engine: () => javascript,
            libraries: () => undefined,
          }),
        git: (host) =>
          createJavaScriptRuntime(host, {
            engine: () => ({ ...javascript, base: { ...javascript.base, overlay: gitOverlay() } }),
            libraries: () => undefined,
          }),
        pip: () => {
          throw new Error("there is no index here");
        },
      },
      captureMaxBytes: 1 << 20,
      census: (shell) => shell,
    });
  }

  async run(code: string, { fuelBudget, onWrite }: RunOptions = {}): Promise<Ran> {
    this.#written = { stdout: [], stderr: [] };
    this.#onWrite = onWrite;
    this.cell.enter(++this.#execution);
    const request = { code, filename: "<script>", resultMaxBytes: 1000, ...(fuelBudget && { fuelBudget }) };
    // By a task, as a Worker runs it: within a microtask no program could run beside another.
    const outcome = await new Promise<RunOutcome>((resolve) =>
      setImmediate(() => resolve(this.runtime.execute(request)))
    );
    this.cell.leave();
    const bytes = concatBytes(this.#written.stdout);
    const text = (pieces: Uint8Array[]) => new TextDecoder().decode(concatBytes(pieces));
    const exitCode = outcome.status === "completed"
      ? 0
      : outcome.status === "exited"
      ? outcome.exitCode
      : undefined;
    return { outcome, exitCode, bytes, stdout: text([bytes]), stderr: text(this.#written.stderr) };
  }

  /** Writes files by their names in the working directory. */
  write(files: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(files)) {
      this.fs.writeFile(`/app/${name}`, new TextEncoder().encode(text));
    }
  }

  /** What a script that must succeed prints. */
  async out(code: string): Promise<string> {
    const ran = await this.run(code);
    if (ran.exitCode !== 0) throw new Error(`${code}: ${JSON.stringify(ran.outcome)} ${ran.stderr}`);
    return ran.stdout;
  }

  /** Runs a script that another thread interrupts after `ms`. */
  async runStopped(code: string, ms: number, options: RunOptions = {}): Promise<Ran> {
    const orders = new Int32Array(new SharedArrayBuffer(12));
    const stopper = new Worker(new URL("../python/stopper.ts", import.meta.url), { type: "module" });
    stopper.postMessage({ cell: this.cell.buffer, orders: orders.buffer });
    await new Promise((resolve) => stopper.onmessage = resolve); // a busy machine takes a while to load it
    Atomics.store(orders, DELAY, ms * 1000);
    Atomics.store(orders, TARGET, this.#execution + 1);
    Atomics.notify(orders, TARGET);
    const ran = await this.run(code, options);
    stopper.terminate();
    return ran;
  }
}
