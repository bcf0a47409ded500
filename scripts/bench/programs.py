"""Ten pure-Python micro benchmarks; prints the milliseconds of each as JSON.

Run as it is by native CPython and inside the sandbox. The first round of each warms up and is not counted.
"""

import json
import re
import time


def calls():
    def fib(n):
        return n if n < 2 else fib(n - 1) + fib(n - 2)

    return fib(22)


def loops():
    total = 0
    for i in range(400):
        for j in range(400):
            total += i ^ j
    return total


def floats():
    x, y = 0.0, 1.5
    for i in range(150_000):
        x = x * 0.999 + y * 1.001 - i * 1e-6
    return x


def dicts():
    counts = {}
    for i in range(40_000):
        counts[i % 977] = counts.get(i % 977, 0) + i
        counts["k%d" % (i % 101)] = i
    return len(counts)


def lists():
    values = [i * 3 % 1009 for i in range(40_000)]
    values.sort()
    return sum([a + b for a, b in zip(values, reversed(values))][::3])


def strings():
    parts = [f"{i:05d}-{i * 7 % 13}".upper().replace("-", "_") for i in range(15_000)]
    return len("".join(parts).split("_"))


class Point:
    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x = x
        self.y = y

    def plus(self, other):
        return Point(self.x + other.x, self.y + other.y)


def objects():
    point, step = Point(0, 0), Point(1, 2)
    for _ in range(40_000):
        point = point.plus(step)
    return point.x


def generators():
    def squares(n):
        for i in range(n):
            yield i * i

    return sum(x for x in squares(80_000) if x & 1)


DOCUMENT = json.dumps([{"id": i, "name": f"n{i}", "values": [i, i / 3, None, True]} for i in range(300)])


def parsing():
    for _ in range(4):
        text = json.dumps(json.loads(DOCUMENT))
    return len(text)


TEXT = "The quick brown fox jumps over 13 lazy dogs; mail bob@example.com or call +1-555-0199.\n" * 300
PATTERN = re.compile(r"(\w+)@(\w+)\.com|\+\d-\d{3}-(\S{4})")


def regexes():
    return len(PATTERN.findall(TEXT)) + len(re.sub(r"\b[a-z]{3}\b", "X", TEXT))


PROGRAMS = [calls, loops, floats, dicts, lists, strings, objects, generators, parsing, regexes]
ROUNDS = 5

times = {}
for program in PROGRAMS:
    program()
    rounds = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        program()
        rounds.append((time.perf_counter() - start) * 1000)
    times[program.__name__] = sorted(rounds)[ROUNDS // 2]
print(json.dumps(times))
