/** Threads of a program: `worker_threads`, `fork`, and what these tell each other. */

import assert from "node:assert/strict";
import { Session } from "../../../support/javascript_harness.ts";

/** Programs and what they print in Node. */
const PROGRAMS: readonly (readonly [name: string, code: string, printed: string])[] = [
  [
    "a program that makes a Worker of itself runs in it, with copies of what it gives it",
    `const { Worker, isMainThread, parentPort, workerData, threadId } = require("worker_threads");
    if (isMainThread) {
      const w = new Worker(__filename, { workerData: { n: 15, at: new Date(0), map: new Map([[1, { a: [1, , 3] }]]), big: 12345678901234567890n, re: /x+/gi } });
      w.on("online", () => console.log("online"));
      w.on("message", (m) => console.log("main got", m)); w.on("exit", (c) => console.log("exit", c));
      w.postMessage({ hello: "worker" });
    } else {
      console.log(threadId, workerData.map.get(1).a, workerData.big, workerData.re, workerData.at.getTime());
      const fib = (n) => n < 2 ? n : fib(n - 1) + fib(n - 2);
      parentPort.once("message", (m) => { console.log("worker got", m); parentPort.postMessage({ fib: fib(workerData.n) }); });
    }`,
    "online\n1 [ 1, <1 empty item>, 3 ] 12345678901234567890n /x+/gi 0\nworker got { hello: 'worker' }\nmain got { fib: 610 }\nexit 0\n",
  ],
  [
    "workers in files answer, fail with their errors, exit and are terminated",
    `import { Worker } from "node:worker_threads"; import { once } from "node:events";
    const run = (n) => new Promise((resolve, reject) => {
      const w = new Worker(new URL("./worker.mjs", import.meta.url), { workerData: n });
      w.on("message", resolve); w.on("error", reject);
    });
    console.log(await Promise.all([1, 2, 3].map(run)));
    try { await run(-1); } catch (e) { console.log(e.name, e.message, e instanceof RangeError, e.extra); }
    const w = new Worker('const { parentPort } = require("node:worker_threads"); parentPort.on("message", (m) => { if (m === "stop") process.exit(7); parentPort.postMessage(m * 2); })', { eval: true });
    for (const i of [1, 2]) { w.postMessage(i); const [r] = await once(w, "message"); console.log(r); }
    w.postMessage("stop"); console.log(await once(w, "exit"));
    const t = new Worker("setInterval(() => {}, 1000)", { eval: true }); await once(t, "online"); setTimeout(async () => console.log(await t.terminate()), 20);
    const [e] = await once(new Worker("./missing.js"), "error"); console.log(e.code);
    const th = new Worker('throw { not: "error" }', { eval: true }); console.log(await once(th, "error"));`,
    "[ 1, 4, 9 ]\nRangeError negative true { a: 1 }\n2\n4\n[ 7 ]\nMODULE_NOT_FOUND\n[ { not: 'error' } ]\n1\n",
  ],
  [
    "memory that is shared is the same in all, and Atomics.wait lets others run",
    `const { Worker, MessageChannel, receiveMessageOnPort } = require("worker_threads");
    const view = new Int32Array(new SharedArrayBuffer(16));
    const count = 'const { workerData } = require("worker_threads"); const v = new Int32Array(workerData); for (let i = 0; i < 1000; i++) Atomics.add(v, 0, 1);';
    let left = 4;
    for (let i = 0; i < 4; i++) new Worker(count, { eval: true, workerData: view.buffer }).on("exit", () => { if (--left === 0) { console.log(view[0]); next(); } });
    function next() {
      const { port1, port2 } = new MessageChannel();
      const w = new Worker('const { workerData: { b, port } } = require("worker_threads"); const v = new Int32Array(b); port.postMessage({ sum: 42 }); Atomics.store(v, 1, 1); Atomics.notify(v, 1);', { eval: true, workerData: { b: view.buffer, port: port2 }, transferList: [port2] });
      console.log(Atomics.wait(view, 1, 0, 5000)); console.log(receiveMessageOnPort(port1), receiveMessageOnPort(port1));
      w.on("exit", waiting);
    }
    function waiting() {
      const w = new Worker('const { workerData, parentPort } = require("worker_threads"); const v = new Int32Array(workerData); parentPort.postMessage("waiting"); parentPort.postMessage([Atomics.wait(v, 2, 0), v[2]])', { eval: true, workerData: view.buffer });
      w.on("message", (m) => { console.log(m); if (m === "waiting") setTimeout(() => { view[2] = 9; console.log(Atomics.notify(view, 2)); }, 20); });
    }`,
    "4000\nok\n{ message: { sum: 42 } } undefined\nwaiting\n1\n[ 'ok', 9 ]\n",
  ],
  [
    "ports go from one to another, and what is broadcast reaches all",
    `const { Worker, MessageChannel, BroadcastChannel } = require("worker_threads");
    const { port1, port2 } = new MessageChannel(); port1.postMessage("before"); 
    const a = new Worker('require("worker_threads").parentPort.once("message", ({ port }) => port.on("message", (m) => { port.postMessage("a:" + m); if (m === "bye") port.close(); }))', { eval: true });
    const b = new Worker('require("worker_threads").parentPort.once("message", ({ port }) => { port.on("message", (m) => { console.log(m); if (m === "a:hi") port.postMessage("bye"); }); port.on("close", () => console.log("closed")); port.postMessage("hi"); })', { eval: true });
    a.postMessage({ port: port1 }, [port1]); b.postMessage({ port: port2 }, [port2]);
    let ended = 0; for (const w of [a, b]) w.on("exit", () => ++ended === 2 && broadcast());
    function broadcast() {
      const c = new BroadcastChannel("x");
      const w = new Worker('const c = new BroadcastChannel("x"); c.onmessage = (e) => { console.log("worker", e.data); c.close(); }; c.postMessage("ready")', { eval: true });
      c.onmessage = (e) => { console.log("main", e.data); c.postMessage("from main"); };
      w.on("exit", () => c.close());
    }`,
    "before\na:hi\na:bye\nclosed\nmain ready\nworker from main\n",
  ],
  [
    "a worker has its arguments and environment, its output can be read, and it may make workers",
    `const { Worker, setEnvironmentData } = require("worker_threads"); const { once } = require("events");
    process.env.FROM = "main"; setEnvironmentData("key", { v: 1 });
    (async () => {
      const w = new Worker('const { getEnvironmentData, parentPort, isMainThread } = require("worker_threads"); parentPort.postMessage([process.argv.slice(2), process.env.FROM, getEnvironmentData("key"), isMainThread]); console.log("to stdout");', { eval: true, argv: ["x", 1], stdout: true });
      let out = ""; w.stdout.on("data", (d) => out += d); w.on("message", (m) => console.log(m)); await once(w, "exit"); console.log(JSON.stringify(out));
      const nest = new Worker('const { Worker, parentPort } = require("worker_threads"); new Worker("require(\\'worker_threads\\').parentPort.postMessage(1)", { eval: true }).on("message", (m) => parentPort.postMessage(["nested", m]));', { eval: true });
      console.log(await once(nest, "message"));
      const buffer = new ArrayBuffer(8); const tr = new Worker('require("worker_threads").parentPort.once("message", (m) => console.log(m.byteLength))', { eval: true });
      tr.postMessage(buffer, [buffer]); console.log(buffer.byteLength);
      try { tr.postMessage(() => {}); } catch (e) { console.log(e.name, e.message); }
    })();`,
    `[ [ 'x', '1' ], 'main', { v: 1 }, false ]\n"to stdout\\n"\n[ [ 'nested', 1 ] ]\n0\nDataCloneError () => {} could not be cloned.\n8\n`,
  ],
  [
    "fork runs a program that has a channel to its parent",
    `const { fork } = require("child_process");
    const child = fork("./child.js", ["a"], { env: { X: "1" } });
    child.on("message", (m) => { console.log(m); if (m.ready) child.send({ n: 5 }); else child.send("end"); });
    child.on("exit", (code, signal) => { console.log("exit", code, signal);
      const bad = fork("./bad.js", { silent: true }); let err = ""; bad.stderr.on("data", (d) => err += d); bad.on("close", (code) => console.log(code, err.includes("Error: oops"))); });`,
    "{ ready: true }\n{ got: { n: 5 }, argv: [ 'a' ], x: '1' }\nexit 4 null\n1 true\n",
  ],
];

for (const [name, code, printed] of PROGRAMS) {
  Deno.test(name, async () => {
    const session = new Session();
    session.write(
      "/app/worker.mjs",
      `import { parentPort, workerData } from "worker_threads";
      if (workerData < 0) throw Object.assign(new RangeError("negative"), { extra: { a: 1 }, f() {} });
      parentPort.postMessage(workerData ** 2);`,
    );
    session.write(
      "/app/child.js",
      `process.on("message", (m) => m === "end" ? process.exit(4) : process.send({ got: m, argv: process.argv.slice(2), x: process.env.X })); process.send({ ready: true });`,
    );
    session.write("/app/bad.js", `throw new Error("oops")`);
    assert.equal(await session.stdout(code), printed);
  });
}

Deno.test("a worker in TypeScript is the program's own text, too", async () => {
  const ran = await new Session().run(
    `import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";
    interface Job { values: number[] }
    if (isMainThread) {
      const job: Job = { values: [1, 2] };
      const sum = await new Promise<number>((resolve) => new Worker(new URL(import.meta.url), { workerData: job }).once("message", resolve));
      console.log(sum);
    } else parentPort!.postMessage((workerData as Job).values.reduce((a, b) => a + b, 0));`,
    { dialect: "typescript" },
  );
  assert.equal(ran.stdout, "3\n");
});

Deno.test("v8.serialize gives the bytes that Node gives, and takes them back", async () => {
  const printed = await new Session().stdout(
    `const v8 = require("v8"); const c = { z: 1 }; c.self = c;
    for (const v of [-1, 2 ** 31, "é", "日本", -(2n ** 70n), [1, , 3], { a: 1, b: [] }, new Map([[1, {}]]), Buffer.from("hi"), new Float64Array([1.5]), c]) console.log(v8.serialize(v).toString("hex"));
    console.log(v8.deserialize(v8.serialize({ c, d: new Date(5), re: /a/giu, e: new RangeError("x") })));
    try { v8.serialize(() => 1); } catch (e) { console.log(e.message); }`,
  );
  assert.equal(
    printed.replace(/\n {6}at .*/g, ""),
    "ff0f4901\nff0f4e000000000000e041\nff0f2201e9\nff0f6304e5652c67\nff0f5a2100000000000000004000000000000000\n" +
      "ff0f61034900490249044906400203\nff0f6f220161490222016241002400007b02\nff0f3b49026f7b003a02\nff0f5c0a026869\n" +
      "ff0f5c0808000000000000f83f\nff0f6f22017a4902220473656c665e007b02\n" +
      "{\n  c: <ref *1> { z: 1, self: [Circular *1] },\n  d: 1970-01-01T00:00:00.005Z,\n  re: /a/giu,\n  e: RangeError: x\n}\n" +
      "() => 1 could not be cloned.\n",
  );
});

Deno.test("a worker that nobody has anything for ends with the call, and says so later", async () => {
  const session = new Session();
  const first = await session.run(
    `var w = new (require("worker_threads").Worker)("require('worker_threads').parentPort.on('message', (m) => require('worker_threads').parentPort.postMessage(m + 1))", { eval: true }); w.on("message", (m) => console.log(m)); w.postMessage(1);`,
  );
  assert.deepEqual([first.status, first.stdout], ["completed", "2\n"]);
  assert.match((await session.error("w.postMessage(2)")).message, /it ended with the call that made it/);
});

Deno.test("what is left of an earlier call's threads reaches none of a later one", async () => {
  const session = new Session();
  session.write("/app/child.js", `process.on("message", () => {})`);
  await session.run(
    `var { port1: old, port2 } = new MessageChannel(); var { Worker } = require("worker_threads");
    new Worker("require('worker_threads').parentPort.once('message', () => {})", { eval: true }).postMessage(port2, [port2]);
    var child = require("child_process").fork("/app/child.js");`,
  );
  assert.equal(
    await session.stdout(
      `const { port1, port2 } = new MessageChannel();
      const w = new Worker("require('worker_threads').parentPort.once('message', (port) => port.on('message', (m) => { console.log(m); port.close(); }))", { eval: true });
      w.postMessage(port2, [port2]); old.postMessage("of a call that is over"); port1.postMessage("of this one");
      child.send("x", (error) => console.log(error.message, child.kill()));`,
    ),
    "this process is not here: it ended with the call that made it. Make it again false\nof this one\n",
  );
});

Deno.test("a worker ends with the one that made it, also while it waits and that one has a turn", async () => {
  const child =
    `console.log("waits"); Atomics.wait(new Int32Array(require("worker_threads").workerData), 0, 0, 10_000); console.log("goes on");`;
  const parent = `const { Worker, workerData } = require("worker_threads"); new Worker(${
    JSON.stringify(child)
  }, { eval: true, workerData }).on("online", () => setTimeout(() => process.exit(3), 20));`;
  assert.equal(
    await new Session().stdout(
      `new (require("worker_threads").Worker)(${
        JSON.stringify(parent)
      }, { eval: true, workerData: new SharedArrayBuffer(8) }).on("exit", (code) => console.log(code));`,
    ),
    "waits\n3\n",
  );
});
