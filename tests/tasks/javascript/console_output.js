console.log("%s is %d years and %i, %f, %j %o", "Bob", 42, 42.5, 1.5, { a: 1 }, [1, { b: 2 }]);
console.log("%c styled", "color: red");
console.group("G1");
console.log("in");
console.group();
console.warn("deep");
console.groupEnd();
console.log({ a: 1, b: [1, 2, 3] });
console.groupEnd();
console.log("out");
console.count();
console.count("x");
console.count();
console.countReset();
console.count();
console.assert(1 === 2, "assert %s", "msg");
console.assert(true);
console.dir({ a: { b: { c: { d: 1 } } } }, { depth: 0 });
console.log([1.0, -0, 0, 1e21, 1e-7, 0xff, 1_000]);
console.log([["a", 1], ["b", 2]], new Map([["a", { x: 1 }]]), new Set(["a", { b: 1 }]));
console.log();
console.log(null, undefined, true, "str", ["str", "it's", `"q"`], 5n, Symbol.iterator, -0, [-0]);
console.log(Array.from({ length: 120 }, (_, i) => i));
console.log("a".repeat(200).split("").slice(0, 7));
console.log({
  longlonglonglonglong: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
  another: "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
  arr: ["x", "y"],
});
console.log(Object.fromEntries(Array.from({ length: 30 }, (_, i) => ["k" + i, i])));
console.log([{ a: 1, b: { c: [1, [2, [3, [4]]]] } }]);
console.log(new Error("x").stack.split("\n")[0]);
console.log([new Error("inarr").message], [function foo() {}, class Bar {}, () => {}]);
console.log(process.stdout.columns);
console.log([[]], [{}], {}, [], [[], []], { a: {} }, { a: [] });
console.log(["a\nb"], "multi\nline", { s: "multi\nline" });
console.log([undefined, , null]);
console.log({ undefined: undefined, null: null });
console.log(Buffer.from("hello"), new Uint8Array(3), new DataView(new ArrayBuffer(2)));
console.log("é", ["日本語", "👍"], { "ключ": 1 });
