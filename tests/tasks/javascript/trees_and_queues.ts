type Matrix = number[][];
const mul = (a: Matrix, b: Matrix): Matrix =>
  a.map((r) => b[0]!.map((_, j) => r.reduce((s, x, k) => s + x * b[k]![j]!, 0)));
console.log(mul([[1, 2], [3, 4]], [[5, 6], [7, 8]]));
interface Node_<T> {
  value: T;
  left?: Node_<T>;
  right?: Node_<T>;
}
function insert<T>(n: Node_<T> | undefined, v: T): Node_<T> {
  if (!n) return { value: v };
  return v < n.value ? { ...n, left: insert(n.left, v) } : { ...n, right: insert(n.right, v) };
}
let root: Node_<number> | undefined;
for (const v of [5, 3, 8, 1, 4, 9]) root = insert(root, v);
console.log(root);
console.dir(root, { depth: null });
function* walk<T>(n?: Node_<T>): Generator<T> {
  if (!n) return;
  yield* walk(n.left);
  yield n.value;
  yield* walk(n.right);
}
console.log([...walk(root)]);
const memo = new Map<string, bigint>();
const fact = (n: bigint): bigint =>
  n <= 1n ? 1n : memo.get(`${n}`) ?? (memo.set(`${n}`, n * fact(n - 1n)), memo.get(`${n}`)!);
console.log(fact(25n), memo.size);
class Queue<T> {
  private items: T[] = [];
  enqueue = (x: T): void => {
    this.items.push(x);
  };
  dequeue = (): T | undefined => this.items.shift();
}
const q = new Queue<string>();
q.enqueue("a");
console.log(q, q.dequeue());
type Ev = { type: "add"; n: number } | { type: "reset" };
const red = (s: number, e: Ev): number => {
  switch (e.type) {
    case "add":
      return s + e.n;
    case "reset":
      return 0;
  }
};
console.log(([{ type: "add", n: 5 }, { type: "reset" }, { type: "add", n: 2 }] as Ev[]).reduce(red, 0));
const [first, , third = 10, ...others]: (number | undefined)[] = [1, 2, undefined, 4, 5];
console.log(first, third, others);
console.log(
  Object.entries({ a: 1, b: 2 } as Record<string, number>).map(([k, v]: [string, number]) => `${k}=${v}`)
    .join("&"),
);
using_();
function using_() {
  const sym: unique symbol = Symbol("u") as any;
  console.log(sym.toString());
}
try {
  JSON.parse("{");
} catch (err: any) {
  console.log(err?.name);
}
export {};
