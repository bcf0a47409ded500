/*
 * The part of CBLAS that numpy calls, in WebAssembly's SIMD: matrices are multiplied in blocks that fit into a
 * processor's caches, copied so that a kernel of 4 rows by two vectors reads them in order (Goto and van de Geijn,
 * "Anatomy of High-Performance Matrix Multiplication", 2008). Where there is no memory for the copies they are
 * multiplied without.
 */

#include <complex.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* CBLAS's own values. */
enum order { BY_ROWS = 101, BY_COLUMNS = 102 };
enum transpose { PLAIN = 111, TRANSPOSED = 112, CONJUGATED = 113 };

enum { BLOCK_ROWS = 64, BLOCK_COLUMNS = 512, BLOCK_DEPTH = 256 };
/* Multiplications below which copies cost more than they save. */
enum { SMALL = 4096 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Where a vector begins that is gone through backwards. */
static ptrdiff_t first(int n, int step)
{
    return step < 0 && n > 0 ? -(ptrdiff_t)(n - 1) * step : 0;
}

typedef float floats __attribute__((vector_size(16)));
typedef double doubles __attribute__((vector_size(16)));

#define T float
#define V floats
#define LANES 4
#define NAME(x) s##x
#define CBLAS(x) cblas_s##x
#include "real.h"
#undef T
#undef V
#undef LANES
#undef NAME
#undef CBLAS

#define T double
#define V doubles
#define LANES 2
#define NAME(x) d##x
#define CBLAS(x) cblas_d##x
#include "real.h"
#undef T
#undef V
#undef LANES
#undef NAME
#undef CBLAS

#define C float _Complex
#define REAL float
#define NAME(x) c##x
#define REAL_NAME(x) s##x
#define CBLAS(x) cblas_c##x
#include "complex.h"
#undef C
#undef REAL
#undef NAME
#undef REAL_NAME
#undef CBLAS

#define C double _Complex
#define REAL double
#define NAME(x) z##x
#define REAL_NAME(x) d##x
#define CBLAS(x) cblas_z##x
#include "complex.h"
