import assert from "node:assert/strict";
import { VirtualClock } from "../../../src/control/guest_clock.ts";
import { seededRandom } from "../../../src/control/random.ts";
import { Session as JavaScriptSession } from "../../support/javascript_harness.ts";
import { Session as PythonSession } from "../../support/python_harness.ts";

const python = (seed: number) =>
  new PythonSession({ clock: (cell) => new VirtualClock(cell), random: seededRandom(seed) });
const javascript = (seed: number) =>
  new JavaScriptSession({ clock: (cell) => new VirtualClock(cell), random: seededRandom(seed) });

const PYTHON_RANDOM = `
import os, random, secrets, time, uuid
str([random.random(), os.urandom(8), secrets.token_hex(8), uuid.uuid4(), uuid.uuid1(), time.time(), time.monotonic()])
`;
const JAVASCRIPT_RANDOM = `
const bytes = crypto.getRandomValues(new Uint8Array(8));
JSON.stringify([Math.random(), [...bytes], crypto.randomUUID(), Date.now(), performance.now(), new Date()])
`;

for (
  const [language, make, code] of [["Python", python, PYTHON_RANDOM], [
    "JavaScript",
    javascript,
    JAVASCRIPT_RANDOM,
  ]] as const
) {
  Deno.test(`${language}: with a virtual clock and a seed two new sessions see the same time and randomness, and use the same fuel`, async () => {
    const [one, two, other] = [await make(7).run(code), await make(7).run(code), await make(8).run(code)];
    assert.equal(one.status, "completed", JSON.stringify(one));
    assert.deepEqual(one, two);
    assert.ok(one.status === "completed" && other.status === "completed");
    assert.notEqual(one.result, other.result);
  });
}

Deno.test("Python: virtual time begins in 2026, goes with work, and sleeping takes none of ours", async () => {
  const session = python(1);
  assert.equal(await session.value("import time; time.gmtime().tm_year"), "2026");
  const slept = await session.value(
    "t = time.time(); m = time.monotonic(); time.sleep(1e6); (round(time.time() - t), round(time.monotonic() - m))",
  );
  assert.equal(slept, "(1000000, 1000000)");
  assert.equal(
    await session.value(
      "t = time.perf_counter()\nfor i in range(10**6): pass\n0 < time.perf_counter() - t < 1",
    ),
    "True",
  );
  assert.equal(
    await session.value("import asyncio\nt = time.time()\nawait asyncio.sleep(3600)\nround(time.time() - t)"),
    "3600",
  );
  assert.equal(
    await session.value("all(b > a for a, b in zip(*[iter([time.time_ns() for _ in range(1000)])] * 2))"),
    "True",
  );
  const busy = await session.value("t = time.time()\nwhile time.time() < t + 0.2: pass\n'over'");
  assert.equal(busy, "'over'");
});

Deno.test("JavaScript: timers of a virtual clock fire at once, in their order", async () => {
  const session = javascript(1);
  const code = `
    const start = Date.now(), seen = [];
    const timer = (ms) => new Promise((done) => setTimeout(() => { seen.push(ms); done(); }, ms));
    await Promise.all([timer(7_200_000), timer(60_000), timer(3_600_000)]);
    [seen.join(), Math.round((Date.now() - start) / 1000), new Date(start).getUTCFullYear()].join(" ")
  `;
  assert.equal(await session.value(code), "'60000,3600000,7200000 7200 2026'");
});

Deno.test("virtual time goes on between executions, and ends nowhere a clock could overflow", async () => {
  const session = python(1);
  const first = Number(await session.value("import time; time.time_ns()"));
  const second = Number(await session.value("time.time_ns()"));
  assert.ok(second > first);
  assert.equal(await session.value("for _ in range(100): time.sleep(1e9)\ntime.gmtime().tm_year"), "2225");
});

Deno.test("JavaScript: Math.random does not follow from the clock", async () => {
  const values = new Set<unknown>();
  for (let seed = 0; seed < 5; seed++) values.add(await javascript(seed).value("Math.random()"));
  assert.equal(values.size, 5);
});

Deno.test("the same seed gives the same bytes, however they are asked for", () => {
  const all = new Uint8Array(1000);
  seededRandom(1)(all);
  const source = seededRandom(1);
  const pieces = Array.from({ length: 10 }, () => {
    const piece = new Uint8Array(100);
    source(piece);
    return [...piece];
  });
  assert.deepEqual(pieces.flat(), [...all]);
  assert.ok(new Set(all).size > 200);
});
