class LRU extends Map {
  constructor(limit) {
    super();
    this.limit = limit;
  }
  get(key) {
    if (!super.has(key)) return undefined;
    const value = super.get(key);
    super.delete(key);
    super.set(key, value);
    return value;
  }
  set(key, value) {
    super.delete(key);
    super.set(key, value);
    if (this.size > this.limit) super.delete(this.keys().next().value);
    return this;
  }
}
const cache = new LRU(2);
cache.set("a", 1).set("b", 2);
cache.get("a");
cache.set("c", 3);
console.log(cache, [...cache.keys()]);

function* fibonacci() {
  let [a, b] = [0n, 1n];
  for (;;) {
    yield a;
    [a, b] = [b, a + b];
  }
}
const take = function* (n, it) {
  for (const x of it) {
    if (n-- <= 0) return;
    yield x;
  }
};
console.log([...take(12, fibonacci())].join(" "), [...take(100, fibonacci())].at(-1));
const memo = new WeakMap();
const key = {};
memo.set(key, "kept");
console.log(memo.get(key), memo);
const frozen = Object.freeze({ a: { b: 1 } });
console.log(Object.isFrozen(frozen), structuredClone(frozen), { ...frozen, c: 2 });
const proxy = new Proxy({}, { get: (_t, name) => `got ${String(name)}` });
console.log(proxy.anything, Reflect.ownKeys({ b: 1, a: 2, [Symbol("s")]: 3 }));
console.log(
  [3, 1, 2].toSorted(),
  [1, [2, [3, [4]]]].flat(Infinity),
  Object.fromEntries([["x", 1]]),
  [1, 2, 3].at(-1),
);
const tag = (s, ...v) => s.raw.join("|") + v.join();
console.log(tag`a${1}b${2}c`, "abc".padStart(5, "*"), "a-b-c".replaceAll("-", "+"), "x".codePointAt(0));
console.log(
  new Date(Date.UTC(2020, 0, 31)).toISOString(),
  JSON.stringify({ d: new Date(0), u: undefined, n: NaN, big: [1e21] }),
);
label: for (let i = 0; i < 3; i++) {
  for (let j = 0; j < 3; j++) {
    if (j === 1) continue label;
    if (i === 2) break label;
    console.log(i, j);
  }
}
