const assert = require("node:assert/strict");

function check(name, fn) {
  try {
    fn();
    console.log("ok", name);
  } catch (error) {
    console.log("not ok", name, "|", error.code, "|", error.message.split("\n")[0]);
  }
}
check("equal", () => assert.equal(1 + 1, 2));
check("strict", () => assert.equal(1, "1"));
check(
  "deep",
  () =>
    assert.deepEqual({ a: [1, { b: new Map([[1, new Set([2])]]) }] }, {
      a: [1, { b: new Map([[1, new Set([2])]]) }],
    }),
);
check("deep fails", () => assert.deepEqual({ a: 1 }, { a: 2 }));
check("throws", () => assert.throws(() => JSON.parse("{"), SyntaxError));
check("throws object", () =>
  assert.throws(() => {
    throw new TypeError("bad value");
  }, { name: "TypeError", message: /bad/ }));
check("no throw", () => assert.throws(() => {}));
check("match", () => assert.match("hello world", /wor/));
check("ok", () => assert.ok([]));
check("fails", () => assert.ok(null, "must be there"));
assert.rejects(Promise.reject(new Error("later")), /later/).then(() => console.log("rejected as expected"));
try {
  assert.deepStrictEqual([1, 2, 3], [1, 2, 4]);
} catch (error) {
  console.log(error.message);
}
