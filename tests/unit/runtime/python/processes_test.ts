import { deepEqual, equal } from "node:assert/strict";
import { errorOf, Session } from "../../../support/python_harness.ts";
import { testPrograms } from "../../../support/python_programs.ts";

// What they print where processes are forked.
testPrograms([
  [
    "what a pool's functions do to their arguments, their callers don't see",
    `from multiprocessing import Pool
from concurrent.futures import ProcessPoolExecutor
from functools import partial
data = [[3, 1, 2], [9, 8, 7]]
def proc(l):
    l.sort(); l.append(0)
    return l
class Job:
    n = 0
    def run(self, x): self.n += x; return self.n
def add(l, x): l.append(x); return len(l)
job = Job()
with Pool(2) as pool:
    print(pool.map(proc, data), list(pool.imap(proc, data)), pool.apply(proc, (data[0],)), data)
    print(pool.map(job.run, [1, 2, 3, 4], chunksize=1), job.n, pool.map(partial(add, [0]), range(4), chunksize=2))
    print(pool.map(lambda x: x + 1, [1, 2]))
with ProcessPoolExecutor(2) as pool:
    print(list(pool.map(proc, data)), pool.submit(proc, l=data[0]).result() is data[0], data)`,
    `[[1, 2, 3, 0], [7, 8, 9, 0]] [[1, 2, 3, 0], [7, 8, 9, 0]] [1, 2, 3, 0] [[3, 1, 2], [9, 8, 7]]
[1, 2, 3, 4] 0 [2, 3, 2, 3]
[2, 3]
[[1, 2, 3, 0], [7, 8, 9, 0]] False [[3, 1, 2], [9, 8, 7]]
`,
  ],
  [
    "objects of a manager of one's own are shared, a process that ends at once ends by itself, and errors tell where they were raised",
    `import os
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import Pool, Process
from multiprocessing.managers import BaseManager, BaseProxy
class Ledger:
    def __init__(self, opening=0): self.balance, self.entries = opening, []
    def post(self, who, amount):
        if self.balance + amount < 0: raise ValueError(who)
        self.balance += amount
        self.entries.append(who)
        return self.balance
    def report(self): return self.balance, self.entries
class Own(BaseProxy):
    _exposed_ = ("report",)
    def told(self): return self._callmethod("report")
class Ledgers(BaseManager): pass
Ledgers.register("Ledger", Ledger)
Ledgers.register("Own", Ledger, Own)
def teller(ledger, who): ledger.post(who, 5)
def fails(n): return 1 // n
if __name__ == "__main__":
    with Ledgers() as manager:
        ledger, own = manager.Ledger(opening=10), manager.Own(3)
        for who in ("ann", "bob"):
            process = Process(target=teller, args=(ledger, who)); process.start(); process.join()
        ledger.report()[1].append("not mine")
        print(ledger.report(), hasattr(ledger, "balance"), repr(ledger)[:31], own.told())
        try: ledger.post("me", -100)
        except ValueError as error: print("ValueError", error)
        try: own._callmethod("post", ("x", 1))
        except Exception as error: print(type(error).__name__)
    process = Process(target=os._exit, args=(3,)); process.start(); process.join()
    print(process.exitcode)
    with Pool(2) as pool:
        try: pool.map(fails, [1, 0])
        except ZeroDivisionError as error: print(type(error.__cause__).__name__, "1 // n" in str(error.__cause__))
        try: pool.apply(os._exit, (5,))
        except RuntimeError as error: print(error)
    pool = ProcessPoolExecutor(1)
    try: pool.submit(os._exit, 7).result()
    except BrokenProcessPool as error: print("broken")
    try: pool.submit(fails, 1)
    except BrokenExecutor: print("refused")`,
    `(20, ['ann', 'bob']) False <AutoProxy[Ledger] object, type (3, [])
ValueError me
RemoteError
3
RemoteTraceback True
a process of the pool has ended by os._exit(5): what it worked on is lost
broken
refused
`,
  ],
  [
    "a process has the program's variables as they were when it began, for itself",
    `import os, random, signal, sys
from multiprocessing import Process
counter, shared, missing = 0, [], object()
class Kind:
    made = 0
    all = []
def default(x=missing): return x is missing
def child(n, same):
    global counter
    counter += 1; shared.append(n); Kind.made += 1; Kind.all.append(n)
    os.environ["SET"] = "1"; os.chdir("/tmp"); random.random(); signal.signal(signal.SIGINT, signal.SIG_IGN)
    print(counter, shared, Kind.made, Kind.all, same is shared, default())
    sys.stdout = None
random.seed(1); before = random.getstate(), os.getcwd()
processes = [Process(target=child, args=(n, shared)) for n in range(2)]
for p in processes: p.start(); counter += 10
for p in processes: p.join()
print(counter, shared, Kind.made, Kind.all, "SET" in os.environ, (random.getstate(), os.getcwd()) == before)
print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)
class Single:
    it = None
    def __new__(cls):
        if cls.it is None: cls.it = super().__new__(cls)
        return cls.it
single = Single(); single.values = [1]
def use(): single.values.append(2); print(Single() is single, single.values)
p = Process(target=use); p.start(); p.join(); print(Single() is single, single.values)
class Worker(Process):
    def run(self): self.result = 5
w = Worker(); w.start(); w.join(); print(hasattr(w, "result"), w.exitcode)`,
    `1 [0] 1 [0] True True
11 [1] 1 [1] True True
20 [] 0 [] False True
True
True [1, 2]
True [1]
False 0
`,
  ],
  [
    "a pool's worker keeps its variables from task to task, and callbacks have the program's",
    `from multiprocessing import Pool, current_process
from concurrent.futures import ProcessPoolExecutor
total, told = 0, []
def begin(n):
    global own
    own = n
def add(x):
    global total
    total += x
    return total, own, current_process().name.rstrip("0123456789")
def tell(result):
    global total
    total += 100
    told.append(current_process().name)
with Pool(1, begin, (7,)) as pool:
    print([pool.apply(add, (1,)) for _ in range(3)], "own" in globals(), total)
    pool.apply_async(add, (1,), callback=tell).get()
with ProcessPoolExecutor(1, initializer=begin, initargs=(8,)) as pool:
    pool.submit(add, 1).add_done_callback(lambda future: tell(future.result()))
    print(pool.submit(add, 1).result())
print(total, told)`,
    `[(1, 7, 'ForkPoolWorker-'), (2, 7, 'ForkPoolWorker-'), (3, 7, 'ForkPoolWorker-')] False 0
(102, 8, 'ForkProcess-')
200 ['MainProcess', 'MainProcess']
`,
  ],
  [
    "what processes share stays shared, among a process's threads and children too",
    `import multiprocessing as mp, threading
n, cell, lock, q = 0, mp.Value("i", 0), mp.Lock(), mp.Queue()
def count():
    for _ in range(10):
        with lock: cell.value += 1
def child():
    global n
    n = 5
    def tell(): q.put((mp.current_process().name, n))
    t = threading.Thread(target=tell); t.start(); t.join()
    p = mp.Process(target=tell, name="grandchild"); p.start(); p.join()
ps = [mp.Process(target=count) for _ in range(3)] + [mp.Process(target=child, name="child")]
for p in ps: p.start()
for p in ps: p.join()
print(cell.value, q.get(), q.get(), n)
with mp.Manager() as m:
    d, l, given = m.dict(), m.list(), [1]
    d["l"] = given; given.append(2); d["l"].append(3); l.append(d); l[0]["x"] = 1
    print(d, len(l))`,
    "30 ('child', 5) ('grandchild', 5) 0\n{'l': [1], 'x': 1} 1\n",
  ],
]);

testPrograms([
  [
    "a process knows its parent",
    `import os
from multiprocessing import Process, Pool, parent_process, current_process
def tell():
    parent = parent_process()
    print(parent.name, parent.pid == os.getppid(), parent.pid != os.getpid(), parent.is_alive())
def outer():
    p = Process(target=lambda: print(os.getppid() == current_process()._parent_pid, parent_process().pid == os.getppid())); p.start(); p.join()
for each in (tell, outer): p = Process(target=each); p.start(); p.join()
with Pool(1) as pool: print(pool.apply(lambda: parent_process().name))
print(parent_process())`,
    "MainProcess True True True\nTrue True\nMainProcess\nNone\n",
  ],
]);

Deno.test("a pool that an earlier program left has its variables, and learns of new names", async () => {
  const session = new Session();
  await session.run("from multiprocessing import Pool\nn = 1\npool = Pool(2)");
  const outcome = await session.run(
    "n = 2\ndef plus(x): return x + 1\ndef f(x): return plus(x) + n\nprint(pool.map(f, [1, 2]), n)",
  );
  deepEqual([outcome.stdout, outcome.stderr], ["[3, 4] 2\n", ""]);
});

Deno.test("a program whose process was interrupted leaves its own variables to the next one", async () => {
  const session = new Session();
  const outcome = await session.run(`from multiprocessing import Process
n = 1
def child():
    global n
    n = 2
    raise KeyboardInterrupt
p = Process(target=child); p.start(); p.join()`);
  equal(outcome.status, "failed");
  equal((await session.run("print(n)")).stdout, "1\n");
});

Deno.test("a stop in the middle of an exchange of variables leaves a program its own", async () => {
  const session = new Session();
  const stopped = await session.runStopped(
    `from multiprocessing import Process
names = [f"v{i}" for i in range(100_000)]
globals().update(dict.fromkeys(names, "own"))
def child():
    globals().update(dict.fromkeys(names, "the child's"))
    print("ready")
try:
    p = Process(target=child); p.start(); p.join()
    while True: [None]
finally: print(set(map(globals().get, names)))`,
    { interruptAt: "ready" },
  );
  deepEqual([stopped.status, stopped.heap, stopped.stdout], ["stopped", "kept", "ready\n{'own'}\n"]);
  equal(await session.value("set(map(globals().get, names))"), "{'own'}");
});

Deno.test("what a program puts in the place of os.environ and random.seed, processes get along with", async () => {
  const outcome = await new Session().run(`import os, random
from multiprocessing import Process
os.environ, random.seed = dict(os.environ), None
p = Process(target=print, args=("runs",)); p.start(); p.join(); print(p.exitcode)`);
  deepEqual([errorOf(outcome)?.traceback, outcome.stdout], [undefined, "runs\n0\n"]);
});

Deno.test("a pool that is terminated ends what its workers compute, and what they wait for", async () => {
  const outcome = await new Session().run(`import time
from multiprocessing import Pool, TimeoutError
def compute():
    while True: pass
def outlast(function, *args):
    with Pool(2) as pool:
        try: pool.apply_async(function, args).get(.05)
        except TimeoutError: return "took too long"
print(outlast(compute), outlast(time.sleep, 1e6))
pool = Pool(2); pool.apply_async(compute); pool.apply_async(compute); pool.terminate(); pool.join(); print("ended")`);
  deepEqual([errorOf(outcome)?.traceback, outcome.stderr], [undefined, ""]);
  equal(outcome.stdout, "took too long took too long\nended\n");
});

Deno.test("a pool whose workers have raised, and waited again, can be terminated", async () => {
  const outcome = await new Session().run(`from multiprocessing import Pool, Process
def fail(n): raise ValueError(n)
with Pool(2) as pool:
    pool.map(abs, [1, 2])
    try: pool.map(fail, [1])
    except ValueError as error: print(repr(error))
p = Process(target=print, args=("runs",)); p.start(); p.join()`);
  deepEqual([errorOf(outcome)?.message, outcome.stdout], [undefined, "ValueError(1)\nruns\n"]);
});

Deno.test("a process has handles of its own of the connections that it is given: either side closes what it does not use", async () => {
  const outcome = await new Session().run(`from multiprocessing import Pipe, Process
def double(own, theirs):
    theirs.close()
    try:
        while True: own.send(own.recv() * 2)
    except EOFError: print("told of the end")
def tell(out, n): out.send(n)
def outlast(_): Pipe()[0].recv()
def program():
    ours, theirs = Pipe()
    p = Process(target=double, args=(theirs, ours)); p.start(); theirs.close()
    ours.send(21); print(ours.recv()); ours.close(); p.join()
    into, out = Pipe(duplex=False)
    all = [Process(target=tell, args=(out, n)) for n in range(3)]
    for each in all: each.start()
    out.close(); got = []
    try:
        while True: got.append(into.recv())
    except EOFError: print(got)
    into, out = Pipe(duplex=False); p = Process(target=outlast, args=(out,)); p.start(); out.close(); p.terminate(); p.join()
    try: into.recv()
    except EOFError: print("ended")
program()`);
  deepEqual([errorOf(outcome)?.traceback, outcome.stderr], [undefined, ""]);
  equal(outcome.stdout, "42\ntold of the end\n[0, 1, 2]\nended\n");
});

Deno.test("locks and semaphores of processes take the arguments that they have", async () => {
  const value = await new Session().value(
    `from multiprocessing import BoundedSemaphore, Condition, Lock, RLock, Semaphore
lock, again, some, bounded = Lock(), RLock(), Semaphore(1), BoundedSemaphore(1)
got = [each.acquire(block=False) for each in (lock, lock, again, again, some, some, bounded, bounded)]
got += [each.acquire(True, timeout=.01) for each in (lock, again, some, bounded)] + [lock.acquire(False, 5)]
lock.release()
with Condition(lock) as condition, again: got.append(condition)
bounded.release()
try: bounded.release()
except ValueError: got.append("released")
got + [some.get_value()]`,
  );
  equal(
    value,
    "[True, False, True, True, True, False, True, False, False, True, False, False, False, True, 'released', 0]",
  );
});
