/** How programs end before their end. */

import assert from "node:assert/strict";
import { Session } from "../../../support/javascript_harness.ts";

Deno.test("a rejected promise that nothing handles ends the program with its error, and keeps the heap", async () => {
  for (
    const [program, message] of [
      ["Promise.reject(new Error('lost'))\n1", "lost"],
      ["async function f() { throw new Error('thrown') }\nf(); 1", "thrown"],
      ["new Promise((_, no) => setTimeout(() => no(new Error('later')), 1)); 1", "later"],
      [
        "const p = Promise.reject(new Error('too late')); setTimeout(() => p.catch(() => {}), 5); 1",
        "too late",
      ],
      ["Promise.resolve().then(() => { throw new Error('in then') }); 1", "in then"],
      ["[1].forEach(async () => { throw new Error('in a loop') }); 1", "in a loop"],
      [
        "await 1; (async () => { throw new Error('beside') })(); await new Promise((f) => setTimeout(f, 5))",
        "beside",
      ],
    ] as const
  ) {
    const session = new Session();
    const error = await session.error(`kept = 41; ${program}`);
    assert.equal(error.message, message, program);
    assert.match(error.traceback, /<execution 1>:\d/, program);
    assert.equal(await session.value("kept + 1"), "42", program);
  }
});

Deno.test("what runs after such a rejection, and before the jobs are done, is seen", async () => {
  const session = new Session();
  const ran = await session.run(
    "Promise.reject(1); console.log('next'); setTimeout(() => console.log('timer'), 1)",
  );
  assert.deepEqual([ran.status, ran.stdout], ["failed", "next\n"]);
  const later = await session.run("console.log('later')");
  assert.deepEqual([later.status, later.stdout], ["completed", "later\n"]);
});

Deno.test("a rejection that is handled in time ends nothing", async () => {
  for (
    const program of [
      "const p = Promise.reject(1); p.catch(() => {}); 1",
      "const p = Promise.reject(1); Promise.resolve().then(() => p.catch(() => {})); 1",
      "await Promise.allSettled([Promise.reject(1), Promise.reject(2)]); 1",
      "await Promise.any([Promise.reject(1), 2]); 1",
      "await Promise.race([1, Promise.reject(2)]); 1",
      "try { await (async () => { throw 1 })() } catch {} ; 1",
      "await import('./nowhere.js').catch(() => {}); 1",
      "async function* g() { throw 1 }; try { for await (const x of g()) x } catch {}; 1",
    ]
  ) {
    const session = new Session();
    assert.equal(await session.value(program), "1", program);
    assert.equal(await session.value("'next'"), "'next'", program);
  }
});

Deno.test("a module that fails is an error of whoever imports it, and can be handled there", async () => {
  for (
    const [name, text] of Object.entries({
      "throws.js": "export const a = 1; throw new Error('in a module')",
      "late.js": "await 1; throw new Error('in a module')",
      "syntax.js": "export const = 1",
      "data.json": "{",
      "nested.js": "import './throws.js'",
      "missing.js": "import './nowhere.js'",
    })
  ) {
    const session = new Session();
    session.write("/app/throws.js", "throw new Error('in a module')");
    session.write(`/app/${name}`, text);
    for (
      const program of [
        `await import('./${name}').catch(() => {}); 1`,
        `try { await import('./${name}') } catch {}; 1`,
        `import('./${name}').then(() => {}, () => {}); 1`,
        `await Promise.allSettled([import('./${name}'), import('./${name}')]); 1`,
      ]
    ) assert.equal(await session.value(program), "1", `${name}: ${program}`);
    await session.error(`import('./${name}'); 1`);
    await session.error(`await import('./${name}')`);
    assert.equal(await session.value("1"), "1");
  }
});

Deno.test("two promises that are rejected with the same reason end a program as one does", async () => {
  const session = new Session();
  const { message } = await session.error(
    "const e = new Error('twice'); Promise.reject(e); Promise.reject(e); 1",
  );
  assert.equal(message, "twice");
  const chained = await session.error("const p = Promise.reject(e); p.then(() => {}); 1");
  assert.equal(chained.message, "twice");
});

Deno.test("many rejections end a program as one does, and cost the host nothing that lasts", async () => {
  const session = new Session();
  const { message } = await session.error(
    "for (let i = 0; i < 20000; i++) Promise.reject(new Error('r' + i)); 1",
  );
  assert.equal(message, "r0");
  assert.equal(await session.value("1"), "1");
});

Deno.test("a listener for unhandled rejections takes them over", async () => {
  const session = new Session();
  const ran = await session.run(`
    require("process").on("unhandledRejection", (reason) => console.log("heard", reason));
    Promise.reject("it"); Promise.reject("them"); 1`);
  assert.deepEqual([ran.status, ran.stdout], ["completed", "heard it\nheard them\n"]);
});

Deno.test("process.exit ends a program with its code and keeps the heap, whatever the program catches", async () => {
  for (
    const [program, exitCode] of [
      ["require('process').exit(3)", 3],
      ["require('process').exit()", 0],
      ["require('process').exit(256 + 7)", 7],
      ["try { require('process').exit(1) } catch {} finally { console.log('caught') }", 1],
      ["setTimeout(() => require('process').exit(2), 1); await new Promise(() => {})", 2],
      ["setInterval(() => {}, 1); Promise.resolve().then(() => require('process').exit(4)); 1", 4],
      ["(async () => { await 1; require('process').exit(5) })().catch(() => console.log('caught')); 1", 5],
      ["try { require('process').exit(6) } catch { for (;;) ; }", 6],
    ] as const
  ) {
    const session = new Session();
    const ran = await session.run(`kept = 1; ${program}`);
    const code = ran.status === "exited" ? ran.exitCode : ran.status;
    assert.deepEqual([code, ran.heap, ran.stdout], [exitCode, "kept", ""], program);
    assert.equal(await session.value("kept"), "1", program);
  }
});

Deno.test("programs that are nested thousands of levels deep fail, and keep the heap", async () => {
  const depth = 3000;
  const session = new Session();
  await session.run("kept = 1");
  for (
    const program of [
      "(function(){".repeat(depth) + "})".repeat(depth),
      "f = " + "()=>{".repeat(depth) + "}".repeat(depth),
      "function f(){".repeat(20_000) + "}".repeat(20_000),
      "{".repeat(20_000) + "}".repeat(20_000),
      "f = " + "[".repeat(20_000) + "]".repeat(20_000),
    ]
  ) {
    const ran = await session.run(program);
    assert.deepEqual([ran.status, ran.heap], ["failed", "kept"], program.slice(0, 40));
    assert.match(ran.status === "failed" ? ran.error.message : "", /levels deep|call stack/);
    assert.equal(await session.value("kept"), "1");
  }
});

Deno.test("a program that handles uncaught errors goes on after each of them, wherever it was thrown", async () => {
  const handler = "process.on('uncaughtException', (e, origin) => console.log(origin, e.message));";
  for (
    const [thrower, origin] of [
      [
        "setTimeout(() => console.log('timer'), 1); throw new Error('script')",
        "uncaughtException script\ntimer",
      ],
      [
        "setTimeout(() => { throw new Error('timer') }); setTimeout(() => console.log('next'), 2)",
        "uncaughtException timer\nnext",
      ],
      [
        "process.nextTick(() => { throw new Error('tick') }); process.nextTick(() => console.log('next'))",
        "uncaughtException tick\nnext",
      ],
      [
        "queueMicrotask(() => { throw new Error('job') }); setTimeout(() => console.log('next'), 5)",
        "uncaughtException job\nnext",
      ],
      [
        "Promise.reject(new Error('promise')); setTimeout(() => console.log('next'), 1)",
        "unhandledRejection promise\nnext",
      ],
      [
        "await 1; setTimeout(() => console.log('timer'), 1); throw new Error('module')",
        "uncaughtException module\ntimer",
      ],
    ] as const
  ) {
    const ran = await new Session().run(`${handler} ${thrower}`);
    assert.deepEqual([ran.status, ran.stdout], ["completed", `${origin}\n`], thrower);
  }
  const session = new Session();
  await session.run(handler);
  assert.equal(
    (await session.error("throw new Error('the next program has none')")).message,
    "the next program has none",
  );
  const failing = await session.error(
    "process.on('uncaughtException', () => { throw new Error('again') }); throw 1",
  );
  assert.equal(failing.message, "again");
});

Deno.test("a program that fails is told that it exits, with the code that Node has for it", async () => {
  const session = new Session();
  for (
    const fails of [
      "throw new Error('x')",
      "Promise.reject(1)",
      "await 1; throw 2",
      "setTimeout(() => { throw 1 })",
    ]
  ) {
    const ran = await session.run(`process.on('exit', (code) => console.log('exit', code)); ${fails}`);
    assert.deepEqual([ran.status, ran.stdout], ["failed", "exit 1\n"], fails);
  }
  assert.equal(await session.value("1"), "1");
});
