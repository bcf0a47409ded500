import numpy as np
from scipy.integrate import odeint, quad, simpson, solve_ivp, trapezoid


def lotka_volterra(t, state, a=1.5, b=1.0, c=3.0, d=1.0):
    prey, predators = state
    return [a * prey - b * prey * predators, -c * predators + d * prey * predators]


solution = solve_ivp(lotka_volterra, (0, 15), [10, 5], t_eval=np.linspace(0, 15, 6), rtol=1e-8, atol=1e-8)
print(solution.success)
print(solution.y.round(3))
for method in ("RK23", "DOP853", "Radau", "BDF", "LSODA"):
    stiff = solve_ivp(lambda t, y: -50 * (y - np.cos(t)), (0, 1), [0], method=method, rtol=1e-6, atol=1e-8)
    print(method, f"{stiff.y[0, -1]:.4f}")
hit = solve_ivp(lambda t, y: [y[1], -9.81], (0, 10), [0, 20], events=lambda t, y: y[0] + 1e-9)
print(hit.t_events[0][-1].round(4))
print(odeint(lambda y, t: [y[1], -0.25 * y[1] - 5 * np.sin(y[0])], [np.pi - 0.1, 0], [0, 1, 2, 5]).round(4).tolist())
value, error = quad(lambda x: np.exp(-(x**2)), -np.inf, np.inf)
print(round(value, 10), error < 1e-6)
x = np.linspace(0, np.pi, 101)
print(round(simpson(np.sin(x), x=x), 8), round(trapezoid(np.sin(x), x), 6))
