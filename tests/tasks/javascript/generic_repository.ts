import { EventEmitter } from "node:events";
import type { Readable } from "node:stream";
import * as fs from "node:fs";
import { type Stats, statSync } from "fs";
interface Repo<T extends { id: number }, K extends keyof T = keyof T> {
  get(id: number): T | undefined;
  all(): ReadonlyArray<T>;
  pluck(k: K): T[K][];
}
class MemRepo<T extends { id: number }> implements Repo<T> {
  private readonly m: Map<number, T> = new Map<number, T>();
  constructor(...xs: T[]) {
    for (const x of xs) this.m.set(x.id, x);
  }
  get(id: number) {
    return this.m.get(id);
  }
  all() {
    return [...this.m.values()];
  }
  pluck<K extends keyof T>(k: K) {
    return this.all().map((x) => x[k]);
  }
}
type User = { id: number; name: string; tags?: string[] };
const r = new MemRepo<User>({ id: 1, name: "A" }, { id: 2, name: "B", tags: ["x"] });
console.log(r.pluck("name"), r.get(2)?.tags?.[0] ?? "none", r.get(9)?.name ?? "missing");
type DeepPartial<T> = { [P in keyof T]?: T[P] extends object ? DeepPartial<T[P]> : T[P] };
const p: DeepPartial<User> = { name: "z" };
console.log(p as User);
function isUser(x: unknown): x is User {
  return typeof x === "object" && x !== null && "id" in x;
}
console.log(isUser({ id: 1 }), isUser(null));
function assertIsString(val: any): asserts val is string {
  if (typeof val !== "string") throw new TypeError("Not a string!");
}
try {
  assertIsString(5);
} catch (e: unknown) {
  if (e instanceof Error) console.log(e.message);
}
class Typed<E extends Record<string, unknown[]>> extends EventEmitter {
  fire<K extends keyof E & string>(k: K, ...a: E[K]): boolean {
    return this.emit(k, ...a);
  }
}
const t = new Typed<{ a: [number, string] }>();
t.on("a", (n: number, s: string): void => console.log(n, s));
t.fire("a", 1, "x");
const fn = async <T>(x: T): Promise<T[]> => [x];
console.log(await fn(5));
const obj = { a: 1, b: "x" } as const;
type Keys = keyof typeof obj;
const k: Keys = "a";
console.log(obj[k]);
let x!: number;
x = 5;
console.log(x!);
const u = <unknown> "cast";
console.log(u);
let opt: { a?: { b?: () => number } } = {};
console.log(opt.a?.b?.());
console.log([1, 2, 3].map((n): string => `${n}`));
label: for (const i of [1, 2]) {
  for (const j of [1]) {
    if (i === 2) break label;
    console.log(i, j);
  }
}
accessorTest();
function accessorTest(this: void) {
  class Acc {
    private _v = 1;
    get v(): number {
      return this._v;
    }
    set v(n: number) {
      this._v = n;
    }
    static readonly S: string = "s";
    [key: string]: any;
  }
  const a = new Acc();
  a.v = 4;
  console.log(a.v, Acc.S, a);
}
declare global {
  interface Window {
    q: number;
  }
}
declare const FOO: string;
declare function bar(): void;
console.log(typeof FOO);
const s: Stats = statSync("/");
console.log(s.isDirectory(), typeof fs.readFileSync);
export default r;
export const enum CE {
  A = "a",
}
console.log(CE.A);
type Fn = (this: Date, ...rest: string[]) => void;
abstract class Q {
  abstract x: number;
  protected abstract m(): void;
}
console.log(typeof Q);
let z = 5 as number satisfies number;
z += 1;
console.log(z);
const big = 123n as bigint;
console.log(big);
enum E {
  A = "x".length,
  B = A * 2,
}
console.log(E);
