import assert from "node:assert/strict";
import variant from "@jitl/quickjs-ng-wasmfile-release-sync";
import type { QuickJSContext, QuickJSSyncVariant } from "quickjs-emscripten-core";
import { newQuickJSWASMModuleFromVariant, newVariant } from "quickjs-emscripten-core";
import { Aborted, ControlCell } from "../../../../src/control/cell.ts";
import { FUEL_GRACE, FuelMeter, OutOfFuel } from "../../../../src/control/meter.ts";
import { meter } from "../../../../wasm/metering/mod.ts";

const QUICKJS = new URL(import.meta.resolve("@jitl/quickjs-ng-wasmfile-release-sync/wasm"));
const PYTHON = new URL("../../../../wasm/dist/python.unmetered.wasm", import.meta.url);

const quickjs = new WebAssembly.Module(meter(await Deno.readFile(QUICKJS), { growHook: true }).wasm);

interface Started {
  readonly context: QuickJSContext;
  readonly fuel: WebAssembly.Global;
}

/** A fresh QuickJS. @param outOfFuel Its import. @param attach Gets the counter before anything runs. */
async function start(outOfFuel: () => void, attach: (fuel: WebAssembly.Global) => void): Promise<Started> {
  let fuel: WebAssembly.Global | undefined;
  const module = newVariant(variant as unknown as QuickJSSyncVariant, {
    emscriptenModule: {
      instantiateWasm(imports, onSuccess) {
        const instance = new WebAssembly.Instance(quickjs, {
          ...imports,
          sandbox: { out_of_fuel: outOfFuel },
        });
        fuel = instance.exports["sandbox_fuel"] as WebAssembly.Global;
        attach(fuel);
        onSuccess(instance);
        return instance.exports;
      },
    },
  });
  const context = (await newQuickJSWASMModuleFromVariant(module)).newContext();
  return { context, fuel: fuel! };
}

const PROGRAM = `
  const counts = {};
  for (let i = 0; i < 3000; i++) counts["key" + i % 700] = (counts["key" + i % 700] ?? 0) + i;
  const fib = (n) => n < 2 ? n : fib(n - 1) + fib(n - 2);
  const words = JSON.stringify(counts).match(/[a-z]+(\\d+)/g).sort().reverse();
  [words.length, fib(12), words.join().indexOf("nowhere"), 2n ** 500n % 1000007n].join()`;

Deno.test("QuickJS uses the same fuel for the same program, whatever the slices", async () => {
  const runs = [];
  for (const slice of [97, 10_000, 1_000_000]) {
    let granted = slice;
    let counter: WebAssembly.Global;
    const { context } = await start(() => {
      granted += slice;
      counter.value += slice;
    }, (fuel) => {
      counter = fuel;
      fuel.value = slice;
    });
    const result = context.dump(context.unwrapResult(context.evalCode(PROGRAM)));
    runs.push({ result, fuel: granted - counter!.value });
  }
  assert.equal(runs[0]!.result, `700,144,-1,${2n ** 500n % 1000007n}`);
  assert.ok(runs[0]!.fuel > 10_000);
  assert.deepEqual(runs, [runs[0], runs[0], runs[0]]);
});

Deno.test("FuelMeter ends QuickJS at its budget, in loops and in natives that poll nothing", async () => {
  for (
    const program of [`for (;;);`, `/(a+)+$/.test("a".repeat(40) + "b")`, `"x".repeat(2 ** 28).indexOf("y")`]
  ) {
    const fuelMeter = new FuelMeter(ControlCell.allocate());
    const { context } = await start(fuelMeter.refill, (fuel) => fuelMeter.attach(fuel));
    fuelMeter.begin(2_345_678);
    assert.throws(() => context.evalCode(program), OutOfFuel, program);
    assert.equal(fuelMeter.consumed(), 2_345_678 + FUEL_GRACE + 1);
  }
});

Deno.test("FuelMeter aborts QuickJS when its control cell says so", async () => {
  const cell = ControlCell.allocate();
  const fuelMeter = new FuelMeter(cell);
  const { context } = await start(fuelMeter.refill, (fuel) => fuelMeter.attach(fuel));
  cell.enter(7);
  cell.abort(6);
  context.unwrapResult(context.evalCode(PROGRAM)).dispose();
  cell.abort(7);
  assert.throws(() => context.evalCode(`for (;;);`), Aborted);
});

Deno.test("the metered CPython is valid and has its counter and its cap", async (test) => {
  const python = await Deno.readFile(PYTHON).catch(() => undefined);
  await test.step({
    name: python ? "wasm/dist/python.unmetered.wasm" : "skipped: wasm/dist has no python.unmetered.wasm yet",
    ignore: python === undefined,
    async fn() {
      const { wasm, stats } = meter(python!, { growHook: true });
      const exports = WebAssembly.Module.exports(await WebAssembly.compile(wasm)).map(({ name }) => name);
      assert.ok(exports.includes("sandbox_fuel"));
      assert.ok(exports.includes("sandbox_max_pages"));
      assert.ok(stats.loops > 5000 && stats.minedLoops > 1000);
      assert.ok(stats.bytesOut < stats.bytesIn * 1.1);
    },
  });
});
