import numpy as np

rng = np.random.default_rng(42)
points = np.vstack([rng.normal(loc, 0.5, (50, 2)) for loc in ([0, 0], [5, 5], [0, 5])])
centers = points[[0, 50, 100]]
for step in range(100):
    distances = np.linalg.norm(points[:, None] - centers[None], axis=2)
    labels = distances.argmin(axis=1)
    new = np.array([points[labels == k].mean(axis=0) for k in range(3)])
    if np.allclose(new, centers):
        break
    centers = new
print(np.bincount(labels), np.round(centers, 1).tolist(), step < 20)
u, s, vt = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)
print("explained", np.round(s**2 / (s**2).sum(), 3))
