"""Exact arithmetic and statistics."""
import math
import random
import statistics
from fractions import Fraction

random.seed(7)
sample = [random.gauss(10, 2) for _ in range(1000)]
print(round(statistics.mean(sample), 1), round(statistics.stdev(sample), 1))
print(sum((Fraction(1, n) for n in range(1, 11)), Fraction()), math.comb(50, 6), math.isqrt(10**40))
x, y = [1, 2, 3, 4], [2.1, 3.9, 6.2, 7.8]
line = statistics.linear_regression(x, y)
print(round(line.slope, 2), round(statistics.correlation(x, y), 3))
