import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.cluster.vq import kmeans2, whiten
from scipy.spatial import ConvexHull, Delaunay, KDTree, Voronoi, distance
from scipy.spatial.transform import Rotation

rng = np.random.default_rng(3)
points = rng.random((500, 2))
tree = KDTree(points)
far, which = tree.query([[0.5, 0.5], [0.1, 0.9]], k=3)
print(far.round(5), which)
print(len(tree.query_ball_point([0.5, 0.5], 0.1)), len(tree.query_pairs(0.02)))
hull = ConvexHull(points)
print(round(hull.volume, 6), round(hull.area, 6), len(hull.vertices))
triangles = Delaunay(points)
print(len(triangles.simplices), triangles.find_simplex([[0.5, 0.5], [2, 2]])[1])
print(len(Voronoi(points).vertices))
print(distance.cdist([[0, 0], [3, 4]], [[0, 0], [1, 1]], "cityblock"), distance.cosine([1, 0], [1, 1]).round(6))
print(distance.squareform(distance.pdist([[0, 0], [3, 4], [0, 1]])).round(4).tolist())
blobs = np.vstack([rng.normal(centre, 0.3, (40, 2)) for centre in ((0, 0), (4, 4), (0, 5))])
labels = fcluster(linkage(blobs, "ward"), 3, criterion="maxclust")
print(sorted(np.bincount(labels)[1:].tolist()))
centres, _ = kmeans2(blobs, 3, seed=1, minit="++")
print(centres[np.lexsort(centres.T)].round(1))
print(Rotation.from_euler("zyx", [90, 45, 30], degrees=True).apply([1, 2, 3]).round(5))
