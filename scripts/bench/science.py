"""What numpy, pandas and matplotlib take: JSON of milliseconds by name, the best of some rounds each."""

import io
import json
import time

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

random = np.random.default_rng(1)
matrix = random.random((500, 500))
numbers = random.random(1_000_000)
frame = pd.DataFrame({"key": random.integers(0, 1000, 1_000_000), "value": numbers})
other = pd.DataFrame({"key": np.arange(1000), "name": [f"n{i}" for i in range(1000)]})
table = frame.to_csv(index=False)


def plot():
    figure, axes = plt.subplots()
    axes.plot(numbers[:1000])
    axes.set_title("title")
    figure.savefig(io.BytesIO(), format="png")
    plt.close(figure)


def best(work, rounds=3):
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times) * 1000


first = best(plot, 1)
print(json.dumps({
    "500×500 matmul": best(lambda: matrix @ matrix, 10),
    "sort of 10⁶ numbers": best(lambda: np.sort(numbers)),
    "fft of 2²⁰ numbers": best(lambda: np.fft.fft(numbers[: 2**20])),
    "svd, 200×200": best(lambda: np.linalg.svd(matrix[:200, :200])),
    "groupby, 10⁶ rows": best(lambda: frame.groupby("key").value.mean()),
    "merge, 10⁶ rows": best(lambda: frame.merge(other, on="key")),
    "read_csv, 10⁶ rows": best(lambda: pd.read_csv(io.StringIO(table)), 1),
    "first plot": first,
    "20th plot": best(plot, 19),
}))
