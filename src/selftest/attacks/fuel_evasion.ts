/** Running on past the time-out: where no interrupt looks, in waits, in what runs after the program. */

import { ends, family, GAINS_NOTHING, javascript, python, raises, TIMES_OUT } from "../attack.ts";

const SOON = { timeout: 0.4 };

export const FUEL_EVASION = family("fuel evasion", [
  python("a loop", `while True: pass`, TIMES_OUT, SOON),
  python(
    "a loop that swallows every exception",
    `while True:\n  try:\n    while True: pass\n  except BaseException: pass`,
    TIMES_OUT,
    SOON,
  ),
  python(
    "a loop that finally goes on",
    `while True:\n  try:\n    while True: pass\n  finally:\n    continue`,
    TIMES_OUT,
    SOON,
  ),
  python(
    "a generator that won't close",
    `def g():\n  while True:\n    try: yield 1\n    except BaseException: pass\nfor _ in g(): pass`,
    TIMES_OUT,
    SOON,
  ),
  python("a sum in C", `sum(range(10**13))`, TIMES_OUT, SOON),
  python(
    "an iterator in C",
    `import itertools, collections\ncollections.deque(itertools.repeat(0), maxlen=0)`,
    TIMES_OUT,
    SOON,
  ),
  python("a search in C", `x = b"a" * 10**7\nwhile True: x.find(b"a" * 5000 + b"b")`, TIMES_OUT, SOON),
  python(
    "compression in C",
    `import lzma\nx = bytes(range(256)) * 10**5\nwhile True: lzma.compress(x, preset=9)`,
    ends("timeout", "out_of_memory"),
    SOON,
  ),
  python(
    "hashing in C",
    `import hashlib\nx = bytes(10**8)\nwhile True: hashlib.sha3_512(x)`,
    TIMES_OUT,
    SOON,
  ),
  python("a sleep", `import time\ntime.sleep(1e9)`, TIMES_OUT, SOON),
  python(
    "a sleep, again and again",
    `import time\nwhile True:\n  try: time.sleep(1e9)\n  except BaseException: pass`,
    TIMES_OUT,
    SOON,
  ),
  python(
    "select",
    `import select\nwhile True:\n  try: select.select([], [], [], 1e6)\n  except BaseException: pass`,
    TIMES_OUT,
    SOON,
  ),
  python(
    "a lock",
    `import threading\nl = threading.Lock()\nl.acquire()\nl.acquire()`,
    ends("timeout", "failed", "crashed"),
    SOON,
  ),
  python(
    "an event of asyncio",
    `import asyncio\nawait asyncio.Event().wait()`,
    ends("timeout", "failed"),
    SOON,
  ),
  python("waiting for input", `input()`, raises(/EOFError/)),
  python("reading the terminal to its end", `import sys\nwhile not sys.stdin.read(): pass`, TIMES_OUT, SOON),
  python(
    "a host call, again and again",
    `import _wasmbox\nwhile True:\n  try: _wasmbox.host_call("x", b"{}")\n  except BaseException: pass`,
    TIMES_OUT,
    SOON,
  ),
  python(
    "files, again and again",
    `
    import os
    for n in range(5000): open(f"f{n}", "w").close()
    while True:
        try: os.listdir("."); list(os.scandir(".")); os.stat("f1")
        except BaseException: pass
    `,
    TIMES_OUT,
    { timeout: 1 },
  ),
  python(
    "a large file, again and again",
    `with open("f", "wb") as f: f.truncate(50_000_000)\nwhile True:\n  try: open("f", "rb").readinto(bytearray(10_000_000))\n  except BaseException: pass`,
    TIMES_OUT,
    { timeout: 1 },
  ),
  python(
    "random bytes, again and again",
    `import os\nwhile True:\n  try: os.urandom(50_000_000)\n  except BaseException: pass`,
    TIMES_OUT,
    SOON,
  ),
  python(
    "a finalizer",
    `class A:\n  def __del__(self):\n    while True:\n      try:\n        while True: pass\n      except BaseException: pass\nA()\n1`,
    TIMES_OUT,
    SOON,
  ),
  python(
    "the repr of the result",
    `class A:\n  def __repr__(self):\n    while True:\n      try:\n        while True: pass\n      except BaseException: pass\nA()`,
    TIMES_OUT,
    SOON,
  ),
  python(
    "the text of the exception",
    `class E(Exception):\n  def __str__(self):\n    while True: pass\nraise E`,
    ends("timeout", "failed"),
    SOON,
  ),
  python(
    "a stream's flush",
    `import sys\nclass S:\n  def write(self, text): pass\n  def flush(self):\n    while True:\n      try:\n        while True: pass\n      except BaseException: pass\nsys.stdout = S()`,
    TIMES_OUT,
    SOON,
  ),
  python(
    "an exit code",
    `class C:\n  def __str__(self):\n    while True: pass\nraise SystemExit(C())`,
    ends("timeout", "failed"),
    SOON,
  ),
  python(
    "a tracer",
    `import sys\ndef t(*a):\n  while True:\n    try:\n      while True: pass\n    except BaseException: pass\nsys.settrace(t)\ndef f(): pass\nf()`,
    TIMES_OUT,
    SOON,
  ),
  python(
    "a hook for the next run",
    `import sys, builtins\nsys.excepthook = sys.unraisablehook = sys.displayhook = lambda *a: [None for _ in iter(int, 1)]\n1/0`,
    raises(/ZeroDivisionError/),
  ),
  javascript("a loop", `while (true);`, TIMES_OUT, SOON),
  javascript(
    "a loop that swallows everything",
    `while (1) { try { while (1); } catch {} finally { continue } }`,
    TIMES_OUT,
    SOON,
  ),
  javascript("promises without end", `const f = () => Promise.resolve().then(f); await f()`, TIMES_OUT, SOON),
  javascript("an interval", `setInterval(() => {}, 1)`, TIMES_OUT, SOON),
  javascript("a timer of a month", `setTimeout(() => {}, 2 ** 31 - 1)`, TIMES_OUT, SOON),
  javascript("a promise that never settles", `await new Promise(() => {})`, raises(/never settle/)),
  javascript(
    "a search in C",
    `const s = "a".repeat(1 << 24); while (true) s.indexOf("ab".repeat(9))`,
    TIMES_OUT,
    SOON,
  ),
  javascript(
    "a sort in C",
    `const a = new Float64Array(4e6); while (true) a.map(() => Math.random()).sort()`,
    TIMES_OUT,
    SOON,
  ),
  javascript(
    "JSON in C",
    `const a = Array(1e6).fill({ a: 1 }); while (true) JSON.stringify(a)`,
    ends("timeout", "out_of_memory"),
    SOON,
  ),
  javascript(
    "a number of a billion digits",
    `(10n ** 100_000n) ** 10_000n`,
    ends("timeout", "failed", "out_of_memory"),
    SOON,
  ),
  javascript(
    "URLs of ten megabytes",
    `const u = "http://a/" + "%20é".repeat(2e6); while (true) new URL(u)`,
    ends("timeout", "out_of_memory", "failed"), // a busy machine gets no further than making it; else it is too long
    SOON,
  ),
  javascript(
    "text of fifty megabytes",
    `const b = new Uint8Array(5e7); while (true) new TextDecoder().decode(b)`,
    ends("timeout", "out_of_memory"),
    SOON,
  ),
  javascript(
    "host calls, again and again",
    `while (true) { try { performance.now(); require("fs").existsSync("/x"); } catch {} }`,
    TIMES_OUT,
    SOON,
  ),
  javascript(
    "a getter of the result",
    `({ get x() { while (true); }, toString() { while (true); }, [Symbol.toPrimitive]() { while (true); } })`,
    ends("completed", "timeout"),
    SOON,
  ),
  javascript(
    "a proxy as the result",
    `const forever = () => { while (true); }; new Proxy({}, { ownKeys: forever, get: forever, getPrototypeOf: forever, getOwnPropertyDescriptor: forever })`,
    ends("completed", "timeout"),
    SOON,
  ),
  javascript(
    "the message of an error",
    `throw Object.defineProperties(new Error(), { message: { get() { while (true); } }, stack: { get() { while (true); } } })`,
    ends("failed", "timeout"),
    SOON,
  ),
  javascript(
    "finalizers",
    `const r = new FinalizationRegistry(() => { while (true); }); for (let i = 0; i < 1000; i++) r.register({}, i); 0`,
    ends("completed", "timeout"),
    SOON,
  ),
  javascript(
    "a job that makes another after the stop",
    `const f = () => { queueMicrotask(f); }; f(); queueMicrotask(function g() { queueMicrotask(g); }); while (true);`,
    TIMES_OUT,
    SOON,
  ),
  javascript(
    "waiting in shared memory",
    `[typeof Atomics].filter((type) => type !== "undefined" && (Atomics.wait(new Int32Array(new SharedArrayBuffer(8)), 0, 0, 1e9), true))`,
    { ...GAINS_NOTHING, status: ["completed", "timeout", "failed"], result: /^(\[\]|null)$/ },
    SOON,
  ),
]);
