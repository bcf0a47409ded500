/** Kinds of objects of Python. */

import type { Kind } from "./objects.ts";

function python(name: string, make: string, ...use: string[]): Kind {
  return { name, language: "python", make, use };
}

export const PYTHON_KINDS: readonly Kind[] = [
  python(
    "sqlite connection and cursor",
    `import sqlite3
db = sqlite3.connect(":memory:")
db.execute("create table t(a integer primary key, b text)")
db.executemany("insert into t(b) values (?)", [(str(i) * 5,) for i in range(200)])
factor = 2
db.create_function("f", 1, lambda x: x * factor)
rows = db.execute("select * from t where a % 2 order by b")
db.total_changes`,
    "rows.fetchone()",
    `db.execute("insert into t(b) values (?)", ("$n",)).lastrowid`,
    "db.execute('select count(*), sum(length(b)) from t').fetchall()",
    "db.execute('savepoint s'); db.execute('delete from t where a < $n'); db.execute('rollback to s'); db.in_transaction",
    "factor += $n; db.execute('select f(a) from t limit 2').fetchall()",
  ),
  python(
    "sqlite database in a file",
    `import sqlite3
fdb = sqlite3.connect("/app/data.db")
fdb.execute("create table if not exists k(v)")
fcur = fdb.cursor()
fdb.execute("insert into k values (1)").rowcount`,
    "fdb.execute('insert into k values ($n)').rowcount",
    "fdb.commit(); fcur.execute('select v from k order by rowid desc').fetchone()",
    "fcur.fetchmany($n)",
    "fdb.rollback(); fdb.execute('select count(*) from k').fetchone()",
  ),
  python(
    "generator",
    `def accumulate():
    total = 0
    try:
        while True:
            got = yield total
            total += got or 1
    except GeneratorExit:
        print("closed at", total)
gen = accumulate()
next(gen)`,
    "gen.send($n)",
    "next(gen)",
    "gen.gi_frame.f_locals, gen.gi_running",
  ),
  python(
    "nested iterators",
    `import itertools
its = [itertools.cycle("abc"), itertools.count(5, 3), itertools.chain([1], iter({2: 3}), "xy"), zip(range(90), reversed(range(99)))]
tee1, tee2 = itertools.tee(its[1])
groups = itertools.groupby(itertools.count(), lambda i: i // 4)`,
    "[next(it, None) for it in its]",
    "next(tee1)",
    "next(tee2), next(tee2)",
    "key, group = next(groups); (key, list(group))",
  ),
  python(
    "iterators in the middle of collections",
    `things = {i: i * i for i in range(300)}
middle = iter(things.items())
letters = iter(frozenset("abcdefghijklmnopqrstuvwxyz"))
squares = map(lambda i: i ** 3, filter(None, range(500)))`,
    "next(middle, None)",
    "next(letters, None)",
    "next(squares), next(squares)",
    "things[$n] = -1; sum(things.values())",
  ),
  python(
    "file read line by line",
    `open("/app/lines.txt", "w").write("".join(f"line {i} \\u00e9\\n" for i in range(3000)))
lines = open("/app/lines.txt", encoding="utf-8")
lines.readline()`,
    "next(lines)",
    "lines.readline()",
    "lines.seek(100); lines.read($n)",
  ),
  python(
    "file with unflushed writes",
    `log = open("/app/log.txt", "a+")
log.write("start\\n")`,
    `log.write("entry $n\\n" * $n)`,
    "log.flush(); log.tell()",
    `log.seek(0); len(log.read())`,
    `import os; os.path.getsize("/app/log.txt")`,
  ),
  python(
    "unlinked file that is still open",
    `import os
ghost = open("/tmp/ghost", "w+b")
ghost.write(b"0123456789" * 10000)
os.unlink("/tmp/ghost")`,
    "ghost.seek($n * 1000); ghost.read(5)",
    `ghost.seek(0, 2); ghost.write(b"$n"); ghost.tell()`,
    `os.fstat(ghost.fileno()).st_nlink, os.path.exists("/tmp/ghost")`,
    "ghost.truncate(ghost.tell())",
  ),
  python(
    "raw descriptors",
    `import os
low = os.open("/app/low.bin", os.O_RDWR | os.O_CREAT)
dirfd = os.open("/app", os.O_RDONLY)`,
    `os.write(low, b"$n" * $n)`,
    "os.lseek(low, -1, os.SEEK_END) if os.fstat(low).st_size else 0, os.read(low, 3)",
    "low, dirfd, sorted(os.listdir('/app'))[:3]",
  ),
  python(
    "scandir iterator",
    `import os
os.makedirs("/app/many", exist_ok=True)
for i in range(50): open(f"/app/many/{i}", "w").close()
scan = os.scandir("/app/many")`,
    "getattr(next(scan, None), 'name', None)",
    `open("/app/many/new$n", "w").write("x")`,
    "sorted(os.listdir('/app/many'))[-1]",
  ),
  python(
    "zlib objects",
    `import zlib
comp = zlib.compressobj(9)
packed = bytearray()
decomp = zlib.decompressobj()
unpacked = 0`,
    `packed += comp.compress(b"some text $n " * 500); len(packed)`,
    "packed += comp.flush(zlib.Z_SYNC_FLUSH); zlib.crc32(packed)",
    "piece = decomp.decompress(bytes(packed)[unpacked:unpacked + 40]); unpacked += 40; piece[:20]",
    "len(comp.copy().flush())",
  ),
  python(
    "bz2 and lzma objects",
    `import bz2, lzma
bz, xz = bz2.BZ2Compressor(), lzma.LZMACompressor(preset=0)
bunch = b""`,
    `bunch += bz.compress(b"bzip $n" * 300); len(bunch)`,
    `bunch += xz.compress(b"lzma $n" * 300); len(bunch)`,
    "bunch += bz.flush(); bz = bz2.BZ2Compressor(); hash(bunch)",
  ),
  python(
    "regular expressions",
    `import re
rx = re.compile(r"(?P<word>\\w+)-(\\d+)", re.I)
matches = rx.finditer(" ".join(f"item{i}-{i * 7}" for i in range(400)))
m = next(matches)
scanner = rx.scanner("a-1 b-22 c-333 d-4444 e-5")`,
    "m = next(matches); m.groupdict(), m.span(2)",
    "getattr(scanner.search(), 'groups', lambda: None)()",
    "m.expand(r'\\2:\\1'), m.re is rx",
  ),
  python(
    "closures and partials",
    `import functools
def counter(start):
    def step(by=1):
        nonlocal start
        start += by
        return start
    return step
c1, c2 = counter(0), counter(100)
part = functools.partial(c1, by=3)
@functools.lru_cache(maxsize=20)
def cached(i): return c2(i)`,
    "c1($n), c2()",
    "part(), part.keywords",
    "cached($n), cached.cache_info()",
  ),
  python(
    "classes",
    `class Meta(type):
    registry = []
    def __new__(mcls, name, bases, ns):
        cls = super().__new__(mcls, name, bases, ns)
        mcls.registry.append(name)
        return cls
class Base(metaclass=Meta):
    __slots__ = ("x", "__weakref__")
    def __init__(self, x): self.x = x
    @property
    def double(self): return self.x * 2
    def __eq__(self, other): return self.x == other.x
    def __hash__(self): return hash(self.x)
class Derived(Base):
    def __repr__(self): return f"Derived({self.x})"
objs = [Derived(i) for i in range(5)]`,
    "objs.append(Derived($n)); objs[-3:]",
    "type('New$n', (Derived,), {'y': $n})(7).double, len(Meta.registry)",
    "len(set(objs)), [o.double for o in objs[-2:]]",
    "Derived.extra = lambda self: self.x + $n; objs[0].extra()",
  ),
  python(
    "dataclasses, enums and named tuples",
    `import dataclasses, enum, collections
@dataclasses.dataclass(order=True, frozen=True)
class Point:
    x: int
    y: int = 0
    tags: tuple = dataclasses.field(default=(), compare=False)
class Colour(enum.Flag):
    RED = enum.auto()
    BLUE = enum.auto()
Pair = collections.namedtuple("Pair", "a b", defaults=[0])
points, colour = [Point(1)], Colour.RED`,
    "points.append(Point($n, len(points))); sorted(points)[-1]",
    "colour ^= Colour.BLUE; colour",
    "Pair($n)._replace(b=colour.value)",
    "dataclasses.asdict(points[-1]), hash(points[-1])",
  ),
  python(
    "dates and times",
    `import datetime
when = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)
step = datetime.timedelta(hours=7, microseconds=3)
zone = datetime.timezone(datetime.timedelta(hours=5, minutes=30), "IST")`,
    "when += step * $n; when.isoformat()",
    "when.astimezone(zone).strftime('%c %Z'), when.date().isocalendar()",
    "step *= 2 if step < datetime.timedelta(days=9) else 1; step.total_seconds()",
  ),
  python(
    "decimals and fractions",
    `import decimal, fractions
ctx = decimal.getcontext()
ctx.prec = 40
dec, frac = decimal.Decimal(2).sqrt(), fractions.Fraction(1, 3)`,
    "dec = dec * $n / 7; dec",
    "frac += fractions.Fraction($n, 1 + $n); frac.limit_denominator(1000)",
    "ctx.prec = 20 + $n; decimal.Decimal(1) / 7, ctx.flags[decimal.Inexact]",
    "with_local = decimal.localcontext(); c = with_local.__enter__(); c.prec = 5; r = +dec; with_local.__exit__(None, None, None); r",
  ),
  python(
    "bytearrays and memoryviews",
    `import array, struct
buf = bytearray(range(256)) * 40
view = memoryview(buf)[100:9000:3]
arr = array.array("d", range(50))
unpacking = struct.iter_unpack("<HI", bytes(buf[:6000]))`,
    "view[$n] = $n; bytes(view[:12])",
    "buf[-1] = (buf[-1] + 1) % 256; sum(buf)",
    "arr.append($n); arr.buffer_info()[1], sum(arr)",
    "next(unpacking, None)",
    "memoryview(arr).cast('B')[8:16].tolist()",
  ),
  python(
    "collections",
    `import collections, heapq
dq = collections.deque(range(50), maxlen=60)
od = collections.OrderedDict.fromkeys("abcdef")
cm = collections.ChainMap({}, {"base": 1})
heap = [9, 20, 30]
dd = collections.defaultdict(list)
walk = iter(collections.Counter("mississippi").elements())`,
    "dq.rotate($n); dq.append(-$n); dq[0], dq[-1], len(dq)",
    "od.move_to_end(next(iter(od))); list(od)",
    "heapq.heappushpop(heap, $n), heap",
    "cm['k$n'] = $n; cm = cm.new_child(); len(cm), len(cm.maps)",
    "dd[$n].append(len(dd)); dict(list(dd.items())[-2:])",
    "next(walk, None)",
  ),
  python(
    "suspended coroutines",
    `class Ask:
    def __init__(self, q): self.q = q
    def __await__(self): return (yield self.q)
async def talk():
    said = []
    for i in range(1000):
        async with Scope(said): said.append(await Ask(f"q{i}"))
        if len(said) > 3: said.pop(0)
class Scope:
    def __init__(self, log): self.log = log
    async def __aenter__(self): await Ask("enter")
    async def __aexit__(self, *e): await Ask(f"exit {self.log}")
async def agen():
    for i in range(1000):
        got = yield i
        if got: yield -got
coro, ag = talk(), agen()
coro.send(None)
def drive(aw):
    try: aw.send(None)
    except StopIteration as stop: return stop.value
drive(ag.__anext__())`,
    "coro.send($n)",
    "drive(ag.__anext__())",
    "drive(ag.asend($n))",
    "coro.cr_frame.f_lineno, coro.cr_await is not None",
  ),
  python(
    "asyncio objects between loops",
    `import asyncio, contextvars
var = contextvars.ContextVar("var", default=0)
async def work(n):
    await asyncio.sleep(0)
    var.set(var.get() + n)
    return var.get()
cx = contextvars.copy_context()
async def main(n): return await asyncio.gather(*(work(i) for i in range(n)))`,
    "asyncio.run(main($n))",
    "cx.run(lambda: (var.set(var.get() + $n), var.get())[1])",
    "asyncio.run(asyncio.wait_for(work($n), 5))",
  ),
  python(
    "weak references and finalizers",
    `import weakref, gc
class Node: pass
nodes = [Node() for _ in range(10)]
for n_ in range(10): nodes[n_].next = nodes[n_ - 1]
wd = weakref.WeakValueDictionary(enumerate(nodes))
wk = weakref.WeakKeyDictionary((node, i) for i, node in enumerate(nodes))
farewells = []
for n_, node in enumerate(nodes): weakref.finalize(node, farewells.append, n_)
del node
wr = weakref.ref(nodes[0], lambda r: farewells.append("wr"))`,
    "len(wd), len(wk), wr() is not None, len(farewells)",
    "nodes and nodes.pop() and None; gc.collect() and None; sorted(wd), farewells",
    "nodes.append(Node()); weakref.finalize(nodes[-1], farewells.append, $n).alive",
    "gc.collect() >= 0, gc.isenabled()",
  ),
  python(
    "random generators",
    `import random
rng = random.Random(42)
random.seed(7)
state = rng.getstate()`,
    "rng.random(), rng.gauss(0, 1)",
    "random.randrange(10 ** 30), random.sample(range(100), $n)",
    "rng.shuffle(deck := list(range(20))); deck",
    "rng.setstate(state); rng.getrandbits(100)",
  ),
  python(
    "hashes",
    `import hashlib, hmac
h1, h2, h3 = hashlib.sha256(b"a"), hashlib.blake2b(digest_size=20, key=b"k"), hashlib.sha3_512()
mac = hmac.new(b"key", digestmod="sha1")`,
    `h1.update(b"x" * $n); h1.hexdigest()[:16]`,
    `h2.update(b"$n" * 100); h2.hexdigest()`,
    `h3.update(b"$n"); c = h3.copy(); c.update(b"!"); c.hexdigest()[:16], h3.hexdigest()[:16]`,
    `mac.update(b"$n"); mac.hexdigest()`,
  ),
  python(
    "csv readers and writers",
    `import csv, io
csv_file = open("/app/t.csv", "w", newline="")
writer = csv.DictWriter(csv_file, ["a", "b"])
writer.writeheader()
reader = csv.reader(io.StringIO("\\n".join(f'{i},"x,{i}"' for i in range(900))))`,
    `writer.writerow({"a": $n, "b": 'qu"ote, $n'})`,
    "next(reader), reader.line_num",
    `csv_file.flush(); open("/app/t.csv").read()[-40:]`,
  ),
  python(
    "streams in memory",
    `import io
sio, bio = io.StringIO("first\\nsecond\\n"), io.BytesIO(bytes(1000))
text = io.TextIOWrapper(io.BufferedRandom(bio), encoding="utf-16")`,
    "sio.readline(), sio.tell()",
    `sio.seek(0, 2); sio.write("more $n\\n"); sio.seek($n)`,
    `text.write("wide $n"); text.flush(); text.tell()`,
    "bio.getbuffer().nbytes",
  ),
  python(
    "exceptions with their tracebacks",
    `import traceback, contextlib
kept = []
def fail(n):
    try: return fail(n - 1) if n else 1 / 0
    except ZeroDivisionError as e:
        e.add_note(f"level {n}")
        raise
stack = contextlib.ExitStack()
stack.callback(print, "stack closed")`,
    `try: fail($n)
except ZeroDivisionError as e: kept.append(e)
len(kept)`,
    "kept and (len(kept[-1].__notes__), kept[-1].__traceback__.tb_next.tb_frame.f_code.co_name)",
    "kept and traceback.format_exception(kept[0])[-2:]",
    "stack.callback(print, 'another $n') and None",
    "stack.pop_all().close()",
  ),
  python(
    "pickles and copies",
    `import pickle, copy, io
pbuf = io.BytesIO()
pickler = pickle.Pickler(pbuf)
shared_list = [1, [2, 3]]
pickler.dump(shared_list)`,
    "shared_list.append($n); pickler.dump(shared_list); pbuf.tell()",
    "pickler.clear_memo(); pickler.dump({'k': shared_list}); pickle.loads(pbuf.getvalue())",
    "copy.deepcopy(shared_list)[-2:]",
  ),
  python(
    "modules from files",
    `import importlib, sys, os
open("/app/helper.py", "w").write("value = 1\\ndef f(x): return x + value\\n")
import helper`,
    `open("/app/helper.py", "w").write("value = $n\\ndef f(x): return x + value + %d\\n" % os.stat("/app/helper.py").st_size); importlib.reload(helper).value`,
    "helper.f(1), helper.__file__",
    "import wave, colorsys; colorsys.rgb_to_hsv(.2, .$n, .1), 'wave' in sys.modules",
  ),
  python(
    "the time between steps",
    `import time
mono = time.monotonic()
perf = time.perf_counter()`,
    "now = time.monotonic(); ok = now >= mono; mono = now; ok",
    "now = time.perf_counter(); ok = now >= perf; perf = now; ok",
  ),
];
