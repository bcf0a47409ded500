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
