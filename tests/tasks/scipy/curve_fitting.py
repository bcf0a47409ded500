import numpy as np
from scipy.optimize import curve_fit


def model(t, amplitude, rate, offset):
    return amplitude * np.exp(-rate * t) + offset


rng = np.random.default_rng(42)
t = np.linspace(0, 5, 60)
measured = model(t, 2.5, 1.3, 0.5) + rng.normal(0, 0.05, t.size)
parameters, covariance = curve_fit(model, t, measured, p0=[1, 1, 0])
errors = np.sqrt(np.diag(covariance))
for name, value, error in zip(["amplitude", "rate", "offset"], parameters, errors):
    print(f"{name}: {value:.3f} ± {error:.3f}")
residuals = measured - model(t, *parameters)
print("R² =", round(1 - (residuals**2).sum() / ((measured - measured.mean()) ** 2).sum(), 4))
