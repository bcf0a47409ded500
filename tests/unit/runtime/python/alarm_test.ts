/** signal.alarm and signal.setitimer: what rings in the middle of a program. */

import { deepEqual, equal } from "node:assert/strict";
import { VirtualClock } from "../../../../src/control/guest_clock.ts";
import { errorOf, Session } from "../../../support/python_harness.ts";

const LIMIT = `import signal, time
class Late(Exception): pass
def late(number, frame): raise Late(signal.Signals(number).name)
signal.signal(signal.SIGALRM, late)
def limited(seconds, work):
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        return work()
    except Late as error:
        return str(error)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
def spin():
    while True: pass
`;

Deno.test("a program that computes for ever is ended by its own alarm, and goes on", async () => {
  const session = new Session();
  equal(
    await session.value(`${LIMIT}[limited(.05, spin), limited(5, lambda: 42), limited(.05, spin)]`),
    "['SIGALRM', 42, 'SIGALRM']",
  );
});

Deno.test("an alarm ends a sleep, and others come again and again", async () => {
  const session = new Session({ clock: (cell) => new VirtualClock(cell) });
  const code = `${LIMIT}begun = time.monotonic()
result = limited(2, lambda: time.sleep(100))
rung = []
signal.signal(signal.SIGALRM, lambda number, frame: rung.append(round(time.monotonic() - begun)))
before = signal.setitimer(signal.ITIMER_REAL, 1, 2)
time.sleep(6)
left = signal.getitimer(signal.ITIMER_REAL)
print(result, rung, before, [round(each) for each in left], signal.alarm(0))`;
  const { stdout } = await session.run(code);
  equal(stdout, "SIGALRM [3, 5, 7] (0.0, 0.0) [1, 2] 1\n");
});

Deno.test("an alarm that nobody handles ends the program, and one that is left rings in no later run", async () => {
  const session = new Session();
  const ended = await session.run(
    "import signal\nsignal.signal(signal.SIGALRM, signal.SIG_DFL)\nsignal.alarm(1)\nwhile True: pass",
  );
  equal(ended.status, "exited");
  await session.run(`${LIMIT}signal.setitimer(signal.ITIMER_REAL, .01)`);
  const later = await session.run("import time\nt = time.monotonic()\nwhile time.monotonic() - t < .1: pass");
  deepEqual([later.status, errorOf(later)?.type], ["completed", undefined]);
});

Deno.test("an alarm rings in the main thread, whoever computes or waits", async () => {
  const outcome = await new Session().run(`${LIMIT}import threading
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import Process
done = False
def compute():
    while not done: [None]
    return 1
def named(number, frame): raise Late(threading.current_thread().name)
signal.signal(signal.SIGALRM, named)
t = threading.Thread(target=compute); t.start(); print(limited(.05, t.join))
with ThreadPoolExecutor() as pool:
    future = pool.submit(compute); print(limited(.05, future.result))
    p = Process(target=compute); p.start(); print(limited(.05, p.join))
    p.terminate(); done = True; t.join(); print(future.result())`);
  deepEqual([errorOf(outcome)?.traceback, outcome.stderr], [undefined, ""]);
  equal(outcome.stdout, "MainThread\nMainThread\nMainThread\n1\n");
});

Deno.test("alarms at any moment, and without end, leave threads and processes whole", async () => {
  const outcome = await new Session().run(`${LIMIT}import threading
from multiprocessing import Process
n, ended, rung = "own", [], 0
def compute(k):
    for i in range(3000): [i]
    ended.append(k)
def change():
    global n
    n = "the child's"
    for i in range(3000): [i]
def start(kind, target, args):
    t = kind(target=target, args=args); t.start(); return t
def join(t):
    global rung
    while True:
        signal.setitimer(signal.ITIMER_REAL, 1e-4, 1e-4)
        try: return t.join()
        except Late: rung += 1
        finally: signal.setitimer(signal.ITIMER_REAL, 0)
for each in [start(threading.Thread, compute, (k,)) for k in range(200)]: join(each)
for each in [start(Process, change, ()) for _ in range(20)]: join(each)
print(sorted(ended) == list(range(200)), n, rung > 0)`);
  deepEqual([errorOf(outcome)?.traceback, outcome.stdout, outcome.stderr], [
    undefined,
    "True own True\n",
    "",
  ]);
});

Deno.test("each process has a timer and a handler of its own, which ends what it computes and its sleeps", async () => {
  const outcome = await new Session().run(`${LIMIT}from multiprocessing import Pool
def task(x):
    def ended(number, frame): raise Late(x)
    signal.signal(signal.SIGALRM, ended)
    signal.setitimer(signal.ITIMER_REAL, .05)
    try:
        # A loop's own jump has no handler in CPython 3.13.
        if x == "computes": spin()
        if x == "sleeps": time.sleep(1e6)
        return 0
    except Late as error: return str(error)
    finally: signal.setitimer(signal.ITIMER_REAL, 0)
with Pool(4) as pool:
    print(pool.map(task, ["computes", "sleeps", "ends", "sleeps", "computes", "ends"], chunksize=1))
    limit = pool.apply_async(task, ("computes",)); print(limited(.01, pool.apply_async(time.sleep, (1e6,)).get), limit.get())`);
  deepEqual([errorOf(outcome)?.traceback, outcome.stderr], [undefined, ""]);
  equal(outcome.stdout, "['computes', 'sleeps', 0, 'sleeps', 'computes', 0]\nSIGALRM computes\n");
});
