/** What threads of a program may have, and what becomes of those that want more. */

import assert from "node:assert/strict";
import { Session } from "../../../support/javascript_harness.ts";

Deno.test("a worker that computes for ever ends with the program's fuel, which it is counted as", async () => {
  const session = new Session();
  const ran = await session.run(
    `globalThis.kept = 1; new (require("worker_threads").Worker)("for(;;);", { eval: true })`,
    { fuelBudget: 20_000_000 },
  );
  assert.deepEqual([ran.status, ran.heap], ["out_of_fuel", "kept"]);
  assert.equal(await session.value("kept"), "1");
});

Deno.test("a worker that runs out of memory is an error of its own, and the program goes on", async () => {
  const ran = await new Session().run(
    `const w = new (require("worker_threads").Worker)("const a = []; for (;;) a.push(new Array(1000).fill(1))", { eval: true }); w.on("error", (e) => console.log(e.code)); w.on("exit", (c) => console.log(c));`,
  );
  assert.deepEqual([ran.status, ran.stdout], ["completed", "ERR_WORKER_OUT_OF_MEMORY\n1\n"]);
});

Deno.test("all workers together may have as much memory as the program, and messages wait for nobody without end", async () => {
  const session = new Session({ memoryBytes: 256 << 20 });
  const ran = await session.run(
    `const { Worker } = require("worker_threads");
    const code = "const { parentPort } = require('worker_threads'); globalThis.a = Array.from({ length: 40 }, () => new Uint8Array(1 << 20).fill(1)); parentPort.postMessage('full'); parentPort.on('message', () => process.exit(0))";
    const workers = []; let exhausted = 0; let ended = 0;
    for (let i = 0; i < 10; i++) {
      const w = new Worker(code, { eval: true }); workers.push(w);
      w.on("exit", (exit) => ended += exit === 0);
      await new Promise((resolve) => {
        w.on("message", () => setTimeout(resolve)); w.on("error", (e) => { exhausted += e.code === "ERR_WORKER_OUT_OF_MEMORY"; resolve(); });
      });
    }
    await Promise.all(workers.map((w) => new Promise((resolve) => { w.on("exit", resolve); w.postMessage("end"); setTimeout(resolve, 20); })));
    console.log(ended + exhausted, ended >= 3, ended <= 7);`,
  );
  assert.deepEqual([ran.status, ran.stdout], ["completed", "10 true true\n"]);
  const flood = await session.error(
    `const w = new (require("worker_threads").Worker)("setTimeout(() => {}, 10)", { eval: true }); for (;;) w.postMessage("x".repeat(1e6))`,
  );
  assert.match(flood.message, /more than 64 MiB of messages wait/);
});

Deno.test("where all wait for each other, that is an error, and so are too many threads", async () => {
  const session = new Session();
  const deadlock = await session.error(
    `const v = new Int32Array(new SharedArrayBuffer(8)); new (require("worker_threads").Worker)("const v = new Int32Array(require('worker_threads').workerData); Atomics.wait(v, 0, 0)", { eval: true, workerData: v.buffer }).on("error", () => {}); Atomics.wait(v, 0, 0)`,
  );
  assert.match(deadlock.message, /all others wait, too/);
  const many = await session.error(
    `for (let i = 0; i < 40; i++) new (require("worker_threads").Worker)("setTimeout(() => {}, 10)", { eval: true })`,
  );
  assert.match(many.message, /32 threads at a time/);
});

/** Posts until nothing more has room, however small. */
const FILLING =
  `const { parentPort } = require("worker_threads"); for (const n of [1 << 20, 1000, 0]) { const bytes = new Uint8Array(n); try { for (;;) parentPort.postMessage(bytes); } catch {} }`;

for (
  const [how, then, told] of [
    [
      "runs out of memory",
      "const a = []; for (;;) a.push(new Array(1000).fill(1));",
      "ERR_WORKER_OUT_OF_MEMORY",
    ],
    ["throws", "throw new Error('x'.repeat(1000));", "ERR_WORKER_UNSERIALIZABLE_ERROR"],
  ] as const
) {
  Deno.test(`a worker that ${how} where no message has room any more says so, and the program goes on`, async () => {
    const session = new Session({ memoryBytes: 256 << 20 });
    const ran = await session.run(
      `const w = new (require("worker_threads").Worker)(${JSON.stringify(FILLING + then)}, { eval: true });
      let messages = 0; w.on("message", () => messages++); w.on("error", (e) => console.log(e.code)); w.on("exit", (c) => console.log(c, messages > 60));`,
    );
    assert.deepEqual([ran.status, ran.heap, ran.stdout], ["completed", "kept", `${told}\n1 true\n`]);
  });
}

Deno.test("channels and shared memory are bounded in number, also where nothing of them is posted", async () => {
  const session = new Session({ memoryBytes: 256 << 20 });
  const refused = (what: string) =>
    session.stdout(
      `{ const w = new (require("worker_threads").Worker)("setTimeout(() => {})", { eval: true }); const kept = [];
      const post = (each, transfer) => { kept.push(each); try { w.postMessage([each, () => 1], transfer); } catch (e) { if (e.name !== "DataCloneError") return e.message; } };
      let why; while (!(why = ${what})); console.log(kept.length, why); }`,
    );
  assert.match(
    await refused(`((c) => post(c.port1, [c.port1]))(new MessageChannel())`),
    /^10000 threads may have 10000 channels/,
  );
  assert.match(
    await refused("post(new SharedArrayBuffer(0))"),
    /^10001 threads may share 64 MiB of memory, in 10000/,
  );
  assert.match(
    await refused("post(new SharedArrayBuffer(1 << 24))"),
    /^5 threads may share 64 MiB of memory/,
  );
});
