"""The evaluation loop: calls, loops, comprehensions, generators, exceptions, matching, big and small numbers."""

import asyncio
import contextlib
import functools
import itertools
import math


def primes(limit):
    sieve = bytearray([1]) * (limit + 1)
    sieve[:2] = b"\0\0"
    for n in range(2, int(limit**0.5) + 1):
        if sieve[n]:
            sieve[n * n :: n] = bytes(len(range(n * n, limit + 1, n)))
    return [n for n, flag in enumerate(sieve) if flag]


def collatz(limit):
    longest = best = 0
    for start in range(1, limit):
        n, steps = start, 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        if steps > longest:
            longest, best = steps, start
    return best


def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


def queens(n):
    def place(row, columns, left, right):
        if row == n:
            return 1
        found = 0
        for column in range(n):
            if column not in columns and row + column not in left and row - column not in right:
                found += place(row + 1, columns | {column}, left | {row + column}, right | {row - column})
        return found

    return place(0, frozenset(), frozenset(), frozenset())


def edit_distance(a, b):
    previous = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        current = [i]
        for j, y in enumerate(b, 1):
            current.append(min(previous[j] + 1, current[-1] + 1, previous[j - 1] + (x != y)))
        previous = current
    return previous[-1]


def mandelbrot(size):
    inside = 0
    for y in range(size):
        for x in range(size):
            c = complex(3.0 * x / size - 2.2, 2.4 * y / size - 1.2)
            z = 0j
            for _ in range(40):
                z = z * z + c
                if abs(z) > 2.0:
                    break
            else:
                inside += 1
    return inside


def matrices(n):
    a = [[(i * j) % 7 + 0.5 for j in range(n)] for i in range(n)]
    b = [list(column) for column in zip(*a)]
    product = [[sum(x * y for x, y in zip(row, column)) for column in b] for row in a]
    return math.fsum(itertools.chain.from_iterable(product))


def simulate(steps):
    position, velocity, energy = 0.0, 1.0, 0.0
    for step in range(steps):
        force = -position * 1.5 + math.sin(step * 0.01) * 0.2
        velocity += force * 0.01
        position += velocity * 0.01
        energy = max(energy, 0.5 * velocity**2 + 0.75 * position**2)
    return round(energy, 6)


def shape(value):
    match value:
        case {"kind": "circle", "radius": float(radius) | int(radius)}:
            return math.pi * radius**2
        case {"kind": "box", "sides": [w, h]}:
            return w * h
        case [first, *rest]:
            return shape(first) + sum(map(shape, rest))
        case str() | None:
            return 0
        case _:
            raise ValueError(value)


def exceptions(n):
    caught = 0
    for i in range(n):
        try:
            if i % 3 == 0:
                {}[i]
            elif i % 3 == 1:
                int("x%d" % i)
            else:
                [].pop()
        except KeyError:
            caught += 1
        except (ValueError, IndexError) as error:
            caught += len(str(error)) > 0
        finally:
            caught += 0
    return caught


def tree(depth):
    return None if depth == 0 else (tree(depth - 1), depth, tree(depth - 1))


def walk(node):
    if node:
        left, value, right = node
        yield from walk(left)
        yield value
        yield from walk(right)


def windows(values, size):
    iterator = iter(values)
    window = tuple(itertools.islice(iterator, size))
    while len(window) == size:
        yield window
        following = next(iterator, None)
        if following is None:
            return
        window = window[1:] + (following,)


@functools.lru_cache(maxsize=None)
def partitions(n, largest):
    if n == 0:
        return 1
    return sum(partitions(n - part, part) for part in range(1, min(n, largest) + 1))


def closures(n):
    adders = [lambda x, k=k: x + k for k in range(20)]
    total = 0

    def count(*values, scale=1, **named):
        nonlocal total
        total += sum(values) * scale + len(named)

    for i in range(n):
        count(adders[i % 20](i), i, scale=2, tag=i)
        count(*[1, 2, 3], **{"a": 1})
    return total


@contextlib.contextmanager
def managed(log):
    log.append("in")
    try:
        yield log
    finally:
        log.append("out")


def managers(n):
    log = []
    for _ in range(n):
        with managed(log) as inner:
            inner.append("body")
        del log[:]
    return log


def large_integers():
    a = 3**1500
    digits = str(a * a + 7)
    total = int(digits) % 1_000_007
    for n in range(2, 300):
        total += math.comb(400, n) % 97 + pow(n, 65, 10**18 + 9) + math.gcd(a, n) + (a >> n).bit_length()
        total ^= (a // (n + 2**64)) & 0xFFFFFFFF
    return total + math.factorial(300) % 1013


def integers(n):
    x, total = 12345, 0
    for _ in range(n):
        x = (x * 1103515245 + 12345) & 0x7FFFFFFF
        total += (x >> 16) % 100 - x // 65536 * 3 + (x ^ total) % 11
        total &= 0xFFFFFF
    return total


async def tasks():
    queue = asyncio.Queue()

    async def produce():
        for i in range(300):
            await queue.put(i)
            await asyncio.sleep(0)
        await queue.put(None)

    async def consume():
        total = 0
        while (item := await queue.get()) is not None:
            total += item
        return total

    return (await asyncio.gather(produce(), consume()))[1]


for _ in range(3):
    primes(60_000)
    collatz(4_000)
    ackermann(2, 90)
    queens(6)
    edit_distance("the quick brown fox jumps over it" * 3, "a lazy dog sleeps below the bridge" * 3)
    mandelbrot(60)
    matrices(45)
    simulate(40_000)
    for _ in range(2_000):
        shape([{"kind": "circle", "radius": 2.5}, {"kind": "box", "sides": [3, 4]}, None, "none"])
    exceptions(6_000)
    sum(walk(tree(11)))
    sum(max(window) for window in windows(range(20_000), 3))
    partitions(60, 60)
    partitions.cache_clear()
    closures(8_000)
    managers(3_000)
    large_integers()
    integers(60_000)
    asyncio.run(tasks())
    {(a, b): a * b for a in range(120) for b in range(120) if (a + b) % 3}
    {x % 251 for x in range(30_000)}
    sorted(((-n) % 173, str(n)) for n in range(8_000))
