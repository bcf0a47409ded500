const util = require("util");
class Foo {
  #p = 1;
  a = 1;
  get g() {
    return 1;
  }
  set s(v) {}
  static st = 1;
  m() {}
  [Symbol("sy")] = 2;
  [util.inspect.custom]() {
    return "custom!";
  }
}
class Bar extends Array {}
class Baz extends Map {}
class Emp {}
const circ = { name: "c" };
circ.self = circ;
circ.arr = [circ];
console.log(
  new Foo(),
  [new Foo()],
  Foo,
  Bar,
  new Bar(1, 2, 3),
  new Baz([[1, { a: 2 }]]),
  new Emp(),
  Object.create(null),
  Object.create({ a: 1 }),
  circ,
);
console.log([undefined, null, NaN, -0, 1n, "str", Symbol("s"), true], [, 1, , , 2], {
  a: undefined,
  "b-c": 1,
  3: 4,
}, [["nested", ["deep", ["deeper", ["deepest"]]]]]);
console.log(
  new Error("msg").message,
  [new Error("in array").message],
  { e: new RangeError("r").name },
  function named() {},
  () => {},
  async () => {},
  function* g() {},
  async function* ag() {},
  class {},
  class A extends Foo {},
);
console.log(
  new Set([1, "a", { b: 1 }]),
  new Map([["k", new Map([["in", 1]])]]),
  new WeakMap(),
  new Date(0),
  /re/gi,
  Promise.resolve(4),
  Promise.reject(new Error("x")).catch(() => {}) && 0,
  new Proxy({ p: 1 }, {}),
  Buffer.from("abc"),
  new Uint8Array(3),
  new ArrayBuffer(4),
  new DataView(new ArrayBuffer(2)),
);
console.log(
  "%s is %d years and %i, %f, %j %o %O %% %c",
  "Bob",
  42.5,
  42.9,
  "3.14",
  { a: 1 },
  [1],
  { deep: { er: { x: { y: 1 } } } },
  "css",
  "extra",
  { z: 1 },
);
console.log(
  util.inspect({ a: { b: { c: { d: 1 } } } }, { depth: 0 }),
  util.inspect({ a: { b: { c: { d: 1 } } } }, false, null),
  util.inspect("it's"),
  util.inspect("q\"'`"),
  util.inspect(new Map([[{ a: 1 }, "v"]]), { compact: false }),
  util.inspect({ b: 1, a: 2 }, { sorted: true }),
  util.inspect("x".repeat(10), { maxStringLength: 3 }),
  util.inspect([1, 2, 3, 4], { maxArrayLength: 2 }),
  util.inspect({ a: 1 }, { colors: true }),
  util.inspect({
    get a() {
      return 1;
    },
  }, { getters: true }),
  util.inspect({ x: 1 }, { showHidden: true }),
);
console.log(
  Array.from({ length: 120 }, (_, i) => i),
  "a".repeat(200).length,
  Array.from({ length: 30 }, (_, i) => "item" + i),
);
console.log({
  long: "x".repeat(90),
  multi: "line1\nline2",
  fn() {},
  arrow: () => 1,
  nested: { arr: [1, 2, 3], obj: { k: "v", z: { q: 1 } } },
  [Symbol.toStringTag]: "Tagged",
});
console.log([1.0, 2.5, -3], ["a", "b"], [true, false], [{ a: 1, b: 2 }, { a: 3, b: 4 }], [[1, 2], [3, 4]], {
  a: [],
  b: {},
  c: new Map(),
  d: new Set(),
  e: "",
});
console.log(
  process.versions.node.split(".")[0],
  typeof globalThis,
  util.types.isPromise(Promise.resolve()),
  util.isDeepStrictEqual({ a: [1] }, { a: [1] }),
  util.format("%s", null, undefined, 5n, Symbol("q"), [1, [2, [3]]], { a: { b: { c: {} } } }),
);
console.log(
  Object.assign(() => {}, { a: 1 }),
  Object.assign(function f() {}, { b: { c: 1 } }),
  new (class extends Error {
    name = "Custom";
    code = "E1";
  })("cm").toString(),
  [1, 2, 3].entries(),
  new Map([[1, 2]]).keys(),
  "abc"[Symbol.iterator](),
  (function () {
    return arguments;
  })(1, 2),
);
