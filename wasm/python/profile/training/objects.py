"""Classes and containers: attributes, methods, dataclasses, enums, properties, inheritance, collections, copies."""

import abc
import bisect
import collections
import copy
import dataclasses
import enum
import functools
import heapq
import itertools
import operator
import typing
import weakref


class Shape(abc.ABC):
    count = 0

    def __init__(self, name):
        self.name = name
        Shape.count += 1

    @abc.abstractmethod
    def area(self): ...

    @property
    def label(self):
        return f"{self.name}:{self.area():.2f}"

    def __lt__(self, other):
        return self.area() < other.area()

    def __eq__(self, other):
        return isinstance(other, Shape) and self.name == other.name

    def __hash__(self):
        return hash(self.name)


class Box(Shape):
    def __init__(self, name, w, h):
        super().__init__(name)
        self.w, self.h = w, h

    def area(self):
        return self.w * self.h


class Square(Box):
    def __init__(self, name, side):
        super().__init__(name, side, side)

    @classmethod
    def unit(cls):
        return cls("unit", 1)

    @staticmethod
    def sides():
        return 4


class Vector:
    __slots__ = ("x", "y", "z")

    def __init__(self, x, y, z):
        self.x, self.y, self.z = x, y, z

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y, self.z + other.z)

    def __mul__(self, factor):
        return Vector(self.x * factor, self.y * factor, self.z * factor)

    def __iter__(self):
        yield self.x
        yield self.y
        yield self.z

    def __getitem__(self, index):
        return (self.x, self.y, self.z)[index]

    def __len__(self):
        return 3

    def __bool__(self):
        return any(self)


class Lazy:
    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        value = len(name)
        setattr(self, name, value)
        return value

    @functools.cached_property
    def table(self):
        return {i: i * i for i in range(10)}


class Colour(enum.Enum):
    RED = 1
    GREEN = 2
    BLUE = 3


class Permission(enum.Flag):
    READ = enum.auto()
    WRITE = enum.auto()


@dataclasses.dataclass(order=True)
class Order:
    customer: str
    amount: float
    items: list = dataclasses.field(default_factory=list)
    tags: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: int


class Row(typing.NamedTuple):
    key: str
    value: int = 0


class Node:
    def __init__(self, value):
        self.value = value
        self.links = []
        self.parent = None


def shapes():
    all_shapes = [Box(f"b{i}", i % 13, i % 7) if i % 2 else Square(f"s{i}", i % 11) for i in range(1_500)]
    all_shapes.sort()
    return sum(len(shape.label) + isinstance(shape, Square) for shape in all_shapes), len(set(all_shapes))


def vectors():
    total, step = Vector(0, 0, 0), Vector(0.5, 1, 2)
    for i in range(8_000):
        total = total + step * 2
        total.x -= total[1] * 0.1 if total else len(total)
    return sum(total)


def lazies():
    for _ in range(400):
        lazy = Lazy()
        for name in ("alpha", "beta", "gamma"):
            getattr(lazy, name)
            lazy.table[3] + lazy.alpha
            hasattr(lazy, "_missing")


def enums():
    members = list(Colour)
    return sum(Colour(i % 3 + 1) is members[i % 3] for i in range(1_500)), Permission.READ | Permission.WRITE


def orders():
    all_orders = [Order(f"c{i % 37}", i * 1.5 % 101, [i, i + 1], {"n": i}) for i in range(1_200)]
    by_customer = collections.defaultdict(list)
    for order in sorted(all_orders):
        by_customer[order.customer].append(order.amount)
    totals = {name: sum(amounts) for name, amounts in by_customer.items()}
    best = max(totals.items(), key=operator.itemgetter(1))
    return best, repr(all_orders[0]), dataclasses.asdict(all_orders[1]), dataclasses.replace(all_orders[2], amount=1)


def points():
    grid = {Point(x, y): x * y for x in range(40) for y in range(40)}
    return sum(grid.get(Point(p.x + 1, p.y), 0) for p in grid)


def rows():
    data = [Row(f"k{i % 91}", i) for i in range(4_000)]
    data.sort(key=lambda row: (row.key, -row.value))
    return {key: sum(row.value for row in group) for key, group in itertools.groupby(data, key=lambda row: row.key)}


def graph(size):
    neighbours = {n: {(n * 7 + k) % size: (n * k) % 19 + 1 for k in range(1, 6)} for n in range(size)}
    distance, heap = {0: 0}, [(0, 0)]
    while heap:
        cost, node = heapq.heappop(heap)
        if cost > distance[node]:
            continue
        for other, weight in neighbours[node].items():
            if (reached := cost + weight) < distance.get(other, 1 << 30):
                distance[other] = reached
                heapq.heappush(heap, (reached, other))
    seen, queue = {0}, collections.deque([0])
    while queue:
        for other in neighbours[queue.popleft()]:
            if other not in seen:
                seen.add(other)
                queue.append(other)
    return len(distance), len(seen)


def containers():
    counter = collections.Counter(word[:3] for word in (str(i * 7919) for i in range(6_000)))
    counter.update("mississippi" * 50)
    ordered = collections.OrderedDict(sorted(counter.items()))
    ordered.move_to_end(next(iter(ordered)))
    chained = collections.ChainMap({"a": 1}, dict(counter))
    keys = []
    for value in range(1_000):
        bisect.insort(keys, value * 31 % 499)
    a, b = set(range(0, 3_000, 2)), set(range(0, 3_000, 3))
    merged = {**dict.fromkeys("abc", 0), **{"d": 4}} | {"e": 5}
    values = list(range(500))
    values.insert(3, 9)
    values.remove(9)
    values.reverse()
    values.extend(values[10:20])
    values[5:9] = [1, 2]
    del values[::7]
    return (
        counter.most_common(5),
        chained["a"] + len(a & b) + len(a | b) + len(a - b) + len(a ^ b) + (b <= a),
        merged.pop("a") + merged.setdefault("z", 26),
        values.index(100) + values.count(1) + (3 in values) + min(values) + max(values),
        [*zip(*[iter(range(30))] * 3)],
        list(map(operator.add, range(500), range(500))),
        list(filter(None, [0, 1] * 200)),
        functools.reduce(lambda x, y: x * y % 1009, range(1, 500)),
        list(itertools.accumulate(range(300))),
        list(itertools.combinations(range(12), 3)),
        list(itertools.permutations(range(6))),
        list(itertools.product("ab", range(40))),
        any(x > 250 for x in range(300)) and all(x < 300 for x in range(300)),
    )


def cycles():
    for _ in range(300):
        nodes = [Node(i) for i in range(20)]
        for a, b in itertools.pairwise(nodes):
            a.links.append(b)
            b.parent = a
        reference = weakref.ref(nodes[0])
        nodes[-1].links.append(nodes[0])
    return reference


def copies():
    value = {"list": [1, [2, 3], {"a": (4, 5)}], "order": Order("x", 1.0, [1, 2])}
    for _ in range(150):
        copy.deepcopy(value)
        copy.copy(value)


def words():
    text = ("it was the best of times it was the worst of times it was the age of wisdom " * 60).split()
    frequencies = {}
    for word in text:
        frequencies[word] = frequencies.get(word, 0) + 1
    index = {}
    for place, word in enumerate(text):
        index.setdefault(word, []).append(place)
    return sorted(frequencies.items(), key=lambda item: (-item[1], item[0])), len(index)


for _ in range(4):
    for part in (shapes, vectors, lazies, enums, orders, points, rows, containers, cycles, copies, words):
        part()
    graph(1_500)
