/** What a session's own types take along to the interpreter that has numpy, where pickle alone would not. */

import assert from "node:assert/strict";
import { moved } from "./moving.ts";

Deno.test("containers and values of the program's own classes come along, whatever their classes want to be made with", async () => {
  const before = `import collections as c
class Recent(c.OrderedDict):
    def __init__(self, size): super().__init__(); self.size = size
    def __setitem__(self, key, value):
        super().__setitem__(key, value)
        if len(self) > self.size: self.popitem(last=False)
class Lists(c.defaultdict):
    def __init__(self, name): super().__init__(list); self.name = name
class Checked(dict):
    def __init__(self, kind): self.kind = kind
    def __setitem__(self, key, value): print("set"); super().__setitem__(key, self.kind(value))
class Named(list):
    def __init__(self, name, *items): super().__init__(items); self.name = name
    def append(self, item): print("append"); super().append(item)
    extend = append
class Last(c.deque):
    def __init__(self, name): super().__init__(maxlen=2); self.name = name
class Tags(set):
    def __init__(self, name, *tags): super().__init__(tags); self.name = name
class Words(c.Counter):
    def __init__(self, name, text): super().__init__(text.split()); self.name = name
class Money(float):
    def __new__(cls, amount, currency): self = super().__new__(cls, amount); self.currency = currency; return self
class Vector(tuple):
    def __new__(cls, x, y): return super().__new__(cls, (x, y))
class Pair(c.namedtuple("Pair", "a b")):
    def __new__(cls, a): return super().__new__(cls, a, 2 * a)
class Tag(str):
    def __new__(cls, name, *, level): self = super().__new__(cls, name); self.level = level; return self
class Kinds(frozenset):
    def __new__(cls, *kinds): return super().__new__(cls, kinds)
class Counted(int):
    def __new__(cls, value, unit): self = super().__new__(cls, value); self.unit = unit; return self
class Packed(bytes):
    def __new__(cls, *numbers): return super().__new__(cls, numbers)
recent = Recent(2); recent[1] = recent; recent[2] = 2; recent.move_to_end(1)
lists = Lists("l"); lists["a"].append(1)
checked = Checked(int); checked["k"] = "1"
named = Named("n", 1, 2); last = Last("d"); last.extend((1, 2, 3))
tags, words = Tags("t", 1), Words("w", "a b a")
values = Money(-0.0, "EUR"), Vector(1, 2), Pair(3), Tag("b", level=2), Kinds(1), Counted(5, "m"), Packed(1, 2)`;
  const after = `recent[3] = 3
(list(recent), recent.size, recent.get(1) is recent, lists["b"], lists.name, checked, checked.kind, named, named.name, last,
 last.name, tags, tags.name, words.most_common(1), words.name, values, [type(each).__name__ for each in values],
 values[0].currency, values[3].level, values[5].unit)`;
  assert.equal(
    await moved([before], after),
    "([1, 3], 2, True, [], 'l', {'k': 1}, <class 'int'>, [1, 2], 'n', Last([2, 3], maxlen=2), 'd', Tags({1}), 't', " +
      "[('a', 2)], 'w', (-0.0, (1, 2), Pair(a=3, b=6), 'b', Kinds({1}), 5, b'\\x01\\x02'), " +
      "['Money', 'Vector', 'Pair', 'Tag', 'Kinds', 'Counted', 'Packed'], 'EUR', 2, 'm')",
  );
});

Deno.test("what cached functions remember comes along, with what cache_info() says, but for what can't go", async () => {
  const before = `import functools
calls = []
@functools.cache
def settings(name="x", **more): calls.append(name); return {"name": name}
@functools.lru_cache(maxsize=2)
def recent(*args, **more): calls.append(args); return args
@functools.lru_cache(typed=True)
def typed(a, *, b=1): calls.append(a); return a
class Shop:
    @functools.lru_cache
    def price(self, item): calls.append(item); return len(item)
@functools.cache
def connect(path): return memoryview(b'1') if path else None
def made(times, more):
    @functools.lru_cache
    def scaled(n): calls.append(n); return n * times + more
    return scaled
scaled = made(3, 1); scaled(2)
shop = Shop(); shop.price("tea"); given = settings(); settings("y", z=1); settings()
recent(1); recent(2, 3); recent(4, k=5); recent(2, 3); typed(1, b=2); typed(1.0, b=2); typed("s"); connect(":memory:"); connect("")
calls.clear()`;
  const after =
    `(settings() is given, settings("y", z=1), recent(4, k=5), recent(2, 3), typed(1, b=2), typed(1.0, b=2), typed("s"),
 shop.price("tea"), scaled(2), connect(""), calls, recent(1), calls, settings.cache_info(), typed.cache_info()[:2], settings.__wrapped__.__defaults__, scaled(1))`;
  assert.equal(
    await moved([before], after),
    "(True, {'name': 'y'}, (4,), (2, 3), 1, 1.0, 's', 3, 7, None, [(1,), 1], (1,), [(1,), 1], " +
      "CacheInfo(hits=3, misses=2, maxsize=None, currsize=2), (3, 3), ('x',), 4)",
  );
});

Deno.test("so do aliases of types that refer to themselves, and variables of types as they were made", async () => {
  const before = `from typing import Generic, TypeVar, get_args, get_type_hints
type Json = dict[str, Json] | list[Json] | None
type Tree[X, *Y] = X | list[Tree[X, *Y]]
class Node[T: Node]: pass
class Pair[A, B: (int, str) = int]: pass
def deco[**P, R](function: "Callable[P, R]") -> "Callable[P, R]": return function
def first[S](of: "list[S]") -> "S": return of[0]
Old = TypeVar("Old", bound=int, covariant=True)
class Box(Generic[Old]): pass`;
  const after = `T, B = Node.__type_params__[0], Pair.__type_params__[1]
(Json, Json.__value__, Tree[int, str], get_args(Tree.__value__)[0] is Tree.__type_params__[0], Tree.__type_params__, Tree.__module__,
 T, T.__bound__ is Node, B.__constraints__, B.__default__, get_type_hints(first)["return"] is first.__type_params__[0], Old,
 Old.__bound__, Box.__parameters__[0] is Old, deco.__type_params__)`;
  assert.equal(
    await moved([before], after),
    "(Json, dict[str, Json] | list[Json] | None, Tree[int, str], True, (X, Y), '__main__', T, True, (<class 'int'>, <class 'str'>), " +
      "<class 'int'>, True, +Old, <class 'int'>, True, (P, R))",
  );
});

Deno.test("so do generators that gave nothing yet, with what their functions were given", async () => {
  const before = `def numbers(first, *more, by=1, **named):
    show = lambda: (first * by, more, named)
    yield show()
plain, given = numbers(2), numbers(2, 3, by=4, name=5)
lines = open("lines", "w+"); lines.write("a\\nb\\n"); lines.seek(0)
upper = (line.upper() for line in lines)
stripped = (line.strip() for line in upper)`;
  const after = "(list(plain), list(given), list(stripped), list(upper))";
  assert.equal(await moved([before], after), "([(2, (), {})], [(8, (3,), {'name': 5})], ['A', 'B'], [])");
});

Deno.test("so do the connections of a pipe, with what was sent and who has closed its end", async () => {
  const before = `from multiprocessing import Pipe
one, other = Pipe(); one.send([1]); other.send(2); other.send(3); into, out = Pipe(duplex=False); out.close()`;
  const after = `got = [other.recv(), one.recv()]; other.close(); got.append(one.recv())
for each in one, into:
    try: got.append(each.recv())
    except EOFError: got.append("end")
got`;
  assert.equal(await moved([before], after), "[[1], 2, 3, 'end', 'end']");
});
