import numpy as np
from scipy import sparse
from scipy.sparse import csgraph
from scipy.sparse.linalg import LinearOperator, cg, eigsh, gmres, spilu, splu, spsolve, svds

n = 200
laplacian = sparse.diags([-1, 2, -1], [-1, 0, 1], shape=(n, n), format="csc")
load = np.ones(n)
x = spsolve(laplacian, load)
print(round(x.max(), 6), np.allclose(laplacian @ x, load))
print(round(splu(laplacian).solve(load)[n // 2], 6))
y, info = cg(laplacian, load, rtol=1e-10)
print(info, np.allclose(x, y, rtol=1e-6))
factors = spilu(laplacian)
z, info = gmres(laplacian, load, M=LinearOperator((n, n), factors.solve), rtol=1e-10)
print(info, np.allclose(x, z, rtol=1e-6))
print(eigsh(laplacian, k=3, sigma=0)[0].round(8))
matrix = sparse.random_array((300, 40), density=0.1, rng=np.random.default_rng(0), format="csr")
print(matrix.nnz, matrix.sum().round(6), np.sort(svds(matrix, k=2)[1]).round(5))
print((matrix.T @ matrix).shape, sparse.vstack([matrix, matrix]).shape, matrix[3:5].toarray().sum().round(6))
roads = sparse.csr_array([[0, 7, 0, 3], [7, 0, 1, 2], [0, 1, 0, 8], [3, 2, 8, 0]])
distances, before = csgraph.dijkstra(roads, indices=0, return_predecessors=True)
print(distances, before, csgraph.minimum_spanning_tree(roads).sum(), csgraph.connected_components(roads)[0])
