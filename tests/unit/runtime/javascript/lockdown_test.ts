import assert from "node:assert/strict";
import type { RunOutcome } from "../../../../src/runtime/runtime.ts";
import { stored } from "../../../support/javascript_harness.ts";
import type { Job } from "./lockdown_worker.ts";

/** Runs code in a permissions-none Worker after the lock-down. */
function inWorker(codes: Job["codes"]): Promise<{ outcomes: RunOutcome[]; output: string }> {
  const worker = new Worker(new URL("./lockdown_worker.ts", import.meta.url), {
    type: "module",
    deno: { permissions: "none" },
  });
  return new Promise<{ outcomes: RunOutcome[]; output: string }>((resolve, reject) => {
    worker.onerror = (event) => {
      event.preventDefault();
      reject(new Error(event.message));
    };
    worker.onmessage = ({ data }) =>
      data === "ready" ? worker.postMessage({ stored, codes } satisfies Job) : resolve(data);
  }).finally(() => worker.terminate());
}

Deno.test("all of the runtime works in a locked-down Worker, in a second instance too", async () => {
  const codes = [
    "console.log(new URL('../x', 'https://a.b/c/d').href, crypto.randomUUID().length, atob('aGk='), structuredClone([1]))",
    "import fs from 'node:fs'; fs.writeFileSync('m.mjs', 'export const m = 1'); (await import('./m.mjs')).m",
    "await new Promise((done) => setTimeout(done, 1, new TextDecoder().decode(new TextEncoder().encode('ä'))))",
    "new Date(2026, 0, 2).toISOString() + performance.now().constructor.name",
  ];
  const { outcomes, output } = await inWorker([...codes, null, ...codes]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    new Array(8).fill("completed"),
    JSON.stringify(outcomes),
  );
  assert.equal(output, "https://a.b/x 36 hi [ 1 ]\n".repeat(2));
});

const DEEP: Record<string, string> = {
  "calls": "const f = () => f(); f()",
  "parentheses": "eval('('.repeat(100000))",
  "brackets in JSON": "JSON.parse('['.repeat(100000))",
  "a nested array as JSON": "let n = []; for (let i = 0; i < 100000; i++) n = [n]; JSON.stringify(n)",
  "a nested array as text": "let m = []; for (let i = 0; i < 100000; i++) m = [m]; String(m)",
  "a nested array in the console":
    "let o = {}; for (let i = 0; i < 100000; i++) o = { o }; console.dir(o, { depth: Infinity })",
  "a regular expression": "new RegExp('('.repeat(50000) + ')'.repeat(50000)).test('x')",
  "matching": "/^(?:(a)|b)*$/.test('a'.repeat(1e6))",
  "getters": "const g = { get x() { return this.x } }; g.x",
  "proxies": "let p = {}; for (let i = 0; i < 100000; i++) p = new Proxy(p, {}); p.x",
  "a sort that sorts": "const s = () => [2, 1].sort(s); s()",
  "replacing": "const r = () => 'a'.replace(/a/, r); r()",
  "structured clones": "let c = {}; for (let i = 0; i < 100000; i++) c = { c }; structuredClone(c)",
  "promises":
    "let q = Promise.resolve(); for (let i = 0; i < 10000; i++) q = Promise.resolve().then(((q) => () => q)(q)); await q; 1",
  "bound functions": "let b = () => 1; for (let i = 0; i < 100000; i++) b = b.bind(null); b()",
};

Deno.test("deep recursion never takes the process along, and the next run works", async () => {
  const codes = Object.values(DEEP).flatMap((code) => [code, "1 + 1"]);
  const { outcomes } = await inWorker(codes);
  Object.keys(DEEP).forEach((name, i) => {
    const [deep, next] = [outcomes[2 * i]!, outcomes[2 * i + 1]!];
    assert(
      ["failed", "completed", "crashed", "out_of_memory"].includes(deep.status),
      `${name}: ${JSON.stringify(deep)}`,
    );
    assert.equal(next.status === "completed" && next.result, "2", `${name}: ${JSON.stringify([deep, next])}`);
  });
});
