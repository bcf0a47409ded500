/** Timers and what comes when, as in Node. */

import assert from "node:assert/strict";
import { VirtualClock } from "../../../../src/control/guest_clock.ts";
import { Session } from "../../../support/javascript_harness.ts";

/** Programs and what they print in Node 20. Where it depends on how long something takes, time is what they do. */
const PROGRAMS: readonly (readonly [name: string, code: string, printed: string, clock?: "virtual"])[] = [
  [
    "a timer is the `this` of its callback, and can be cleared by that",
    `let n = 0; const timer = setInterval(function () { if (++n === 3) clearInterval(this); console.log(n, this === timer); }, 1);
    setTimeout(function (a, b) { console.log(this.constructor.name, a, b); }, 30, 1, 2);
    setImmediate(function () { console.log(this.constructor.name); });`,
    "1 true\nImmediate\n2 true\n3 true\nTimeout 1 2\n",
    "virtual",
  ],
  [
    "within what a file calls back, immediates come before timers",
    `require("fs").readFile(".", () => {
      setTimeout(() => console.log("timeout"), 0); setImmediate(() => console.log("immediate"));
      process.nextTick(() => console.log("tick")); Promise.resolve().then(() => console.log("promise"));
    });`,
    "tick\npromise\nimmediate\ntimeout\n",
  ],
  [
    "what files promise comes after what the program has put off",
    `const order = []; const fs = require("fs/promises"); const read = fs.readdir(".").then(() => order.push("file"));
    setTimeout(() => order.push("timeout"), 0); process.nextTick(() => order.push("tick"));
    Promise.resolve().then(() => order.push("promise")); await read; console.log(order.join());`,
    "promise,tick,timeout,file\n",
  ],
  [
    "immediates that immediates set go on without taking time",
    `let n = 0; const start = performance.now(); const again = () => ++n < 3000 ? setImmediate(again) : console.log(performance.now() - start < 2500);
    again();`,
    "true\n",
    "virtual",
  ],
  [
    "immediates can be cleared, and not waited for",
    `const gone = setImmediate(() => console.log("never")); clearImmediate(gone); clearImmediate(gone);
    const idle = setImmediate(() => console.log("idle")).unref(); console.log(idle.hasRef());
    setTimeout(() => console.log("never"), 5000).unref();`,
    "false\n",
  ],
  [
    "a timer begins anew, also in its own callback",
    `let n = 0; const timer = setTimeout(() => { if (++n < 3) timer.refresh(); else console.log(n); }, 1);`,
    "3\n",
  ],
  [
    "timers of promises end with their signal, and intervals give what came meanwhile",
    `const { setTimeout: wait, setInterval: every } = require("timers/promises"); const stop = new AbortController();
    setTimeout(() => stop.abort(), 5);
    await wait(5000, null, { signal: stop.signal }).catch((e) => console.log(e.name, e.code));
    let n = 0; for await (const each of every(5, "tick")) { if (n === 0) await wait(30); console.log(each); if (++n === 3) break; }`,
    "AbortError ABORT_ERR\ntick\ntick\ntick\n",
  ],
  [
    "what is no function is refused in Node's words",
    `for (const set of [setTimeout, setInterval, setImmediate, queueMicrotask]) {
      try { set("x"); } catch (e) { console.log(e.code, e.message); }
    }`,
    `ERR_INVALID_ARG_TYPE The "callback" argument must be of type function. Received type string ('x')\n`
      .repeat(4),
  ],
];

for (const [name, code, printed, clock] of PROGRAMS) {
  Deno.test(name, async () => {
    const session = new Session(clock && { clock: (cell) => new VirtualClock(cell) });
    assert.equal(await session.stdout(code), printed);
  });
}

Deno.test("what a microtask throws ends the program before its timers", async () => {
  const session = new Session();
  const ran = await session.run(
    `setTimeout(() => console.log("never"), 0); queueMicrotask(() => { throw new Error("boom"); });`,
  );
  assert.equal(ran.status, "failed");
  assert.equal(ran.stdout, "");
});
