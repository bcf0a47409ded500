import assert from "node:assert/strict";
import { meter, MeteringError } from "../../../../wasm/metering/mod.ts";
import { assemble, assertSameBehaviour, type Exports, Host } from "./harness.ts";

const GROW = `(module (memory (export "memory") 1 200)
  (func (export "grow") (param i32) (result i32) (memory.grow (local.get 0)))
  (func (export "size") (result i32) (memory.size))
  (func (export "grow_until_refused") (result i32) (local $grown i32)
    (loop $more
      (if (i32.ne (memory.grow (i32.const 1)) (i32.const -1)) (then
        (local.set $grown (i32.add (local.get $grown) (i32.const 1)))
        (br $more))))
    (local.get $grown)))`;

function instantiateGrowing() {
  const host = new Host(meter(assemble(GROW), { growHook: true }).wasm, 1000);
  const { exports } = host.instantiate();
  return {
    maxPages: exports["sandbox_max_pages"] as WebAssembly.Global,
    guest: exports as unknown as Exports,
  };
}

Deno.test("memory grows up to sandbox_max_pages, which the host may change at any time", () => {
  const { maxPages, guest } = instantiateGrowing();
  assert.equal(maxPages.value, 65_536);
  maxPages.value = 10;
  assert.equal(guest["grow"]!(10), -1);
  assert.equal(guest["grow"]!(9), 1);
  assert.equal(guest["grow"]!(1), -1);
  assert.equal(guest["grow"]!(0), 10);
  maxPages.value = 20;
  assert.equal(guest["grow_until_refused"]!(), 10);
  assert.equal(guest["size"]!(), 20);
  maxPages.value = 5;
  assert.equal(guest["grow"]!(0), -1, "a memory beyond its cap does not grow by nothing either");
  assert.equal(guest["size"]!(), 20);
});

Deno.test("a cap can't be overflown", () => {
  const { maxPages, guest } = instantiateGrowing();
  maxPages.value = 10;
  for (const pages of [-1, -2, 0x7fff_ffff, -0x8000_0000, 65_536, 65_535]) {
    assert.equal(guest["grow"]!(pages), -1, `${pages}`);
  }
  assert.equal(guest["size"]!(), 1);
});

Deno.test("the host hears of every growth, can stop it there, and fuel is not touched by it", () => {
  const wasm = meter(assemble(GROW), { growHook: true }).wasm;
  let heard = 0;
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(wasm), {
    sandbox: {
      out_of_fuel: () => {
        if (++heard === 5) throw new Error("enough");
      },
    },
  });
  const fuel = exports["sandbox_fuel"] as WebAssembly.Global;
  const maxPages = exports["sandbox_max_pages"] as WebAssembly.Global;
  const guest = exports as unknown as Exports;
  fuel.value = 1000;
  assert.equal(guest["grow"]!(2), 1);
  assert.deepEqual([heard, fuel.value], [1, 1000]);
  maxPages.value = 3;
  assert.equal(guest["grow"]!(1), -1, "and not of one that was refused");
  assert.equal(heard, 1);
  maxPages.value = 100;
  assert.throws(() => guest["grow_until_refused"]!(), /enough/);
  assert.equal(guest["size"]!(), 7);
});

Deno.test("without a cap memory.grow is what it was", () => {
  const wasm = assemble(GROW);
  const { result } = assertSameBehaviour(wasm, ({ grow, size, grow_until_refused }) => {
    return [grow!(3), size!(), grow!(-1), grow!(300), grow_until_refused!(), size!()];
  });
  assert.deepEqual(result, [1, 4, -1, -1, 196, 200]);
  const { exports } = new Host(meter(wasm).wasm, 1000).instantiate();
  assert.equal(exports["sandbox_max_pages"], undefined);
});

Deno.test("growing a second memory, which has no cap, is refused when caps are wanted", () => {
  const wasm = assemble(`(module (memory 1) (memory 1)
    (func (export "f") (result i32) (memory.grow 1 (i32.const 1))))`);
  assert.throws(() => meter(wasm, { growHook: true }), MeteringError);
  const { exports } = new Host(meter(wasm).wasm, 1000).instantiate();
  assert.equal((exports as unknown as Exports)["f"]!(), 1);
});

Deno.test("a module without memory can be capped", () => {
  const wasm = assemble(`(module (func (export "f") (result i32) (i32.const 3)))`);
  assert.equal(assertSameBehaviour(wasm, ({ f }) => f!()).result, 3);
});

Deno.test("bulk memory, data segments, SIMD and atomics do what they did", () => {
  const wasm = assemble(`(module (memory (export "memory") 1 2 shared)
    (data (i32.const 16) "active") (data $passive "passive")
    (func (export "run") (result i32) (local $i i32)
      (memory.init $passive (i32.const 40) (i32.const 0) (i32.const 7))
      (data.drop $passive)
      (memory.fill (i32.const 100) (i32.const 9) (i32.const 50))
      (memory.copy (i32.const 200) (i32.const 16) (i32.const 40))
      (loop $next
        (v128.store offset=300 (local.get $i)
          (i8x16.shuffle 0 17 2 19 4 21 6 23 8 25 10 27 12 29 14 31
            (v128.load (local.get $i)) (v128.const i32x4 1 2 3 0xdeadbeef)))
        (v128.store16_lane offset=1000 5 (local.get $i) (i32x4.splat (local.get $i)))
        (drop (i64.atomic.rmw.add (i32.const 2000) (i64.const 0x7fffffffffff)))
        (drop (i32.atomic.rmw.cmpxchg offset=2008 (i32.const 0) (local.get $i) (i32.const 77)))
        (atomic.fence)
        (br_if $next (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 16))) (i32.const 128))))
      (i32x4.extract_lane 2 (i32x4.relaxed_trunc_f32x4_s
        (f32x4.replace_lane 2 (v128.const f32x4 0 0 0 0) (f32.const 12.5))))))`);
  const { result, memory, fuel } = assertSameBehaviour(wasm, ({ run }) => run!());
  assert.equal(result, 12);
  assert.equal(new TextDecoder().decode(memory!.slice(224, 231)), "passive");
  assert.equal(fuel, 8);
});

Deno.test("constants of every width and the numeric families survive", () => {
  const wasm = assemble(`(module (func (export "run") (result i64 f32 f64 i32 i32 i64)
    (i64.const -9223372036854775808) (f32.const 1.5) (f64.const -0.1)
    (i32.trunc_sat_f64_u (f64.const 1e20)) (i32.extend8_s (i32.const -2147483648 ))
    (select (result i64) (i64.const 0x7fffffffffffffff) (i64.const 1) (i32.const 1))))`);
  assert.deepEqual(
    assertSameBehaviour(wasm, ({ run }) => run!()).result,
    [-(2n ** 63n), 1.5, -0.1, -1, 0, 2n ** 63n - 1n],
  );
});
