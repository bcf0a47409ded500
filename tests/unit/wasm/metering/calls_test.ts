import assert from "node:assert/strict";
import { meter } from "../../../../wasm/metering/mod.ts";
import { assemble, assertSameBehaviour, Host } from "./harness.ts";

Deno.test("direct recursion costs one unit per call", () => {
  const wasm = assemble(`(module (func $fib (export "fib") (param i32) (result i32)
    (if (result i32) (i32.lt_s (local.get 0) (i32.const 2))
      (then (local.get 0))
      (else (i32.add
        (call $fib (i32.sub (local.get 0) (i32.const 1)))
        (call $fib (i32.sub (local.get 0) (i32.const 2))))))))`);
  const { result, fuel } = assertSameBehaviour(wasm, ({ fib }) => fib!(10));
  assert.equal(result, 55);
  assert.equal(fuel, 177);
});

const MUTUAL = `(module
  (func $even (export "even") (param i32) (result i32)
    (if (result i32) (i32.eqz (local.get 0))
      (then (i32.const 1))
      (else (call $odd (i32.sub (local.get 0) (i32.const 1))))))
  (func $odd (param i32) (result i32)
    (if (result i32) (i32.eqz (local.get 0))
      (then (i32.const 0))
      (else (call $third (i32.sub (local.get 0) (i32.const 1))))))
  (func $third (param i32) (result i32)
    (if (result i32) (i32.eqz (local.get 0))
      (then (i32.const 3))
      (else (call $even (i32.sub (local.get 0) (i32.const 1))))))
  (func (export "leaf") (param i32) (result i32) (call $leaf (local.get 0)))
  (func $leaf (param i32) (result i32) (i32.add (local.get 0) (i32.const 1))))`;

Deno.test("a cycle of calls is checked at one of its functions, and others are not", () => {
  const wasm = assemble(MUTUAL);
  const { result, fuel } = assertSameBehaviour(wasm, ({ even }) => [even!(30), even!(31), even!(32)]);
  assert.deepEqual(result, [1, 0, 3]);
  assert.equal(fuel, 33);
  assert.equal(assertSameBehaviour(wasm, ({ leaf }) => leaf!(1)).fuel, 0);
  assert.equal(meter(wasm).stats.checkedEntries, 1);
});

Deno.test("indirect calls reach the same functions and cost one unit each, but within loops", () => {
  const wasm = assemble(`(module
    (import "host" "log" (func $log (param i32)))
    (type $unary (func (param i32) (result i32)))
    (table $first 4 funcref) (table $second 4 funcref)
    (elem (table $first) (i32.const 0) func $double $apply)
    (elem (table $second) (i32.const 1) func $double)
    (func $double (param i32) (result i32) (call $log (local.get 0)) (i32.mul (local.get 0) (i32.const 2)))
    (func $apply (param i32) (result i32)
      (call_indirect $second (type $unary) (local.get 0) (i32.const 1)))
    (func (export "run") (param i32 i32) (result i32)
      (call_indirect $first (type $unary) (local.get 0) (local.get 1)))
    (func (export "both") (param i32) (local i32)
      (loop $l
        (local.set 1 (call_indirect $second (type $unary) (local.get 0) (i32.const 1)))
        (local.set 1 (call_indirect $second (type $unary) (local.get 0) (i32.const 1)))
        (br_if $l (local.tee 0 (i32.sub (local.get 0) (i32.const 1)))))
      (local.set 1 (call_indirect $second (type $unary) (local.get 0) (i32.const 1)))))`);
  const { result, log, fuel } = assertSameBehaviour(wasm, ({ run }) => [run!(4, 0), run!(5, 1)]);
  assert.deepEqual(result, [8, 10]);
  assert.deepEqual(log, [4, 5]);
  assert.equal(fuel, 3);
  assert.equal(assertSameBehaviour(wasm, ({ both }) => both!(5)).fuel, 5 + 1, "a pass pays for its calls");
  assert.equal(meter(wasm).stats.checkedEntries, 0);
  const trap = assertSameBehaviour(wasm, ({ run }) => run!(4, 2)).result;
  assert.match(String(trap), /RuntimeError/);
});

Deno.test("a cycle of calls through a table is counted wherever it leads through functions without loops", () => {
  const wasm = assemble(`(module
    (type $unary (func (param i32) (result i32)))
    (table 1 funcref) (elem (i32.const 0) func $down)
    (func $down (export "down") (param i32) (result i32)
      (if (result i32) (i32.eqz (local.get 0))
        (then (i32.const 7))
        (else (call $through (i32.sub (local.get 0) (i32.const 1))))))
    (func $through (param i32) (result i32)
      (block (result i32) (call_indirect (type $unary) (local.get 0) (i32.const 0)))))`);
  const { result, fuel } = assertSameBehaviour(wasm, ({ down }) => down!(1000));
  assert.equal(result, 7);
  assert.equal(fuel, 1000);
});

Deno.test("tail calls stay tail calls", () => {
  const wasm = assemble(`(module
    (type $step (func (param i32 i32) (result i32)))
    (table 1 funcref) (elem (i32.const 0) func $other)
    (func $count (export "count") (param i32 i32) (result i32)
      (if (i32.eqz (local.get 0)) (then (return (local.get 1))))
      (return_call $count (i32.sub (local.get 0) (i32.const 1)) (i32.add (local.get 1) (i32.const 2))))
    (func $other (export "other") (param i32 i32) (result i32)
      (if (i32.eqz (local.get 0)) (then (return (local.get 1))))
      (return_call_indirect (type $step)
        (i32.sub (local.get 0) (i32.const 1)) (i32.add (local.get 1) (i32.const 3)) (i32.const 0))))`);
  const { result, fuel } = assertSameBehaviour(wasm, ({ count, other }) => {
    return [count!(100_000, 0), other!(100_000, 0)];
  });
  assert.deepEqual(result, [200_000, 300_000]);
  assert.equal(fuel, 100_001 + 100_000);
});

Deno.test("imported functions, globals, tables and memories keep their places", () => {
  const wasm = assemble(`(module
    (import "host" "log" (func $log (param i32)))
    (import "host" "constant" (global $constant i32))
    (import "host" "twice" (func $twice (param i32) (result i32)))
    (import "host" "memory" (memory 1 4))
    (import "host" "counter" (global $counter (mut i32)))
    (import "host" "table" (table 2 funcref))
    (export "memory" (memory 0)) (export "counter" (global $counter)) (export "twice" (func $twice))
    (global $own (export "own") (mut i64) (i64.const 5))
    (elem (global.get $constant) func $twice $own)
    (type $unary (func (param i32) (result i32)))
    (func $own (param i32) (result i32)
      (global.set $own (i64.extend_i32_s (local.get 0)))
      (call $log (local.get 0))
      (i32.store (i32.const 100) (local.get 0))
      (global.set $counter (i32.add (global.get $counter) (i32.const 1)))
      (call $twice (i32.add (local.get 0) (global.get $constant))))
    (func (export "run") (param i32) (result i32)
      (call_indirect (type $unary) (local.get 0) (i32.const 0))
      (call_indirect (type $unary) (i32.const 1))))`);
  const imports = () => ({
    constant: 0,
    twice: (value: number) => value * 2,
    memory: new WebAssembly.Memory({ initial: 1, maximum: 4 }),
    counter: new WebAssembly.Global({ value: "i32", mutable: true }, 7),
    table: new WebAssembly.Table({ element: "anyfunc", initial: 2 }),
  });
  const seen = assertSameBehaviour(wasm, ({ run, twice }) => [run!(21), twice!(4)], imports);
  assert.deepEqual(seen.result, [84, 8]);
  assert.deepEqual(seen.log, [42]);
  assert.deepEqual(seen.globals, { counter: 8, own: 42n });
  assert.equal(seen.memory![100], 42);
});

const START = `(module
  (import "host" "log" (func $log (param i32)))
  (global $ready (export "ready") (mut i32) (i32.const 0))
  (start $start)
  (func $start (local $n i32)
    (local.set $n (i32.const 5000))
    (loop $mined
      (br_if $mined (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.set $n (i32.const 50))
    (loop $outer
      (loop $inner (global.set $ready (i32.add (global.get $ready) (i32.const 1))))
      (br_if $outer (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.set $n (i32.const 5))
    (loop $calls
      (call $log (local.get $n))
      (br_if $calls (local.tee $n (i32.sub (local.get $n) (i32.const 1))))))
  (func (export "get") (result i32) (global.get $ready)))`;

Deno.test("a start function runs to its end before the host can give fuel", () => {
  const wasm = assemble(START);
  const { result, log, globals, fuel } = assertSameBehaviour(wasm, ({ get }) => get!());
  assert.equal(result, 50);
  assert.deepEqual(log, [5, 4, 3, 2, 1]);
  assert.deepEqual(globals, { ready: 50 });
  assert.equal(fuel, 0, "counting begins when the host sets the counter");

  const host = new Host(meter(wasm).wasm, 0);
  const { exports } = host.instantiate();
  assert.ok(host.calls > 5000, "the host is asked at every check");
  assert.equal((exports["sandbox_fuel"] as WebAssembly.Global).value, 0);
});

Deno.test("without fuel the counter stays at -1", () => {
  const wasm = assemble(START.replace("(start $start)", '(export "start" (func $start))'));
  const seen: number[] = [];
  const instance = new WebAssembly.Instance(new WebAssembly.Module(meter(wasm).wasm), {
    host: { log: () => {} },
    sandbox: { out_of_fuel: () => void seen.push(fuel.value) },
  });
  const fuel = instance.exports["sandbox_fuel"] as WebAssembly.Global;
  assert.equal(fuel.value, 0);
  (instance.exports["start"] as () => void)();
  assert.ok(seen.length > 5000);
  assert.deepEqual(new Set(seen), new Set([-1]));
  assert.equal(fuel.value, -1);
});

Deno.test("an out_of_fuel that throws during the start function stops the instantiation", () => {
  const wasm = meter(assemble(START)).wasm;
  const imports = {
    host: { log: () => {} },
    sandbox: {
      out_of_fuel: () => {
        throw new Error("no fuel");
      },
    },
  };
  assert.throws(() => new WebAssembly.Instance(new WebAssembly.Module(wasm), imports), /no fuel/);
});

Deno.test("at a call of out_of_fuel the counter is -1, in every kind of loop and at entries", () => {
  const wasm = assemble(`(module
    (func $recursive (param i32)
      (if (local.get 0) (then (call $recursive (i32.sub (local.get 0) (i32.const 1))))))
    (func (export "run") (local $i i32) (local $j i32)
      (local.set $i (i32.const 30))
      (loop $calls
        (call $recursive (i32.const 3))
        (local.set $j (i32.const 4))
        (loop $outer
          (loop $a (nop))
          (i32.const 0) (loop $b (param i32) (drop))
          (br_if $outer (local.tee $j (i32.sub (local.get $j) (i32.const 1)))))
        (br_if $calls (local.tee $i (i32.sub (local.get $i) (i32.const 1)))))))`);
  for (const slice of [1, 2, 3, 5, 7]) {
    const seen = new Set<number>();
    const instance = new WebAssembly.Instance(new WebAssembly.Module(meter(wasm).wasm), {
      sandbox: {
        out_of_fuel: () => {
          seen.add(fuel.value);
          fuel.value += slice;
        },
      },
    });
    const fuel = instance.exports["sandbox_fuel"] as WebAssembly.Global;
    (instance.exports["run"] as () => void)();
    assert.deepEqual(seen, new Set([-1]), `slices of ${slice}`);
  }
});

Deno.test("metering is reproducible and leaves its input alone", () => {
  const wasm = assemble(MUTUAL);
  const before = wasm.slice();
  assert.deepEqual(meter(wasm), meter(wasm));
  assert.deepEqual(wasm, before);
  const shifted = new Uint8Array(wasm.length + 3);
  shifted.set(wasm, 3);
  assert.deepEqual(meter(shifted.subarray(3)).wasm, meter(wasm).wasm, "a view into a larger buffer");
});
