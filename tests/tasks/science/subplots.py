import numpy as np
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
from mpl_toolkits.mplot3d import Axes3D

x = np.linspace(0, 2 * np.pi, 200)
fig, axes = plt.subplots(2, 2, figsize=(10, 8))
axes[0, 0].plot(x, np.sin(x), label=r"$\sin(x)$")
axes[0, 0].legend()
axes[0, 1].hist(np.random.default_rng(3).normal(size=1000), bins=30)
axes[1, 0].scatter(x, np.cos(x), c=x, cmap="viridis")
axes[1, 1].contourf(np.outer(np.sin(x), np.cos(x)))
fig.suptitle("Four plots")
fig.savefig("plots.png")
fig.savefig("plots.svg")
fig.savefig("plots.pdf")
surface = plt.figure().add_subplot(projection="3d")
X, Y = np.meshgrid(x, x)
surface.plot_surface(X, Y, np.sin(X) * np.cos(Y))
plt.savefig("surface.png")
plt.close("all")
for name in ("plots.png", "plots.svg", "plots.pdf", "surface.png"):
    print(name, open(name, "rb").read(5))
