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

Deno.test("members of enumerations come along with all that they have, and so do their other names", async () => {
  const before = `import enum, operator
class Planet(enum.Enum):
    EARTH = 5, 6
    MARS = 1, 3
    TERRA = 5, 6
    def __init__(self, mass, radius): self.mass, self.radius = mass, radius
class Axis(bytes, enum.Enum):
    def __new__(cls, value, label):
        member = bytes.__new__(cls, [value])
        member._value_, member.label = value, label
        return member
    X = 0, "across"
    Y = 1, "up"
class May(enum.Flag):
    READ = enum.auto()
    WRITE = enum.auto()
    BOTH = READ | WRITE
class Open(enum.IntFlag, boundary=enum.KEEP): ONE = 1
class Named(enum.Enum):
    def __init__(self, *values): self.told = (self._name_, values)
class Kind(Named):
    A = [1]
    @classmethod
    def _missing_(cls, value): return cls.A
class Does(enum.Enum):
    ADD = enum.member(operator.add)
    TWICE = enum.member(lambda value: 2 * value)
    def __call__(self, *values): return self.value(*values)
Planet.MARS.moons = 2; held = {Planet.EARTH: May.BOTH}`;
  const after = `def attempt(make):
    try: return make()
    except (AttributeError, TypeError, ValueError) as error: return type(error).__name__
(Planet.EARTH.mass, Planet.MARS.moons, Planet((1, 3)) is Planet.MARS, Planet["TERRA"] is Planet.EARTH, list(Planet), list(Planet.__members__),
 bytes(Axis.Y), Axis(0).label, Axis["Y"].value, list(May), May["BOTH"], list(May.BOTH), ~May.READ, attempt(lambda: May(8)), Open(9), Kind.A.told, Kind(7),
 Kind([1]), Does.ADD(1, 2), Does.TWICE(4), held[Planet.EARTH] is May.BOTH, attempt(lambda: setattr(Planet, "MARS", 1)), attempt(lambda: Planet(9)))`;
  assert.equal(
    await moved([before], after),
    "(5, 2, True, True, [<Planet.EARTH: (5, 6)>, <Planet.MARS: (1, 3)>], ['EARTH', 'MARS', 'TERRA'], b'\\x01', 'across', 1, " +
      "[<May.READ: 1>, <May.WRITE: 2>], <May.BOTH: 3>, [<May.READ: 1>, <May.WRITE: 2>], <May.WRITE: 2>, 'ValueError', <Open.ONE|8: 9>, " +
      "('A', ([1],)), <Kind.A: [1]>, <Kind.A: [1]>, 3, 8, True, 'AttributeError', 'ValueError')",
  );
});

Deno.test("classes with slots keep them, also those that let nothing be set; protocols still know who has their methods", async () => {
  const before = `from dataclasses import dataclass
from typing import NamedTuple, Protocol, runtime_checkable
@runtime_checkable
class Sized(Protocol):
    def __len__(self): ...
class Row(NamedTuple):
    a: int
    b: int = 2
@dataclass(slots=True, frozen=True)
class Point: x: int
class Own:
    __slots__ = "a", "__b"
    def __init__(self): self.a, self.__b = 1, 2
    def b(self): return self.__b
class Fixed:
    __slots__ = "x",
    def __init__(self, x): object.__setattr__(self, "x", x)
    def __setattr__(self, name, value): raise AttributeError(name)
point, own, fixed = Point(1), Own(), Fixed(3)`;
  const after = `def attempt(make):
    try: return make()
    except AttributeError as error: return "refused"
(point, hasattr(point, "__dict__"), own.a, own.b(), attempt(lambda: setattr(own, "c", 1)), fixed.x, attempt(lambda: setattr(fixed, "x", 1)), Own.a.__name__,
 isinstance([], Sized), isinstance(1, Sized), Row(1))`;
  assert.equal(
    await moved([before], after),
    "(Point(x=1), False, 1, 2, 'refused', 3, 'refused', 'a', True, False, Row(a=1, b=2))",
  );
});

Deno.test("exceptions come along with what they were raised from, whatever their classes take", async () => {
  const before = `class Failed(Exception):
    def __init__(self, code, *, where): super().__init__(f"failed with {code}"); self.code, self.where = code, where
try:
    try: raise Failed(7, where="here")
    except Failed as error: raise OSError(2, "gone", "file") from error
except OSError as error: raised = error
try:
    try: [][1]
    except IndexError: raise KeyError("k")
except KeyError as error: error.add_note("noted"); within = error
import subprocess
called = subprocess.CalledProcessError(returncode=3, cmd="x")`;
  const after =
    `(raised, raised.filename, raised.__cause__.where, raised.__suppress_context__, within.__context__, within.__cause__, within.__notes__,
 within.__suppress_context__, called.returncode, str(called))`;
  assert.equal(
    await moved([before], after),
    "(FileNotFoundError(2, 'gone'), 'file', 'here', True, IndexError('list index out of range'), None, ['noted'], False, 3, " +
      `"Command 'x' returned non-zero exit status 3.")`,
  );
});

Deno.test("views of dicts go on to show what is in them; pairs, and keys made of comparisons, go on too", async () => {
  const before = `import collections, functools, itertools, weakref
plain, ordered = {"a": 1}, collections.OrderedDict(b=2)
views = plain.keys(), plain.items(), ordered.values()
pairs, fresh = itertools.pairwise("abcd"), itertools.pairwise("xyz"); next(pairs)
key = functools.cmp_to_key(lambda a, b: b - a); five = key(5)
class Own:
    def said(self): return "said"
own = Own(); said = weakref.WeakMethod(own.said)`;
  const after = `plain["c"] = ordered["d"] = 3
(views, list(pairs), list(fresh), sorted([1, 3, 2], key=key), five < key(4), said()())`;
  assert.equal(
    await moved([before], after),
    "((dict_keys(['a', 'c']), dict_items([('a', 1), ('c', 3)]), odict_values([2, 3])), [('b', 'c'), ('c', 'd')], [('x', 'y'), ('y', 'z')], " +
      "[3, 2, 1], True, 'said')",
  );
});

Deno.test("functions that share a variable of a function around them go on sharing it", async () => {
  const before = `import functools
def counter():
    n = 0
    later: int
    def inc(by=1):
        nonlocal n
        n += by
        return n
    def get(): return n
    def fact(k): return 1 if k < 2 else k * fact(k - 1)
    def unset():
        return later
    def set_later(value):
        nonlocal later
        later = value
    if False: later = 0
    return inc, get, fact, unset, set_later
inc, get, fact, unset, set_later = counter()
inc()
class Base:
    def who(self): return "base"
class Child(Base):
    def who(self): return "child of " + super().who()
    def same(self): return __class__
def counted(function):
    calls = None
    @functools.wraps(function)
    def wrapper(*args):
        nonlocal calls
        calls = (calls or 0) + 1
        return function(*args), calls
    wrapper.calls = lambda: calls
    return wrapper
@counted
def twice(x): return 2 * x
even = lambda n: n == 0 or odd(n - 1)
def pair():
    def even(n): return n == 0 or odd(n - 1)
    def odd(n): return n != 0 and even(n - 1)
    return even, odd
even, odd = pair()
partial = functools.partial(inc, 10)
both = [inc, {"get": get}]`;
  const after = `try: unset()
except NameError as error: missing = type(error).__name__
set_later(5)
(inc(), get(), partial(), get(), both[0] is inc, both[1]["get"](), fact(5), missing, unset(), Child().who(),
 Child().same() is Child, twice.calls(), twice(2), twice(3), twice.calls(), even(10), odd(7), twice.__wrapped__(4))`;
  assert.equal(
    await moved([before], after),
    "(2, 2, 12, 12, True, 12, 120, 'NameError', 5, 'child of base', True, None, (4, 1), (6, 2), 2, True, True, 8)",
  );
});
