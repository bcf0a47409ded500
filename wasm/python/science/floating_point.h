/* What floating_point.c finds out for numpy. */

#ifndef FLOATING_POINT_H
#define FLOATING_POINT_H

#include <stddef.h>

/* The operands and results of a loop, as numpy's loops have them. */
typedef struct {
    int operation; /* of float_operation() */
    int nin, nout;
    const int *types;
    char **data;
    ptrdiff_t count;
    const ptrdiff_t *strides;
    const char *mask; /* where it is zero, there is no result; or NULL */
    ptrdiff_t mask_stride;
} float_loop;

/* What float_loop has to know of the operation of that name; 0 if nothing is found out for it. */
int float_operation(const char *name);

/* Before the loop: whether its results can tell of errors. */
int float_errors_before(const float_loop *loop);

/* After it: raises what its results tell of. */
void float_errors_after(const float_loop *loop);

/* The same of one operation of two scalars. */
void float_errors_of_scalars(const char *name, int type, const void *first, const void *second, const void *result);

#endif
