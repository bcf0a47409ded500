/* What of BLAS is multiplied in blas/blas.c, and products of vectors that return complex numbers, by CBLAS's names. */

#include <complex.h>
#include <stddef.h>

enum { BY_COLUMNS = 102 };

#define GEMM(letter, factor, number, at)                                                                               \
    void cblas_##letter##gemm(int, int, int, int, int, int, factor, const void *, int, const void *, int, factor,      \
                              void *, int);                                                                            \
    void letter##gemm_(char *a_way, char *b_way, int *m, int *n, int *k, number *alpha, void *a, int *a_step, void *b, \
                       int *b_step, number *beta, void *c, int *c_step)                                                \
    {                                                                                                                  \
        if (*m > 0 && *n > 0)                                                                                          \
            cblas_##letter##gemm(BY_COLUMNS, way(*a_way), way(*b_way), *m, *n, *k, at alpha, a, *a_step, b, *b_step,   \
                                 at beta, c, *c_step);                                                                 \
    }

static int way(char letter)
{
    return (letter | 32) == 'n' ? 111 : (letter | 32) == 't' ? 112 : 113;
}

GEMM(d, double, double, *)
GEMM(s, float, float, *)
GEMM(z, const void *, void, )
GEMM(c, const void *, void, )

#define DOT(name, number, left)                                                                                        \
    void name(int n, const void *x_at, int x_step, const void *y_at, int y_step, void *result)                         \
    {                                                                                                                  \
        const number *x = x_at, *y = y_at;                                                                             \
        number sum = 0;                                                                                                \
        x += x_step < 0 && n > 0 ? -(ptrdiff_t)(n - 1) * x_step : 0;                                                   \
        y += y_step < 0 && n > 0 ? -(ptrdiff_t)(n - 1) * y_step : 0;                                                   \
        for (int i = 0; i < n; i++)                                                                                    \
            sum += left(x[(ptrdiff_t)i * x_step]) * y[(ptrdiff_t)i * y_step];                                          \
        *(number *)result = sum;                                                                                       \
    }

DOT(scipy_cblas_cdotu_sub, float _Complex, )
DOT(scipy_cblas_zdotu_sub, double _Complex, )
DOT(scipy_cblas_cdotc_sub, float _Complex, conjf)
DOT(scipy_cblas_zdotc_sub, double _Complex, conj)
