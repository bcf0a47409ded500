/** Python in this process: a session's runtime with what the Worker would give it. */

import { ControlCell } from "../../src/control/cell.ts";
import { type GuestClock, RealClock } from "../../src/control/guest_clock.ts";
import { type HostCallError, type HostReply, replyOf } from "../../src/host_calls/bridge.ts";
import { platformRandom, type RandomSource } from "../../src/control/random.ts";
import { createFileSystem, pythonLayer } from "../../src/fs/layout.ts";
import { expandBaseHeap } from "../../src/image/base_heap.ts";
import { createPythonRuntime } from "../../src/runtime/python/python.ts";
import { hasScience, hasScipy } from "./science.ts";
import type { RunOutcome, RunRequest, RuntimeHost } from "../../src/runtime/runtime.ts";

const dist = new URL("../../wasm/dist/", import.meta.url);

export const stdlib: Uint8Array = shared("python-stdlib.zip");
const packages = {
  bundled: { bytes: shared("python-bundled.zip") },
  mathematics: { bytes: shared("python-mathematics.zip") },
  more: { bytes: shared("python-more.zip") },
  tzdata: { bytes: shared("python-tzdata.zip") },
  pip: { bytes: shared("python-pip.zip") },
  sources: { bytes: shared("python-sources.zip") },
  ...hasScience() && { science: { bytes: shared("python-science.zip") } },
  ...hasScipy() && { scipy: { bytes: shared("python-scipy.zip") } },
};
export const module: WebAssembly.Module = compile("python.wasm");
const image = expandBaseHeap(shared("python.image"));

export function compile(name: string): WebAssembly.Module {
  return new WebAssembly.Module(Deno.readFileSync(new URL(name, dist)));
}

function shared(name: string): Uint8Array {
  const bytes = Deno.readFileSync(new URL(name, dist));
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
  copy.set(bytes);
  return copy;
}

/** For programs that assert: what a call raises, of a kind. */
export const RAISED = `def raised(kind, call, *args):
    try:
        call(*args)
    except kind as error:
        return error
    raise AssertionError((call, args))
`;

export interface SessionOptions {
  readonly module?: WebAssembly.Module;
  readonly memoryBytes?: number;
  readonly interruptGraceMs?: number;
  /** Lets the same interpreter be the one to which programs go for numpy; it does not have it. */
  readonly moves?: boolean;
  readonly env?: Record<string, string>;
  readonly clock?: (cell: ControlCell) => GuestClock;
  readonly random?: RandomSource;
  readonly hostCall?: (
    operation: string,
    request: Uint8Array,
    bytes?: Uint8Array,
  ) => HostReply | HostCallError;
}

export type Result = RunOutcome & { readonly stdout: string; readonly stderr: string };

/** One session. Executions are numbered from 1, as `<execution 1>`. */
export class Session {
  readonly cell = ControlCell.allocate();
  readonly fs = createFileSystem({
    maxBytes: 50_000_000,
    maxInodes: 5000,
    usr: pythonLayer({ bytes: stdlib }, packages),
  });
  readonly host: RuntimeHost;
  readonly runtime;
  /** Called with all that was printed so far, as it is printed. */
  onOutput: (text: string) => void = () => {};
  execution = 0;
  #output = { stdout: "", stderr: "" };

  constructor(options: SessionOptions = {}) {
    const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
    const host: RuntimeHost = {
      fs: this.fs,
      cell: this.cell,
      clock: options.clock?.(this.cell) ?? new RealClock(this.cell),
      random: options.random ?? platformRandom,
      env: options.env ?? {},
      memoryBytes: options.memoryBytes ?? 256 * 1024 * 1024,
      interruptGraceMs: options.interruptGraceMs ?? 0,
      write: (stream, bytes) => {
        this.#output[stream] += decoders[stream].decode(bytes, { stream: true });
        this.onOutput(this.#output.stdout);
      },
      hostCall: (...call) => {
        const reply = options.hostCall?.(...call) ?? replyOf(null);
        if (reply instanceof Error) throw reply;
        return reply;
      },
    };
    this.host = host;
    const own = options.module ?? module;
    const other = () => ({ module: own, heap: image });
    this.runtime = createPythonRuntime(host, {
      module: own,
      image,
      ...(options.moves && { larger: { science: other } }),
    });
  }

  async run(code: string, more: Partial<RunRequest> = {}): Promise<Result> {
    const execution = ++this.execution;
    this.#output = { stdout: "", stderr: "" };
    this.cell.enter(execution);
    const outcome = await this.runtime.execute({
      code,
      filename: `<execution ${execution}>`,
      resultMaxBytes: 10_000,
      ...more,
    });
    this.cell.leave();
    return { ...outcome, ...this.#output };
  }

  /** The value of the last expression. @throws {Error} if the run did not complete. */
  async value(code: string): Promise<string | null> {
    const result = await this.run(code);
    if (result.status !== "completed") {
      throw new Error(`${result.status}: ${errorOf(result)?.traceback ?? ""}`);
    }
    return result.result;
  }

  /** Runs a program that gets each stop as soon as it has printed the word for it. */
  async runStopped(code: string, stops: { interruptAt?: string; abortAt?: string }): Promise<Result> {
    const execution = this.execution + 1;
    this.onOutput = (text) => {
      if (stops.interruptAt !== undefined && text.includes(stops.interruptAt)) this.cell.interrupt(execution);
      if (stops.abortAt !== undefined && text.includes(stops.abortAt)) this.cell.abort(execution);
    };
    try {
      return await this.run(code);
    } finally {
      this.onOutput = () => {};
    }
  }
}

/** The error of an outcome that has one. */
export function errorOf(outcome: RunOutcome) {
  return "error" in outcome ? outcome.error : undefined;
}
