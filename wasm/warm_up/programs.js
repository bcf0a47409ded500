// What programs do that agents write, for V8 to compile the engine by (src/executor/process/warm_up.ts): none of what the bench runs.

class Shape {
  static count = 0;
  #name;
  constructor(name) {
    this.#name = name;
    Shape.count++;
  }
  get name() {
    return this.#name;
  }
  area() {
    return 0;
  }
  toString() {
    return `${this.name}: ${this.area().toFixed(2)}`;
  }
}
class Circle extends Shape {
  constructor(radius) {
    super("circle");
    this.radius = radius;
  }
  area() {
    return Math.PI * this.radius ** 2;
  }
}
class Box extends Shape {
  constructor(width, height) {
    super("box");
    Object.assign(this, { width, height });
  }
  area() {
    return this.width * this.height;
  }
}

function objects() {
  const shapes = [];
  for (let i = 0; i < 400; i++) shapes.push(i % 3 ? new Circle(i % 7) : new Box(i % 5, i % 11));
  const total = shapes.reduce((sum, shape) => sum + shape.area(), 0);
  const groups = Object.groupBy(shapes, ({ name }) => name);
  const lines = shapes.map(String).sort().filter((line, i, all) => line !== all[i - 1]);
  return [total, Object.keys(groups), lines.length, Shape.count];
}

function collections() {
  const words = "the quick brown fox jumps over the lazy dog and runs away from the bear".split(" ");
  const counts = new Map();
  const seen = new Set();
  const index = {};
  for (let i = 0; i < 2500; i++) {
    const word = words[(i * 7) % words.length] + (i % 13);
    counts.set(word, (counts.get(word) ?? 0) + 1);
    seen.add(word.length);
    (index[word[0]] ??= []).push(i);
  }
  const top = [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).slice(0, 5);
  const flat = Object.entries(index).flatMap(([letter, at]) => at.map((i) => [letter, i]));
  return [top, seen.size, flat.length, Math.max(...flat.map(([, i]) => i))];
}

function numbers() {
  let state = 42, sum = 0;
  const values = [];
  for (let i = 0; i < 3000; i++) {
    state = (state * 1103515245 + 12345) & 0x7fffffff;
    values.push(state / 0x7fffffff);
    sum ^= (state >>> 3) | (i << 2);
  }
  values.sort((a, b) => a - b);
  const mean = values.reduce((a, b) => a + b) / values.length;
  const matrix = Array.from(
    { length: 16 },
    (_, i) => Array.from({ length: 16 }, (_, j) => Math.sin(i * j + sum)),
  );
  let trace = 0;
  for (let i = 0; i < 16; i++) {
    for (let j = 0; j < 16; j++) for (let k = 0; k < 16; k++) trace += matrix[i][k] * matrix[k][j];
  }
  let big = 1n;
  for (let i = 1n; i < 60n; i++) big *= i;
  const bytes = new Uint8Array(4096);
  for (let i = 0; i < bytes.length; i++) bytes[i] = (bytes[i - 1] ?? 1) * 31 + i;
  return [mean, trace, big.toString().length, bytes.reduce((a, b) => a + b)];
}

function text() {
  const log = Array.from(
    { length: 250 },
    (_, i) =>
      `2024-0${i % 9 + 1}-1${i % 9} 10:${String(i % 60).padStart(2, "0")} [${
        ["INFO", "WARN"][i % 2]
      }] user${i}@example.com took ${i * 3} ms`,
  ).join("\n");
  let found = 0;
  for (const line of log.split("\n")) {
    const match = /^(\d{4})-(\d\d)-\d\d (?<time>[\d:]+) \[(\w+)\] (.*) took (\d+) ms$/.exec(line);
    if (match?.groups.time && Number(match[6]) % 2) found++;
  }
  const mails = [...log.matchAll(/\b[\w.]+@[\w.]+\.\w+\b/g)].map(([mail]) => mail.toUpperCase());
  const masked = log.replace(/\d+/g, (digits) => "#".repeat(digits.length)).replaceAll("[INFO]", "");
  let built = "";
  for (let i = 0; i < 1500; i++) built += String.fromCharCode(97 + i % 26) + i;
  const rows = log.split("\n").map((line) => line.split(" ").map((cell) => cell.trim()));
  return [found, mails.length, masked.length, built.slice(-20), rows.length, built.indexOf("z1000")];
}

function json() {
  const data = Array.from({ length: 250 }, (_, id) => ({
    id,
    name: `item ${id}`,
    price: id * 1.25,
    tags: ["a", "b\n", null],
    nested: { ok: id % 2 === 0, at: [id, -id] },
  }));
  const copy = JSON.parse(
    JSON.stringify(data, null, 2),
    (key, value) => key === "price" ? Math.round(value) : value,
  );
  const { length } = JSON.stringify(copy.map(({ id, ...rest }) => ({ ...rest, key: `k${id}` })));
  return [length, structuredClone(copy[3]).nested.at[0], new Date(86400000 * copy.length).toISOString()];
}

function* walk(tree) {
  if (!tree) return;
  yield* walk(tree.left);
  yield tree.value;
  yield* walk(tree.right);
}
function algorithms() {
  let root;
  const insert = (node, value) => {
    if (!node) return { value, left: undefined, right: undefined };
    if (value < node.value) node.left = insert(node.left, value);
    else node.right = insert(node.right, value);
    return node;
  };
  for (let i = 0; i < 200; i++) root = insert(root, (i * 7919) % 1009);
  const fib = (n) => n < 2 ? n : fib(n - 1) + fib(n - 2);
  const edges = Array.from({ length: 150 }, (_, i) => [i, (i * 17 + 5) % 150, (i * 3 + 1) % 150]);
  const distance = new Map([[0, 0]]);
  for (const queue = [0]; queue.length > 0;) {
    const at = queue.shift();
    for (const next of edges[at]) {
      if (!distance.has(next)) distance.set(next, distance.get(at) + 1), queue.push(next);
    }
  }
  const memo = {};
  const ways = (n) => n <= 1 ? 1 : memo[n] ??= ways(n - 1) + ways(n - 2);
  try {
    null.property;
  } catch (error) {
    memo.error = error.message;
  }
  return [[...walk(root)].length, fib(16), distance.size, ways(60), memo.error];
}

async function waiting() {
  const results = await Promise.all(Array.from({ length: 150 }, async (_, i) => {
    await null;
    return i * 2;
  }));
  async function* count() {
    for (const each of results) yield each;
  }
  let sum = 0;
  for await (const each of count()) sum += each;
  return sum;
}

const results = [];
for (let round = 0; round < 4; round++) {
  results.push([objects(), collections(), numbers(), text(), json(), algorithms(), await waiting()]);
}
if (new Set(results.map((each) => JSON.stringify(each.slice(1)))).size !== 1) {
  throw new Error("rounds differ");
}
