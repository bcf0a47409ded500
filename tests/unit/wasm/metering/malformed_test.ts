import assert from "node:assert/strict";
import { meter, MeteringError } from "../../../../wasm/metering/mod.ts";
import { assemble } from "./harness.ts";

const HEADER = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
const TYPE_AND_FUNCTION = [1, 4, 1, 0x60, 0, 0, 3, 2, 1, 0];

/** A module with one function without parameters and this code. */
function moduleOf(...code: number[]): Uint8Array {
  const body = [0, ...code];
  return Uint8Array.from([...HEADER, ...TYPE_AND_FUNCTION, 10, body.length + 2, 1, body.length, ...body]);
}

function meteringError(wasm: Uint8Array): MeteringError {
  try {
    meter(wasm, { growHook: true });
  } catch (error) {
    assert.ok(error instanceof MeteringError, String(error));
    return error;
  }
  assert.fail("was metered");
}

Deno.test("an unknown opcode is an error that names the function and the offset", () => {
  const error = meteringError(moduleOf(0x01, 0x27, 0x0b));
  assert.equal(error.message, "unknown opcode 0x27 at byte 24 in function 0");
  assert.deepEqual(error.faulty, { index: 0 });
  assert.equal(error.offset, 24);
});

Deno.test("an unknown opcode behind a prefix is named with it", () => {
  assert.match(
    meteringError(moduleOf(0xfd, 0x9a, 0x01, 0x0b)).message,
    /unknown opcode 0xfd 0x9a at byte 23 /,
  );
  assert.match(meteringError(moduleOf(0xfc, 0x13, 0x0b)).message, /unknown opcode 0xfc 0x13 /);
  assert.match(meteringError(moduleOf(0xfe, 0x05, 0x0b)).message, /unknown opcode 0xfe 0x5 /);
  assert.match(meteringError(moduleOf(0xfb, 0x00, 0x00, 0x0b)).message, /unknown opcode 0xfb /);
  assert.match(meteringError(moduleOf(0xfd, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x0b)).message, /0xfd 0xffffffff /);
});

Deno.test("errors name functions as the name section does, counting imported ones", () => {
  const wasm = assemble(
    `(module (import "host" "log" (func $log)) (func $first) (func $guilty (i32.const 42) (drop)))`,
  );
  const at = wasm.findIndex((byte, i) => byte === 0x41 && wasm[i + 1] === 42);
  wasm[at] = 0xff;
  const error = meteringError(wasm);
  assert.equal(error.message, `unknown opcode 0xff at byte ${at} in function 2 (guilty)`);
});

Deno.test("every truncation is an error, but for those that leave a module", () => {
  const wasm = assemble(`(module (import "host" "log" (func $log (param i32))) (memory 1) (table 2 funcref)
    (global $g (mut i32) (i32.const 1)) (elem (i32.const 0) func $f) (data (i32.const 0) "hello")
    (tag $t (param i32)) (start $s)
    (func $s (call $log (i32.const 1)))
    (func $f (export "f") (param i32) (result i32) (local f64)
      (loop $l (br_table $l $l (local.get 0)))
      (local.set 1 (f64.const 1)) (drop (v128.const i64x2 1 2)) (drop (memory.grow (i32.const 1)))
      (try (do (throw $t (i32.const 3))) (catch $t (drop)))
      (i32.const 3)))`);
  for (let length = 0; length < wasm.length; length++) {
    const cut = wasm.slice(0, length);
    if (WebAssembly.validate(cut)) assert.ok(WebAssembly.validate(meter(cut).wasm), `${length} bytes`);
    else meteringError(cut);
  }
});

Deno.test("damaged modules are refused unless they are still valid", () => {
  const wasm = assemble(`(module (import "host" "log" (func $log (param i32))) (memory 1) (table 2 funcref)
    (type $t (func (param i32 i32) (result i32 i32)))
    (global $g (mut i32) (i32.const 1)) (elem (i32.const 0) funcref (ref.func $f) (ref.null func))
    (start $s) (data (i32.const 0) "hello")
    (func $s (call $log (i32.const 1)))
    (func $f (export "f") (param i32) (result i32) (local f64 i64 i64)
      (loop $o (block $b (loop $l (br_if $b (local.get 0)) (br_if $o (local.get 0)) (br_table $l $b $o (local.get 0)))))
      (drop (call_indirect (result i32) (i32.const 1)))
      (drop (select (result i64) (i64.const -1) (local.get 2) (i32.load offset=5 (i32.const 3))))
      (return_call $f (memory.grow (i32.const 1)))))`);
  let survivors = 0;
  for (let at = 8; at < wasm.length; at++) {
    for (const value of [0x00, 0x01, 0x40, 0x7f, 0x80, 0xff, wasm[at]! ^ 0x01, wasm[at]! ^ 0x80]) {
      const damaged = wasm.slice();
      damaged[at] = value;
      if (!WebAssembly.validate(damaged)) {
        meteringError(damaged);
        continue;
      }
      const { wasm: metered } = meter(damaged, { growHook: true });
      assert.ok(WebAssembly.validate(metered), `byte ${at} = ${value}`);
      survivors++;
    }
  }
  assert.ok(survivors > 0);
});

Deno.test("what is no module is an error", () => {
  for (const bytes of [[], [0], HEADER.slice(0, 7), [0x00, 0x61, 0x73, 0x6d, 0x0d, 0x00, 0x01, 0x00]]) {
    assert.match(meteringError(Uint8Array.from(bytes)).message, /not a WebAssembly module/);
  }
});

Deno.test("counts that promise more than there is are errors, found at once", () => {
  const many = [0xff, 0xff, 0xff, 0xff, 0x0f];
  for (const section of [1, 2, 3, 4, 5, 6, 7, 9, 10]) {
    meteringError(Uint8Array.from([...HEADER, section, many.length, ...many]));
  }
  meteringError(moduleOf(0x0e, ...many, 0x0b));
  meteringError(moduleOf(0x1c, ...many, 0x0b));
  meteringError(Uint8Array.from([...HEADER, 1, ...many]));
  meteringError(Uint8Array.from([...HEADER, ...TYPE_AND_FUNCTION, 10, 9, 1, 7, 1, ...many, 0x7f]));
});

Deno.test("sections that are unknown, repeated or out of order are errors", () => {
  const types = [1, 1, 0];
  assert.match(meteringError(Uint8Array.from([...HEADER, 14, 0])).message, /unknown section 14/);
  assert.match(meteringError(Uint8Array.from([...HEADER, ...types, ...types])).message, /out of order/);
  assert.match(meteringError(Uint8Array.from([...HEADER, 2, 1, 0, ...types])).message, /out of order/);
});

Deno.test("overlong integers are errors", () => {
  assert.match(meteringError(moduleOf(0x41, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00, 0x0b)).message, /too large/);
  assert.match(meteringError(moduleOf(0x10, 0xff, 0xff, 0xff, 0xff, 0x1f, 0x0b)).message, /too large/);
});

Deno.test("bodies that end too early or too late are errors", () => {
  meteringError(moduleOf(0x0b, 0x0b));
  meteringError(moduleOf(0x02, 0x40, 0x0b));
  meteringError(moduleOf(0x01));
  meteringError(Uint8Array.from([...HEADER, ...TYPE_AND_FUNCTION]));
});

Deno.test("a hundred thousand nested blocks are no problem", () => {
  const depth = 100_000;
  const nested = [...new Array(depth).fill([0x03, 0x40]).flat(), ...new Array(depth + 1).fill(0x0b)];
  const size = [nested.length + 1, nested.length + 6];
  const leb = (
    value: number,
  ) => [value & 0x7f | 0x80, value >> 7 & 0x7f | 0x80, value >> 14 & 0x7f | 0x80, value >> 21];
  const code = [1, ...leb(size[0]!), 0, ...nested];
  const wasm = Uint8Array.from([...HEADER, ...TYPE_AND_FUNCTION, 10, ...leb(code.length), ...code]);
  assert.equal(meter(wasm).stats.loops, depth);
});

Deno.test("64-bit memories, garbage collection and components are refused", () => {
  meteringError(Uint8Array.from([...HEADER, 5, 3, 1, 0x04, 1]));
  assert.match(
    meteringError(Uint8Array.from([...HEADER, 1, 3, 1, 0x5f, 0])).message,
    /unknown form of type 0x5f/,
  );
});
