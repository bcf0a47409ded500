class A {
  static #count = 0;
  #x = 1;
  y = this.#x + 1;
  static {
    A.boot = true;
  }
  static inc() {
    return ++A.#count;
  }
  get x() {
    return this.#x;
  }
  set x(v) {
    this.#x = v;
  }
  #priv() {
    return "p";
  }
  callPriv() {
    return this.#priv();
  }
  static [Symbol.hasInstance](o) {
    return "y" in o;
  }
  [Symbol.toPrimitive](h) {
    return h === "number" ? 7 : "A!";
  }
  *[Symbol.iterator]() {
    yield* [1, 2, 3];
  }
  async *gen() {
    for (const i of this) {
      await null;
      yield i;
    }
  }
  has(o) {
    return #x in o;
  }
  get [Symbol.toStringTag]() {
    return "AA";
  }
}
const a = new A();
console.log(
  a,
  A,
  A.inc(),
  A.inc(),
  a.x,
  a.callPriv(),
  ({ y: 1 }) instanceof A,
  +a,
  `${a}`,
  [...a],
  a.has(a),
  a.has({}),
  String(Object.prototype.toString.call(a)),
);
class B extends A {
  constructor() {
    super();
    this.z = new.target.name;
  }
  toString() {
    return "B" + super.callPriv();
  }
}
console.log(new B(), String(new B().toString()), B.name, Object.getOwnPropertyNames(B.prototype));
class Err extends Error {
  constructor(m, o) {
    super(m, o);
    this.name = "Err";
    this.code = 5;
  }
}
const e = new Err("boom", { cause: new TypeError("why") });
console.log(e instanceof Err, e.name, e.cause.message, Object.keys(e));
(async () => {
  for await (const i of a.gen()) console.log(i);
})();
const o = {
  a: { b: { c: { d: 1 } } },
  f() {},
  g: () => 1,
  h: class {},
  s: Symbol("q"),
  n: null,
  u: undefined,
  d: new Date(0),
  r: /x/gi,
  m: new Map([[{ k: 1 }, new Set([1])]]),
  big: 10n,
  nan: NaN,
  neg: -0,
  arr: [1, , 3],
  buf: Buffer.from("hi"),
  [Symbol("k")]: 1,
  get acc() {
    return 1;
  },
  set acc(v) {},
  get ro() {
    return 1;
  },
  set wo(v) {},
  ab: new ArrayBuffer(4),
  ta: new Float32Array([1.5, 2]),
  pr: Promise.resolve(5),
  pend: new Promise(() => {}),
  w: new WeakMap(),
  px: new Proxy({ t: 1 }, {}),
  err: null,
  gen: (function* () {})(),
  long: "x".repeat(120),
  nl: "a\nb'c",
  fnp: Object.assign(function foo() {}, { p: 1 }),
  date: new Date(NaN),
  args: (function () {
    return arguments;
  })(1, 2),
  nullproto: Object.create(null, { q: { value: 1, enumerable: true } }),
  sym: Object(Symbol("x")),
  bo: Object(true),
  st: Object("abc"),
};
o.self = o;
console.log(o);
console.log([o.m, [[[[1]]]], new Array(200).fill(7)]);
