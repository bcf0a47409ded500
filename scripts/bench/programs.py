"""Small pure-Python programs, for native CPython and for the sandbox.

None of them is among what CPython's profile is made of (wasm/python/profile/training): that would be to know the answers.
"""

import json
import re


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



def dumping():
    for _ in range(20):
        text = json.dumps(RECORDS)
    return len(text)


RECORDS = json.loads(DOCUMENT)


def matching():
    found = 0
    for line in TEXT.splitlines() * 8:
        if match := LINE.match(line):
            found += len(match.group("name")) + int(match.group(2))
    return found


LINE = re.compile(r"The (\w+\s)+over (\d+) .*?(?P<name>[a-z]+)@")


def nbody():
    bodies = [
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 39.47],
        [4.84, -1.16, -0.10, 0.60, 2.81, -0.02, 0.037],
        [8.34, 4.12, -0.40, -1.01, 1.82, 0.008, 0.011],
        [12.89, -15.11, -0.22, 1.08, 0.86, -0.01, 0.0017],
        [15.37, -25.91, 0.17, 0.97, 0.59, -0.03, 0.002],
    ]
    pairs = [(a, b) for i, a in enumerate(bodies) for b in bodies[i + 1 :]]
    for _ in range(700):
        for a, b in pairs:
            dx, dy, dz = a[0] - b[0], a[1] - b[1], a[2] - b[2]
            magnitude = 0.01 / (dx * dx + dy * dy + dz * dz) ** 1.5
            of_a, of_b = a[6] * magnitude, b[6] * magnitude
            a[3] -= dx * of_b
            a[4] -= dy * of_b
            a[5] -= dz * of_b
            b[3] += dx * of_a
            b[4] += dy * of_a
            b[5] += dz * of_a
        for body in bodies:
            body[0] += 0.01 * body[3]
            body[1] += 0.01 * body[4]
            body[2] += 0.01 * body[5]
    return bodies[0][0]


def sorting():
    words = ["%x" % (i * 2654435761 % 2**32) for i in range(6_000)]
    by_end = sorted(words, key=lambda word: (word[-2:], len(word)))
    numbers = sorted((int(word, 16) % 9973 for word in words), reverse=True)
    return by_end[0], numbers[0], sorted(words)[0]


def methods():
    count = 0
    for line in TEXT.splitlines() * 16:
        head, _, tail = line.partition("; ")
        count += len(head.split(" ")) + tail.find("555") + tail.count("o")
        count += len(line.strip().lower().replace("dogs", "cats").title())
        count += line.startswith("The") + line.endswith(".") + ("zebra" in line)
    return count


def fannkuch():
    size, best = 7, 0
    order, counts = list(range(size)), list(range(size))
    while True:
        flips, turned = 0, order[:]
        while first := turned[0]:
            turned[: first + 1] = turned[first::-1]
            flips += 1
        best = max(best, flips)
        for place in range(1, size):
            order.insert(place, order.pop(0))
            counts[place] -= 1
            if counts[place] >= 0:
                break
            counts[place] = place
        else:
            return best


def handling():
    errors = 0
    for i in range(25_000):
        try:
            if i & 1:
                raise ValueError(i)
            errors += i // (i & 2)
        except ZeroDivisionError:
            errors += 1
        except ValueError as error:
            errors += error.args[0] & 1
    return errors


def integers():
    a, b = 0, 1
    for _ in range(8_000):
        a, b = b, a + b
    return len(str(a)) + sum(pow(n, 1023, 1_000_003) for n in range(8_000))


PROGRAMS = [
    *(calls, loops, floats, dicts, lists, strings, objects, generators, parsing, regexes),
    *(dumping, matching, nbody, sorting, methods, fannkuch, handling, integers),
]
