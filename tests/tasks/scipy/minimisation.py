import numpy as np
from scipy import optimize

start = [1.3, 0.7, 0.8, 1.9, 1.2]
for method in ["Nelder-Mead", "Powell", "CG", "BFGS", "L-BFGS-B", "TNC", "SLSQP", "trust-constr", "COBYQA"]:
    result = optimize.minimize(optimize.rosen, start, method=method, tol=1e-8, options={"maxiter": 5000})
    print(f"{method:13}", np.round(result.x, 2) + 0.0)

constraint = {"type": "ineq", "fun": lambda x: 1 - x[0] - x[1]}
bounded = optimize.minimize(
    lambda x: (x[0] - 1) ** 2 + (x[1] - 2.5) ** 2, (0, 0), method="SLSQP", bounds=[(0, None)] * 2, constraints=constraint
)
print(bounded.success, bounded.x.round(4))
print(optimize.brentq(lambda x: x**3 - 2 * x - 5, 2, 3))
print(optimize.fsolve(lambda v: [v[0] ** 2 + v[1] ** 2 - 4, v[0] - v[1]], [1, 1]).round(6))
best = optimize.differential_evolution(lambda x: (x[0] ** 2 + x[1] - 11) ** 2 + (x[0] + x[1] ** 2 - 7) ** 2, [(0, 5)] * 2, seed=1)
print(best.x.round(3))
