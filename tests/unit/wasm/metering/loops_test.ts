import assert from "node:assert/strict";
import { assemble, assertSameBehaviour } from "./harness.ts";

Deno.test("an innermost loop without calls costs one unit per iteration", () => {
  const wasm = assemble(`(module (func (export "sum") (param $n i32) (result i32) (local $sum i32)
    (loop $next
      (local.set $sum (i32.add (local.get $sum) (local.get $n)))
      (br_if $next (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.get $sum)))`);
  const { result, fuel } = assertSameBehaviour(wasm, ({ sum }) => sum!(100));
  assert.equal(result, 5050);
  assert.equal(fuel, 100);
});

Deno.test("a loop with a call costs one unit per iteration", () => {
  const wasm = assemble(`(module (import "host" "log" (func $log (param i32)))
    (func (export "down") (param $n i32)
      (loop $next
        (call $log (local.get $n))
        (br_if $next (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))))`);
  const { log, fuel } = assertSameBehaviour(wasm, ({ down }) => down!(5));
  assert.deepEqual(log, [5, 4, 3, 2, 1]);
  assert.equal(fuel, 5);
});

Deno.test("nested loops count the iterations of each", () => {
  const wasm = assemble(`(module (func (export "grid") (param $n i32) (result i32)
      (local $i i32) (local $j i32) (local $count i32)
    (loop $rows
      (local.set $j (i32.const 0))
      (loop $columns
        (local.set $count (i32.add (local.get $count) (i32.const 1)))
        (br_if $columns (i32.lt_u (local.tee $j (i32.add (local.get $j) (i32.const 1))) (local.get $n))))
      (loop $again
        (br_if $again (i32.eqz (local.tee $j (i32.sub (local.get $j) (local.get $n))))))
      (br_if $rows (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $n))))
    (local.get $count)))`);
  const { result, fuel } = assertSameBehaviour(wasm, ({ grid }) => grid!(10));
  assert.equal(result, 100);
  assert.equal(fuel, 10 + 100 + 20);
});

Deno.test("loops between calls see the fuel that the callee used", () => {
  const wasm = assemble(`(module
    (func $spin (param $n i32)
      (loop $next (br_if $next (local.tee $n (i32.sub (local.get $n) (i32.const 1))))))
    (func (export "mixed") (param $n i32)
      (loop $outer
        (call $spin (local.get $n))
        (loop $pairs
          (loop $inner (nop))
          (loop $inner (nop)))
        (call $spin (i32.const 3))
        (br_if $outer (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))))`);
  const { fuel } = assertSameBehaviour(wasm, ({ mixed }) => mixed!(10));
  assert.equal(fuel, 10 * (1 + 1 + 2 + 3) + 55);
});

Deno.test("loops with parameters and results keep their operands", () => {
  const wasm = assemble(`(module
    (func (export "power") (param $n i32) (result i32)
      (i32.const 1) (local.get $n)
      (loop $next (param i32 i32) (result i32)
        (local.set $n)
        (i32.mul (i32.const 3))
        (local.tee $n (i32.sub (local.get $n) (i32.const 1)))
        (br_if $next (local.get $n))
        (drop)))
    (func (export "pair") (param $n i32) (result i32 i64 f64) (local f64)
      (f64.const 0.5)
      (loop $next (param f64) (result i32 i64 f64)
        (f64.add (f64.const 1))
        (br_if $next (local.tee $n (i32.sub (local.get $n) (i32.const 1))))
        (local.set 1)
        (loop $inner (result i32 i64)
          (br_if $inner (i32.lt_s (local.tee $n (i32.add (local.get $n) (i32.const 1))) (i32.const 9)))
          (local.get $n) (i64.const 77))
        (local.get 1))))`);
  const { result, fuel } = assertSameBehaviour(wasm, ({ power, pair }) => [power!(5), pair!(4)]);
  assert.deepEqual(result, [243, [9, 77n, 4.5]]);
  assert.equal(fuel, 5 + 4 + 9);
});

Deno.test("br_table leaves and continues strip-mined loops at the right labels", () => {
  const wasm = assemble(`(module (func (export "route") (param $case i32) (result i32) (local $x i32)
    (block $a (block $b
      (loop $outer
        (local.set $x (i32.add (local.get $x) (i32.const 1)))
        (block $c
          (loop $inner
            (local.set $x (i32.add (local.get $x) (i32.const 10)))
            (br_if $inner (i32.lt_u (local.get $x) (i32.const 500)))
            (block $d
              (if (i32.gt_u (local.get $x) (i32.const 2000)) (then (return (i32.const -1))))
              (br_table $d $inner $c $outer $b $a $a (local.get $case)))
            (local.set $x (i32.add (local.get $x) (i32.const 100000))))
          (local.set $x (i32.add (local.get $x) (i32.const 200000))))
        (return (local.get $x)))
      (unreachable))
      (return (i32.add (local.get $x) (i32.const 1000000))))
    (i32.add (local.get $x) (i32.const 2000000))))`);
  const { result } = assertSameBehaviour(wasm, ({ route }) => [0, 1, 2, 3, 4, 5, 6].map((it) => route!(it)));
  assert.deepEqual(result, [300501, -1, 501, -1, 1000501, 2000501, 2000501]);
});

Deno.test("labels with results lead out of strip-mined loops", () => {
  const wasm = assemble(`(module (func (export "find") (param $n i32) (result i32 i32)
    (block $found (result i32 i32)
      (loop $next
        (local.get $n) (i32.const 7)
        (br_if $found (i32.eqz (i32.rem_u (local.get $n) (i32.const 13))))
        (drop) (drop)
        (if (i32.gt_u (local.get $n) (i32.const 90)) (then (return (i32.const -1) (i32.const -2))))
        (local.set $n (i32.add (local.get $n) (i32.const 1)))
        (br $next))
      (unreachable))))`);
  const { result } = assertSameBehaviour(wasm, ({ find }) => [find!(1), find!(14), find!(92)]);
  assert.deepEqual(result, [[13, 7], [26, 7], [-1, -2]]);
});

Deno.test("a branch to the function's own label leaves a strip-mined loop", () => {
  const wasm = assemble(`(module (func (export "f") (param $n i32) (result i32)
    (loop $next
      (if (i32.gt_u (local.tee $n (i32.add (local.get $n) (i32.const 1))) (i32.const 20))
        (then (br 2 (i32.const 42))))
      (br_table $next $next (local.get $n)))
    (unreachable)))`);
  assert.equal(assertSameBehaviour(wasm, ({ f }) => f!(1)).result, 42);
});

Deno.test("unreachable code is metered without harm", () => {
  const wasm = assemble(`(module (func (export "f") (result i32)
    (return (i32.const 3))
    (loop $a (br $a))
    (loop $b (loop $c (br_table $b $b $c (unreachable))))
    (loop (result i32) (unreachable))))`);
  const { result, fuel } = assertSameBehaviour(wasm, ({ f }) => f!());
  assert.equal(result, 3);
  assert.equal(fuel, 0);
});

Deno.test("exceptions are thrown through, caught in and delegated out of loops", () => {
  const wasm = assemble(`(module (tag $odd (param i32))
    (func (export "f") (param $n i32) (result i32) (local $caught i32)
      (loop $next
        (try
          (do (loop $inner
            (if (i32.and (local.get $n) (i32.const 1)) (then (throw $odd (local.get $n))))
            (local.set $n (i32.sub (local.get $n) (i32.const 1)))
            (br_if $inner (local.get $n))))
          (catch $odd (local.set $caught (i32.add (local.get $caught))) (local.set $n (i32.sub (local.get $n) (i32.const 1)))))
        (br_if $next (i32.gt_s (local.get $n) (i32.const 0))))
      (block $out
        (loop $once
          (try $handler
            (do (try (do (throw $odd (i32.const 5))) (delegate $handler)))
            (catch $odd (local.set $caught (i32.add (local.get $caught))) (br $out)))))
      (local.get $caught)))`);
  assert.equal(assertSameBehaviour(wasm, ({ f }) => [f!(10), f!(7)].join()).result, "30,21");
});

Deno.test("the catch clauses of try_table lead out of a strip-mined loop", () => {
  const wasm = assemble(`(module (tag $found (param i32)) (tag $end)
    (func (export "f") (param $n i32) (result i32)
      (block $all
        (block $caught (result i32)
          (loop $next
            (try_table (catch $found $caught) (catch_all $all) (catch $end $next)
              (if (i32.eqz (i32.rem_u (local.get $n) (i32.const 7))) (then (throw $found (local.get $n))))
              (if (i32.gt_u (local.get $n) (i32.const 50)) (then (throw $end))))
            (local.set $n (i32.add (local.get $n) (i32.const 1)))
            (br $next))
          (unreachable))
        (return (i32.add (i32.const 1000))))
      (i32.const -1)))`);
  assert.deepEqual(assertSameBehaviour(wasm, ({ f }) => [f!(1), f!(50)]).result, [1007, -1]);
});
