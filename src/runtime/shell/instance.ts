/** One instance of the shell's module (`wasm/shell`): its imports, its memory, its scripts. */

import type { HeapImage } from "../../image/heap_image.ts";
import type { RuntimeHost } from "../runtime.ts";
import { type WasiExports, WasiInstance } from "../wasi_instance.ts";
import type { Spawned, SpawnRequest } from "./programs/mod.ts";
import { StandardInput } from "./programs/standard_input.ts";
import { parseSpawn } from "./spawn.ts";
import { parseState, type ShellState } from "./state.ts";

const encoder = new TextEncoder();

/** What the guest exports. */
interface Exports extends WasiExports {
  __wasm_call_ctors(): void;
  sh_alloc(bytes: number): number;
  sh_boot(): void;
  sh_begin(environment: number, length: number): void;
  sh_exec(script: number, length: number): number;
  sh_cancel_flag(): number;
}

/** How a script ended. */
export type ScriptEnding =
  | { readonly kind: "exited"; readonly exitCode: number }
  /** It was asked to end. */
  | { readonly kind: "cancelled" }
  /** The shell could not run it, and has said why. */
  | { readonly kind: "refused" };

const CANCELLED = -1;

/** Runs a program for the shell, which waits for it. */
export type Spawn = (request: SpawnRequest) => Spawned;

export class ShellInstance extends WasiInstance<ShellState, Exports> {
  /** Address of the byte that tells a script to end. */
  #cancelFlag = 0;
  #spawned: Readonly<Record<"stdout" | "stderr", Uint8Array>> = NOTHING;

  /** Makes an instance that must be {@link boot}ed or {@link restore}d before its first script. */
  constructor(module: WebAssembly.Module, host: RuntimeHost, spawn: Spawn) {
    super(module, host, {
      name: "bash",
      interrupted: () => host.cell.requested() === "interrupt",
      onInterrupt: () => this.#cancel(),
      sandbox: {
        out_of_fuel: () => {
          this.meter.refill();
          this.#cancelIfDue();
        },
        spawn: (request: number, length: number, input: number, inputLength: number, lengths: number) => {
          const asked = parseSpawn(this.bytes(request, length));
          const stdin = new StandardInput(this.bytes(input, inputLength).slice());
          const { exitCode, stdout, stderr } = asked ? spawn({ ...asked, stdin }) : TOO_LONG;
          this.#spawned = { stdout, stderr };
          const view = new DataView(this.memory.buffer);
          view.setUint32(lengths >>> 0, stdout.length, true);
          view.setUint32((lengths >>> 0) + 4, stderr.length, true);
          view.setUint32((lengths >>> 0) + 8, stdin.wasRead ? 1 : 0, true);
          this.#cancelIfDue();
          return exitCode;
        },
        spawned: (stream: number, target: number) => {
          const bytes = this.#spawned[stream === 1 ? "stdout" : "stderr"];
          this.bytes(target, bytes.length).set(bytes);
          this.#spawned = { ...this.#spawned, [stream === 1 ? "stdout" : "stderr"]: NOTHING.stdout };
        },
      },
    });
  }

  /** Starts the shell from nothing. */
  boot(): void {
    this.exports.__wasm_call_ctors();
    this.exports.sh_boot();
    this.#cancelFlag = this.exports.sh_cancel_flag();
  }

  override restore(image: HeapImage): void {
    super.restore(image);
    this.#cancelFlag = this.exports.sh_cancel_flag();
  }

  /** Gives a shell that was just restored from the base image its environment. */
  begin(env: Readonly<Record<string, string>>): void {
    const [pointer, length] = this.#put(
      Object.entries(env).map(([name, value]) => `${name}=${value}\0`).join(""),
    );
    this.exports.sh_begin(pointer, length);
  }

  override goOn(state: unknown): void {
    super.goOn(state);
    this.#cancelFlag = this.exports.sh_cancel_flag();
  }

  protected parse(state: unknown): ShellState {
    return parseState(state);
  }

  get state(): ShellState {
    return this.wasiState;
  }

  /**
   * Runs a script.
   *
   * @throws whatever ends the guest from outside: Aborted, OutOfFuel, WebAssembly.RuntimeError, RangeError.
   */
  run(script: string): ScriptEnding {
    const [pointer, length] = this.#put(script);
    const code = this.exports.sh_exec(pointer, length);
    if (code >= 0) return { kind: "exited", exitCode: code };
    return { kind: code === CANCELLED ? "cancelled" : "refused" };
  }

  /** Puts text where the guest takes it from, and frees it. */
  #put(text: string): [pointer: number, length: number] {
    const bytes = encoder.encode(text);
    const pointer = this.exports.sh_alloc(bytes.length);
    this.bytes(pointer, bytes.length).set(bytes);
    return [pointer, bytes.length];
  }

  #cancelIfDue(): void {
    if (this.host.cell.requested() === "interrupt") this.#cancel();
  }

  /**
   * Sets the flag that the guest looks at. In memory and not by a call: the guest may be anywhere in its code, with what is
   * below its stack pointer in use.
   */
  #cancel(): void {
    if (this.#cancelFlag !== 0) this.bytes(this.#cancelFlag, 1)[0] = 1;
  }
}

/** What is not even looked at. */
const TOO_LONG: Spawned = {
  exitCode: 126,
  stdout: new Uint8Array(0),
  stderr: encoder.encode("bash: Argument list too long\n"),
};
const NOTHING = { stdout: new Uint8Array(0), stderr: new Uint8Array(0) };
