const M = (r, c, f) => Array.from({ length: r }, (_, i) => Array.from({ length: c }, (_, j) => f(i, j)));
const mul = (a, b) => a.map((r) => b[0].map((_, j) => r.reduce((s, x, k) => s + x * b[k][j], 0)));
const id = M(3, 3, (i, j) => +(i === j));
console.log(mul(id, M(3, 3, (i, j) => i + j)), M(2, 2, () => 0.1 + 0.2));
console.log(M(12, 12, (i, j) => i * j));
console.log(M(3, 40, (i, j) => i + j));
console.log([[1.5, 2.25, 3], ["a", "bb", "ccc"]], [["x".repeat(80)]], [{ a: 1 }, {
  a: 2,
  b: [1, 2, { c: 3 }],
}]);
const life = (g) =>
  g.map((r, y) =>
    r.map((c, x) => {
      let n = 0;
      for (let dy = -1; dy < 2; dy++) {
        for (let dx = -1; dx < 2; dx++) if (dx || dy) n += g[(y + dy + 5) % 5][(x + dx + 5) % 5];
      }
      return +(n === 3 || (c && n === 2));
    })
  );
let g = [[0, 0, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 1, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 0, 0]];
for (let i = 0; i < 3; i++) {
  console.log(g.map((r) => r.map((c) => ".#"[c]).join("")).join("\n") + "\n");
  g = life(g);
}
const primes = (n) => {
  const s = new Uint8Array(n + 1);
  const out = [];
  for (let i = 2; i <= n; i++) {
    if (!s[i]) {
      out.push(i);
      for (let j = i * i; j <= n; j += i) s[j] = 1;
    }
  }
  return out;
};
console.log(primes(100), primes(1e5).length, primes(50).map(String).join("|"));
const perms = (a) =>
  a.length < 2
    ? [a]
    : a.flatMap((x, i) => perms([...a.slice(0, i), ...a.slice(i + 1)]).map((p) => [x, ...p]));
console.log(perms([1, 2, 3]));
const hanoi = (n, a = "A", b = "B", c = "C") => n ? hanoi(n - 1, a, c, b) + 1 + hanoi(n - 1, c, b, a) : 0;
console.log(hanoi(10));
const mem = new Map();
const f = (n) => n < 2 ? BigInt(n) : mem.get(n) ?? (mem.set(n, f(n - 1) + f(n - 2)), mem.get(n));
console.log(f(200));
const lev = (a, b) => {
  const d = M(a.length + 1, b.length + 1, (i, j) => i && j ? 0 : i + j);
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      d[i][j] = Math.min(d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] !== b[j - 1]));
    }
  }
  return d[a.length][b.length];
};
console.log(lev("kitten", "sitting"));
console.log(
  { tree: { v: 1, l: { v: 2, l: null, r: { v: 3, l: { v: 4 } } } } },
  [new Date(0), /x/, null, undefined, NaN, -0, 1e100, 0xffn],
  [[[[[]]]], {}],
  [[], [[]], {}],
  { f: Math.max, s: Symbol.iterator, [Symbol("x")]: { y: 1 } },
);
console.log(process.memoryUsage().heapUsed > 1e5, [1.123456789, 100, 1e-9], [true, null], [
  "multi\nline",
  "quote's",
  "both'\"",
  "back`tick",
  "tab\t",
  "uni\u0001",
  "\u{1F600}",
], "plain\ttab");
