/** In what tests of test262 are run. */

import { dirname, join } from "node:path";
import { ControlCell } from "../../src/control/cell.ts";
import { VirtualClock } from "../../src/control/guest_clock.ts";
import { FuelMeter } from "../../src/control/meter.ts";
import { seededRandom } from "../../src/control/random.ts";
import { createFileSystem } from "../../src/fs/layout.ts";
import { restoreHeap } from "../../src/image/heap_image.ts";
import { EvalFlag, type Value } from "../../src/runtime/javascript/abi.ts";
import { Engine } from "../../src/runtime/javascript/engine.ts";
import { intl } from "../../src/runtime/javascript/intl.ts";
import { createJavaScriptRuntime } from "../../src/runtime/javascript/javascript.ts";
import type { Thrown } from "../../src/runtime/javascript/values.ts";
import { HostCallError, type RuntimeHost } from "../../src/runtime/runtime.ts";
import { assets } from "../../tests/support/javascript_harness.ts";
import type { Test262 } from "./test.ts";

/** "passed", or what was otherwise. */
export type Verdict = string;
export type Mode = keyof typeof MODES;

const MEMORY_BYTES = 256 * 1024 * 1024;
const FUEL = 1_000_000_000;
const DONE = "Test262:AsyncTestComplete";

export const MODES = {
  engine: { title: "the engine alone", run: (test: Test262) => inEngine(test, false) },
  session: { title: "in a session", run: (test: Test262) => inEngine(test, true) },
  program: { title: "as the code of a call", run: asProgram },
};

/** What a test gave: what it printed, and the name and message of what it threw. */
interface Given {
  readonly printed: string;
  readonly thrown?: { readonly name: string; readonly message: string };
}

function verdictOn({ negative, flags }: Test262, { printed, thrown }: Given): Verdict {
  if (negative) {
    if (!thrown) return `no ${negative.type}`;
    return thrown.name === negative.type ? "passed" : `${thrown.name} instead of ${negative.type}`;
  }
  if (thrown) return `${thrown.name}: ${thrown.message}`.slice(0, 150);
  if (!flags.has("async") || printed.includes(DONE)) return "passed";
  return printed === "" ? "$DONE was not called" : printed.slice(0, 150);
}

function inEngine(test: Test262, fromImage: boolean): Verdict {
  try {
    return verdictOn(test, evaluated(test, fromImage));
  } catch (error) {
    return `the engine failed: ${error}`.slice(0, 150);
  }
}

function evaluated(test: Test262, fromImage: boolean): Given {
  const cell = ControlCell.allocate();
  const clock = new VirtualClock(cell);
  const meter = new FuelMeter(cell);
  const { module, base } = assets.engine();
  const revival = {
    fill: (memory: WebAssembly.Memory) => restoreHeap(base.heap, memory),
    state: base.state.engine,
  };
  const engine: Engine = new Engine(module, {
    memoryBytes: MEMORY_BYTES,
    interrupted: () => false,
    meter,
    clock,
    random: seededRandom(1),
    resolve: (from, specifier) => specifier.startsWith(".") ? join(dirname(from), specifier) : specifier,
    load: (path) => Deno.readTextFileSync(path),
  }, fromImage ? revival : undefined);
  let printed = "";
  const print = ([text]: readonly Value[]) => {
    printed += `${engine.values.given(text)}\n`;
  };
  // A heap of the image calls host functions by the numbers that it was made with.
  if (fromImage) {
    const locales = intl(() => {});
    const functions = {
      ...unusedFunctions(base.state.engine.functions),
      intl: ([request]: readonly Value[]) => engine.values.string(locales(engine.values.given(request))),
    };
    engine.functionsAgain(functions, base.state.engine);
  }
  const table = engine.functions({ print });
  const setUp = engine.evaluate("(table) => { globalThis.print = table.print; }", "set-up.js") as Value;
  engine.values.free(engine.call(setUp, table) as Value);
  meter.begin(FUEL);
  const given = engine.evaluate(
    test.source,
    test.file,
    test.flags.has("module") ? EvalFlag.module : EvalFlag.global,
  );
  let thrown = thrownBy(engine, given);
  while (!thrown && engine.hasJobs()) {
    const ran = engine.runJobs(1000);
    if (typeof ran === "object") thrown = ran.thrown;
    thrown ??= thrownBy(engine, given);
  }
  if (thrown === undefined) return { printed };
  const text = (name: string) => engine.values.toString(engine.values.getProperty(thrown!, name));
  return { printed, thrown: { name: text("name"), message: text("message") } };
}

function thrownBy(engine: Engine, given: Value | Thrown): Value | undefined {
  if (typeof given === "object") return given.thrown;
  const promise = engine.values.promise(given);
  return promise.state === "rejected" ? promise.value : undefined;
}

/** What the prelude calls, which tests have no use for. */
function unusedFunctions(names: readonly string[]): Record<string, () => undefined> {
  return Object.fromEntries(names.map((name) => [name, () => undefined]));
}

function makeHost(write: (text: string) => void): RuntimeHost {
  const cell = ControlCell.allocate();
  return {
    fs: createFileSystem({ maxBytes: 1 << 20, maxInodes: 100 }),
    cell,
    clock: new VirtualClock(cell),
    random: seededRandom(1),
    env: {},
    memoryBytes: MEMORY_BYTES,
    interruptGraceMs: 0,
    write: (_stream, bytes) => write(new TextDecoder().decode(bytes)),
    hostCall: () => {
      throw new HostCallError("no host calls");
    },
  };
}

/** Not for modules, nor for what imports them: they are files. */
async function asProgram(test: Test262): Promise<Verdict | undefined> {
  if (test.flags.has("module") || test.features.includes("dynamic-import")) return undefined;
  let printed = "";
  const host = makeHost((text) => printed += text);
  const runtime = createJavaScriptRuntime(host, assets);
  host.cell.enter(1);
  const code = test.flags.has("raw")
    ? test.source
    : test.source.replace("var $262", "var print = console.log; var $262");
  const ran = await runtime.execute({ code, filename: "test", resultMaxBytes: 1000, fuelBudget: FUEL });
  host.cell.leave();
  if (ran.status === "completed") return verdictOn(test, { printed });
  if (ran.status !== "failed") return ran.status;
  return verdictOn(test, { printed, thrown: { name: ran.error.type, message: ran.error.message } });
}
