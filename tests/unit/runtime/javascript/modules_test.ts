import assert from "node:assert/strict";
import { Session } from "../../../support/javascript_harness.ts";

function withModules(): Session {
  const session = new Session();
  session.write(
    "/app/main.js",
    "import { b } from './lib/b.mjs'; export const a = 1; export default b;\nexport function fail() {\n  throw new Error('in main');\n}",
  );
  session.fs.mkdir("/app/lib");
  session.write("/app/lib/b.mjs", "export const b = 'B'; export const where = 'lib';");
  session.write("/app/data.json", '{ "k": [1, 2] }');
  return session;
}

Deno.test("static imports work in a run, and what they bind lasts", async () => {
  const session = withModules();
  assert.equal(
    await session.value(
      'import d, { a as one } from "./main.js";\nimport * as b from "/app/lib/b.mjs";\n[d, one, b.where]',
    ),
    "[ 'B', 1, 'lib' ]",
  );
  assert.equal(await session.value("[d, one, b.b]"), "[ 'B', 1, 'B' ]");
  assert.equal(await session.value('import d, { a as one } from "./main.js"; one'), "1");
});

Deno.test("dynamic imports and JSON work, with and without the attribute", async () => {
  const session = withModules();
  assert.equal(await session.value('(await import("./main.js")).default'), "'B'");
  assert.equal(
    await session.value('import data from "./data.json" with { type: "json" }; data.k'),
    "[ 1, 2 ]",
  );
  assert.equal(await session.value('(await import("./data.json")).default.k'), "[ 1, 2 ]");
});

Deno.test("a changed file is loaded again by a later run, also through its importers", async () => {
  const session = withModules();
  assert.equal(await session.value('(await import("./main.js")).default'), "'B'");
  session.write("/app/lib/b.mjs", "export const b = 'changed';");
  assert.equal(await session.value('(await import("./main.js")).default'), "'changed'");
  session.write("/app/lib/b.mjs", "export const b = 'again';");
  assert.equal(await session.value('import d from "./main.js"; d'), "'again'");
});

Deno.test("a module may have a Symbol, an Object and a globalThis of its own", async () => {
  const session = new Session();
  await session.run(`require("fs").writeFileSync("own.mjs", \`
    function Symbol(type) { return "own " + type; }
    const Object = 1, globalThis = 2;
    import fs from "fs";
    export { Symbol, Object as number }; export const is = typeof fs.readFileSync + globalThis + import.meta.url.slice(-7);\`)`);
  const code = 'import { is, number, Symbol as made } from "./own.mjs"; [is, number, made("x")].join()';
  assert.equal(await session.value(code), "'function2own.mjs,1,own x'");
});

Deno.test("errors of imports name the path", async () => {
  const session = withModules();
  session.write("/app/needs.mjs", "import './absent.mjs';");
  session.write("/app/broken.mjs", "export const x = ;\n");
  session.write("/app/broken.json", '{ "a": ');
  for (
    const [code, message] of [
      ['import "./absent.js"', /Cannot find module '\/app\/absent\.js'/],
      ['import "./needs.mjs"', /'\/app\/absent\.mjs' imported from \/app\/needs\.mjs/],
      ['import x from "./broken.json"', /\/app\/broken\.json: /],
      ['import { nope } from "./main.js"', /'\.\/main\.js' does not provide an export named 'nope'/],
      ['import "lodash"', /Cannot find package 'lodash'/],
      ['await import("../../../etc/passwd")', /Cannot find module '\/etc\/passwd'/],
    ] as const
  ) assert.match((await session.error(code)).message, message, code);
  const broken = await session.error('import "./broken.mjs"');
  assert.equal(broken.type, "SyntaxError");
  assert.match(broken.traceback, /\/app\/broken\.mjs:1/);
  const inside = await session.error('import { fail } from "./main.js"; fail()');
  assert.match(inside.traceback, /at fail \(\/app\/main\.js:3:\d+\)/);

  session.write("/app/absent.mjs", "export {};");
  assert.equal(await session.value('await import("./needs.mjs"); 1'), "1");
});

Deno.test("a console over streams of the program's own is an export of node:console", async () => {
  const session = new Session();
  const code =
    'import console, { Console } from "node:console"; [console.Console === Console, console === globalThis.console]';
  assert.equal(await session.value(code), "[ true, true ]");
});

Deno.test("fs and path work on the session's files", async () => {
  const session = new Session();
  const code =
    `import fs, { readFileSync } from "node:fs"; import path from "path"; import { readFile } from "fs/promises";
    fs.mkdirSync("d/e", { recursive: true });
    fs.writeFileSync("d/e/t.txt", "ä\\0z"); fs.appendFileSync("d/e/t.txt", new Uint8Array([33]));
    [readFileSync(path.join("/app", "d", "e", "t.txt"), "utf8"), readFileSync("d/e/t.txt").length, await readFile("d/e/t.txt", "hex"),
     fs.readdirSync("d"), fs.statSync("d").isDirectory(), fs.statSync("d/e/t.txt").size, fs.existsSync("nope")]`;
  assert.equal(await session.value(code), "[ 'ä\\x00z!', 5, 'c3a4007a21', [ 'e' ], true, 5, false ]");
  assert.equal(new TextDecoder().decode(session.fs.readFile("/app/d/e/t.txt")), "ä\0z!");
  assert.equal(
    await session.value(
      'fs.renameSync("d/e/t.txt", "u"); fs.rmSync("d", { recursive: true }); fs.unlinkSync("u"); fs.readdirSync("/app")',
    ),
    "[]",
  );
  const error = await session.error('fs.readFileSync("nope.txt")');
  assert.match(error.message, /^ENOENT: no such file or directory/);
  assert.match(error.traceback, /at <execution 3>:1:\d+/);
  assert.equal(await session.value('try { fs.mkdirSync("/app") } catch (e) { e.code }'), "'EEXIST'");
  assert.match((await session.error('fs.readFileSync("a\\0b")')).message, /without null bytes/);
  assert.match(
    (await session.error(
      'fs.writeFileSync("big", new Uint8Array(1e7)); for (let i = 0; ; i++) fs.copyFileSync("big", "big" + i)',
    )).message,
    /^ENOSPC/,
  );
});

Deno.test("host calls carry JSON both ways, and their failures are errors", async () => {
  const session = new Session();
  assert.equal(
    await session.value('import { hostCall } from "wasmbox:host"; hostCall("echo", { a: ["ä\\0", 1] })'),
    "{ a: [ 'ä\\x00', 1 ] }",
  );
  const error = await session.error('hostCall("nope")');
  assert.deepEqual([error.type, error.message], ["HostCallError", "unknown operation 'nope'"]);
});
