const util = require("util");
const { parseArgs, inspect, format, promisify, types, isDeepStrictEqual, inherits, deprecate, TextEncoder } =
  util;
console.log(parseArgs({
  args: ["-v", "--name=x", "pos", "--no-color", "-abc", "--", "rest"],
  options: {
    verbose: { type: "boolean", short: "v" },
    name: { type: "string" },
    a: { type: "boolean", short: "a" },
    b: { type: "boolean", short: "b" },
    c: { type: "boolean", short: "c" },
    color: { type: "boolean" },
  },
  allowPositionals: true,
  allowNegative: true,
  strict: false,
}));
for (const args of [["--bad"], ["--name"], ["x"], ["--verbose=1"]]) {
  try {
    parseArgs({ args, options: { name: { type: "string" }, verbose: { type: "boolean" } } });
  } catch (e) {
    console.log(e.code, e.message);
  }
}
console.log(
  format("%s %d %i %f %j %o %O %c %%", "a", "42", 42.9, "1.5", { x: 1 }, [1], { y: { z: {} } }, "css"),
  format("x", { a: 1 }, "y"),
  format("%s", null, undefined, 5n, Symbol("a")),
  format("%s", {
    toString() {
      return "ts";
    },
  }),
  format("%d", "abc"),
);
console.log(
  inspect({ a: { b: { c: {} } } }, { depth: 0 }),
  inspect({ a: 1, b: "x" }, { compact: false }),
  inspect("a'b"),
  inspect(new Map([[1, { a: 2 }]]), { showHidden: true }),
  inspect([1, 2, 3], { maxArrayLength: 1 }),
  inspect("x".repeat(200), { maxStringLength: 10 }),
  inspect({ b: 1, a: 2 }, { sorted: true }),
  inspect({
    get a() {
      return 1;
    },
  }, { getters: true }),
  inspect({ a: 1n, b: Symbol("s") }, { colors: true }),
  inspect(Object.create({ x: 1 })),
  inspect(
    new (class Foo {
      constructor() {
        this.q = 1;
      }
    })(),
  ),
  inspect(class X extends Array {}),
  inspect(Object.create(null)),
  inspect([,]),
  inspect([undefined, null]),
  inspect(new Error("e").message),
  inspect({
    [inspect.custom](d, o) {
      return "custom" + d;
    },
  }),
  inspect(async () => {}),
  inspect(function* g() {}),
  inspect(globalThis).length > 100,
);
console.log(
  types.isPromise(Promise.resolve()),
  types.isRegExp(/x/),
  isDeepStrictEqual({ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }),
  util.types.isDate(new Date()),
  util.inspect(new Set([[1, 2], "x"])),
  util.stripVTControlCharacters("\u001b[31mred\u001b[0m"),
  util.toUSVString("a\ud800"),
  util.styleText ? "st" : "",
  util.isArray([]),
  util.inspect(new Date(0)),
  util.inspect(-0),
  util.inspect([["a", "b"], ["c"]], { breakLength: 10 }),
);
const f = util.callbackify(async (x) => x + 1);
f(1, (e, v) => console.log(e, v));
console.log(util.inspect("a\u0001b\u{1F600}\ud800"), util.inspect({ "a-b": 1, 2: 3, "valid_id": 4 }));
