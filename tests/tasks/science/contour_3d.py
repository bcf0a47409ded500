import numpy as np
import matplotlib.pyplot as plt
from mpl_toolkits.mplot3d import Axes3D  # noqa: F401

x = y = np.linspace(-3, 3, 25)
X, Y = np.meshgrid(x, y)
Z = np.exp(-(X**2) - Y**2) + 0.5 * np.exp(-((X - 1.5) ** 2) - Y**2)
fig = plt.figure(figsize=(9, 4))
ax = fig.add_subplot(1, 2, 1, projection="3d")
surface = ax.plot_surface(X, Y, Z, cmap="viridis")
fig.colorbar(surface, shrink=0.5)
ax2 = fig.add_subplot(1, 2, 2)
contours = ax2.contourf(X, Y, Z, levels=10)
ax2.clabel(ax2.contour(X, Y, Z, levels=[0.25, 0.5, 0.75], colors="k"))
ax2.streamplot(X, Y, -Y, X, density=0.5, color="w")
ax2.set_xlabel(r"$\alpha^2 + \frac{1}{2}$")
fig.tight_layout()
fig.savefig("surface.svg")
plt.show()
gy, gx = np.gradient(Z, y, x)
print(tuple(map(int, np.unravel_index(Z.argmax(), Z.shape))), round(float(np.hypot(gx, gy).max()), 3), len(contours.levels))
