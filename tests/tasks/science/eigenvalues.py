import numpy as np

A = np.array([[4, 1, 2], [1, 3, 0], [2, 0, 5]], dtype=float)
values, vectors = np.linalg.eigh(A)
print(values.round(4))
print(np.allclose(A @ vectors, vectors * values))
U, s, Vt = np.linalg.svd(A)
print(s.round(4), np.linalg.matrix_rank(A), round(float(np.linalg.det(A)), 4), round(float(np.linalg.cond(A)), 4))
print(np.linalg.solve(A, [1, 2, 3]).round(4))
B = np.random.default_rng(1).random((200, 300))
C = B @ B.T
print(C.shape, np.allclose(C, np.einsum("ik,jk->ij", B, B)), np.allclose(np.linalg.inv(C) @ C, np.eye(200), atol=1e-6))
