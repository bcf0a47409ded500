import numpy as np
from scipy.interpolate import (
    CubicSpline, PchipInterpolator, RBFInterpolator, RegularGridInterpolator, UnivariateSpline, griddata, interp1d, make_interp_spline,
)

x = np.linspace(0, 10, 11)
y = np.cos(-(x**2) / 9)
print(interp1d(x, y)([0.5, 5.25]).round(6), interp1d(x, y, kind="cubic")([0.5, 5.25]).round(6))
spline = CubicSpline(x, y)
print(spline(4.4).round(6), spline(4.4, 1).round(6), spline.integrate(0, 10).round(6))
print(PchipInterpolator(x, y)(4.4).round(6), make_interp_spline(x, y, k=5)(4.4).round(6))
print(UnivariateSpline(x, y, s=0.1)([1, 2, 3]).round(4))
rng = np.random.default_rng(0)
points = rng.random((200, 2))
values = np.sin(points[:, 0] * 4) * points[:, 1]
wanted = np.array([[0.3, 0.4], [0.6, 0.7]])
for method in ("nearest", "linear", "cubic"):
    print(method, griddata(points, values, wanted, method=method).round(4))
print("rbf", RBFInterpolator(points, values)(wanted).round(4))
grid = RegularGridInterpolator((x, x), np.outer(x, x**2))
print(grid([[2.5, 3.5], [1, 1]]))
