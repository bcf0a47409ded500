import { deepEqual, equal, match, ok } from "node:assert/strict";
import { errorOf, Session } from "../../../support/python_harness.ts";
import { testPrograms } from "../../../support/python_programs.ts";

testPrograms([
  [
    "threads with a lock count together",
    `import threading
count, lock = 0, threading.Lock()
def add():
    global count
    for _ in range(100):
        with lock: count += 1
threads = [threading.Thread(target=add) for _ in range(5)]
for t in threads: t.start()
for t in threads: t.join()
print(count, [t.is_alive() for t in threads], threading.active_count())`,
    "500 [False, False, False, False, False] 1\n",
  ],
  [
    "threads sleep side by side",
    `import threading, time
def task(n):
    print("start", n)
    time.sleep(0.3 - n / 10)
    print("end", n)
threads = [threading.Thread(target=task, args=(n,)) for n in range(3)]
for t in threads: t.start()
for t in threads: t.join()`,
    "start 0\nstart 1\nstart 2\nend 2\nend 1\nend 0\n",
    "virtual",
  ],
  [
    "a thread knows itself",
    `import threading
def show():
    me = threading.current_thread()
    print(me.name, me.ident == threading.get_ident(), me is t, me.daemon, me in threading.enumerate())
t = threading.Thread(target=show, name="worker", daemon=True)
t.start(); t.join(); print(threading.current_thread().name, t)`,
    /^worker True True True True\nMainThread <Thread\(worker, stopped daemon \d+\)>\n$/.source,
  ],
  [
    "each thread has its own values of a threading.local",
    `import threading, time
here = threading.local(); here.x = "main"
import dataclasses
@dataclasses.dataclass
class Counter(threading.local):
    n: int
counter = Counter(5)
def use():
    counter.n += 1
    here_had_x = hasattr(here, "x")
    here.x = threading.current_thread().name
    time.sleep(0.01)
    print(here_had_x, here.x, counter.n)
threads = [threading.Thread(target=use, name=n) for n in "ab"]
for t in threads: t.start()
for t in threads: t.join()
print(here.x, counter.n)`,
    "False a 6\nFalse b 6\nmain 5\n",
  ],
  [
    "a producer and a consumer go on until the sentinel",
    `import queue, threading
q = queue.Queue(maxsize=2)
def produce():
    for n in range(4): q.put(n)
    q.put(None)
def consume():
    while True:
        item = q.get()
        if item is None: break
        print(item)
threads = [threading.Thread(target=f) for f in (consume, produce)]
for t in threads: t.start()
for t in threads: t.join()`,
    "0\n1\n2\n3\n",
  ],
  [
    "two threads wake each other in turns",
    `import threading
ping, pong = threading.Event(), threading.Event()
def left():
    n = 0
    while n < 2:
        ping.wait()
        ping.clear(); print("ping"); pong.set(); n += 1
def right():
    n = 0
    while n < 2:
        ping.set()
        pong.wait()
        pong.clear(); print("pong"); n += 1
threads = [threading.Thread(target=f) for f in (left, right)]
for t in threads: t.start()
for t in threads: t.join()`,
    "ping\npong\nping\npong\n",
  ],
  [
    "threads pass a barrier again and again",
    `import threading
barrier = threading.Barrier(2)
def step(n):
    print("a", n)
    barrier.wait()
    print("b", n)
    barrier.wait()
    print("c", n)
threads = [threading.Thread(target=step, args=(n,)) for n in range(2)]
for t in threads: t.start()
for t in threads: t.join()`,
    "a 0\na 1\nb 1\nb 0\nc 0\nc 1\n",
  ],
  [
    "a thread that comes back sees what its enclosing function has changed meanwhile",
    `import threading
def outer():
    shared, go = None, threading.Event()
    def inner():
        go.wait()
        print(shared)
    t = threading.Thread(target=inner); t.start(); t.join(0.001)
    shared = "changed"
    go.set(); t.join()
outer()`,
    "changed\n",
  ],
  [
    "threads meet at a barrier, wait for a condition and for a semaphore",
    `import threading, time
barrier, condition, semaphore, items = threading.Barrier(3), threading.Condition(), threading.Semaphore(1), []
def meet():
    barrier.wait()
    with semaphore: time.sleep(0.001)
def take():
    with condition:
        while not items: condition.wait()
        print("took", items.pop())
def give():
    with condition: items.append(1); condition.notify()
threads = [threading.Thread(target=f) for f in (meet, meet, meet, take, give)]
for t in threads: t.start()
for t in threads: t.join()
print("met", barrier.broken)`,
    "took 1\nmet False\n",
  ],
  [
    "bounded buffers of a condition never hold more than they may",
    `import threading, time
class Buffer:
    def __init__(self):
        self.items, self.most, self.changed = [], 0, threading.Condition()
    def put(self, item):
        with self.changed:
            while len(self.items) >= 2: self.changed.wait()
            self.items.append(item); self.most = max(self.most, len(self.items)); self.changed.notify_all()
    def get(self):
        with self.changed:
            self.changed.wait_for(lambda: self.items)
            item = self.items.pop(0); self.changed.notify_all()
            return item
buffer, taken, lock = Buffer(), [], threading.Lock()
def produce(name):
    for n in range(5): buffer.put((name, n)); time.sleep(0.001)
def consume():
    for _ in range(5):
        item = buffer.get()
        with lock: taken.append(item)
threads = [threading.Thread(target=produce, args=(n,)) for n in range(2)]
threads += [threading.Thread(target=consume) for _ in range(2)]
for t in threads: t.start()
for t in threads: t.join()
print(sorted(taken) == [(p, n) for p in range(2) for n in range(5)], buffer.most)`,
    "True 2\n",
  ],
  [
    "a thread is paused wherever it waits, and errors find their handlers afterwards",
    `import contextvars, queue, threading, time
from contextlib import contextmanager
q, go, log, var = queue.Queue(1), threading.Event(), [], contextvars.ContextVar("var", default="unset")
lock = threading.Lock()
@contextmanager
def guarded():
    with lock: yield go.wait()
def numbers():
    for n in range(2):
        time.sleep(0.001)
        yield n
class Late:
    def __init__(self): time.sleep(0.001); self.ok = True
    def __enter__(self): time.sleep(0.001); raise KeyError("enter")
    def __exit__(self, *_): pass
    def method(self, *args, k=0): time.sleep(0.001); return args, k
def work():
    with guarded() as ok: log.append(ok)
    log.append([n for n in numbers()])
    log.append(sum(n for n in numbers()))
    for _ in range(3): log.append(Late().ok)
    try:
        with Late(): pass
    except KeyError as error: log.append(repr(error))
    finally: time.sleep(0.001)
    args = (1, 2)
    log.append(Late().method(*args, **{"k": 3}))
    def inner(): var.set("inner"); time.sleep(0.001); return var.get()
    log.append((contextvars.copy_context().run(inner), var.get()))
    it = numbers()
    log.append([next(it), next(it)])
    try: next(it)
    except StopIteration: log.append("stop")
    for item in iter(q.get, None): log.append(item)
    try: time.sleep(0.001); 1 / 0
    except ZeroDivisionError as error: log.append(error.__traceback__.tb_frame.f_back is not None)
others = [threading.Thread(target=lambda: [q.put(n) for n in ("x", "y", None)])]
t = threading.Thread(target=work); t.start()
for o in others: o.start()
time.sleep(0.001); log.append("main"); go.set(); t.join(); print(log)`,
    "['main', True, [0, 1], 1, True, True, True, \"KeyError('enter')\", ((1, 2), 3), ('inner', 'unset'), [0, 1], " +
    "'stop', 'x', 'y', True]\n",
  ],
  [
    "deep threads are paused and go on, many of them, and one that never comes back is dropped",
    `import gc, threading, time
def depth(n):
    if n == 0:
        time.sleep(0.001)
        return 0
    return 1 + depth(n - 1)
found, never = [], threading.Event()
threads = [threading.Thread(target=lambda: found.append(depth(300))) for _ in range(20)]
for t in threads: t.start()
for t in threads: t.join()
print(found == [300] * 20)
def forever(n):
    if n: return forever(n - 1)
    never.wait()
class Kept: pass
def hold(kept): forever(100)
import _wasmbox_scheduler, weakref
kept = Kept(); seen = weakref.ref(kept)
t = threading.Thread(target=hold, args=(kept,), daemon=True); t.start(); t.join(0.001)
del kept, t; gc.collect(); print(seen() is not None)
_wasmbox_scheduler.drop_threads(0); gc.collect(); print(seen())`,
    "True\nTrue\nNone\n",
  ],
  [
    "a server's thread is paused in select, and serves",
    `import select, socket, threading
server, ready = socket.create_server(("localhost", 0)), threading.Event()
def serve():
    ready.set()
    select.select([server], [], [], 5)
    with server.accept()[0] as client: client.sendall(client.recv(9).upper())
t = threading.Thread(target=serve); t.start(); ready.wait()
with socket.create_connection(server.getsockname()) as s: s.sendall(b"hi"); print(s.recv(9))
t.join()`,
    "b'HI'\n",
  ],
  [
    "who looks again and again lets others run",
    `import queue, threading, time
from concurrent.futures import ThreadPoolExecutor
t = threading.Thread(target=time.sleep, args=(0.01,)); t.start()
while t.is_alive(): pass
event, q, seen, lock = threading.Event(), queue.Queue(), [], threading.Lock()
threading.Timer(0.01, event.set).start()
while not event.is_set(): pass
def poll():
    while True:
        try: item = q.get_nowait()
        except queue.Empty: continue
        if item is None: break
        seen.append(item)
t = threading.Thread(target=poll); t.start()
for item in (1, 2, None): time.sleep(0.001); q.put(item)
t.join()
with ThreadPoolExecutor() as pool:
    future = pool.submit(time.sleep, 0.01)
    while not future.done(): pass
def hold():
    with lock: time.sleep(0.01)
t = threading.Thread(target=hold); t.start(); time.sleep(0.001)
while not lock.acquire(blocking=False): pass
print(seen)`,
    "[1, 2]\n",
  ],
  [
    "time-outs mean what they say",
    `import queue, threading
lock, q, e = threading.Lock(), queue.Queue(1), threading.Event()
lock.acquire()
print(lock.acquire(timeout=0.01), e.wait(0.01), threading.Semaphore(0).acquire(timeout=0.01))
try: q.get(timeout=0.01)
except queue.Empty: print("empty")
q.put(1)
try: q.put(2, timeout=0.01)
except queue.Full: print("full")
t = threading.Thread(target=e.wait); t.start(); t.join(0.01); print(t.is_alive()); e.set(); t.join(); print(t.is_alive())`,
    "False False False\nempty\nfull\nTrue\nFalse\n",
  ],
  [
    "a timer runs when its time has come, and can be cancelled",
    `import threading, time
threading.Timer(0.3, print, ("later",)).start()
threading.Timer(0.01, print, ("sooner",)).start()
cancelled = threading.Timer(60, print, ("never",)); cancelled.start(); cancelled.cancel()
time.sleep(0.4); print("now", cancelled.is_alive())`,
    "sooner\nlater\nnow False\n",
  ],
  [
    "a ThreadPoolExecutor maps, submits and completes",
    `from concurrent.futures import ThreadPoolExecutor, as_completed, wait
import threading, time
def square(n):
    time.sleep(0.01)
    return n * n
with ThreadPoolExecutor(max_workers=3, initializer=lambda: None) as pool:
    print(list(pool.map(square, range(4))))
    futures = {pool.submit(square, n): n for n in range(3)}
    print(sorted((futures[f], f.result()) for f in as_completed(futures)))
    print(repr(pool.submit(int, "x").exception()), len(wait([pool.submit(square, 1)]).done))`,
    `[0, 1, 4, 9]\n[(0, 0), (1, 1), (2, 4)]\nValueError("invalid literal for int() with base 10: 'x'") 1\n`,
  ],
  [
    "processes of multiprocessing run here, with names, ids and exit codes",
    `from multiprocessing import Pool, Process, Queue, Manager, Value, Pipe, current_process
import os, sys
def square(n): return n * n
def child(q, n):
    q.put((n, current_process().name))
    sys.exit(n)
if __name__ == "__main__":
    with Pool(2) as pool: print(pool.map(square, range(4)), pool.apply_async(square, (5,)).get(timeout=1))
    q = Queue(); ps = [Process(target=child, args=(q, n), name=f"p{n}") for n in range(2)]
    for p in ps: p.start()
    for p in ps: p.join()
    print([q.get() for _ in ps], [p.exitcode for p in ps], ps[0].pid != os.getpid())
    a, b = Pipe(); p = Process(target=lambda: b.send(b.recv() + 1)); p.start(); a.send(1); print(a.recv()); p.join()
    with Manager() as m: d = m.dict(); p = Process(target=d.update, args=({1: 2},)); p.start(); p.join(); print(d)`,
    "[0, 1, 4, 9] 25\n[(0, 'p0'), (1, 'p1')] [0, 1] True\n2\n{1: 2}\n",
  ],
  [
    "a ProcessPoolExecutor calls functions here",
    `from concurrent.futures import ProcessPoolExecutor
with ProcessPoolExecutor() as pool: print(list(pool.map(pow, [2, 3], [3, 2])))`,
    "[8, 9]\n",
  ],
]);

Deno.test("threads that nobody joins have run before the reply, with their errors on stderr", async () => {
  const outcome = await new Session().run(`import threading, time
def late(): time.sleep(0.01); print("late")
def fails(): 1 / 0
for f in (late, fails): threading.Thread(target=f).start()
print("end")`);
  deepEqual([outcome.status, outcome.stdout], ["completed", "end\nlate\n"]);
  match(
    outcome.stderr,
    /^Exception in thread Thread-2 \(fails\):\nTraceback[^]*in fails\n[^]*ZeroDivisionError/,
  );
  ok(!outcome.stderr.includes("_wasmbox"), outcome.stderr);
});

Deno.test("a daemon that waits for work goes on in the next call", async () => {
  const python = new Session();
  await python.run(`import queue, threading
q, done = queue.Queue(), []
def work():
    while True:
        item = q.get()
        done.append(item)
        q.task_done()
threading.Thread(target=work, daemon=True).start()
q.put(1); q.join()`);
  equal(await python.value("q.put(2); q.join(); done"), "[1, 2]");
});

Deno.test("what a thread of _thread raises is told by sys.unraisablehook, and locals keep their dictionary", async () => {
  const outcome = await new Session().run(`import _thread, sys, threading, time
told = []
sys.unraisablehook = lambda error: told.append((error.exc_type, error.err_msg[:34]))
_thread.start_new_thread(lambda: 1 / 0, ())
time.sleep(0)
sys.unraisablehook = sys.__unraisablehook__
print(told)
local = threading.local()
try:
    local.__dict__ = {}
except AttributeError as error:
    print(error)`);
  equal(
    outcome.stdout,
    "[(<class 'ZeroDivisionError'>, 'Exception ignored in thread starte')]\n'_local' object attribute '__dict__' is read-only\n",
    JSON.stringify(outcome),
  );
});

Deno.test("a real deadlock is an error that says how threads run", async () => {
  const outcome = await new Session().run("import threading\nl = threading.Lock(); l.acquire(); l.acquire()");
  const error = errorOf(outcome);
  deepEqual([error?.type, outcome.status], ["RuntimeError", "failed"]);
  match(error?.message ?? "", /^deadlock: .*take turns: one runs when another one waits/);
});

Deno.test("a thread that would have to be paused where it can't be fails, and says where it can", async () => {
  const outcome = await new Session().run(`import threading
first, second, done = threading.Event(), threading.Event(), []
def one():
    def key(_): first.set(); second.wait(); done.append(1); return 1
    sorted([1], key=key)
t = threading.Thread(target=one); t.start(); first.wait(); second.set(); t.join(); done`);
  equal(outcome.status, "completed");
  match(outcome.stderr, /RuntimeError: deadlock: thread 'Thread-1 \(one\)' .*can't be paused here/);
});

Deno.test("connections of HTTP that are kept open wait for their next request, also for one of the next call", async () => {
  const session = new Session();
  const first = await session.run(`import http.client, http.server, threading
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self): self.send_response(200); self.send_header("Content-Length", "2"); self.end_headers(); self.wfile.write(b"hi")
    def log_message(self, *_): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
clients = [http.client.HTTPConnection("127.0.0.1", server.server_port) for _ in range(3)]
def ask():
    for each in clients: each.request("GET", "/")
    return [each.getresponse().read() for each in clients]
sockets = ask() and [each.sock for each in clients]
ask()`);
  equal(first.stderr, "");
  const second = await session.run(
    "ask(), [each.sock for each in clients] == sockets, [each.close() for each in clients], server.shutdown()",
  );
  equal("result" in second && second.result, "([b'hi', b'hi', b'hi'], True, [None, None, None], None)");
  equal(second.stderr, "");
});
