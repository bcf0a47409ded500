import numpy as np

rng = np.random.default_rng(42)
x = rng.uniform(0, 10, 200)
y = 3.5 * x - 2 + rng.normal(0, 1, 200)
A = np.vstack([x, np.ones_like(x)]).T
(slope, intercept), residuals, rank, _ = np.linalg.lstsq(A, y, rcond=None)
r2 = 1 - residuals[0] / ((y - y.mean()) ** 2).sum()
print(f"slope={slope:.4f} intercept={intercept:.4f} r2={r2:.4f} rank={rank}")
coefficients = np.polyfit(x, y, 1)
print(np.allclose(coefficients, [slope, intercept]))
