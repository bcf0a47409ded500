/** In which order what a program puts off comes, and when it has come to its end. */

import assert from "node:assert/strict";
import { Session } from "../../../support/javascript_harness.ts";

/** Programs and what they print in Node. */
const PROGRAMS: readonly (readonly [name: string, code: string, printed: string])[] = [
  [
    "a promise that gets a handler after it was told of is told of again",
    `process.on("unhandledRejection", (e) => console.log("without", e)); process.on("rejectionHandled", (p) => console.log(p === late));
    const late = Promise.reject(1); setTimeout(() => late.catch(() => {}), 1);`,
    "without 1\ntrue\n",
  ],
  [
    "a program that has come to its end goes on as long as it begins something",
    `let n = 0; process.on("beforeExit", () => { if (n++ < 2) setTimeout(() => console.log("more", n), 1); });
    process.on("exit", (code) => console.log("exit", code));`,
    "more 1\nmore 2\nexit 0\n",
  ],
  [
    "what is put off comes in Node's order",
    `setTimeout(() => { console.log("timer"); process.nextTick(() => console.log("tick")); Promise.resolve().then(() => console.log("job")); });
    Promise.resolve().then(() => console.log("job")); process.nextTick(() => console.log("tick")); console.log("script");`,
    "script\ntick\njob\ntimer\ntick\njob\n",
  ],
  [
    "timers that nobody waits for do not keep a program going",
    `const timer = setInterval(() => console.log("never"), 1e6).unref(); console.log(timer.hasRef(), typeof +timer); AbortSignal.timeout(1e6);
    const short = setTimeout(() => console.log("short"), 2); const gone = setTimeout(() => console.log("gone"), 1); clearTimeout(+gone); short.refresh();`,
    "false number\nshort\n",
  ],
  [
    "every asynchronous function has its own store",
    `const { AsyncLocalStorage } = require("async_hooks"); const s = new AsyncLocalStorage();
    await s.run({ id: 1 }, async () => { await new Promise((r) => setTimeout(r, 1)); console.log(s.getStore()); }); console.log(s.getStore());
    const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms)); const seen = [];
    await Promise.all([1, 2].map((id) => s.run(id, async () => { await null; await wait(id === 1 ? 30 : 1); seen.push(s.getStore()); await wait(60); seen.push(s.getStore()); })));
    console.log(seen, s.getStore());`,
    "{ id: 1 }\nundefined\n[ 2, 1, 2, 1 ] undefined\n",
  ],
  [
    "a store that is made while jobs run holds in those that follow at once",
    `import { AsyncLocalStorage } from "node:async_hooks"; await null; const s = new AsyncLocalStorage();
    await s.run(5, async () => { await null; console.log(s.getStore()); }); console.log(s.getStore());`,
    "5\nundefined\n",
  ],
  [
    "what is only weakly held lives to the end of its job",
    `const ref = new WeakRef({ a: 1 }); console.log(ref.deref().a); setTimeout(() => console.log(ref.deref()), 1);
    console.log(Atomics.add(new Int32Array(2), 0, 5), Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1));`,
    "1\n0 timed-out\nundefined\n",
  ],
];

for (const [name, code, printed] of PROGRAMS) {
  Deno.test(`Node's modules: ${name}`, async () => {
    assert.equal(await new Session().stdout(code), printed);
  });
}

Deno.test("a program is told that it ends, and may end with a code", async () => {
  const session = new Session();
  const ran = await session.run(
    `process.on("exit", (code) => console.log("end", code)); process.exitCode = 3; x = 1`,
  );
  assert.deepEqual([ran.status, ran.status === "exited" && ran.exitCode, ran.heap, ran.stdout], [
    "exited",
    3,
    "kept",
    "end 3\n",
  ]);
  const next = await session.run("console.log(x)");
  assert.deepEqual([next.status, next.stdout], ["completed", "1\n"]);
});
