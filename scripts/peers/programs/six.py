"""Six pure-Python programs of some tens of milliseconds; prints the milliseconds of each and its result, as JSON.

Whole numbers in all results, so that every Python has to give the same ones.
"""

import json
import re
import time

BODIES = [
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 39.47841760435743],
    [4.84143144, -1.16032004, -0.10362204, 0.60632639, 2.81198684, -0.02521836, 0.03769367],
    [8.34336671, 4.12479856, -0.40352342, -1.01077434, 1.82566237, 0.00841576, 0.01128632],
    [12.8943695, -15.1111514, -0.22330758, 1.08279101, 0.86871302, -0.01083264, 0.00172372],
    [15.3796971, -25.9193146, 0.17925877, 0.97909073, 0.59469900, -0.03475596, 0.00203369],
]


def nbody():
    bodies = [list(body) for body in BODIES]
    pairs = [(bodies[i], bodies[j]) for i in range(5) for j in range(i + 1, 5)]
    for _ in range(2500):
        for a, b in pairs:
            dx = a[0] - b[0]
            dy = a[1] - b[1]
            dz = a[2] - b[2]
            square = dx * dx + dy * dy + dz * dz
            near = 0.01 / (square * square**0.5)
            from_b = b[6] * near
            from_a = a[6] * near
            a[3] -= dx * from_b
            a[4] -= dy * from_b
            a[5] -= dz * from_b
            b[3] += dx * from_a
            b[4] += dy * from_a
            b[5] += dz * from_a
        for body in bodies:
            body[0] += 0.01 * body[3]
            body[1] += 0.01 * body[4]
            body[2] += 0.01 * body[5]
    return int(bodies[1][0] * 1000)


def dicts():
    counts = {}
    for i in range(120000):
        key = i * 7919 % 5003
        counts[key] = counts.get(key, 0) + i
    words = {}
    for i in range(40000):
        word = "w" + str(i % 997)
        if word in words:
            words[word] += 1
        else:
            words[word] = 1
    return sum(counts.values()) % 1000003 + len(words)


def json_():
    document = [
        {"id": i, "name": "name " + str(i), "values": [i, i + 1, i + 2], "deep": {"yes": True, "no": None}}
        for i in range(1200)
    ]
    total = 0
    for _ in range(4):
        text = json.dumps(document)
        total += len(text) + len(json.loads(text))
    return total


def re_():
    text = "The quick brown fox, bob@example.com, jumps over 13 lazy dogs on 2026-11-23; call 555-0199.\n" * 500
    found = len(re.findall(r"(\w+)@(\w+)\.com", text))
    found += len(re.findall(r"\d{4}-\d{2}-\d{2}", text))
    found += len(re.sub(r"\b[a-z]{3}\b", "X", text))
    return found


def str_():
    parts = []
    for i in range(30000):
        part = "item " + str(i) + ": " + "ab" * (i % 7)
        parts.append(part.upper().replace("A", "-").strip())
    text = ",".join(parts)
    return len(text) + text.count("--") + len(text.split(","))


def sort():
    values = []
    state = 12345
    for _ in range(60000):
        state = (state * 1103515245 + 12345) % 2147483648
        values.append(state)
    values.sort()
    pairs = sorted([(value % 1000, value) for value in values], key=lambda pair: pair[0])
    return values[30000] + pairs[100][0]


PROGRAMS = {"nbody": nbody, "dicts": dicts, "json": json_, "re": re_, "str": str_, "sort": sort}

times = {}
results = {}
for name in PROGRAMS:
    best = None
    for _ in range(3):
        start = time.perf_counter()
        results[name] = PROGRAMS[name]()
        took = (time.perf_counter() - start) * 1000
        if best is None or took < best:
            best = took
    times[name] = best
print(json.dumps({"times": times, "results": results}))
