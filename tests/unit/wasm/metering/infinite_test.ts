import assert from "node:assert/strict";
import { assemble, exhaust, Exhausted } from "./harness.ts";

const FOREVER: Record<string, string> = {
  "loop { br }": `(module (func (export "run") (loop $l (br $l))))`,
  "loop { br_if }": `(module (func (export "run") (loop $l (br_if $l (i32.const 1)))))`,
  "a loop within a block": `(module (func (export "run") (block $b (loop $l (block (br $l)) (br $b)))))`,
  "a block within a loop": `(module (func (export "run") (loop $l (block $b (br $b)) (br $l))))`,
  "br_table to the loop": `(module (func (export "run") (loop $l (br_table $l $l (i32.const 3)))))`,
  "br_table to the outer loop": `(module (func (export "run")
    (loop $outer (loop $inner (br_table $inner $outer (i32.const 1))))))`,
  "an inner loop that ends": `(module (func (export "run") (local i32)
    (loop $outer
      (loop $inner (br_if $inner (i32.and (local.tee 0 (i32.add (local.get 0) (i32.const 1))) (i32.const 3))))
      (br $outer))))`,
  "a loop with parameters": `(module (func (export "run") (i32.const 0)
    (loop $l (param i32) (i32.add (i32.const 1)) (br $l))))`,
  "a loop with a result": `(module (func (export "run") (result i32) (loop $l (result i32) (br $l))))`,
  "a loop in an if": `(module (func (export "run") (if (i32.const 1) (then (loop $l (br $l))))))`,
  "a loop in an else": `(module (func (export "run")
    (if (i32.const 0) (then) (else (loop $l (br_if $l (i32.const 1)))))))`,
  "a loop around a call": `(module (func $nothing) (func (export "run") (loop $l (call $nothing) (br $l))))`,
  "a loop around memory.grow": `(module (memory 1)
    (func (export "run") (loop $l (drop (memory.grow (i32.const 0))) (br $l))))`,
  "a loop that throws and catches": `(module (tag $t)
    (func (export "run") (loop $l (try (do (throw $t)) (catch $t (br $l))))))`,
  "direct recursion that doubles": `(module (func $f (export "run") (param i32)
    (if (i32.lt_u (local.get 0) (i32.const 60)) (then
      (call $f (i32.add (local.get 0) (i32.const 1)))
      (call $f (i32.add (local.get 0) (i32.const 1)))))))`,
  "mutual recursion that doubles": `(module
    (func $f (export "run") (param i32)
      (if (i32.lt_u (local.get 0) (i32.const 60)) (then (call $g (local.get 0)) (call $g (local.get 0)))))
    (func $g (param i32) (call $h (i32.add (local.get 0) (i32.const 1))))
    (func $h (param i32) (call $f (local.get 0))))`,
  "indirect recursion that doubles": `(module (table 1 funcref) (elem (i32.const 0) func $f)
    (func $f (export "run") (param i32)
      (if (i32.lt_u (local.get 0) (i32.const 60)) (then (call $g (local.get 0)) (call $g (local.get 0)))))
    (func $g (param i32) (call_indirect (param i32) (i32.add (local.get 0) (i32.const 1)) (i32.const 0))))`,
  "a tail call of itself": `(module (func $f (export "run") (return_call $f)))`,
  "tail calls in a circle": `(module
    (func $f (export "run") (return_call $g)) (func $g (return_call $h)) (func $h (return_call $f)))`,
  "an indirect tail call": `(module (table 1 funcref) (elem (i32.const 0) func $f)
    (func $f (export "run") (return_call_indirect (i32.const 0))))`,
};

for (const [form, wat] of Object.entries(FOREVER)) {
  Deno.test(`out_of_fuel can end: ${form}`, () => {
    const wasm = assemble(wat);
    for (const growHook of [false, true]) {
      const thrown = exhaust(wasm, ({ run }) => run!(0), { growHook });
      assert.ok(thrown instanceof Exhausted, String(thrown));
    }
  });
}
