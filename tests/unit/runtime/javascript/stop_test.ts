import assert from "node:assert/strict";
import { Session } from "../../../support/javascript_harness.ts";

const MEASURES: Record<string, string> = {
  "a loop": "while (true) {}",
  "a loop that catches": "for (;;) { try { for (;;) {} } catch {} finally { } }",
  "a catastrophic regular expression": "/^(a+)+$/.test('a'.repeat(40) + 'b')",
  "a microtask loop": "const again = () => Promise.resolve().then(again); again()",
  "an async loop": "for (;;) await null",
  "an async loop that catches": "for (;;) { try { await null; for (;;) {} } catch {} }",
  "a growing flood of microtasks":
    "const flood = () => { queueMicrotask(flood); queueMicrotask(flood) }; flood()",
  "an endless interval": "setInterval(() => {}, 1)",
  "an interval that makes more": "const more = () => { setTimeout(more, 0) }; more()",
  "a long sleep": "await new Promise((done) => setTimeout(done, 1e9))",
  "key after key":
    `for (;;) require("crypto").scryptSync("p", "s", 64, { N: 65536, r: 8, p: 2, maxmem: 2 ** 30 })`,
  "a getter while the result is shown": "({ get [Symbol.toStringTag]() { for (;;) {} } })",
};

for (const [name, code] of Object.entries(MEASURES)) {
  Deno.test(`a soft stop ends ${name} and keeps the heap`, async () => {
    const session = new Session();
    await session.run("var kept = { n: 1 }; var touched = 0");
    const stop = (_: string, execution: number) => session.cell.interrupt(execution);
    const ran = await session.run(
      `setTimeout(() => touched++, 0); Promise.resolve().then(() => 0).then(() => touched++);
      console.log("go"); ${code}`,
      { onWrite: stop },
    );
    assert.equal(ran.status, "stopped");
    assert.equal(ran.heap, "kept");
    assert.equal(await session.value("kept.n"), "1");
    const touched = await session.value("touched");
    assert.equal(await session.value("await new Promise((done) => setTimeout(done, 5)); touched"), touched);
  });
}

Deno.test("a stop or an exit among calls of the host that fail is told as such, wherever it comes, and keeps the heap", async () => {
  const session = new Session();
  await session.run(
    `var kept = 1; var { statSync } = require("fs");
    var fail = () => { for (;;) try { statSync("/nowhere") } catch {} };`,
  );
  for (let steps = 0; steps < 400; steps++) {
    const wait = `for (let step = 0; step < ${steps}; step++);`;
    const exited = await session.run(`${wait} try { process.exit(3) } finally { fail() }`);
    assert.deepEqual([exited.status, exited.heap], ["exited", "kept"]);
    const stopped = await session.run(`${wait} console.log("go"); fail()`, {
      onWrite: (_, execution) => session.cell.interrupt(execution),
    });
    assert.deepEqual([stopped.status, stopped.heap], ["stopped", "kept"]);
  }
  assert.equal(await session.value("kept"), "1");
});

const THREADS: Record<string, string> = {
  "a worker that catches": `for (;;) { try { for (;;) {} } catch {} finally { } }`,
  "a worker that waits for memory": `Atomics.wait(new Int32Array(workerData), 0, 0, 1e9)`,
  "a worker that waits for its own": `new Worker("for (;;);", { eval: true }); setInterval(() => {}, 1e9)`,
};

for (const [name, code] of Object.entries(THREADS)) {
  for (const waits of ["setInterval(() => {}, 1e9)", "Atomics.wait(new Int32Array(memory), 0, 0, 1e9)"]) {
    Deno.test(`a soft stop ends ${name}, where the program has ${waits.slice(0, 12)}, and keeps the heap`, async () => {
      const session = new Session({ memoryBytes: 256 << 20 });
      const worker = `const { Worker, workerData } = require("worker_threads"); console.log("go"); ${code}`;
      const ran = await session.run(
        `var kept = 1; const memory = new SharedArrayBuffer(8);
        new (require("worker_threads").Worker)(${
          JSON.stringify(worker)
        }, { eval: true, workerData: memory }); ${waits}`,
        { onWrite: (_, execution) => session.cell.interrupt(execution) },
      );
      assert.deepEqual([ran.status, ran.heap, ran.stdout], ["stopped", "kept", "go\n"]);
      assert.equal(await session.value("kept"), "1");
    });
  }
}

const NATIVE: Record<string, string> = {
  "a search": "const text = 'a'.repeat(2 ** 22) + 'b'; for (let i = 0; i < 1e6; i++) text.indexOf('aab')",
  "a sort": "new Float64Array(2 ** 21).map(() => Math.random()).sort()",
  "a big power": "3n ** 30000000n",
  "a long serialisation": "JSON.stringify(new Array(2e6).fill('x'.repeat(100)))",
  "a fill": "new Uint8Array(3e7).fill(1).join()",
};

for (const [name, code] of Object.entries(NATIVE)) {
  Deno.test(`a hard stop ends ${name} and discards the heap`, async () => {
    const session = new Session({ memoryBytes: 256 << 20 });
    await session.run("var lost = 1");
    const ran = await session.run(`console.log("go"); ${code}`, {
      onWrite: (_, execution) => session.cell.abort(execution),
    });
    assert.deepEqual([ran.status, ran.heap], ["stopped", "discarded"]);
    assert.equal(session.runtime.memoryBytes(), 0);
    assert.equal(await session.value("typeof lost"), "'undefined'");
  });
}

Deno.test("a stop for an earlier run does nothing to the next", async () => {
  const session = new Session();
  await session.run("1");
  session.cell.interrupt(1);
  session.cell.abort(1);
  assert.equal(await session.value("let n = 0; for (let i = 0; i < 1e5; i++) n++; n"), "100000");
});

Deno.test("nothing of a run that failed runs on in a later one", async () => {
  const session = new Session();
  await session.run(
    "var seen = []; setTimeout(() => seen.push('timer'), 0); (async () => { for (;;) { await null; seen.push('job'); } })(); throw new Error('end')",
  );
  const seen = await session.value("seen.length");
  assert.equal(await session.value("await new Promise((done) => setTimeout(done, 5)); seen.length"), seen);
});

Deno.test("handlers and finally blocks of a stopped run do not run", async () => {
  const session = new Session();
  const ran = await session.run(
    `var late = []; async function f() { try { await new Promise((done) => setTimeout(done, 1)); for (;;) {} } catch { late.push("catch"); } finally { late.push("finally"); } }
     f().then(() => late.push("then"), () => late.push("rejected")); console.log("go"); for (;;) {}`,
    { onWrite: (_, execution) => session.cell.interrupt(execution) },
  );
  assert.equal(ran.status, "stopped");
  assert.equal(await session.value("late"), "[]");
});

Deno.test("a fuel budget ends a run that uses it up, and is counted from zero for each run", async () => {
  const session = new Session();
  const spent = await session.run("for (let i = 0; i < 1e5; i++);");
  assert(spent.fuelConsumed > 1e5);
  const again = await session.run("for (let i = 0; i < 1e5; i++);", { fuelBudget: spent.fuelConsumed * 2 });
  assert.equal(again.status, "completed");
  const out = await session.run("var kept = 1; for (;;);", { fuelBudget: 1_000_000 });
  assert.deepEqual([out.status, out.heap], ["out_of_fuel", "kept"]);
  assert(out.fuelConsumed >= 1_000_000 && out.fuelConsumed < 1_200_000, `${out.fuelConsumed}`);
  assert.equal(await session.value("kept"), "1");
});

Deno.test("a program that can't be interrupted in time when its fuel is used up loses its heap", async () => {
  const session = new Session();
  const out = await session.run("for (;;) new Array(10000).fill(1).sort()", { fuelBudget: 100_000 });
  assert.deepEqual([out.status, out.heap], ["out_of_fuel", "discarded"]);
  assert.equal(await session.value("1"), "1");
});

Deno.test("a program that ends within the grace of its fuel is out of fuel all the same", async () => {
  const out = await new Session().run("for (let i = 0; i < 1e4; i++); 'done'", { fuelBudget: 1000 });
  assert.deepEqual([out.status, out.heap], ["out_of_fuel", "kept"]);
});

for (
  const code of [
    "'x'.repeat(2 ** 29)",
    "Array(1e9).fill()",
    "const all = []; for (;;) all.push(new Array(1000).fill(all.length))",
    "let s = 'x'; for (;;) s += s",
    "new ArrayBuffer(2 ** 30)",
    "const chain = []; for (;;) chain.push(new Promise(() => {}))",
  ]
) {
  Deno.test(`memory that runs out is reported and bounded: ${code}`, async () => {
    const session = new Session({ memoryBytes: 32 << 20 });
    await session.run("var here = 1");
    const ran = await session.run(code);
    assert(
      ran.status === "out_of_memory" ||
        ran.status === "failed" && /too (long|large)|invalid/i.test(ran.error.message),
      JSON.stringify(ran),
    );
    assert(ran.memoryBytes <= 32 << 20);
    const after = await session.value("typeof here");
    assert.equal(after, ran.heap === "kept" ? "'number'" : "'undefined'");
  });
}

Deno.test("discarded instances are collected", async () => {
  const session = new Session();
  const gc = (globalThis as { gc?: () => void }).gc;
  const { Memory } = WebAssembly;
  const memories: WeakRef<WebAssembly.Memory>[] = [];
  WebAssembly.Memory = class extends Memory {
    constructor(descriptor: WebAssembly.MemoryDescriptor) {
      super(descriptor);
      memories.push(new WeakRef(this));
    }
  };
  try {
    for (let i = 0; i < 20; i++) {
      const ran = await session.run("console.log('go'); for (;;) {}", {
        onWrite: (_, execution) => session.cell.abort(execution),
      });
      assert.equal(ran.heap, "discarded");
    }
  } finally {
    WebAssembly.Memory = Memory;
  }
  assert.equal(memories.length, 20);
  if (!gc) return; // needs --expose-gc, which the project's test command sets
  await new Promise((done) => setTimeout(done, 0));
  gc();
  const alive = memories.filter((memory) => memory.deref() !== undefined).length;
  assert(alive <= 1, `${alive} of 20 are alive`);
});

for (
  const code of [
    "all = []; for (;;) all.push({})",
    "all = null; for (;;) { const inner = all; all = () => inner; }",
    "fs.writeFileSync('f', 'x'.repeat(5e6)); all = []; for (;;) all.push(fs.readFileSync('f'))",
    "{ const all = []; for (;;) all.push({}) }",
  ]
) {
  Deno.test(`a heap that is full to the last byte can be told to free something: ${code}`, async () => {
    const session = new Session({ memoryBytes: 32 << 20 });
    await session.run("var here = 1, all; const fs = require('fs')");
    const ran = await session.run(code);
    assert.deepEqual([ran.status, ran.heap], ["out_of_memory", "kept"], JSON.stringify(ran));
    assert.match(ran.status === "out_of_memory" ? ran.error?.message ?? "" : "", /out of memory/);
    assert.equal(await session.value("all = undefined; here"), "1");
    assert.equal(await session.value("new Uint8Array(8e6).length"), "8000000");
  });
}

Deno.test("a program that throws null is not out of memory", async () => {
  const ran = await new Session().run("throw null");
  assert.deepEqual([ran.status, ran.heap], ["failed", "kept"]);
});
