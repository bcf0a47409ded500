/** What CPython's patches for speed (`wasm/python/patches`) must not change. */

import { equal } from "node:assert/strict";
import { Session } from "../../../support/python_harness.ts";

Deno.test("an int that is freed is never another one's that lives, whatever made and dropped it", async () => {
  const session = new Session();
  const code = `
import operator, random
rng = random.Random(7)
live, expected = [], []
for step in range(60_000):
    n = rng.choice((rng.randrange(-2**30, 2**30), rng.randrange(2**62), rng.randrange(300)))
    live.append(rng.choice((operator.add, operator.xor, operator.sub))(n, step))
    expected.append(str(live[-1]))
    if rng.random() < 0.5:
        gone = rng.randrange(len(live))
        live[gone], expected[gone] = live[-1], expected[-1]
        live.pop(), expected.pop()
[str(n) for n in live] == expected, len({id(n) for n in live if not -6 < n < 257}) == sum(not -6 < n < 257 for n in live)`;
  equal(await session.value(code), "(True, True)");
});

Deno.test("of a class that is derived from int, instances are freed as its own", async () => {
  const session = new Session();
  const code = `
class Marked(int):
    gone = 0
    def __init__(self, *_): self.more = [0] * 10
    def __del__(self): Marked.gone += 1
for i in range(1000): Marked(i + 1000) + 1
Marked.gone, sum(Marked(5) for _ in range(10)), type(Marked(5) + 1).__name__`;
  equal(await session.value(code), "(1000, 50, 'int')");
});

Deno.test("what large numbers differ by does not keep the memory of large numbers", async () => {
  const session = new Session({ memoryBytes: 64 * 1024 * 1024 });
  const code = `
large = 1 << 16_000_000
few = [(large + 1000 + i) - large for i in range(100)]
sums = sum(few)
del few
more = [(large | i) ^ large for i in range(1000, 1100)]
sums, sum(more), len(bytes(20_000_000))`;
  equal(await session.value(code), `(${100 * 1000 + 4950}, ${100 * 1000 + 4950}, 20000000)`);
});

Deno.test("instances of classes with slots begin as they should, also once their making is specialised", async () => {
  const session = new Session();
  const code = `
import abc
class Point:
    __slots__ = ("x", "y", "z")
    def __init__(self, x, y): self.x = x; self.y = y
class Empty:
    __slots__ = ()
    def __init__(self): pass
class Named(Point):
    def __init__(self, x): super().__init__(x, 0); self.name = "n"
class Refused:
    __slots__ = ("x",)
    def __init__(self): raise ValueError("no")
class Odd:
    __slots__ = ()
    def __init__(self): return 5
class Abstract(abc.ABC):
    __slots__ = ()
    def __init__(self): pass
    @abc.abstractmethod
    def f(self): ...
def caught(kind):
    try: kind()
    except Exception as error: return type(error).__name__
    return "none"
seen = set()
for i in range(500):
    point = Point(i, -i)
    seen.add((point.x == i, point.y == -i, hasattr(point, "z"), hasattr(point, "__dict__")))
    seen.add((type(Empty()).__name__, Named(i).name, Named(i).x == i, caught(Refused), caught(Odd), caught(Abstract)))
    seen.add(caught(lambda: Point(1)))
sorted(seen, key=str)`;
  equal(
    await session.value(code),
    "[('Empty', 'n', True, 'ValueError', 'TypeError', 'TypeError'), (True, True, False, False), 'TypeError']",
  );
});

Deno.test("tracemalloc sees what is allocated while it traces, and the allocator goes back to what it was", async () => {
  const session = new Session();
  const code = `
import tracemalloc
tracemalloc.start()
kept = [bytearray(1000) for _ in range(100)]
traced = tracemalloc.get_traced_memory()[0]
tracemalloc.stop()
after = [str(i) for i in range(1000)]
traced > 100_000, tracemalloc.is_tracing(), after[-1]`;
  equal(await session.value(code), "(True, False, '999')");
});
