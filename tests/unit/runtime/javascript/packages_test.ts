/** How JavaScript finds and loads what lies in `node_modules`, ES modules and CommonJS. */

import assert from "node:assert/strict";
import { NODE_MODULES } from "../../../../src/fs/places.ts";
import { Session } from "../../../support/javascript_harness.ts";

/** A session with packages. @param files Contents by path; relative ones are below where packages are installed. */
function withFiles(files: Record<string, string | object>): Session {
  const session = new Session();
  for (const [name, contents] of Object.entries(files)) {
    const path = name.startsWith("/") ? name : `${NODE_MODULES}/${name}`;
    session.fs.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    session.write(path, typeof contents === "string" ? contents : JSON.stringify(contents));
  }
  return session;
}

Deno.test("exports are chosen by their conditions, in the order in which the package has them", async () => {
  const session = withFiles({
    "dual/package.json": {
      name: "dual",
      exports: {
        ".": { browser: "./web.js", import: "./main.mjs", require: "./main.cjs" },
        "./part/*": { node: { default: "./parts/*.mjs" }, default: "./nowhere/*.mjs" },
        "./part/secret": null,
        "./self": "./self.mjs",
        "./data.json": "./data.json",
        "./out": "./../../secret.mjs",
      },
      imports: { "#inner": { browser: "./web.js", default: "./inner.mjs" }, "#other": "leaf" },
    },
    "dual/web.js": "throw new Error('no browser');",
    "dual/main.mjs":
      "import inner from '#inner'; import leaf from '#other'; export default `module ${inner} ${leaf}`;",
    "dual/main.cjs": "module.exports = 'commonjs';",
    "dual/inner.mjs": "export default 'inner';",
    "dual/parts/one.mjs": "export default 1;",
    "dual/parts/secret.mjs": "export default 'secret';",
    "dual/self.mjs": "export { default } from 'dual/part/one';",
    "dual/data.json": { a: [1] },
    "secret.mjs": "export default 'outside';",
    "leaf/package.json": { name: "leaf", main: "./lib/leaf" },
    "leaf/lib/leaf.js": "exports.default = 'leaf'; module.exports = 'leaf';",
  });
  assert.equal(await session.value("import d from 'dual'; d"), "'module inner leaf'");
  assert.equal(await session.value("require('dual')"), "'commonjs'");
  assert.equal(
    await session.value("import one from 'dual/part/one'; import self from 'dual/self'; [one, self]"),
    "[ 1, 1 ]",
  );
  assert.equal(
    await session.value("import data from 'dual/data.json'; [data, require('dual/data.json')]"),
    "[ { a: [ 1 ] }, { a: [ 1 ] } ]",
  );
  assert.equal(
    await session.value(
      "[import.meta.resolve('dual'), require.resolve('dual')].map((each) => each.split('/').at(-1)).join()",
    ),
    "'main.mjs,main.cjs'",
  );
  assert.equal(
    await session.value("[require.resolve.paths('dual')[0].split('/').at(-1), require.resolve.paths('fs')]"),
    "[ 'node_modules', null ]",
  );
  const codes = await session.value(
    `["node:sea", "dual/none", "nothing"].map((name) => { try { require(name); } catch (error) { return error.code; } }).join()`,
  );
  assert.equal(codes, "'ERR_UNKNOWN_BUILTIN_MODULE,ERR_PACKAGE_PATH_NOT_EXPORTED,MODULE_NOT_FOUND'");
  for (
    const [specifier, message] of [
      ["dual/main.mjs", /subpath '\.\/main\.mjs' is not defined by "exports" in .* for import/],
      ["dual/part/secret", /subpath '\.\/part\/secret'/],
      ["dual/out", /is no file of the package/],
      ["absent", /Cannot find package 'absent': install_package/],
      ["node:sea", /of Node's own modules there are/],
      ["node:sqlite", /The shell has sqlite3/],
    ] as const
  ) {
    assert.match((await session.error(`await import("${specifier}")`)).message, message);
  }
});

Deno.test("the nearest node_modules has the package, and the user's own come first", async () => {
  const session = withFiles({
    "a/package.json": { name: "a", main: "index.js" },
    "a/index.js": "module.exports = 'a with b ' + require('b');",
    "a/node_modules/b/index.js": "module.exports = 2;",
    "b/index.js": "module.exports = 1;",
    "@s/c/package.json": { name: "@s/c", type: "module", exports: "./c.js" },
    "@s/c/c.js": "import b from 'b'; export const c = `c with b ${b}`;",
    "/app/node_modules/mine/index.js": "module.exports = require('b') + ' in mine';",
    "/app/sub/x.mjs": "export { default } from 'mine';",
  });
  assert.equal(
    await session.value(
      "import { c } from '@s/c'; [require('a'), require('b'), c, (await import('./sub/x.mjs')).default]",
    ),
    "[ 'a with b 2', 1, 'c with b 1', '1 in mine' ]",
  );
});

Deno.test("CommonJS and ES modules use each other: default, names, circles, failures", async () => {
  const session = withFiles({
    "cjs/index.js":
      "exports.a = 1; exports.b = () => exports.a + 1; exports.default = 'own'; exports['not a name'] = 1;",
    "fn/index.js": "module.exports = (x) => x * 2; module.exports.extra = 'extra';",
    "circle/index.js": "exports.early = 1; exports.seen = require('./other').seen; exports.late = 2;",
    "circle/other.js": "exports.seen = Object.keys(require('.'));",
    "user/package.json": { type: "module", main: "m.js" },
    "user/m.js":
      "import cjs, { a, b } from 'cjs'; import fn, { extra } from 'fn'; export default [a, b(), cjs.default, fn(4), extra];",
    "broken/index.js": "throw new TypeError('of its own');",
    "wrong/index.js": "const = 1;",
    "esm/package.json": { type: "module" },
    "esm/index.js": "export const x = 1;",
    "waits/index.mjs": "await 1; export const x = 1;",
    "fails/index.mjs": "throw new RangeError('of an ES module');",
    "flags/index.js":
      "module.exports = [typeof process.env.NODE_ENV, __filename, __dirname, module.id === __filename, this === exports];",
    "old/package.json": { main: "main.js", browser: { "./main.js": "./web.js", events: false } },
    "old/main.js": "module.exports = ['for Node', typeof require('events').EventEmitter];",
    "old/web.js": "throw new Error('not the one for Node');",
  });
  assert.equal(await session.value("(await import('user')).default"), "[ 1, 2, 'own', 8, 'extra' ]");
  assert.equal(
    await session.value("import { early, late, seen } from 'circle'; [early, late, seen]"),
    "[ 1, 2, [ 'early' ] ]",
  );
  assert.equal(await session.value("require('cjs') === require('cjs')"), "true");
  assert.deepEqual(
    await session.value("require('flags')"),
    `[\n  'undefined',\n  '${NODE_MODULES}/flags/index.js',\n  '${NODE_MODULES}/flags',\n  true,\n  true\n]`,
  );
  assert.equal(await session.value("require('old')"), "[ 'for Node', 'function' ]");
  for (
    const [code, type, message] of [
      ["require('broken')", "TypeError", /of its own/],
      ["await import('broken')", "TypeError", /of its own/],
      ["require('wrong')", "SyntaxError", /./],
      ["require('waits')", "Error", /ES module .* which awaits at its top level: use import/],
      ["require('fails')", "RangeError", /of an ES module/],
      ["require('./absent')", "Error", /Cannot find module '\/app\/absent'/],
      ["require('https').request()", "Error", /'https' is not here/],
    ] as const
  ) {
    const error = await session.error(code);
    assert.equal(error.type, type, code);
    assert.match(error.message, message);
  }
  assert.equal(
    await session.value("try { require('nope') } catch (error) { error.code }"),
    "'MODULE_NOT_FOUND'",
  );
});

Deno.test("require gives what an ES module exports, as Node 20 does, but not in a circle", async () => {
  const session = withFiles({
    "esm/index.mjs": "export default class K {}; export const x = 1; // the end",
    "own/index.mjs": "import { x } from 'esm'; const y = x + 1; export { y as 'module.exports' };",
    "live/index.mjs": "export let n = 0; export const more = () => ++n;",
    "old/index.js": "exports.esm = require('esm'); exports.live = require('live');",
    "circle/index.mjs": "import './other.cjs'; export const c = 1;",
    "circle/other.cjs": "try { require('circle'); } catch (error) { globalThis.circle = error.code; }",
    "itself/index.mjs":
      "import { createRequire } from 'module'; try { createRequire(import.meta.url)('itself'); } catch (error) { globalThis.itself = error.code; }",
  });
  assert.equal(
    await session.value(
      "const k = require('esm'); [k.x, typeof k.default, k.__esModule, k === require('esm')]",
    ),
    "[ 1, 'function', true, true ]",
  );
  assert.equal(await session.value("require('own')"), "2");
  assert.equal(
    await session.value("const live = require('live'); live.more(); [live.n, live.__esModule]"),
    "[ 1, undefined ]",
  );
  assert.equal(
    await session.value("import old from 'old'; [old.esm.x, old.live.n, (await import('live')).n]"),
    "[ 1, 1, 1 ]",
  );
  assert.equal(
    await session.value("import 'circle'; import 'itself'; [circle, itself]"),
    "[ 'ERR_REQUIRE_CYCLE_MODULE', 'ERR_REQUIRE_CYCLE_MODULE' ]",
  );
  assert.equal(await session.value("try { require('fails'); } catch { } 1"), "1");
  session.write("/app/there.js", "export default 5;");
  assert.equal(await session.value("(await import('/app/there.js?a=1#b')).default"), "5");
});

Deno.test("an upgraded package is loaded anew by a later run, what earlier runs hold stays", async () => {
  const session = withFiles({
    "p/index.js": "module.exports = { version: require('./version') };",
    "p/version.js": "module.exports = 1;",
  });
  assert.equal(
    await session.value("import p from 'p'; const q = require('p'); [p.version, q === p]"),
    "[ 1, true ]",
  );
  session.write(`${NODE_MODULES}/p/version.js`, "module.exports = 2;");
  assert.equal(
    await session.value(
      "const r = require('p'); [r.version, q.version, (await import('p')).default.version]",
    ),
    "[ 2, 1, 2 ]",
  );
});

Deno.test("packages that are hostile end in errors, and the next run works", async () => {
  let deep = "1";
  for (let i = 0; i < 200; i++) deep = `{"default":${deep}}`;
  const session = withFiles({
    "deep/package.json": `{"exports": ${deep}}`,
    "list/package.json": "[]",
    "json/package.json": "{",
    "proto/package.json": '{"__proto__": {"main": "x.js"}, "exports": {"__proto__": "./x.js"}}',
    "loop/index.js":
      "for (let i = 0; i < 3000; i++) { try { require('./' + i) } catch {} } module.exports = 1;",
    "self/index.js":
      "module.exports = () => { require.cache = null; delete JSON.stringify; return require('self'); };",
    "tower/index.js": "module.exports = function f() { return f(); };",
    "wrapper/index.js": "}); globalThis.out = 1; (function () {",
  });
  for (
    const name of [
      "deep",
      "list",
      "json",
      "proto",
      "../../../../etc/passwd",
      "a/../../b",
      "__proto__",
      "constructor",
    ]
  ) {
    assert.ok(await session.error(`await import(${JSON.stringify(name)})`), name);
  }
  assert.equal(await session.value("require('loop')"), "1");
  await session.error("require('tower')()");
  assert.equal(await session.value("typeof require('wrapper')"), "'object'");
  session.fs.mkdir(`${NODE_MODULES}/names`, { recursive: true });
  session.write(`${NODE_MODULES}/names/index.js`, "JSON.stringify = () => '{'; exports.x = 1;");
  await session.error("await import('names')");
  assert.equal(await session.value("1 + 1"), "2");
});
