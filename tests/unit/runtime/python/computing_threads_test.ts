/** Threads that compute, and never wait: they are interrupted for others, and by whoever stops the program. */

import { deepEqual, equal } from "node:assert/strict";
import { Session } from "../../../support/python_harness.ts";
import { testPrograms } from "../../../support/python_programs.ts";

testPrograms([
  [
    "who computes is interrupted: a join ends in time, and a flag that another thread sets is seen",
    `import threading
done = False
def spin():
    n = 0
    while not done: n += 1
def finish():
    global done
    done = True
t = threading.Thread(target=spin); t.start(); t.join(.05); print(t.is_alive())
threading.Timer(.05, finish).start()
while not done: pass
t.join(); print(t.is_alive())`,
    "True\nFalse\n",
  ],
  [
    "programs that compute side by side all get somewhere, whatever loop they are in",
    `import threading
turns = []
def note(n):
    if not turns or turns[-1] != n: turns.append(n)
def in_while(n):
    k = 0
    while k < 400_000:
        k += 1
        if k % 1000 == 0: note(n)
def in_for(n):
    for k in (i for i in range(400_000)):
        if k % 1000 == 0: note(n)
def in_long(n):
    total = 0
    for k in range(20_000):
${Array.from({ length: 60 }, (_, i) => `        total = total * ${i} % 9973 + k`).join("\n")}
        if k % 100 == 0: note(n)
def within(n):
    with lock_of[n]:
        [in_while(n) for _ in range(1)]
lock_of = {n: threading.RLock() for n in "abcd"}
threads = [threading.Thread(target=f, args=(n,)) for n, f in zip("abcd", [in_while, in_for, in_long, within])]
for t in threads: t.start()
for t in threads: t.join()
print(sorted(set(turns)), len(turns) > 8)`,
    "['a', 'b', 'c', 'd'] True\n",
  ],
  [
    "programs of very many lines give each other turns",
    `import threading
lines = "\\n".join(f"        total += k * {i}" for i in range(20_000))
exec(f"def work():\\n    total = 0\\n    for k in range(8):\\n{lines}\\n    results.append(total)")
results = []
threads = [threading.Thread(target=work) for _ in range(4)]
for t in threads: t.start()
for t in threads: t.join()
print(set(results) == {28 * sum(range(20_000))}, len(results))`,
    "True 4\n",
  ],
  [
    "what a loop holds on its stack is still there when its thread goes on",
    `import threading
results = {}
def work(n):
    results[n] = [sum(a * b for a in range(150)) + sum([c for c in range(100) if c % (b + 1) == 0]) for b in range(150)]
threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
for t in threads: t.start()
for t in threads: t.join()
work("alone")
print(all(results[n] == results["alone"] for n in range(4)))`,
    "True\n",
  ],
  [
    "an error in a thread that was interrupted is that thread's own, with its line",
    `import threading, traceback
caught = []
def fail():
    try:
        for i in range(300_000):
            if i == 299_999: raise ValueError(i)
    except ValueError as error:
        caught.append((str(error), traceback.extract_tb(error.__traceback__)[-1].lineno))
def spin():
    for i in range(300_000): pass
threads = [threading.Thread(target=f) for f in (fail, spin, fail)]
for t in threads: t.start()
for t in threads: t.join()
print(caught)`,
    "[('299999', 6), ('299999', 6)]\n",
  ],
  [
    "a daemon that computes for ever ends no program, nor keeps one from ending",
    `import threading
def run_with_timeout(f, seconds):
    t = threading.Thread(target=f, daemon=True); t.start(); t.join(seconds)
    return "timeout" if t.is_alive() else "done"
def forever():
    while True: pass
print(run_with_timeout(forever, .05), run_with_timeout(lambda: None, 1))`,
    "timeout done\n",
  ],
]);

Deno.test("an interrupt stops a program in its thread, and the thread is gone", async () => {
  const python = new Session();
  const outcome = await python.runStopped(
    `import threading
def endless():
    print("ready")
    while True: pass
t = threading.Thread(target=endless); t.start(); t.join()`,
    { interruptAt: "ready" },
  );
  deepEqual([outcome.status, outcome.heap], ["stopped", "kept"]);
  equal(await python.value("threading.active_count()"), "1");
});
