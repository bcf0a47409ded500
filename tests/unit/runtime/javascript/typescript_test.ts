import assert from "node:assert/strict";
import { Session } from "../../../support/javascript_harness.ts";

const typed = (session: Session, code: string) => session.run(code, { dialect: "typescript" });

async function value(code: string, session = new Session()): Promise<string | null> {
  const ran = await typed(session, code);
  if (ran.status !== "completed") throw new Error(`${code}: ${JSON.stringify(ran)}`);
  return ran.result;
}

Deno.test("types are taken off, whatever they look like", async () => {
  for (
    const [program, result] of [
      ["const n: number = 41; n + 1", "42"],
      [
        "interface A { a: string; b?: number }\ntype B = A & { c: A[] };\nconst a = { a: 'x' } as A; a!.a",
        "'x'",
      ],
      ["function f<T extends object>(x: T, y?: string): asserts x is T {}\nf<{}>({}); 1", "1"],
      ["const id = <T,>(x: T): T => x; id<number>(5)", "5"],
      [
        "class P { constructor(private readonly x: number, public y = 2) {} get sum(): number { return this.x + this.y } }\nnew P(1).sum",
        "3",
      ],
      [
        "abstract class Q { abstract m(): void; protected z?: string; static #p: number = 1; static p(): number { return Q.#p } }\nQ.p()",
        "1",
      ],
      [
        "enum Color { Red, Green = 'g', Blue = 1 << 3 }\n[Color.Red, Color.Green, Color[8]].join()",
        "'0,g,Blue'",
      ],
      ["const enum Flag { A = 1, B = A << 1 }\nFlag.B", "2"],
      [
        "function o(a: string): void;\nfunction o(a: number): void;\nfunction o(a: any) { return typeof a }\no(1)",
        "'number'",
      ],
      ["declare const outside: string;\ndeclare module 'x' { }\ntypeof outside", "'undefined'"],
      ["let { a, b }: { a: string; b: number } = { a: 'x', b: 2 }; a + b", "'x2'"],
      ["const t = { v: 1 } satisfies Record<string, number>; t.v", "1"],
      ["try { throw 1 } catch (e: unknown) { (e as number) + 1 }", "2"],
      ["new Map<string, number[]>([['a', [1]]]).get('a')![0]", "1"],
      ["namespace OnlyTypes { export interface I { x: 1 } }\n1", "1"],
    ] as const
  ) assert.equal(await value(program), result, program);
});

Deno.test("what a program in TypeScript declares is there for the next one, in JavaScript too", async () => {
  const session = new Session();
  await value(
    "enum Size { S, M }\ninterface Item { size: Size }\nconst items: Item[] = [{ size: Size.M }]",
    session,
  );
  assert.equal(await session.value("items[0].size === Size.M"), "true");
  assert.equal(await value("const again: number = items.length; again", session), "1");
});

Deno.test("a program that is no JavaScript, but would be without types, simply runs without them", async () => {
  const session = new Session();
  assert.equal(await session.value("interface A { x: number }\nconst a: A = { x: 1 }; a.x"), "1");
  assert.equal(await session.value("const g = async <T>(x: T): Promise<T> => x; await g<number>(2)"), "2");
  assert.equal(
    await session.value("const React = { createElement: (t, p, ...c) => [t, c] }; <b>{1}</b>"),
    "[ 'b', [ 1 ] ]",
  );
});

Deno.test("a program that is neither fails with what JavaScript says of it, and runs once", async () => {
  const session = new Session();
  const { type, message } = await session.error("console.log('x'); const = 5");
  assert.deepEqual([type, /variable name/.test(message)], ["SyntaxError", true], message);
  const ran = await session.run("count = (globalThis.count ?? 0) + 1; throw new SyntaxError('own')");
  assert.equal(ran.status === "failed" && ran.error.message, "own");
  assert.equal(await session.value("count"), "1");
  const parsed = await session.run("count++; JSON.parse('{')");
  assert.equal(parsed.status, "failed");
  assert.equal(await session.value("count"), "2");
});

Deno.test("errors name the lines as they were written", async () => {
  const session = new Session();
  const ran = await typed(
    session,
    "interface A {\n  x: number;\n}\n\nfunction f(a: A): never {\n  throw new Error(`x${a.x as number}`);\n}\nf({ x: 1 });",
  );
  assert.ok(ran.status === "failed");
  assert.match(ran.error.traceback, /<execution 1>:6\n {2}throw new Error/);
  assert.match(ran.error.traceback, /at <execution 1>:8/);
  const broken = await typed(session, "const a: number = 1;\nlet b: string = ;");
  assert.ok(broken.status === "failed");
  assert.match(
    broken.error.traceback,
    /<execution 2>:2\nlet b: string = ;\n +\^\n\nSyntaxError: Unexpected token/,
  );
});

Deno.test("a namespace is an object of what it exports, and may be told in several blocks", async () => {
  const program = `namespace Shapes {
    export const pi: number = 3, two = new Map<string, number>([["a", 2]]);
    export function area(r: number) { return pi * r * r; }
    export interface Point { x: number }
    export namespace Inner { export enum Kind { A, B } export const deep = area(1); }
    export class Circle { constructor(public r: number) {} area() { return area(this.r); } }
    export let count = 1;
    const hidden = 5;
    export function grow() { return count += hidden; }
  }
  namespace Shapes { export const again = area(2) + (two.get("a") ?? 0); }
  namespace A.B { export const c = Shapes.Inner.Kind.B; }
  function f() { return f.meta; } namespace f { export const meta = "m"; }
  namespace Types { export type T = string; }
  Shapes.grow();
  [Shapes.pi, new Shapes.Circle(2).area(), Shapes.Inner, Shapes.count, Shapes.again, A.B.c, f(), typeof Types, Object.keys(Shapes).length]`;
  assert.equal(
    (await value(program))?.replaceAll(/\s+/g, " "),
    "[ 3, 12, { Kind: { '0': 'A', '1': 'B', A: 0, B: 1 }, deep: 3 }, 6, 14, 1, 'm', 'undefined', 8 ]",
  );
});

Deno.test("what is not done of TypeScript is refused by its line, and what only looks like it is not", async () => {
  const session = new Session();
  for (
    const [program, words] of [
      ["1\nnamespace N { export const { a } = { a: 1 }; }", /pattern/],
      ["\nnamespace N { export import a = N.b; const c = 1; }", /namespace/],
      ["class A {\n  @log() #run() {} }", /A decorator of a private member is not supported/],
      ["\n({ a: class { @log() run() {} } })", /A class whose members have decorators needs a name/],
    ] as const
  ) {
    const ran = await typed(session, program);
    assert.ok(ran.status === "failed", program);
    assert.match(ran.error.traceback, /:2\b/, program);
    assert.match(ran.error.message, words, program);
  }
  assert.equal(await value('const mail = "a @b c"; /* @c */ mail', session), "'a @b c'");
  assert.equal(
    await value(
      "const text = `\nnamespace A {\n  const x = 1;\n}`;\n// namespace B { const y }\ntext.length",
      session,
    ),
    "31",
  );
});

Deno.test("a program's exports are its own", async () => {
  const session = new Session();
  assert.equal(
    await value(
      "export default function main(): number { return 4; } export { main }; export {}; main()",
      session,
    ),
    "4",
  );
  assert.equal(await value("export default class Thing { x = 1 }; new Thing().x + main()", session), "5");
});

Deno.test("JSX goes to React, or where a comment says", async () => {
  const h =
    "const h = (type: string, props: unknown, ...children: unknown[]) => ({ type, props, children });\n";
  assert.equal(
    await value(`/** @jsx h */\n${h}<a href="x">t</a>`),
    "{ type: 'a', props: { href: 'x' }, children: [ 't' ] }",
  );
  assert.equal(
    await value(`/* @jsx h */ /* @jsxFrag null */\n${h}<><b/></>`),
    "{\n  type: null,\n  props: null,\n  children: [ { type: 'b', props: null, children: [] } ]\n}",
  );
  const session = new Session();
  session.write(
    "/app/node_modules/mini/package.json",
    '{"name": "mini", "exports": {"./jsx-runtime": "./j.js"}}',
  );
  session.write("/app/node_modules/mini/j.js", "export const jsx = (type, props) => [type, props];");
  assert.equal(await value("/** @jsxImportSource mini */\n<a b={1}/>", session), "[ 'a', { b: 1 } ]");
});

Deno.test("files in TypeScript are imported, with and without their extension, and named as their compiler would", async () => {
  const session = new Session();
  session.write(
    "/app/lib/shape.ts",
    "import type { Point } from './types';\nimport { type Named, name } from './types.js';\nexport class Shape implements Named { constructor(public at: Point) {} get name(): string { return name } }\nexport type { Point };",
  );
  session.write(
    "/app/lib/types.ts",
    "export interface Point { x: number; y: number }\nexport interface Named { name: string }\nexport const name: string = 'shape';",
  );
  session.write(
    "/app/lib/index.ts",
    "export * from './shape'; export { default as view } from './view.jsx';",
  );
  session.write("/app/lib/view.tsx", "/** @jsx h */\nconst h = (t: string) => t;\nexport default <p/>;");
  session.write(
    "/app/old.cts",
    "import fs = require('fs');\nexport = { exists: (p: string): boolean => fs.existsSync(p) };",
  );
  session.write("/app/new.mts", "export const fresh: boolean = true;");
  for (
    const [program, result] of [
      [
        "import { Shape, Point } from './lib/shape.ts'; const p: Point = { x: 1, y: 2 }; new Shape(p).name",
        "'shape'",
      ],
      ["import { Shape, view } from './lib'; [new Shape({ x: 1, y: 1 }).at.x, view]", "[ 1, 'p' ]"],
      ["import { name } from './lib/types.js'; name", "'shape'"],
      ["import { fresh } from './new.mjs'; fresh", "true"],
      ["import old from './old.cts'; old.exists('/app/old.cts')", "true"],
      ["const { Shape } = await import('./lib/shape'); typeof Shape", "'function'"],
      ["require('./lib/../old.cts').exists('/nowhere')", "false"],
    ] as const
  ) assert.equal(await value(program, session), result, program);
});

Deno.test("what is imported and not used stays for the programs that follow, and a type need not be there", async () => {
  const session = new Session();
  session.write("/app/m.ts", "export interface T { x: 1 }\nexport const used = 1, later = 2;");
  await value(
    "import { T, used, later } from './m';\nimport { Nothing } from 'a-package-of-types';\nconst t: T = { x: used as 1 }",
    session,
  );
  assert.equal(await value("later", session), "2");
  const ran = await typed(session, "import { missing } from './m'; missing");
  assert.ok(ran.status === "failed");
  assert.match(ran.error.message, /does not provide an export named 'missing'/);
});

Deno.test("a file that changes between two programs is seen by both import and require", async () => {
  const session = new Session();
  for (const n of [1, 2]) {
    session.write("/app/a.ts", `import { n } from './b'; export const a: number = n * 10;`);
    session.write("/app/b.ts", `export const n: number = ${n};`);
    session.write("/app/c.cts", `module.exports = ${n} as number;`);
    assert.equal(
      await value("import { a } from './a'; [a, require('./c.cts'), require('./c.cts')]", session),
      `[ ${n * 10}, ${n}, ${n} ]`,
    );
  }
});

Deno.test("a file in TypeScript that is broken says which, and where", async () => {
  const session = new Session();
  session.write("/app/bad.ts", "export const x: number = 1;\nexport const y: = 2;");
  const { type, message } = await session.error("await import('./bad.ts')");
  assert.equal(type, "SyntaxError");
  assert.match(message, /\/app\/bad\.ts.*Unexpected token/);
});

Deno.test("taking types off counts as the program's own work, and can be stopped", async () => {
  const session = new Session();
  const program = "const a: number = 1;\n".repeat(20_000);
  const ran = await session.run(program, { dialect: "typescript", fuelBudget: 100_000 });
  assert.equal(ran.status, "out_of_fuel");
  assert.equal(await session.value("1"), "1");
  const short = await typed(new Session(), "const a: number = 1;");
  const long = await typed(new Session(), "const a: number = 1;\n".repeat(100));
  assert.ok(long.fuelConsumed > 10 * short.fuelConsumed);
});

Deno.test("what a program makes of the language's objects spoils its own types only", async () => {
  const session = new Session();
  await session.run(
    "RegExp.prototype.exec = () => null; String.prototype.replace = () => 'evil'; Array.prototype.push = () => {};",
  );
  const ran = await typed(session, "const a: number = 1; a");
  assert.equal(ran.heap, "kept");
  assert.equal(await value("const a: number = 1; a"), "1");
});

Deno.test("fields are made of what a constructor's parameters declare", async () => {
  const session = new Session();
  const code =
    "class A { next = this.start + 1; constructor(private start = 10) {} } const a: A = new A(); a.next";
  const ran = await session.run(code, { dialect: "typescript" });
  assert.equal(ran.status === "completed" && ran.result, "11");
});

Deno.test("functions in fields have the fields' names beside parameters that declare fields", async () => {
  const ran = await new Session().run(
    `function outer() { return 1; }
    class A { constructor(private x: number) {} handler = () => this.x; cls = class {}; static st = async () => 2; outer = () => outer(); default = function () {}; }
    const a = new A(5); console.log(a.handler.name, a.cls.name, A.st.name, a.handler(), a.outer());`,
    { dialect: "typescript" },
  );
  assert.equal(ran.stdout, "handler cls st 5 1\n");
});
