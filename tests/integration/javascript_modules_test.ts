/** ES modules that fail, come late or are wanted again and again. */

import assert from "node:assert/strict";
import { TestServer, UNDER_TEST } from "../support/harness.ts";

Deno.test(`[${UNDER_TEST}] require() of an ES module that has failed throws what that threw`, async () => {
  await using server = await TestServer.start();
  const { result, error } = await server.javascript(
    `const fs = require("fs");
     fs.writeFileSync("bad.mjs", "export const a = 1; throw new TypeError('bad')");
     fs.writeFileSync("late.mjs", "await null; throw new TypeError('late')");
     fs.writeFileSync("needs.mjs", "import './bad.mjs'; export const b = 2");
     const attempt = (name) => { try { require(name) } catch (e) { return e } };
     const imported = async (name) => { try { await import(name) } catch (e) { return e } };
     const errors = [
       await imported("./bad.mjs"), attempt("./bad.mjs"), attempt("./bad.mjs"), attempt("./needs.mjs"),
       await imported("./needs.mjs"), await imported("./late.mjs"), attempt("./late.mjs"),
     ];
     [errors.map((e) => e.message).join(), new Set(errors).size].join()`,
  );
  assert.equal(result, "'bad,bad,bad,bad,bad,late,late,2'", JSON.stringify(error));
});

Deno.test(`[${UNDER_TEST}] a rejection that nobody handles is told though a module is required that has failed`, async () => {
  await using server = await TestServer.start();
  const { error } = await server.javascript(
    `require("fs").writeFileSync("bad.mjs", "throw new Error('bad')");
     try { require("./bad.mjs") } catch {}
     Promise.reject(new Error("lost"));
     try { require("./bad.mjs") } catch {}
     0`,
  );
  assert.equal(error?.message, "Error: lost");
});

Deno.test(`[${UNDER_TEST}] ES modules that are required again and again take no more memory`, async () => {
  await using server = await TestServer.start();
  await server.javascript(
    `const fs = require("fs");
     fs.writeFileSync("a.mjs", "export default 1; export let n = 0; export const next = () => ++n;");
     fs.writeFileSync("bad.mjs", "throw 1");`,
  );
  const many = (count: number) =>
    server.javascript(
      `for (let i = 0; i < ${count}; i++) {
         delete require.cache[require.resolve("./a.mjs")];
         require("./a.mjs").next();
         try { require("./bad.mjs") } catch {}
       }
       [require("./a.mjs").n, require("./a.mjs").__esModule]`,
    );
  const before = await many(1);
  const after = await many(10_000);
  assert.deepEqual([before.result, after.result], ["[ 1, true ]", "[ 10001, true ]"]);
  assert.equal(after.memory_bytes, before.memory_bytes);
});

Deno.test(`[${UNDER_TEST}] modules that have changed can be taken out of require.cache by their paths`, async () => {
  await using server = await TestServer.start();
  await server.javascript(`require("fs").writeFileSync("a.cjs", "exports.n = 1"); require("./a.cjs").n`);
  const { result, error } = await server.javascript(
    `require("fs").writeFileSync("a.cjs", "exports.n = 2; exports.id = module.id; module.exports.file = __filename");
     const { n, id, file } = require("./a.cjs");
     require("./a.cjs").n = 3;
     const kept = require("./a.cjs").n;
     delete require.cache[require.resolve("./a.cjs")];
     const again = require("./a.cjs").n;
     require.cache[require.resolve("./a.cjs")] = { exports: { n: 4 } };
     [n, kept, again, require("./a.cjs").n, id, file].join()`,
  );
  assert.equal(result, "'2,3,2,4,/app/a.cjs,/app/a.cjs'", JSON.stringify(error));
});

Deno.test(`[${UNDER_TEST}] modules that came late, or have changed, have their own paths in stacks`, async () => {
  await using server = await TestServer.start();
  const code = (text: string) =>
    `const fs = require("fs");
     const made = "export const where = () => new Error().stack;";
     for (const name of ["a.mjs", "b.mjs"]) {
       try { await import("./" + name) } catch {}
       fs.writeFileSync(name, made${text});
     }
     fs.writeFileSync("c.cjs", "exports.where = () => new Error().stack;"${text});
     const places = [];
     for (const each of [await import("./a.mjs"), require("./b.mjs"), require("./c.cjs")]) {
       places.push(each.where().match(/\\/app\\/[^:]*/)[0]);
     }
     Error.prepareStackTrace = (_error, sites) => sites[0].getFileName();
     places.push((await import("./a.mjs")).where());
     Error.prepareStackTrace = undefined;
     places.join()`;
  for (const text of ["", " + '// changed'"]) {
    const { result, error } = await server.javascript(code(text));
    assert.equal(result, "'/app/a.mjs,/app/b.mjs,/app/c.cjs,/app/a.mjs'", JSON.stringify(error));
  }
  await server.javascript(
    `require("fs").writeFileSync("bad.mjs", "throw new Error('one')"); try { await import("./bad.mjs") } catch {}`,
  );
  const { error } = await server.javascript(
    `require("fs").writeFileSync("bad.mjs", "\\nthrow new Error('two')"); await import("./bad.mjs")`,
  );
  assert.match(error?.traceback ?? "", /Error: two\n\s+at \/app\/bad\.mjs:2:\d+$/m);
});
