import assert from "node:assert/strict";
import { meter, MeteringError } from "../../../../wasm/metering/mod.ts";
import { assemble, assertSameBehaviour, Host } from "./harness.ts";

Deno.test("element segments of every form refer to the same functions", () => {
  const wasm = assemble(`(module
    (import "host" "log" (func $log (param i32)))
    (type $value (func (result i32)))
    (table $t 20 funcref) (table $u 20 funcref)
    (func $one (result i32) (i32.const 1))
    (func $two (result i32) (i32.const 2))
    (func $three (result i32) (i32.const 3))
    (elem (table $t) (i32.const 0) func $one $two)
    (elem $passive func $two $three)
    (elem (table $u) (i32.const 3) func $three)
    (elem declare func $three)
    (elem (table $t) (i32.const 4) funcref (ref.func $two) (ref.null func))
    (elem $expressions funcref (ref.func $three) (item (ref.func $one)))
    (elem (table $u) (offset (i32.add (i32.const 2) (i32.const 2))) funcref (ref.func $one))
    (elem declare funcref (ref.func $one))
    (func (export "prepare")
      (table.init $t $passive (i32.const 10) (i32.const 0) (i32.const 2))
      (table.init $u $expressions (i32.const 10) (i32.const 0) (i32.const 2))
      (table.copy $u $t (i32.const 15) (i32.const 10) (i32.const 2))
      (table.set $u (i32.const 0) (ref.func $three))
      (table.fill $u (i32.const 1) (ref.func $one) (i32.const 2))
      (drop (table.grow $t (ref.func $two) (i32.const 2)))
      (elem.drop $passive))
    (func (export "t") (param i32) (result i32) (call_indirect $t (type $value) (local.get 0)))
    (func (export "u") (param i32) (result i32) (call_indirect $u (type $value) (local.get 0))))`);
  const { result } = assertSameBehaviour(wasm, ({ prepare, t, u }) => {
    prepare!();
    const t_ = [0, 1, 4, 10, 11, 20, 21].map((i) => t!(i));
    return [t_, [0, 1, 2, 3, 4, 10, 11, 15, 16].map((i) => u!(i))];
  });
  assert.deepEqual(result, [[1, 2, 2, 2, 3, 2, 2], [3, 1, 1, 3, 1, 3, 1, 2, 3]]);
});

Deno.test("all eight encodings of element segments are understood", () => {
  const forms = [
    `(elem (i32.const 0) func $f)`,
    `(elem func $f)`,
    `(elem (table $u) (i32.const 0) func $f)`,
    `(elem declare func $f)`,
    `(elem (i32.const 0) funcref (ref.func $f) (ref.null func))`,
    `(elem funcref (ref.func $f) (ref.null func))`,
    `(elem (table $u) (i32.const 0) funcref (ref.func $f) (ref.null func))`,
    `(elem declare funcref (ref.func $f) (ref.null func))`,
  ];
  const seen = forms.map((form) => {
    const wasm = assemble(`(module (import "host" "log" (func)) (table 4 funcref) (table $u 4 funcref)
      (func $f (result i32) (i32.const 1)) ${form})`);
    assert.ok(WebAssembly.validate(meter(wasm).wasm), form);
    return sectionContent(wasm, 9)[1];
  });
  assert.deepEqual(seen, [0, 1, 2, 3, 4, 5, 6, 7]);
});

Deno.test("functions in globals, exports and ref.func are the same ones", () => {
  const wasm = assemble(`(module
    (import "host" "log" (func $log (param i32)))
    (table $t 1 funcref)
    (global $g funcref (ref.func $b)) (global $n (export "n") i32 (i32.const -5))
    (export "a" (func $a)) (export "second name" (func $b)) (export "log" (func $log))
    (func $a (result i32) (i32.const 10))
    (func $b (result i32) (i32.const 20))
    (func (export "through_global") (result i32)
      (table.set $t (i32.const 0) (global.get $g))
      (call_indirect $t (result i32) (i32.const 0)))
    (func (export "reference") (result funcref) (ref.func $a)))`);
  const seen = assertSameBehaviour(wasm, (it) => {
    it["log"]!(9);
    return [it["a"]!(), it["second name"]!(), it["through_global"]!(), it["reference"]!()()];
  });
  assert.deepEqual(seen.result, [10, 20, 20, 10]);
  assert.deepEqual(seen.log, [9]);
  assert.deepEqual(seen.globals, { n: -5 });
});

Deno.test("modules without functions, memory, imports or anything can be metered", () => {
  for (
    const wat of [`(module)`, `(module (memory (export "memory") 1))`, `(module (global i32 (i32.const 1)))`]
  ) {
    for (const growHook of [false, true]) {
      const { exports } = new Host(meter(assemble(wat), { growHook }).wasm, 10).instantiate();
      assert.ok(exports["sandbox_fuel"] instanceof WebAssembly.Global);
      assert.equal(exports["sandbox_max_pages"] instanceof WebAssembly.Global, growHook);
    }
  }
});

Deno.test("a module that was metered already is refused", () => {
  const once = meter(assemble(`(module (func (export "f")))`)).wasm;
  assert.throws(() => meter(once), MeteringError);
});

Deno.test("custom sections go, but for branch hints", () => {
  const wasm = assemble(`(module (func $named (export "f") (loop $l (br_if $l (i32.const 0)))))`);
  const metered = new WebAssembly.Module(meter(wasm).wasm);
  assert.equal(WebAssembly.Module.customSections(new WebAssembly.Module(wasm), "name").length, 1);
  assert.equal(WebAssembly.Module.customSections(metered, "name").length, 0);
  assert.equal(WebAssembly.Module.customSections(metered, "metadata.code.branch_hint").length, 1);
});

Deno.test("every branch hint stands at a conditional branch", () => {
  const wasm = assemble(`(module (import "host" "log" (func $log))
    (func $f (export "f") (param i64) (local f64)
      (loop $a (call $log) (loop $b (br_if $b (i32.const 0))) (loop $c (loop $d) (loop $e))) (call $f (i64.const 1))))`);
  const { wasm: metered } = meter(wasm);
  const [section] = WebAssembly.Module.customSections(
    new WebAssembly.Module(metered),
    "metadata.code.branch_hint",
  );
  const [functions, index, count, ...hints] = integers(new Uint8Array(section!));
  assert.deepEqual([functions, index, count], [1, 2, 9]);
  const code = sectionContent(metered, 10);
  const [, size] = integers(code);
  const body = code.subarray(size! < 0x80 ? 2 : 3);
  const offsets = hints.filter((_, i) => i % 3 === 0);
  assert.equal(offsets.length, 9);
  for (const offset of offsets) {
    const testsForNegative = [0x41, 0x00, 0x48];
    assert.deepEqual([...body.subarray(offset - 3, offset)], testsForNegative);
    assert.ok([0x04, 0x0d].includes(body[offset]!), `byte ${offset}`);
  }
  assert.deepEqual(offsets, offsets.toSorted((a, b) => a - b));
});

Deno.test("a function's locals and parameters are untouched by the counter's copy", () => {
  const wasm = assemble(`(module (func (export "f") (param i64 f32) (result i64 f32 i32 f64)
      (local i32 i32) (local f64)
    (local.set 2 (i32.const 5))
    (loop $l (br_if $l (local.tee 2 (i32.sub (local.get 2) (i32.const 1)))))
    (local.get 0) (local.get 1) (local.get 3) (local.get 4)))`);
  const { result } = assertSameBehaviour(wasm, ({ f }) => f!(3n, 1.5));
  assert.deepEqual(result, [3n, 1.5, 0, 0]);
});

/** All bytes read as LEB128. */
function integers(bytes: Uint8Array): number[] {
  const values: number[] = [];
  let shift = 0;
  let value = 0;
  for (const byte of bytes) {
    value |= (byte & 0x7f) << shift;
    shift += 7;
    if (byte >= 0x80) continue;
    values.push(value);
    shift = value = 0;
  }
  return values;
}

/** The bytes of the first section with an id. */
function sectionContent(wasm: Uint8Array, id: number): Uint8Array {
  for (let at = 8; at < wasm.length;) {
    const found = wasm[at++];
    const [size] = integers(wasm.subarray(at, at + 5));
    while (wasm[at++]! >= 0x80);
    if (found === id) return wasm.subarray(at, at + size!);
    at += size!;
  }
  throw new Error(`no section ${id}`);
}
