import numpy as np
from scipy.optimize import LinearConstraint, linear_sum_assignment, linprog, lsq_linear, milp, nnls

# Profit of chairs and tables, with wood, work and varnish.
plan = linprog(c=[-45, -80], A_ub=[[5, 20], [10, 15], [1, 2]], b_ub=[400, 450, 70], bounds=(0, None))
print(plan.message)
print(plan.x.round(4), -plan.fun)
print(plan.ineqlin.marginals.round(4))
print(linprog([1, 1], A_ub=[[-1, -1]], b_ub=[-5], bounds=[(0, 1), (0, 1)]).message)
values, weights = np.array([60, 100, 120, 30]), np.array([10, 20, 30, 5])
knapsack = milp(-values, integrality=np.ones(4), bounds=(0, 1), constraints=LinearConstraint(weights, -np.inf, 50))
print(knapsack.x.round().astype(int), -knapsack.fun)
costs = np.array([[4, 1, 3], [2, 0, 5], [3, 2, 2]])
rows, columns = linear_sum_assignment(costs)
print(columns, costs[rows, columns].sum())
print(nnls([[1, 0], [1, 1], [0, 1]], [2, 1, -1])[0].round(6), lsq_linear([[1, 2], [3, 4]], [1, 2], bounds=(0, 0.4)).x.round(5))
