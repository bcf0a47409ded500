/** Decorators of TypeScript: the language's own, and TypeScript's earlier ones. */

import assert from "node:assert/strict";
import { Session } from "../../../support/javascript_harness.ts";

async function printed(code: string): Promise<string> {
  const ran = await new Session().run(code, { dialect: "typescript" });
  assert.equal(ran.status, "completed", JSON.stringify(ran));
  return ran.stdout;
}

Deno.test("decorators with a context get a value, and give another one", async () => {
  const code = `
    type Method = (this: any, ...args: any[]) => any;
    function logged(value: Method, context: ClassMethodDecoratorContext) {
      context.addInitializer(function (this: any) { console.log("begins", String(context.name)); });
      return function (this: any, ...args: any[]) { console.log("call", context.name, context.static); return value.apply(this, args); };
    }
    const times = (by: number) => (_value: undefined, { kind, name }: ClassFieldDecoratorContext) => {
      console.log(kind, name); return (initial: number) => initial * by;
    };
    const plus = (by: number) => (_value: undefined, _context: ClassFieldDecoratorContext) => (initial: number) => initial + by;
    function known(Class: any, context: ClassDecoratorContext) {
      context.addInitializer(function (this: any) { console.log("made", this.name); });
      return class extends Class { extra = 1; };
    }
    @known
    export class Counter {
      @times(10) @plus(1) start: number = 1; @times(2) static step = 4;
      @logged
      add(by: number): number { return this.start + by; }
      @logged static zero() { return 0; }
      @((get: any, context: ClassGetterDecoratorContext) => function (this: any) { return get.call(this) + "!"; }) get word() { return "a"; }
    }
    const counter: any = new Counter();
    console.log(counter.add(5), Counter.zero(), Counter.step, counter.word, counter);`;
  assert.equal(
    await printed(code),
    "field start\nfield step\nbegins zero\nmade Counter\nbegins add\ncall add false\ncall zero true\n" +
      "16 0 8 a! Counter { start: 11, extra: 1 }\n",
  );
});

Deno.test("earlier decorators get an object, a key and a descriptor, those of parameters a number", async () => {
  const code = `
    function log(target: any, key: string, descriptor: PropertyDescriptor) {
      const original = descriptor.value;
      descriptor.value = function (...args: any[]) { console.log(key, args); return original.apply(this, args); };
      return descriptor;
    }
    function note(text: string) {
      console.log("asked", text);
      return function (_target: any, _key: string, _descriptor: PropertyDescriptor) { console.log("called", text); };
    }
    const given: unknown[] = [];
    const inject = (token: string) => (_target: object, key: string | undefined, index: number) => void given.push([token, key, index]);
    function MinLength(least: number) {
      return function (target: any, propertyKey: string) {
        let value: string;
        Object.defineProperty(target, propertyKey, { get: () => value, set(next: string) {
          if (next.length < least) throw new Error(propertyKey + " is too short"); value = next; } });
      };
    }
    const marked: unknown[] = []; const mark = (value: number): any => (t: any, p?: string) => void marked.push([value, p]);
    const columns: string[] = []; const Column = (_target: any, key: string) => void columns.push(key);
    function Table(name: string) { return <T extends { new (...args: any[]): {} }>(target: T) => class extends target { table = name; }; }
    function sealed(target: Function) { Object.seal(target); }
    @sealed @mark(1)
    @Table("users")
    export class User {
      @Column id = 1; @Column
      note?: string;
      @MinLength(3) name!: string;
      constructor(@inject("a, (b)") name: string, @inject("age") private age: number = 3) { this.name = name; }
      @log
      greet(@inject("x") greeting: string /* a comment, with one */, more?: { a: 1, b: 2 }, @inject("y") other?: string): string { return greeting + this.name; }
      @mark(2) marks() { return marked; }
      @note("first")
      @note("second")
      static async all<T>(): Promise<T[]> { return []; }
    }
    const user: any = new User("Bob");
    console.log(user.greet("Hi "), user.table, user.age, columns, JSON.stringify([given, user.marks()]), Object.isSealed(User));
    try { new User("Al"); } catch (error: any) { console.log(error.message); }`;
  assert.equal(
    await printed(code),
    "asked first\nasked second\ncalled second\ncalled first\ngreet [ 'Hi ' ]\nHi Bob users 3 [ 'id', 'note' ] " +
      '[[["y","greet",2],["x","greet",0],["age",null,1],["a, (b)",null,0]],[[2,"marks"],[1,null]]] true\nname is too short\n',
  );
});

Deno.test("decorators stand in expressions and in files, and leave lines where they are", async () => {
  const session = new Session();
  const run = (code: string) => session.run(code, { dialect: "typescript" });
  await run(`require("fs").writeFileSync("shape.ts", \`
    import { track } from "./track.ts";
    @track()
    export default class Shape { @track({
      deep: [1, 2],
    }) area(): number { throw new Error("here"); } }\`);
    require("fs").writeFileSync("track.ts", \`export const seen: unknown[] = [];
    export const track = (more?: object) => (_target: any, ...rest: any[]) => void seen.push([typeof rest[0], more]);\`);`);
  const ran = await run(`import Shape from "./shape.ts"; import { seen } from "./track.ts";
    const Inner = (() => { const mark = (target: any) => { target.marked = true; }; return @mark class Own { }; })();
    let line = ""; try { new Shape().area(); } catch (error: any) { line = /shape\\.ts:\\d+/.exec(error.stack)![0]; }
    console.log(seen, (Inner as any).marked, Inner.name, line);`);
  assert.equal(
    ran.stdout,
    "[ [ 'object', { deep: [Array] } ], [ 'object', undefined ] ] true Own shape.ts:6\n",
    JSON.stringify(ran),
  );
});

Deno.test("fields without a value are there, whatever a constructor declares", async () => {
  const code = `
    class Point { label?: string; x!: number
      fn?: () => void
      declare only: string; static unit: string; constructor(public y = 2) {} }
    abstract class Base { abstract kind: string; value: { a: 1 } | null; constructor(readonly id: number) { this.value = null; } }
    class Leaf extends Base { kind = "leaf"; "quoted-key": string
      [Symbol.for("k")]: number }
    console.log(new Point(), Object.keys(Point), new Leaf(1));`;
  assert.equal(
    await printed(code),
    "Point { y: 2, label: undefined, x: undefined, fn: undefined } [ 'unit' ] Leaf {\n  id: 1,\n  value: null,\n" +
      "  kind: 'leaf',\n  'quoted-key': undefined,\n  [Symbol(k)]: undefined\n}\n",
  );
});
