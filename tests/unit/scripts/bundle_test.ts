import { deepEqual, doesNotMatch, equal, match, ok, throws } from "node:assert/strict";
import { bundle } from "../../../scripts/bundle/mod.ts";
import { deferred } from "../../../scripts/bundle/deferred.ts";
import { droppable } from "../../../scripts/bundle/droppable.ts";

Deno.test("bundles have the protocol's schemas that servers use, none of those that nobody does, and their own for later", async () => {
  const directory = await Deno.makeTempDir();
  try {
    await bundle(directory);
    for (const name of ["serve_stdio", "serve_http"]) {
      const text = await Deno.readTextFile(`${directory}/${name}.js`);
      match(text, /^var JSONRPCMessageSchema\b/m, name);
      doesNotMatch(text, /^var (OAuthMetadataSchema|ServerResultSchema|specTypeSchemas)\b/m, name);
    }
    // At the top level: a bundler that takes a bundle for a module of CommonJS makes all of it a function, which is slow.
    match(await Deno.readTextFile(`${directory}/executor.js`), /^var toExecutor = __once\(/m);
    for (const { name } of Deno.readDirSync(directory)) {
      if (/^(maintain|by_hand)/.test(name)) continue;
      ok(!/[\u0080-\uffff]/.test(await Deno.readTextFile(`${directory}/${name}`)), `${name} is ASCII`);
    }
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test("a bundle whose SDK is another than the one that is known is refused, instead of being left as it is", () => {
  throws(() => droppable("var answer = 42;\n"), /SDK/);
  throws(
    () =>
      droppable("// ../@modelcontextprotocol/core/2.4.0/dist/schemas.mjs\nvar CursorSchema = string();\n"),
    /SDK/,
  );
});

/** What a bundle's program has logged when it has run. */
function logged(bundle: string): string[] {
  const log: string[] = [];
  new Function("log", bundle.replace(/^export \{\};$/m, ""))((line: string) => log.push(line));
  return log;
}

const ZOD = `
// ../npm/zod/4/core/api.js
function object(shape) {
  log("made " + Object.keys(shape));
  return { shape, parse: (value) => value, extend: (more) => object({ ...shape, ...more }) };
}
function string() { return "string"; }
`;

Deno.test("a schema of a bundle is made when it is first used, once, and those that it is made of with it", () => {
  const program = `${ZOD}
// src/a.ts
var base = object({ a: string() });
var larger = base.extend({ b: string() }), other = 1;
var wire = object({ ...base.shape, c: string() });
var unused = object({ d: string() });
// src/b.ts
log("begins");
wire.parse(1);
log([wire, { wire }.wire].map(({ shape }) => Object.keys(shape)).join(" "));
`;
  deepEqual(logged(program).slice(0, 5), ["made a", "made a,b", "made a,c", "made d", "begins"]);
  deepEqual(logged(deferred(program)), ["made a", "made a,b", "begins", "made a,c", "a,c a,c"]);
});

Deno.test("what can change, or is exported, or has effects, is made where it stands", () => {
  const program = `${ZOD}
// src/a.ts
let size = 1;
var bounded = object({ size });
size = 2;
var effect = log("effect");
function local(bounded) { return bounded; }
log(JSON.stringify([bounded.shape, local(3), effect]));
`;
  const before = logged(program);
  equal(before[2], '[{"size":1},3,2]');
  deepEqual(logged(deferred(program)), before);
  match(
    deferred(`${ZOD}\n// src/a.ts\nvar wire = object({});\nexport { wire };\n`),
    /^var wire = object\(\{\}\);$/m,
  );
});

Deno.test("a library is evaluated when something of it is first used, be it of CommonJS or one whose tables take long", () => {
  const program = `
var __toESM = (module) => ({ default: module });
// ../npm/lib/1/index.js
var require_lib = () => { log("lib"); return { Range: class { text = "range"; } }; };
// ../npm/fflate/1/esm/browser.js
var table = 7;
log("table");
var Inflate = class { table = table; };
function gzip() { return table; }
// src/a.ts
var import_lib = __toESM(require_lib());
log("begins");
log(new import_lib.default.Range().text);
log(String(new Inflate().table + gzip()));
log(typeof new class extends Inflate {}().table);
`;
  const values = ["range", "14", "number"];
  deepEqual(logged(program), ["table", "lib", "begins", ...values]);
  deepEqual(logged(deferred(program)), ["begins", "lib", "range", "table", "14", "number"]);
});

Deno.test("a library that ends with an error half way is evaluated anew, with all that it had loaded", () => {
  const program = `
var __toESM = (module) => ({ default: module });
var __commonJS = (cb, mod) => function __require() {
  return mod || (0, Object.values(cb)[0])((mod = { exports: {} }).exports, mod), mod.exports;
};
var room = false;
// ../npm/lib/1/part.js
var require_part = __commonJS({ "part.js"(exports) { log("part"); exports.lib = require_lib(); } });
// ../npm/lib/1/index.js
var require_lib = __commonJS({ "index.js"(exports, module) {
  exports.early = 1;
  require_part();
  if (!room) throw new RangeError("no room");
  module.exports = { late: 2 };
} });
// src/a.ts
var import_lib = __toESM(require_lib());
try { log(import_lib.default.late); } catch (error) { log(error.message); }
room = true;
log(String(import_lib.default.late));
log(String(import_lib.default.late));
`;
  deepEqual(logged(deferred(program)), ["part", "no room", "part", "2", "2"]);
});

Deno.test("a schema that is read from what its program may change, or that is used to do something, stands where it stood", () => {
  const program = `${ZOD}
// src/a.ts
var fields = { a: 1 };
var first = object({ ...fields });
fields.b = 2;
var parsed = object({ c: 1 }).parse("parsed");
log(JSON.stringify([first.shape, parsed]));
`;
  const before = logged(program);
  equal(before[2], '[{"a":1},"parsed"]');
  deepEqual(logged(deferred(program)), before);
});
