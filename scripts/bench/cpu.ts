/** Ten pure-Python programs: ours against native CPython of the same minor version, and metered against unmetered. */

import { replyOf } from "../../src/host_calls/bridge.ts";
import { fileURLToPath } from "node:url";
import { ControlCell } from "../../src/control/cell.ts";
import { RealClock } from "../../src/control/guest_clock.ts";
import { platformRandom } from "../../src/control/random.ts";
import { createFileSystem, pythonLayer } from "../../src/fs/layout.ts";
import { expandBaseHeap } from "../../src/image/base_heap.ts";
import { createPythonRuntime } from "../../src/runtime/python/python.ts";
import { nativePython } from "../assets/mod.ts";
import { geometricMean, type Row, sample } from "./stats.ts";

const ROUNDS = 4;
const DIST = new URL("../../wasm/dist/", import.meta.url);

type Times = Record<string, number>;

/** A fresh interpreter from one of the two modules, whose heaps are alike. */
async function interpreter(name: "python.wasm" | "python.unmetered.wasm") {
  const module = await WebAssembly.compile(await Deno.readFile(new URL(name, DIST)));
  const stdlib = await Deno.readFile(new URL("python-stdlib.zip", DIST));
  const image = expandBaseHeap(await Deno.readFile(new URL("python.image", DIST)));
  let output = "";
  const decoder = new TextDecoder();
  const fs = createFileSystem({ maxBytes: 1 << 28, maxInodes: 20_000, usr: pythonLayer(stdlib) });
  const cell = ControlCell.allocate();
  const runtime = createPythonRuntime({
    fs,
    cell,
    clock: new RealClock(cell),
    random: platformRandom,
    env: {},
    memoryBytes: 1 << 28,
    write: (_stream, bytes) => void (output += decoder.decode(bytes)),
    hostCall: () => replyOf(null),
  }, { module, image });
  return async (code: string): Promise<Times> => {
    output = "";
    const outcome = await runtime.execute({ code, filename: "<bench>", resultMaxBytes: 1000 });
    if (outcome.status !== "completed") {
      throw new Error(`the benchmark ended as ${outcome.status}: ${output}`);
    }
    return JSON.parse(output);
  };
}

async function native(argv: readonly string[], code: string): Promise<Times> {
  const [command = "", ...args] = argv;
  const { stdout, success } = await new Deno.Command(command, {
    args: [...args, "-c", code],
    stderr: "inherit",
  }).output();
  if (!success) throw new Error("native CPython failed");
  return JSON.parse(new TextDecoder().decode(stdout));
}

/** Geometric mean over the programs of how much longer `a` took than `b`. */
function ratio(a: Times, b: Times): number {
  return geometricMean(Object.keys(a).map((name) => (a[name] ?? NaN) / (b[name] ?? NaN)));
}

export async function cpu(): Promise<Row[]> {
  const code = await Deno.readTextFile(fileURLToPath(new URL("./programs.py", import.meta.url)));
  const argv = await nativePython();
  const metered = await interpreter("python.wasm");
  const unmetered = await interpreter("python.unmetered.wasm");
  const againstNative: number[] = [];
  const againstUnmetered: number[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    const [ours, free, theirs] = [await metered(code), await unmetered(code), await native(argv, code)];
    if (i === 0) continue; // the engine still compiles
    againstNative.push(ratio(ours, theirs));
    againstUnmetered.push(ratio(ours, free));
  }
  return [
    {
      what: "CPU, 10 Python programs: against native CPython 3.13",
      value: sample(againstNative),
      unit: "×",
      goal: 1.5,
    },
    { what: "CPU: metered against unmetered", value: sample(againstUnmetered), unit: "×", goal: 1.1 },
  ];
}
