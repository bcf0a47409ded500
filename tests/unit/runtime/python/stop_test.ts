import { deepEqual, equal, ok } from "node:assert/strict";
import { Session } from "../../../support/python_harness.ts";
import { DELAY, DONE, TARGET } from "./stopper.ts";

/** Announces that it runs, then does what can only be stopped. */
const busy = (code: string) => `print("ready")\n${code}`;

for (
  const [what, code] of [
    ["an endless loop", "while True: pass"],
    ["recursion without a loop", "def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)\nfib(90)"],
    ["a function that C code calls", "any(map(lambda x: False, iter(int, 1)))"],
    [
      "a comparison that sorting calls",
      "class C:\n  def __lt__(self, other): return True\nsorted([C() for _ in range(1000)] * 1000)",
    ],
    ["a number of a hundred million digits", "10**10**8"],
    ["a catastrophic regular expression", "import re\nre.match('(a+)+b', 'a' * 50)"],
    ["a sleep without end", "import time; time.sleep(1e9)"],
    ["a sleep below a top-level await", "import asyncio; await asyncio.sleep(1e9)"],
    [
      "a loop that handles every exception and then ends",
      "try:\n  while True: pass\nexcept BaseException: pass",
    ],
    ["a result whose repr never ends", "class R:\n  def __repr__(self):\n    while True: pass\nR()"],
    [
      "an exception whose text never ends",
      "class E(Exception):\n  def __str__(self):\n    while True: pass\nraise E",
    ],
    [
      "a stream whose flush never ends",
      "import sys\nclass F:\n  write = len\n  def flush(self):\n    while True: pass\nsys.stdout = F()",
    ],
    ["a destructor that never ends", "class D:\n  def __del__(self):\n    while True: pass\nd = D()\ndel d"],
    [
      "destructors of the frames of an exception",
      "class D:\n  def __del__(self):\n    while True: pass\ndef f():\n  d = D()\n  1/0\nf()",
    ],
  ] as const
) {
  Deno.test(`an interrupt stops ${what}, and variables are kept`, async () => {
    const python = new Session();
    await python.run("kept = 1");
    const outcome = await python.runStopped(busy(code), { interruptAt: "ready" });
    deepEqual([outcome.status, outcome.heap], ["stopped", "kept"]);
    equal(await python.value("kept"), "1");
  });
}

Deno.test("an interrupt stops a program that does next to nothing but call the system", async () => {
  const python = new Session();
  const outcome = await python.runStopped(
    "import posix\nfile, data = posix.open('f', posix.O_CREAT | posix.O_RDWR), bytes(4_000_000)\nprint('ready')\n" +
      "for _ in range(300): posix.pwrite(file, data, 0)\nprint('done')",
    { interruptAt: "ready" },
  );
  deepEqual([outcome.status, outcome.heap, outcome.stdout.includes("done")], ["stopped", "kept", false]);
});

Deno.test("finally clauses run when a program is interrupted", async () => {
  const outcome = await new Session().runStopped(
    "try:\n  print('ready')\n  while True: pass\nfinally: print('cleaned up')",
    { interruptAt: "ready" },
  );
  deepEqual([outcome.status, outcome.stdout], ["stopped", "ready\ncleaned up\n"]);
});

Deno.test("who has long to end is not interrupted again soon", async () => {
  const code = `
import time
try:
  print("ready")
  while True: pass
finally:
  until = time.process_time() + 0.8
  while time.process_time() < until: pass
  print("saved")`;
  const python = new Session({ interruptGraceMs: 60_000 });
  const outcome = await python.runStopped(code, { interruptAt: "ready" });
  deepEqual([outcome.status, outcome.stdout], ["stopped", "ready\nsaved\n"]);
});

for (
  const [what, code] of [
    [
      "a loop that swallows every interrupt",
      "while True:\n  try:\n    while True: pass\n  except BaseException: print('again')",
    ],
    [
      "sleeps that swallow every interrupt",
      "import time\nwhile True:\n  try: time.sleep(60)\n  except BaseException: print('again')",
    ],
    ["an iteration in C", "import itertools\nprint('again')\n1 in itertools.repeat(0)"],
    ["a search in C", "b = bytes(10**7)\nprint('again')\nfor _ in range(10**6): b.find(bytes(5000) + b'x')"],
  ] as const
) {
  Deno.test(`an abort stops ${what}, and the heap is thrown away`, async () => {
    const python = new Session();
    await python.run("lost = 1");
    const outcome = await python.runStopped(busy(code), { interruptAt: "ready", abortAt: "again" });
    deepEqual([outcome.status, outcome.heap], ["stopped", "discarded"]);
    equal(await python.value("'lost' in globals()"), "False");
  });
}

Deno.test("a fuel budget interrupts a program, which keeps its heap", async () => {
  const python = new Session();
  const outcome = await python.run("x = 1\nwhile True: pass", { fuelBudget: 1_000_000 });
  deepEqual([outcome.status, outcome.heap, outcome.fuelConsumed >= 1_000_000], [
    "out_of_fuel",
    "kept",
    true,
  ]);
  equal(await python.value("x"), "1");
  equal((await python.run("sum(range(1000))", { fuelBudget: 1_000_000 })).status, "completed");
});

for (
  const code of [
    "while True:\n  try:\n    while True: pass\n  except BaseException: pass",
    "import itertools\n1 in itertools.repeat(0)",
    "sum(range(10**9))",
  ]
) {
  Deno.test(`a program that can't be interrupted when its fuel is used up loses its heap: ${code}`, async () => {
    const python = new Session();
    const outcome = await python.run(code, { fuelBudget: 100_000 });
    deepEqual([outcome.status, outcome.heap], ["out_of_fuel", "discarded"]);
    equal((await python.run("1")).status, "completed");
  });
}

Deno.test("a program that ends within the grace of its fuel is out of fuel all the same", async () => {
  const outcome = await new Session().run("print(1)", { fuelBudget: 1000 });
  deepEqual([outcome.status, outcome.heap, outcome.stdout], ["out_of_fuel", "kept", "1\n"]);
});

Deno.test("a program may raise KeyboardInterrupt itself", async () => {
  const outcome = await new Session().run("raise KeyboardInterrupt");
  equal(outcome.status === "failed" && outcome.error.type, "KeyboardInterrupt");
});

Deno.test("a stop that names an execution that has ended stops nothing", async () => {
  const python = new Session();
  await python.run("x = 1");
  python.cell.interrupt(1);
  python.cell.abort(1);
  equal(await python.value("for _ in range(100000): pass\nx"), "1");
});

Deno.test("a program that the stop did not reach in time ends as it did", async () => {
  const python = new Session();
  const outcome = await python.runStopped("print('ready')", { interruptAt: "ready" });
  deepEqual([outcome.status, outcome.heap], ["completed", "kept"]);
  equal((await python.run("for _ in range(100000): pass")).status, "completed");
});

Deno.test("stops at a thousand random moments around the end never reach a later run", async () => {
  const python = new Session();
  const orders = new Int32Array(new SharedArrayBuffer(12));
  const stopper = new Worker(new URL("./stopper.ts", import.meta.url).href, { type: "module" });
  stopper.postMessage({ cell: python.cell.buffer, orders: orders.buffer });
  const order = (target: number, delay: number) => {
    Atomics.store(orders, DELAY, delay);
    Atomics.store(orders, TARGET, target);
    Atomics.notify(orders, TARGET);
  };
  const done = (target: number) => {
    while (Atomics.load(orders, DONE) !== target) {
      Atomics.wait(orders, DONE, Atomics.load(orders, DONE), 1000);
    }
  };
  const program = "for _ in range(15000): pass\nruns += 1\n[runs]";

  await python.run("runs = 0");
  const started = performance.now();
  for (let i = 0; i < 20; i++) await python.run(program);
  // Moved by each ending: these first runs may be many times slower than the hundredth.
  let around = (performance.now() - started) / 20 * 1000;
  order(1, 0);
  done(1);

  const endings = { stopped: 0, completed: 0 };
  for (let i = 0; i < 1000; i++) {
    const target = python.execution + 1;
    order(target, around * (0.5 + Math.random()));
    const outcome = await python.run(program);
    ok(
      outcome.heap === "kept" && (outcome.status === "stopped" || outcome.status === "completed"),
      outcome.status,
    );
    endings[outcome.status]++;
    around *= outcome.status === "stopped" ? 1.05 : 0.95;
    // The stop may arrive during this one, which it does not name.
    equal((await python.run("runs")).status, "completed");
    done(target);
  }
  ok(endings.stopped > 0 && endings.completed > 0, JSON.stringify(endings));
  order(-1, 0);
  done(-1);
  stopper.terminate();
});
