import numpy as np
from scipy import constants, special
from scipy.linalg import cho_solve, cholesky, expm, lu_factor, lu_solve, null_space, pinv, qr, schur, solve, sqrtm, svd, toeplitz

print(special.gamma([0.5, 5]), special.beta(2, 3).round(10), special.erf(0.5), special.comb(49, 6, exact=True))
print(special.jv(0, [0, 1, 2.4048]).round(6), special.jn_zeros(1, 3).round(6), special.legendre(3)(0.5).round(8))
print(special.expit([-1, 0, 1]).round(6), special.logsumexp([1, 2, 3]).round(8), special.softmax([1, 2, 3]).round(6))
print(special.ellipk(0.3).round(8), special.zeta(3).round(8), special.lambertw(1).round(8), special.hyp2f1(1, 2, 3, 0.4).round(8))
print(special.digamma(2.5).round(8), special.gammainc(2, 1.5).round(8), special.factorial(20, exact=True))
matrix = np.array([[4.0, 2, 0.6], [2, 5, 1], [0.6, 1, 3]])
b = np.array([1.0, 2, 3])
print(solve(matrix, b).round(6), lu_solve(lu_factor(matrix), b).round(6), cho_solve((cholesky(matrix, lower=True), True), b).round(6))
print(expm(matrix / 4).round(5).tolist())
root = sqrtm(matrix)
print(np.allclose(root @ root, matrix), svd(matrix, compute_uv=False).round(6))
rotation = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1j]])
t, z = schur(rotation, output="complex")
print(np.allclose(z @ t @ z.conj().T, rotation), np.sort(np.diag(t).imag).round(6))
print(np.allclose(pinv(matrix) @ matrix, np.eye(3)), abs(np.linalg.det(qr(matrix)[0])).round(6), null_space([[1, 1, 0]]).shape)
print(toeplitz([1, 2, 3]).tolist(), constants.c, constants.physical_constants["electron mass"][1])
