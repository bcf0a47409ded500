import numpy as np

rng = np.random.default_rng(2024)
n = 1_000_000
points = rng.random((n, 2))
inside = (points ** 2).sum(axis=1) <= 1
estimate = 4 * inside.mean()
error = 1.96 * 4 * inside.std() / np.sqrt(n)
print(f"pi = {estimate:.4f} +- {error:.4f}")
prices = 100 * np.exp(np.cumsum(rng.normal(0.0003, 0.01, (1000, 252)), axis=1))
print(np.percentile(prices[:, -1], [5, 50, 95]).round(1))
