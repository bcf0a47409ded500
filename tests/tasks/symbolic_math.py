"""Solves an equation and differentiates."""
import sympy as sp

x = sp.symbols("x")
print(sp.solve(x**2 - 5 * x + 6, x), sp.diff(sp.sin(x) * sp.exp(x), x))
print(sp.integrate(1 / (1 + x**2), (x, 0, 1)), sp.factor(x**3 - 1))
