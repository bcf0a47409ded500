// What assertions say of values that differ.
const assert = require("node:assert");

function words(check) {
  try {
    check();
    console.log("nothing");
  } catch (error) {
    console.log(`${error.message}\n== ${error.operator} ${error.generatedMessage}`);
  }
}
const numbers = (change = {}) => Object.assign(Array.from({ length: 30 }, (_, at) => at), change);
const big = Array.from({ length: 80 }, (_, at) => `item ${at}`);

words(() => assert.deepStrictEqual(numbers(), numbers({ 15: -1 })));
words(() => assert.deepStrictEqual(numbers(), numbers({ 2: "2", 28: 0 })));
words(() => assert.deepStrictEqual([1, 2, 3], [2, 3, 4]));
words(() => assert.deepStrictEqual(big, big.map((each) => each.toUpperCase())));
words(() => assert.deepStrictEqual({ a: 1, b: { c: 2 } }, { a: 1, b: { c: 2, d: 3 }, e: 4 }));
words(() => assert.deepStrictEqual(new Error("one"), new Error("two")));
words(() => assert.deepStrictEqual({ key: Symbol("q") }, { key: Symbol("q") }));
words(() => assert.strictEqual("one\ntwo\nthree", "one\n2\nthree"));
words(() => assert.strictEqual([1], [1]));
words(() => assert.strictEqual(-0, 0));
words(() => assert.notStrictEqual(big, big));
words(() => assert.notDeepEqual([1], [1]));
words(() => assert.deepEqual(big, 1));
words(() => assert.equal({ a: { b: { c: { d: 1 } } } }, null));
words(() => assert.match("abc", /x/));
words(() =>
  assert.throws(() => {
    throw new Error("abc");
  }, /xyz/)
);
words(() =>
  assert.throws(() => {
    throw new TypeError("bad");
  }, RangeError)
);
assert.rejects(assert.rejects(() => new Map()), { code: "ERR_INVALID_RETURN_VALUE" }).then(() =>
  console.log("map")
);
