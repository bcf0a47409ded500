import assert from "node:assert/strict";
import type { FileSystem, Snapshot } from "../../../src/fs/file_system.ts";
import { createFileSystem, pythonLayer } from "../../../src/fs/layout.ts";
import { type SavedDescriptor, Wasi } from "../../../src/wasi/wasi.ts";

const assets = new URL("../../../wasm/dist/", import.meta.url);
const decoder = new TextDecoder();

export interface PythonAssets {
  readonly module: WebAssembly.Module;
  readonly stdlib: Uint8Array;
}

export async function loadPython(): Promise<PythonAssets> {
  const [code, stdlib] = await Promise.all([
    Deno.readFile(new URL("python.unmetered.wasm", assets)),
    Deno.readFile(new URL("python-stdlib.zip", assets)),
  ]);
  return { module: await WebAssembly.compile(code), stdlib };
}

/** The whole state of a guest. */
interface Image {
  readonly memory: Uint8Array;
  readonly stackPointer: number;
  readonly descriptors: SavedDescriptor[];
  readonly files: Snapshot;
}

interface Exports {
  readonly memory: WebAssembly.Memory;
  readonly __stack_pointer: WebAssembly.Global;
  _initialize(): void;
  sandbox_init(): number;
  sandbox_exec(request: number, length: number, cFrames: number): number;
  malloc(length: number): number;
  free(pointer: number): void;
}

/** CPython over our WASI, with nothing of ours around it. */
export class Python {
  readonly fs: FileSystem;
  readonly printed = { stdout: "", stderr: "" };
  /** Milliseconds it asked to wait. */
  slept = 0;
  readonly #wasi: Wasi;
  readonly #exports: Exports;

  constructor(
    assets: PythonAssets,
    fs = createFileSystem({
      maxBytes: 64 << 20,
      maxInodes: 5_000,
      usr: pythonLayer({ bytes: assets.stdlib }),
    }),
  ) {
    this.fs = fs;
    this.#wasi = new Wasi({
      args: ["python"],
      env: {},
      fs,
      write: (stream, bytes) => this.printed[stream] += decoder.decode(bytes),
      wait: (ms) => {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
        this.slept += ms;
        return "elapsed";
      },
      realtime: () => BigInt(Date.now()) * 1_000_000n,
      monotonic: () => BigInt(Math.round(performance.now() * 1e6)),
      random: (bytes) => void crypto.getRandomValues(bytes),
    });
    const sandbox = Object.fromEntries(
      WebAssembly.Module.imports(assets.module)
        .filter((entry) => entry.module === "sandbox")
        .map(({ name }) => [name, () => 0]),
    );
    const instance = new WebAssembly.Instance(assets.module, {
      wasi_snapshot_preview1: this.#wasi.imports,
      posix: this.#wasi.posix,
      sandbox,
    });
    this.#exports = instance.exports as unknown as Exports;
    this.#wasi.bind(this.#exports.memory);
  }

  boot(): this {
    this.#exports._initialize();
    assert.equal(this.#exports.sandbox_init(), 0, this.printed.stderr);
    return this;
  }

  /** Runs a program. @returns What it printed to stdout. */
  run(code: string): string {
    this.printed.stdout = this.printed.stderr = "";
    const request = new TextEncoder().encode(
      JSON.stringify({ code, filename: "test.py", resultLimit: 1_000 }),
    );
    const pointer = this.#exports.malloc(request.length);
    new Uint8Array(this.#exports.memory.buffer).set(request, pointer);
    assert.equal(this.#exports.sandbox_exec(pointer, request.length, 1000), 0);
    this.#exports.free(pointer);
    return this.printed.stdout;
  }

  image(): Image {
    return {
      memory: new Uint8Array(this.#exports.memory.buffer).slice(),
      stackPointer: this.#exports.__stack_pointer.value,
      descriptors: this.#wasi.descriptors(),
      files: this.fs.snapshot(),
    };
  }

  /** Goes on from an image, instead of {@link boot}. */
  resume(image: Image): this {
    const { memory, __stack_pointer } = this.#exports;
    memory.grow((image.memory.length - memory.buffer.byteLength) / 65_536);
    new Uint8Array(memory.buffer).set(image.memory);
    __stack_pointer.value = image.stackPointer;
    this.fs.restore(image.files);
    this.#wasi.restoreDescriptors(image.descriptors);
    return this;
  }

  close(): void {
    this.#wasi.close();
  }
}
