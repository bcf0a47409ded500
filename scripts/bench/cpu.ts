/** Eighteen pure-Python programs: ours against native CPython of the same minor version, and metered against unmetered. */

import { replyOf } from "../../src/host_calls/bridge.ts";
import { ControlCell } from "../../src/control/cell.ts";
import { RealClock } from "../../src/control/guest_clock.ts";
import { platformRandom } from "../../src/control/random.ts";
import { createFileSystem, pythonLayer } from "../../src/fs/layout.ts";
import { expandBaseHeap } from "../../src/image/base_heap.ts";
import { createPythonRuntime } from "../../src/runtime/python/python.ts";
import { nativePython } from "../assets/mod.ts";
import { timedPrograms } from "./programs.ts";
import { geometricMean, type Row, sample } from "./stats.ts";

/** A processor of a shared machine may take twice as long for seconds: the medians are of many rounds. */
const ROUNDS = 13;
/** In the first ones the engine still compiles. */
const WARM_UP = 2;
const DIST = new URL("../../wasm/dist/", import.meta.url);

type Times = Record<string, number>;

/** A fresh interpreter from one of the two modules, whose heaps are alike. */
async function interpreter(name: "python.wasm" | "python.unmetered.wasm") {
  const module = await WebAssembly.compile(await Deno.readFile(new URL(name, DIST)));
  const stdlib = await Deno.readFile(new URL("python-stdlib.zip", DIST));
  const image = expandBaseHeap(await Deno.readFile(new URL("python.image", DIST)));
  let output = "";
  const decoder = new TextDecoder();
  const fs = createFileSystem({ maxBytes: 1 << 28, maxInodes: 20_000, usr: pythonLayer({ bytes: stdlib }) });
  const cell = ControlCell.allocate();
  const runtime = createPythonRuntime({
    fs,
    cell,
    clock: new RealClock(cell),
    random: platformRandom,
    env: {},
    memoryBytes: 1 << 28,
    interruptGraceMs: 0,
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

/** How much longer each program took in `a` than in `b`. */
function ratios(a: Times, b: Times): Record<string, number> {
  return Object.fromEntries(Object.keys(a).map((name) => [name, (a[name] ?? NaN) / (b[name] ?? NaN)]));
}

function mean(ratios: Record<string, number>): number {
  return geometricMean(Object.values(ratios));
}

/** The program that is furthest behind, by the medians of its ratios. */
function slowest(rounds: readonly Record<string, number>[]): { name: string; values: number[] } {
  const programs = Object.keys(rounds[0] ?? {}).map((name) => ({
    name,
    values: rounds.map((round) => round[name] ?? NaN),
  }));
  return programs.reduce((a, b) => sample(b.values).median > sample(a.values).median ? b : a);
}

export async function cpu(): Promise<Row[]> {
  const code = await timedPrograms();
  const argv = await nativePython();
  const metered = await interpreter("python.wasm");
  const unmetered = await interpreter("python.unmetered.wasm");
  const againstNative: Record<string, number>[] = [];
  const againstUnmetered: number[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    const [ours, free, theirs] = [await metered(code), await unmetered(code), await native(argv, code)];
    if (i < WARM_UP) continue;
    againstNative.push(ratios(ours, theirs));
    againstUnmetered.push(mean(ratios(ours, free)));
  }
  const { name, values } = slowest(againstNative);
  return [
    {
      what: `CPU, ${Object.keys(againstNative[0] ?? {}).length} Python programs: against native CPython 3.13`,
      value: sample(againstNative.map(mean)),
      unit: "×",
      goal: 1.5,
    },
    { what: `CPU: ${name}, the slowest of them`, value: sample(values), unit: "×" },
    { what: "CPU: metered against unmetered", value: sample(againstUnmetered), unit: "×", goal: 1.1 },
  ];
}
