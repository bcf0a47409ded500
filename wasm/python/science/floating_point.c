/* WebAssembly has no floating-point status. What code raises by itself is kept here; what arithmetic alone would raise is
 * found out by numpy's loops: a result that is infinite or not a number has an error behind it, if no operand is. */

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "floating_point.h"

/* As numpy.sh tells numpy. */
enum { FE_INVALID = 1, FE_DIVBYZERO = 4, FE_OVERFLOW = 8 };

static int raised;

int feclearexcept(int which)
{
    raised &= ~which;
    return 0;
}

int feraiseexcept(int which)
{
    raised |= which;
    return 0;
}

int fetestexcept(int which)
{
    return raised & which;
}

/* numpy's numbers of types. */
enum { FLOAT = 11, DOUBLE, LONGDOUBLE, CFLOAT, CDOUBLE, CLONGDOUBLE, HALF = 23 };

/* What an element is, in bits. */
enum { NAN_BIT = 1, INFINITE = 2, ZERO = 4, NEGATIVE = 8 };

/* How an infinite result of finite operands has come about. */
enum {
    ORDINARY = 1, /* overflow */
    QUOTIENT,     /* division by zero, if the last operand is zero */
    POLE,         /* division by zero */
    POWER,        /* the same, of zero to a negative power */
};

static const struct {
    const char *name;
    int kind;
} OPERATIONS[] = {
    {"add", ORDINARY}, {"arccos", ORDINARY}, {"arccosh", ORDINARY}, {"arcsin", ORDINARY}, {"arctanh", POLE},
    {"cos", ORDINARY}, {"cosh", ORDINARY}, {"divide", QUOTIENT}, {"divmod", QUOTIENT}, {"exp", ORDINARY},
    {"exp2", ORDINARY}, {"expm1", ORDINARY}, {"float_power", POWER}, {"floor_divide", QUOTIENT}, {"fmod", QUOTIENT},
    {"hypot", ORDINARY}, {"ldexp", ORDINARY}, {"log", POLE}, {"log10", POLE}, {"log1p", POLE}, {"log2", POLE},
    {"multiply", ORDINARY}, {"power", POWER}, {"reciprocal", POLE}, {"remainder", QUOTIENT}, {"sin", ORDINARY},
    {"sinh", ORDINARY}, {"sqrt", ORDINARY}, {"square", ORDINARY}, {"subtract", ORDINARY}, {"tan", ORDINARY},
};

int float_operation(const char *name)
{
    for (size_t i = 0; i < sizeof OPERATIONS / sizeof *OPERATIONS; i++) {
        if (strcmp(OPERATIONS[i].name, name) == 0) return OPERATIONS[i].kind;
    }
    return 0;
}

static int is_float(int type)
{
    return (type >= FLOAT && type <= CLONGDOUBLE) || type == HALF;
}

static int is_complex(int type)
{
    return type >= CFLOAT && type <= CLONGDOUBLE;
}

static int state_of(double value)
{
    if (isnan(value)) return NAN_BIT;
    return (isinf(value) ? INFINITE : 0) | (value == 0 ? ZERO : 0) | (value < 0 ? NEGATIVE : 0);
}

static int state_of_long(long double value)
{
    if (isnan(value)) return NAN_BIT;
    return (isinf(value) ? INFINITE : 0) | (value == 0 ? ZERO : 0) | (value < 0 ? NEGATIVE : 0);
}

static int state_of_both(double real, double imaginary)
{
    int a = state_of(real), b = state_of(imaginary);
    return ((a | b) & (NAN_BIT | INFINITE)) | (a & b & ZERO) | (a & NEGATIVE);
}

static int state_of_half(uint16_t bits)
{
    int exponent = bits & 0x7c00, fraction = bits & 0x3ff;
    if (exponent == 0x7c00) return fraction ? NAN_BIT : INFINITE;
    return exponent | fraction ? (bits & 0x8000 ? NEGATIVE : 0) : ZERO;
}

static int state(int type, const char *at)
{
    switch (type) {
    case FLOAT:
        return state_of(*(const float *)at);
    case DOUBLE:
        return state_of(*(const double *)at);
    case LONGDOUBLE:
        return state_of_long(*(const long double *)at);
    case CFLOAT:
        return state_of_both(((const float *)at)[0], ((const float *)at)[1]);
    case CDOUBLE:
        return state_of_both(((const double *)at)[0], ((const double *)at)[1]);
    case HALF:
        return state_of_half(*(const uint16_t *)at);
    }
    return 0;
}

/* Most arrays have neither, which is found out quickly. */
static int any_special(int type, const char *from, ptrdiff_t count, ptrdiff_t stride)
{
    const uint64_t high8 = 0x7ff0000000000000u;
    const uint32_t high4 = 0x7f800000u;
    int found = 0;
    if (type == DOUBLE && stride == sizeof(double)) {
        const uint64_t *bits = (const uint64_t *)from;
        for (ptrdiff_t i = 0; i < count; i++) found |= (bits[i] & high8) == high8;
    }
    else if (type == FLOAT && stride == sizeof(float)) {
        const uint32_t *bits = (const uint32_t *)from;
        for (ptrdiff_t i = 0; i < count; i++) found |= (bits[i] & high4) == high4;
    }
    else {
        for (ptrdiff_t i = 0; i < count && !found; i++) {
            found = state(type, from + i * stride) & (NAN_BIT | INFINITE);
        }
    }
    return found;
}

int float_errors_before(const float_loop *loop)
{
    if (!loop->operation) return 0;
    for (int out = loop->nin; out < loop->nin + loop->nout; out++) {
        if (!is_float(loop->types[out])) continue;
        for (int in = 0; in < loop->nin; in++) {
            if (loop->data[in] != loop->data[out]) continue;
            /* Operands that are written over are gone afterwards. */
            if (any_special(loop->types[in], loop->data[in], loop->count, loop->strides[in])) return 0;
        }
    }
    return 1;
}

/* What is behind a result. `operands`: bits that any of them has. */
static int errors_of(int operation, int type, int result, int operands, int first, int last)
{
    int errors = 0;
    if (operands & NAN_BIT) return 0;
    if ((result & INFINITE) && !(operands & INFINITE)) {
        int by_zero = operation == POLE || (operation == QUOTIENT && (last & ZERO)) ||
                      (operation == POWER && (first & ZERO) && (last & NEGATIVE));
        errors |= by_zero ? FE_DIVBYZERO : FE_OVERFLOW;
    }
    if ((result & NAN_BIT) && !(is_complex(type) && (operands & INFINITE))) errors |= FE_INVALID;
    return errors;
}

void float_errors_after(const float_loop *loop)
{
    for (int out = loop->nin; out < loop->nin + loop->nout; out++) {
        int type = loop->types[out];
        if (!is_float(type) || !any_special(type, loop->data[out], loop->count, loop->strides[out])) continue;
        for (ptrdiff_t i = 0; i < loop->count; i++) {
            int result = state(type, loop->data[out] + i * loop->strides[out]);
            int operands = 0, first = 0, last = 0;
            if (!(result & (NAN_BIT | INFINITE))) continue;
            if (loop->mask && !loop->mask[i * loop->mask_stride]) continue;
            for (int in = 0; in < loop->nin; in++) {
                int gone = loop->data[in] == loop->data[out];
                last = gone ? ZERO : state(loop->types[in], loop->data[in] + i * loop->strides[in]);
                operands |= last;
                if (in == 0) first = last;
            }
            raised |= errors_of(loop->operation, type, result, operands, first, last);
        }
    }
}

void float_errors_of_scalars(const char *name, int type, const void *first, const void *second, const void *result)
{
    if (!is_float(type) || !(state(type, result) & (NAN_BIT | INFINITE))) return;
    int types[] = {type, type, type};
    char *data[] = {(char *)first, (char *)second, (char *)result};
    ptrdiff_t strides[] = {0, 0, 0};
    float_loop loop = {float_operation(name), 2, 1, types, data, 1, strides, NULL, 0};
    float_errors_after(&loop);
}
