"""Numbers and times: decimals, fractions, statistics, random, cmath, dates, calendars, time zones."""

import calendar
import cmath
import datetime
import decimal
import fractions
import math
import random
import statistics
import time


def decimals():
    decimal.getcontext().prec = 30
    total = decimal.Decimal("0")
    for i in range(2_500):
        price = decimal.Decimal(i * 7 % 1999) / 100
        total += (price * decimal.Decimal("1.081")).quantize(decimal.Decimal("0.01"), decimal.ROUND_HALF_EVEN)
    term = result = decimal.Decimal(1)
    for n in range(1, 60):
        term /= n
        result += term
    return total, result, decimal.Decimal(2).sqrt(), +result.ln(), str(total), f"{total:,.2f}", float(result)


def fractional():
    return float(sum((fractions.Fraction(1, n) for n in range(1, 150)), fractions.Fraction(0)))


def floats():
    values = [math.sin(i) * 100 + i % 17 for i in range(6_000)]
    mean = sum(values) / len(values)
    variance = sum((v - mean) ** 2 for v in values) / (len(values) - 1)
    low, high = min(values), max(values)
    bins = [0] * 20
    for v in values:
        bins[min(int((v - low) / (high - low) * 20), 19)] += 1
    smooth, average = [], values[0]
    for v in values:
        average += 0.1 * (v - average)
        smooth.append(average)
    texts = [repr(v) for v in values[:1_500]]
    back = [float(t) for t in texts]
    total = 0.0
    for i in range(1, 9_000):
        x = i / 7
        total += math.sqrt(x) + math.log(x) * math.cos(x) - math.floor(x) % 3 + math.atan2(x, 2) + x**0.5
        total += math.exp(-x / 1000) + math.hypot(x, 1) + abs(-x) + round(x, 2) + int(x) + divmod(x, 3)[1]
    return variance**0.5, bins, smooth[-1], back == values[:1_500], total, f"{total:.4f}", math.isclose(total, total + 1)


def bisect_root(f, low, high):
    while high - low > 1e-10:
        middle = (low + high) / 2
        if f(low) * f(middle) <= 0:
            high = middle
        else:
            low = middle
    return low


def solve(n):
    matrix = [[1.0 / (i + j + 1) + (i == j) for j in range(n)] + [float(i)] for i in range(n)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda r: abs(matrix[r][i]))
        matrix[i], matrix[pivot] = matrix[pivot], matrix[i]
        for r in range(i + 1, n):
            factor = matrix[r][i] / matrix[i][i]
            for c in range(i, n + 1):
                matrix[r][c] -= factor * matrix[i][c]
    x = [0.0] * n
    for i in range(n - 1, -1, -1):
        x[i] = (matrix[i][n] - sum(matrix[i][c] * x[c] for c in range(i + 1, n))) / matrix[i][i]
    return x


def fourier(values):
    n = len(values)
    if n == 1:
        return values
    even, odd = fourier(values[::2]), fourier(values[1::2])
    turned = [cmath.exp(-2j * cmath.pi * k / n) * odd[k] for k in range(n // 2)]
    return [a + b for a, b in zip(even, turned)] + [a - b for a, b in zip(even, turned)]


def chance():
    generator = random.Random(42)
    values = [generator.gauss(10, 3) for _ in range(3_000)]
    deck = list(range(52))
    for _ in range(30):
        generator.shuffle(deck)
    inside = sum(generator.random() ** 2 + generator.random() ** 2 < 1 for _ in range(8_000))
    walk = 0
    for _ in range(4_000):
        walk += generator.choice((-1, 1)) * generator.randint(1, 3)
    generator.sample(range(1_000), 50), generator.choices("abc", weights=[5, 2, 1], k=300), generator.uniform(1, 2)
    return (
        statistics.mean(values[:600]),
        statistics.median(values),
        statistics.stdev(values[:600]),
        statistics.quantiles(values, n=4),
        statistics.linear_regression(values[:200], range(200)),
        inside,
        walk,
    )


def dates():
    start = datetime.datetime(2026, 1, 31, 12, 30, tzinfo=datetime.timezone.utc)
    eastern = datetime.timezone(datetime.timedelta(hours=-5))
    by_month = {}
    for i in range(1_200):
        moment = start + datetime.timedelta(hours=i * 7, minutes=i)
        text = moment.isoformat()
        back = datetime.datetime.fromisoformat(text)
        by_month.setdefault(moment.strftime("%Y-%m"), []).append((back - start).total_seconds())
        moment.astimezone(eastern).date().weekday() + moment.isocalendar().week
        moment.replace(day=1) < start
    for i in range(150):
        datetime.datetime.strptime(f"2026-03-{i % 28 + 1:02d} 10:{i % 60:02d}:00", "%Y-%m-%d %H:%M:%S")
    day = datetime.date(2024, 2, 29)
    days = [day + datetime.timedelta(days=n) for n in range(800)]
    return (
        sum(d.weekday() < 5 for d in days),
        calendar.month(2026, 11),
        calendar.monthrange(2024, 2),
        time.strftime("%H:%M", time.gmtime(0)),
        hash(start),
        str(days[3]),
        repr(start - datetime.timedelta(days=1)),
    )


for _ in range(4):
    for part in (decimals, fractional, floats, chance, dates):
        part()
    bisect_root(lambda x: x**3 - 2 * x - 5, 0, 5)
    solve(30)
    fourier([complex(i % 5, 0) for i in range(512)])
