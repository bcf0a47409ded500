/*
 * What LAPACK and BLAS have in a Fortran that f2c can't read, or that needs the lengths of strings. As netlib's, but for
 * xerbla, which says what is wrong and returns, as OpenBLAS's does, instead of ending the process.
 */

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

void xerbla_(char *name, int *info)
{
    fprintf(stderr, " ** On entry to %.8s parameter number %2d had an illegal value\n", name, *info);
}

/* f2c's way to assign strings, whose rest is blank, and to put them together. */
int s_copy(char *to, char *from, int room, int size)
{
    int taken = size < room ? size : room;
    memmove(to, from, taken);
    memset(to + taken, ' ', room - taken);
    return 0;
}

int s_cat(char *to, char **parts, int *sizes, int *count, int room)
{
    for (int i = 0; i < *count; i++) {
        int taken = sizes[i] < room ? sizes[i] : room;
        memcpy(to, parts[i], taken);
        to += taken;
        room -= taken;
    }
    memset(to, ' ', room);
    return 0;
}

void xerbla_array__(char *name, int *length, int *info)
{
    char copy[33] = "";
    memcpy(copy, name, *length < 32 ? *length : 32);
    xerbla_(copy, info);
}

char chla_transtype__(int *way)
{
    return *way == 111 ? 'N' : *way == 112 ? 'T' : *way == 113 ? 'C' : 'X';
}

int lsamen_(int *n, char *a, char *b)
{
    return strncasecmp(a, b, *n) == 0;
}

int dmaxloc_(int *n, double *x)
{
    int best = 0;
    for (int i = 1; i < *n; i++)
        if (x[i] > x[best])
            best = i;
    return best + 1;
}

int smaxloc_(int *n, float *x)
{
    int best = 0;
    for (int i = 1; i < *n; i++)
        if (x[i] > x[best])
            best = i;
    return best + 1;
}

float sroundup_lwork__(int *size)
{
    float rounded = *size;
    return (double)rounded < *size ? rounded * (1 + FLT_EPSILON) : rounded;
}

double droundup_lwork__(int *size)
{
    return *size;
}

#define T double
#define C double _Complex
#define REAL(x) d##x##_
#define COMPLEX(x) z##x##_
#define REAL_NORM_OF_COMPLEX dznrm2_
#define EPSILON DBL_EPSILON
#define DIGITS DBL_MANT_DIG
#define MINIMUM DBL_MIN
#define MAXIMUM DBL_MAX
#define MINIMUM_EXPONENT DBL_MIN_EXP
#define MAXIMUM_EXPONENT DBL_MAX_EXP
#include "reference.h"
#undef T
#undef C
#undef REAL
#undef COMPLEX
#undef REAL_NORM_OF_COMPLEX
#undef EPSILON
#undef DIGITS
#undef MINIMUM
#undef MAXIMUM
#undef MINIMUM_EXPONENT
#undef MAXIMUM_EXPONENT

#define T float
#define C float _Complex
#define REAL(x) s##x##_
#define COMPLEX(x) c##x##_
#define REAL_NORM_OF_COMPLEX scnrm2_
#define EPSILON FLT_EPSILON
#define DIGITS FLT_MANT_DIG
#define MINIMUM FLT_MIN
#define MAXIMUM FLT_MAX
#define MINIMUM_EXPONENT FLT_MIN_EXP
#define MAXIMUM_EXPONENT FLT_MAX_EXP
#include "reference.h"
