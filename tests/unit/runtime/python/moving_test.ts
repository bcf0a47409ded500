/** What a session takes along to the interpreter that has numpy. */

import assert from "node:assert/strict";
import { replyOf } from "../../../../src/host_calls/bridge.ts";
import { errorOf, Session } from "../../../support/python_harness.ts";
import { MOVE, moved } from "./moving.ts";

Deno.test("names, shared and recursive values, functions and classes come along, as what they were", async () => {
  const before = [
    "import json, re, datetime as dt\nfrom random import randint\nfrom dataclasses import dataclass, field, replace\n" +
    "from enum import Enum\nfrom functools import lru_cache, partial\nfrom collections import defaultdict, namedtuple",
    "a = [1, 2]\nb = {'a': a, 'self': None}\nb['self'] = b\nwords = defaultdict(list, x=[1])\nP = namedtuple('P', 'x y')\np = P(1, 2)",
    "total = 0\ndef add(n=1):\n    global total\n    total += n\n    return total\nadd(5)",
    "class Colour(Enum):\n    RED = 1\n@dataclass\nclass Point:\n    x: int = 0\n    tags: list = field(default_factory=list)\n" +
    "    def __add__(self, other): return Point(self.x + other.x)\nclass Special(Point):\n    def __add__(self, other): return super().__add__(other)\n" +
    "points = [Point(1), Special(2)]",
    "@lru_cache(maxsize=8)\ndef fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)\n" +
    "def counter():\n    n = 0\n    def up():\n        nonlocal n\n        n += 1\n        return n\n    return up\nup = counter()\nup()\n" +
    "twice = partial(map, lambda x: 2 * x)\nspace = globals()",
  ];
  const after =
    "(b['a'] is a, b['self'] is b, words['y'], type(p) is P, add(), total, Colour(1) is Colour.RED, " +
    "points[1] + points[0], replace(points[0], x=7), Point() == Point(0, []), isinstance(points[1], Point), " +
    "fib(30), fib.cache_info().maxsize, up(), list(twice([1, 2])), space is globals(), json.dumps(a), randint(3, 3))";
  assert.equal(
    await moved(before, after),
    "(True, True, [], True, 6, 6, True, Point(x=3, tags=[]), Point(x=7, tags=[]), True, True, 832040, 8, 2, [2, 4], " +
      "True, '[1, 2]', 3)",
  );
});

Deno.test("so does a ThreadPoolExecutor whose threads have nothing to do", async () => {
  const before = [
    "from concurrent.futures import ThreadPoolExecutor\npool = ThreadPoolExecutor(2, 'pool')\nfirst = list(pool.map(abs, [-1, -2, -3]))",
  ];
  const after = "import threading\n" +
    "(first, list(pool.map(abs, [-4])), pool.submit(lambda: threading.current_thread().name).result(), pool._max_workers)";
  assert.equal(await moved(before, after), "([1, 2, 3], [4], 'pool_0', 2)");
});

Deno.test("one that still has something to do keeps the session where it is", async () => {
  const session = new Session({ moves: true });
  await session.value(
    "import threading\nfrom concurrent.futures import ThreadPoolExecutor\nwoken = threading.Event()\n" +
      "pool = ThreadPoolExecutor(1)\n_ = pool.submit(woken.wait)",
  );
  const outcome = await session.run(`${MOVE}woken.set()\npool.shutdown()`);
  assert.deepEqual([outcome.status, outcome.moved], ["completed", undefined]);
});

Deno.test("the session's own modules come along with what they hold, and its programs' lines with their tracebacks", async () => {
  const session = new Session({ moves: true });
  session.fs.mkdir("/app/shop");
  const write = (path: string, text: string) => session.fs.writeFile(path, new TextEncoder().encode(text));
  write("/app/shop/__init__.py", "");
  write(
    "/app/shop/stock.py",
    "items = []\nclass Item: pass\ndef add(x):\n    items.append(x)\n    return items\nprint('loaded')\n",
  );
  const before = [
    "import shop.stock\nfrom shop.stock import add, Item\nadd(1)\nit = Item()",
    "def fail():\n    return 1 / 0  # here",
  ];
  const after = "add(2), shop.stock.items is add(3), isinstance(it, shop.stock.Item), shop.stock.__name__";
  assert.equal(await moved(before, after, session), "([1, 2, 3], True, True, 'shop.stock')");
  assert.match(errorOf(await session.run("fail()"))?.traceback ?? "", /return 1 \/ 0 {2}# here/);
});

Deno.test("so do those that have the name of one of the library's, which others go on with", async () => {
  const session = new Session({ moves: true });
  const write = (path: string, text: string) => session.fs.writeFile(path, new TextEncoder().encode(text));
  write("/app/queue.py", "items = []\ndef add(x):\n    items.append(x)\n    return items\n");
  const after = "import asyncio, queue\nadd(2), queue.items, asyncio.Queue(1).maxsize";
  assert.equal(
    await moved(["import queue\nfrom queue import add\nadd(1)"], after, session),
    "([1, 2], [1, 2], 1)",
  );
});

Deno.test("what programs are done with does not keep a session: closed files, their readers and writers, and the like", async () => {
  const before = [
    "x = 1",
    "import csv, io, re, rich, importlib.metadata\nimportlib.metadata.version('requests')\n" +
    "with open('a.csv', 'w', newline='') as f:\n    writer = csv.writer(f, delimiter=';')\n    writer.writerow([1, 2])\n" +
    "with open('a.csv') as g:\n    rows = csv.DictReader(g, delimiter=';')\n    first = next(rows, None)\n" +
    "with open('a.csv', 'rb') as h: h.read()\ntext = io.StringIO()\nopen_writer = csv.writer(text)\n" +
    "match = re.search(r'(?<=a)(b)+', 'aabb')\ndone = (n for n in [1])\nlist(done)",
  ];
  const after =
    "open_writer.writerow([3]), (f.closed, f.name, f.mode), (h.closed, h.name, h.mode), rows.fieldnames, " +
    "text.getvalue(), match.group(1), match.span(), list(done), writer.dialect.delimiter, type(writer) is type(open_writer)";
  assert.equal(
    await moved(before, after),
    "(3, (True, 'a.csv', 'w'), (True, 'a.csv', 'rb'), ['1', '2'], '3\\r\\n', 'b', (2, 4), [], ';', True)",
  );
});

/** What programs leave, and what of it is there afterwards. */
const ENDED: readonly (readonly [before: string, after: string, value: string])[] = [
  [
    "import argparse\nfrom argparse import SUPPRESS\nparser = argparse.ArgumentParser()\nparser.add_argument('--x', type=int, default=3)\n" +
    "parser.add_argument('--hidden', help=SUPPRESS)\nparser.add_subparsers().add_parser('go')\nparser.add_mutually_exclusive_group().add_argument('-q')",
    "parser.parse_args(['--x', '4', 'go']), 'hidden' in parser.format_help(), SUPPRESS is argparse.SUPPRESS",
    "(Namespace(x=4, hidden=None, q=None), False, True)",
  ],
  [
    "import hashlib, hmac\nhash, mac = hashlib.sha256(b'abc'), hmac.new(b'k', b'm', 'sha256')\nshort = hashlib.blake2b(b'q', digest_size=8)",
    "hash.hexdigest()[:8], hash.name, mac.hexdigest()[:8], mac.digest_size, short.copy().digest().hex()",
    "('ba7816bf', 'sha256', 'b60090e3', 32, '2b3570fb29bd1435')",
  ],
  [
    "import bz2, gzip, lzma, tarfile\nopen('f', 'w').write('x')\nwith tarfile.open('a.tgz', 'w:gz') as tar: tar.add('f')\n" +
    "with gzip.open('a.gz', 'wt') as out: out.write('x')\nwith gzip.open('a.gz', 'rt') as text: text.read()\n" +
    "with gzip.open('a.gz') as raw: raw.read()\nwith bz2.open('b', 'wb') as b: b.write(b'1')\nwith lzma.open('c', 'wb') as c: c.write(b'1')",
    "[each.closed for each in (tar, out, text, raw, b, c)], raw.name, raw.close()",
    "([True, True, True, True, True, True], 'a.gz', None)",
  ],
  [
    "import socket, threading, urllib.request\nfrom http.server import BaseHTTPRequestHandler, HTTPServer\n" +
    "class Handler(BaseHTTPRequestHandler):\n    def do_GET(self): self.send_response(200); self.end_headers(); self.wfile.write(b'hi')\n" +
    "    def log_message(self, *_): pass\nserver = HTTPServer(('127.0.0.1', 0), Handler)\nthread = threading.Thread(target=server.serve_forever)\n" +
    "thread.start()\nanswer = urllib.request.urlopen(f'http://127.0.0.1:{server.server_port}')\nbody = answer.read()\n" +
    "server.shutdown(); server.server_close(); thread.join()\nclosed = socket.socket(); closed.close()",
    "body, answer.status, server.socket.fileno(), closed.fileno(), thread.is_alive()",
    "(b'hi', 200, -1, -1, False)",
  ],
  [
    "import os, tempfile\nwith tempfile.NamedTemporaryFile('w', delete=False) as kept: kept.write('x')\n" +
    "open_one = tempfile.NamedTemporaryFile('w'); open_one.write('y')\nos.mkdir('d')\nfor entry in os.scandir('.'): pass\n" +
    "with os.scandir('.') as entries: names = [each.name for each in entries]",
    "open(kept.name).read(), kept.closed, open_one.write('z'), open_one.close(), os.path.exists(open_one.name), entry.is_dir(), list(entries)",
    "('x', True, 1, None, False, True, [])",
  ],
  [
    "import asyncio\nended = asyncio.new_event_loop(); ended.close()\nloop = asyncio.new_event_loop(); asyncio.set_event_loop(loop)\n" +
    "async def seven(): return 7\nloop.run_until_complete(seven())",
    "ended.is_closed(), loop.run_until_complete(seven()), asyncio.get_event_loop() is loop",
    "(True, 7, True)",
  ],
  [
    "import multiprocessing\nprocesses = [multiprocessing.Process(target=exit, args=(n,)) for n in range(2)]\n" +
    "for each in processes: each.start()\nfor each in processes: each.join()",
    "[each.exitcode for each in processes], processes[1].is_alive()",
    "([0, 1], False)",
  ],
  [
    "import weakref\nclass Node: pass\nnode = Node(); reference, gone = weakref.ref(node), weakref.ref(Node())\n" +
    "values = weakref.WeakValueDictionary(a=node); keys = weakref.WeakKeyDictionary({node: 1})",
    "reference() is node, gone(), list(values), keys[node]",
    "(True, None, ['a'], 1)",
  ],
  [
    "import contextvars, json, mmap, random, struct\nlevel = contextvars.ContextVar('level', default=1); level.set(5)\nfree = contextvars.ContextVar('free')\n" +
    "def current(): return level.get()\npacked = struct.Struct('<h'); decoder = json.JSONDecoder(); dice = random.SystemRandom()\n" +
    "open('m', 'wb').write(b'abc')\nwith open('m', 'rb') as f, mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ) as map_: two = map_[:2]",
    "current(), contextvars.Context().run(current), free.get(0), packed.pack(1), decoder.raw_decode('[1] x'), dice.randint(1, 1), two, map_.closed",
    "(5, 1, 0, b'\\x01\\x00', ([1], 3), 1, b'ab', True)",
  ],
  [
    "from typing import NewType, ParamSpec, TypeVar, TypeVarTuple\nUser = NewType('User', int); P = ParamSpec('P'); Ts = TypeVarTuple('Ts'); T = TypeVar('T')\n" +
    "type Pair[A] = tuple[A, A]\nclass Box[K]:\n    def get(self, x: K) -> K: return x",
    "User(5), User.__supertype__, P, Ts, T, Pair[int], Pair.__module__, Box[int]().get(1)",
    "(5, <class 'int'>, ~P, Ts, ~T, Pair[int], '__main__', 1)",
  ],
  [
    "class Proxy:\n    def __init__(self, real): self.real = real\n    def __getattr__(self, name): return getattr(self.real, name)\n" +
    "class Fields(dict):\n    def __getattr__(self, name): return self[name]\n    def __setattr__(self, name, value): self[name] = value\n" +
    "class Any:\n    __slots__ = 'a', 'b'\n    def __getattr__(self, name): return 7\nproxy, fields, any_ = Proxy([1, 2]), Fields(a=Fields(b=3)), Any()\n" +
    "fields.c = 5; any_.a = 1",
    "proxy.count(1), proxy.real, fields.a.b, fields, type(fields.a).__name__, any_.a, any_.b",
    "(1, [1, 2], 3, {'a': {'b': 3}, 'c': 5}, 'Fields', 1, 7)",
  ],
  [
    "class Failure(Exception):\n    def __init__(self, code, text):\n        super().__init__(text)\n        self.code = code\n" +
    "try: raise Failure(4, 'no')\nexcept Failure as error: last = error; last.add_note('a')",
    "repr(last), last.code, last.__notes__",
    "(\"Failure('no')\", 4, ['a'])",
  ],
  [
    "import http.client\nclient = http.client.HTTPConnection('localhost')",
    "import socket\nclient.timeout is socket._GLOBAL_DEFAULT_TIMEOUT",
    "True",
  ],
];

Deno.test("nor does what has ended or can be made again: hashes, archives, sockets, loops, processes, weak references …", async () => {
  for (const [before, after, value] of ENDED) assert.equal(await moved([before], after), value, before);
});

Deno.test("generators of what can't go, profiles, mocks and the like are left behind, which is told, and told to who uses them; all else comes along", async () => {
  const session = new Session({ moves: true });
  await session.value(
    "def numbers(of):\n    yield from of\nrows = numbers(memoryview(b'1'))\nimport cProfile, hashlib, re\nfrom unittest.mock import Mock\n" +
      "profile, mock, matches = cProfile.Profile(), Mock(), re.finditer('a', 'aa')\nhash = hashlib.md5(b'1')\nasync def one(): return 1\ncoroutine = one()",
  );
  const outcome = await session.run(`${MOVE}print(rows)\nlist(numbers([1]))`);
  assert.equal(outcome.moved, true);
  assert.equal(outcome.stdout, "<generator that did not come along>\n");
  assert.equal(
    outcome.stderr,
    "rows (generator), profile (Profile), mock (Mock), matches (callable_iterator), coroutine (coroutine) did not come along: " +
      "to be made anew before use\n",
  );
  for (
    const use of [
      "next(rows)",
      "list(rows)",
      "rows.send(1)",
      "mock(1)",
      "profile.enable()",
      "hash.update(b'2')",
      "await coroutine",
    ]
  ) {
    const failed = await session.run(use);
    assert.equal(errorOf(failed)?.type, "RuntimeError", use);
    assert.match(errorOf(failed)?.message ?? "", /did not come along when .*: make it anew$/, use);
    assert.equal(failed.stderr, "", use);
  }
});

Deno.test("files that are open come along where they are, with what was not written yet and how they were opened", async () => {
  const before = [
    "import os, csv, logging\n" +
    "log = open('log.txt', 'w')\nlog.write('one\\n')\n" +
    "with open('rows.csv', 'w', newline='') as f: f.write('a,b\\r\\n1,2\\r\\n3,4\\r\\n')\n" +
    "text, lines, raw = open('rows.csv'), open('rows.csv', newline=''), open('rows.csv', 'rb')\n" +
    "read = text.readline(), lines.read(3), raw.read(2)\n" +
    "more = open('more.bin', 'ab')\nmore.write(b'12')\n" +
    "both = open('both.bin', 'x+b', buffering=0)\nboth.write(b'abc')\nboth.seek(1)\n" +
    "crlf = open('crlf.txt', 'w', newline='\\r\\n')\n" +
    "wide = open('wide.txt', 'w', encoding='utf-16')\nwide.write('é')\n" +
    "logger = logging.getLogger('own')\nlogger.addHandler(logging.FileHandler('own.log'))\nlogger.warning('first')\n" +
    "os.mkdir('sub')\nos.chdir('sub')\nbuffer, shared = log.buffer, [log]",
  ];
  const after =
    "log.write('two\\n'); more.write(b'3'); crlf.write('a\\n'); wide.write('x'); logger.warning('second')\n" +
    "rest = text.read(), lines.read(), raw.read(), both.read()\n" +
    "same = shared[0] is log, log.buffer is buffer, log.name, log.mode, log.readable(), both.mode\n" +
    "for file in (log, more, crlf, wide): file.close()\n" +
    "def content(name, **options): return open('/app/' + name, newline='', **options).read()\n" +
    "rest, same, content('log.txt'), content('more.bin'), content('crlf.txt'), content('wide.txt', encoding='utf-16'), content('own.log')";
  assert.equal(
    await moved(before, after),
    "(('1,2\\n3,4\\n', '\\r\\n1,2\\r\\n3,4\\r\\n', b'b\\r\\n1,2\\r\\n3,4\\r\\n', b'bc'), " +
      "(True, True, 'log.txt', 'w', False, 'xb+'), 'one\\ntwo\\n', '123', 'a\\r\\n', 'éx', 'first\\nsecond\\n')",
  );
});

Deno.test("files that come along have the numbers that they had, though others are named first", async () => {
  const before = [
    "import os\nfirst = second = None\nsecond = open('second', 'w')\nfirst = open('first', 'w')\nnumber = second.fileno()",
  ];
  const after = "os.write(number, b'for the second')\n" +
    "first.close(); second.close(); open('first').read(), open('second').read()";
  assert.equal(await moved(before, after), "('', 'for the second')");
});

Deno.test("what was read ahead of a text is not taken for how its lines end", async () => {
  const before = [
    "open('seven', 'w', encoding='utf-7').write('aé€b' * 9)\n" +
    "open('lines', 'w', newline='').write('a\\r\\nb\\r\\n')\n" +
    "seven, lines = open('seven', encoding='utf-7'), open('lines')\nhead = seven.read(6), lines.read(2)",
  ];
  assert.equal(
    await moved(before, "head[0] + seven.read() == 'aé€b' * 9, head[1] + lines.read()"),
    "(True, 'a\\nb\\n')",
  );
});

Deno.test("files that are read line by line come along at the next line, and readers of csv at the next row", async () => {
  const before = `import csv, io
open("lines", "w", newline="").write("a,b\\r\\n1,'x\\r\\ny'\\r\\n2,z\\r\\n")
open("wide", "w", encoding="utf-16").write("é\\n€\\n😀\\n")
lines, wide = open("lines"), open("wide", encoding="utf-16")
next(lines), next(wide)
rows = csv.reader(open("lines", newline=""), quotechar="'"); names = next(rows); row = next(rows)
done = csv.DictReader(io.StringIO("k;v\\n1;2\\n"), delimiter=";"); kept = list(done)
listed = csv.reader(["p,q", "", "r,s"]); listed = (listed, list(listed))`;
  const after =
    `(next(lines), lines.read(), next(wide), list(wide), row, rows.line_num, list(rows), rows.line_num, done.fieldnames,
 list(done), done.line_num, list(listed[0]), listed[0].line_num)`;
  assert.equal(
    await moved([before], after),
    `("1,'x\\n", "y'\\n2,z\\n", '€\\n', ['😀\\n'], ['1', 'x\\r\\ny'], 3, [['2', 'z']], 4, ['k', 'v'], [], 2, [], 3)`,
  );
});

Deno.test("a session that holds what can't be taken along stays, loses nothing, and is told what it is", async () => {
  let stays: unknown;
  const held: Record<string, [string, string]> = {
    "import os\nf = open('file', 'w')\nos.unlink('file')": ["f.write('x')", "f (TextIOWrapper)"],
    "f = open('file', 'w', encoding='iso2022_jp')\nf.write('あ')": ["f.write('い')", "f (TextIOWrapper)"],
    "import os\nr, w = os.pipe()\nf = open(r)": ["1 if os.write(w, b'x') else 0", "f (TextIOWrapper)"],
    "import threading, time\nthread = threading.Thread(target=time.sleep, args=[9], name='sleeper', daemon=True)\nthread.start()":
      [
        "1 if thread.is_alive() else 0",
        "a thread that waits ('sleeper'; shutdown() of its executor or server ends it)",
      ],
    "db = __import__('sqlite3').connect(':memory:')": [
      "db.execute('select 1').fetchone()[0]",
      "db (Connection)",
    ],
    "view = memoryview(b'1')": ["view.nbytes", "view (memoryview)"],
    "import asyncio\nasync def wait(): await asyncio.sleep(9)\ntask = asyncio.create_task(wait())\nawait asyncio.sleep(0)":
      [
        "1 if not task.done() else 0",
        "a task of asyncio that waits",
      ],
    "class Odd:\n    def __reduce__(self): return Odd, (1,)\nodd, count = Odd(), 1": [
      "count",
      "TypeError: Odd() takes no arguments",
    ],
    "import os\nfd = os.open('file', os.O_CREAT | os.O_RDWR)": [
      "1 if os.fstat(fd).st_size == 0 else 0",
      "a file that is open",
    ],
  };
  for (const [program, [after, told]] of Object.entries(held)) {
    const session = new Session({
      moves: true,
      hostCall: (_, request) => {
        stays = JSON.parse(new TextDecoder().decode(request)).stays;
        return replyOf({ advice: "" });
      },
    });
    await session.run(program);
    const outcome = await session.run("import numpy");
    assert.deepEqual([outcome.status, errorOf(outcome)?.type, outcome.moved], [
      "failed",
      "ModuleNotFoundError",
      undefined,
    ]);
    assert.equal(stays, told, program);
    assert.equal(await session.value(after), "1", program);
  }
});

Deno.test("stops and fuel hold while a session packs and unpacks, and what it has made is there afterwards", async () => {
  const slow = "class Slow:\n    def __reduce__(self):\n        print('packs')\n        while True: pass\n";
  const packing = new Session({ moves: true });
  await packing.value(`${slow}kept = 1\nslow = Slow()`);
  const interrupted = await packing.runStopped("import numpy", { interruptAt: "packs" });
  assert.deepEqual([interrupted.status, interrupted.heap], ["stopped", "kept"]);
  const spent = await packing.run("import numpy", { fuelBudget: 50_000_000 });
  assert.deepEqual([spent.status, spent.heap], ["out_of_fuel", "kept"]);
  assert.equal(await packing.value("kept"), "1");
  const unpacking = new Session({ moves: true });
  await unpacking.value(
    "def forever():\n    print('unpacks')\n    while True: pass\n" +
      "class Slow:\n    def __reduce__(self): return forever, ()\nkept = 1\nslow = Slow()",
  );
  const aborted = await unpacking.runStopped("import numpy", { abortAt: "unpacks" });
  assert.deepEqual([aborted.status, aborted.heap], ["stopped", "kept"]);
  assert.equal(await unpacking.value("kept"), "1");
});

Deno.test("a pack that a program has made itself, or that fails to be unpacked, leaves the session where it is", async () => {
  const session = new Session({ moves: true });
  await session.value(
    "def fail(): raise ValueError('no')\nclass Odd:\n    def __reduce__(self): return fail, ()\nkept, odd = 1, Odd()",
  );
  assert.equal((await session.run("import numpy")).moved, undefined);
  await session.value(
    "del odd\nimport sys\nsys.modules['_wasmbox_moving'].depart = lambda sources: b'\\x80\\x05spoiled'",
  );
  assert.equal((await session.run("import numpy")).moved, undefined);
  await session.value("sys.modules['_wasmbox_moving'].depart = lambda sources: 5");
  assert.equal((await session.run("import numpy")).moved, undefined);
  assert.equal(await session.value("kept"), "1");
});
