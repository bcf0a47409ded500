/* Numbers of 32 bits that run over: on other machines what numpy gives as indices has 64 bits, and so their products are
 * right there; here those that no program is given wide (indices.c) would be wrong without a word. They warn, as numpy's
 * floating-point numbers and scalars do: loops of elements of that width stand in for numpy's. Warnings may be silenced, and
 * products of vectors and matrices have none: what ran over is kept here too, for the glue to tell of. */

#include <Python.h>
#include <numpy/arrayobject.h>
#include <numpy/ufuncobject.h>

enum { OVERFLOW = 8 }; /* FE_OVERFLOW of floating_point.c */
int feraiseexcept(int which);

/* Whether any did since it was asked for. */
static int ran_over;

static void run_over(void)
{
    ran_over = 1;
    feraiseexcept(OVERFLOW);
}

/* For RESULT, of 64 bits, of A and B. Elements that lie close are a loop of their own, of which the compiler makes SIMD. */
#define BINARY(NAME, RESULT)                                                                                              \
    static void NAME(char **arguments, const npy_intp *dimensions, const npy_intp *steps, void *data)                     \
    {                                                                                                                     \
        const char *a = arguments[0], *b = arguments[1];                                                                  \
        char *to = arguments[2];                                                                                          \
        npy_intp n = dimensions[0];                                                                                       \
        npy_int32 lost = 0;                                                                                               \
        if (steps[0] == 4 && steps[2] == 4 && (steps[1] == 4 || steps[1] == 0)) {                                         \
            const npy_int32 *as = (const npy_int32 *)a, *bs = (const npy_int32 *)b;                                       \
            npy_int32 *tos = (npy_int32 *)to;                                                                             \
            int each = steps[1] == 4;                                                                                     \
            if (each) {                                                                                                   \
                for (npy_intp i = 0; i < n; i++) lost |= NAME##_of(as[i], bs[i], &tos[i]);                                \
            } else if (n > 0) {                                                                                           \
                npy_int32 by = *bs;                                                                                       \
                for (npy_intp i = 0; i < n; i++) lost |= NAME##_of(as[i], by, &tos[i]);                                   \
            }                                                                                                             \
        } else {                                                                                                          \
            for (npy_intp i = 0; i < n; i++, a += steps[0], b += steps[1], to += steps[2]) {                              \
                lost |= NAME##_of(*(const npy_int32 *)a, *(const npy_int32 *)b, (npy_int32 *)to);                         \
            }                                                                                                             \
        }                                                                                                                 \
        if (lost) run_over();                                                                                \
    }

/* Whether it does not fit, as other bits than 0; what is kept of it goes to `to`. */
static inline npy_int32 keep(npy_int64 result, npy_int32 *to)
{
    *to = (npy_int32)result;
    return (npy_int32)(result >> 32) ^ (*to >> 31);
}

static inline npy_int32 add_of(npy_int32 a, npy_int32 b, npy_int32 *to) { return keep((npy_int64)a + b, to); }
static inline npy_int32 subtract_of(npy_int32 a, npy_int32 b, npy_int32 *to) { return keep((npy_int64)a - b, to); }
static inline npy_int32 multiply_of(npy_int32 a, npy_int32 b, npy_int32 *to) { return keep((npy_int64)a * b, to); }

BINARY(add, add)
BINARY(subtract, subtract)
BINARY(multiply, multiply)

static void square(char **arguments, const npy_intp *dimensions, const npy_intp *steps, void *data)
{
    char *both[] = {arguments[0], arguments[0], arguments[1]};
    const npy_intp all[] = {steps[0], steps[0], steps[1]};
    multiply(both, dimensions, all, data);
}

/* Whether it does not fit. A base that is too large already is so for good: it is multiplied only if it has a part in the
 * result, which is no less then, but for zero. */
static int power_of(npy_int32 base, npy_int32 exponent, npy_int32 *to)
{
    npy_int32 result = 1;
    int large = 0, lost = 0;
    for (; exponent; exponent >>= 1) {
        if (exponent & 1) lost |= (keep((npy_int64)result * base, &result) != 0) | large;
        if (exponent > 1) large |= keep((npy_int64)base * base, &base) != 0;
    }
    *to = result;
    return lost;
}

static void power(char **arguments, const npy_intp *dimensions, const npy_intp *steps, void *data)
{
    const char *a = arguments[0], *b = arguments[1];
    char *to = arguments[2];
    int lost = 0;
    for (npy_intp i = 0; i < dimensions[0]; i++, a += steps[0], b += steps[1], to += steps[2]) {
        npy_int32 exponent = *(const npy_int32 *)b;
        if (exponent < 0) {
            PyErr_SetString(PyExc_ValueError, "Integers to negative integer powers are not allowed.");
            return;
        }
        lost |= power_of(*(const npy_int32 *)a, exponent, (npy_int32 *)to);
    }
    if (lost) run_over();
}

/* What is shifted further than the width is 0, as in numpy. No warning: numbers are shifted to lose their upper bits too. */
static void left_shift(char **arguments, const npy_intp *dimensions, const npy_intp *steps, void *data)
{
    const char *a = arguments[0], *b = arguments[1];
    char *to = arguments[2];
    npy_int32 lost = 0;
    for (npy_intp i = 0; i < dimensions[0]; i++, a += steps[0], b += steps[1], to += steps[2]) {
        npy_int32 number = *(const npy_int32 *)a, by = *(const npy_int32 *)b, result = 0;
        if (by >= 0 && by < 32) lost |= keep((npy_int64)((npy_uint64)number << by), &result);
        else lost |= number;
        *(npy_int32 *)to = result;
    }
    if (lost) ran_over = 1;
}

/* Upper and lower halves of the products are summed up apart, so that nothing of them is lost. */
static npy_int32 dot_of(const char *a, npy_intp step_a, const char *b, npy_intp step_b, npy_intp n, npy_int32 *to)
{
    npy_int64 upper = 0;
    npy_uint64 lower = 0;
    for (npy_intp i = 0; i < n; i++, a += step_a, b += step_b) {
        npy_int64 product = (npy_int64) * (const npy_int32 *)a * *(const npy_int32 *)b;
        upper += product >> 32;
        lower += (npy_uint32)product;
    }
    *to = (npy_int32)(npy_uint32)lower;
    return (upper + (npy_int64)(lower >> 32)) != (*to >> 31);
}

static void dot(void *a, npy_intp step_a, void *b, npy_intp step_b, void *to, npy_intp n, void *array)
{
    if (dot_of(a, step_a, b, step_b, n, to)) ran_over = 1;
}

/* (m?,n),(n,p?)->(m?,p?) */
static void matmul(char **arguments, const npy_intp *dimensions, const npy_intp *steps, void *data)
{
    npy_intp m = dimensions[1], n = dimensions[2], p = dimensions[3];
    const npy_intp *inner = steps + 3;
    npy_int32 lost = 0;
    for (npy_intp i = 0; i < dimensions[0]; i++) {
        const char *a = arguments[0] + i * steps[0], *b = arguments[1] + i * steps[1];
        char *to = arguments[2] + i * steps[2];
        for (npy_intp row = 0; row < m; row++) {
            for (npy_intp column = 0; column < p; column++) {
                npy_int32 *at = (npy_int32 *)(to + row * inner[4] + column * inner[5]);
                lost |= dot_of(a + row * inner[0], inner[1], b + column * inner[3], inner[2], n, at);
            }
        }
    }
    if (lost) ran_over = 1;
}

/* (n),(n)->() */
static void vecdot(char **arguments, const npy_intp *dimensions, const npy_intp *steps, void *data)
{
    npy_int32 lost = 0;
    for (npy_intp i = 0; i < dimensions[0]; i++) {
        npy_int32 *at = (npy_int32 *)(arguments[2] + i * steps[2]);
        lost |= dot_of(arguments[0] + i * steps[0], steps[3], arguments[1] + i * steps[1], steps[4], dimensions[1], at);
    }
    if (lost) ran_over = 1;
}

static const struct {
    const char *name;
    PyUFuncGenericFunction loop;
} LOOPS[] = {{"add", add}, {"subtract", subtract}, {"multiply", multiply}, {"square", square}, {"power", power},
             {"left_shift", left_shift}, {"matmul", matmul}, {"vecdot", vecdot}};

/* Both types that have 32 bits: what a power by a number of Python's is taken for is not the type of indices. */
static const int TYPES[] = {NPY_INT, NPY_INTP};

static int replace_loops(PyObject *numpy)
{
    for (size_t i = 0; i < sizeof LOOPS / sizeof *LOOPS; i++) {
        PyObject *function = PyObject_GetAttrString(numpy, LOOPS[i].name);
        if (function == NULL) return -1;
        int failed = 0;
        for (size_t t = 0; t < sizeof TYPES / sizeof *TYPES; t++) {
            const int types[] = {TYPES[t], TYPES[t], TYPES[t]};
            failed |= PyUFunc_ReplaceLoopBySignature((PyUFuncObject *)function, LOOPS[i].loop, types, NULL);
        }
        Py_DECREF(function);
        if (failed) {
            PyErr_Format(PyExc_ImportError, "numpy's %s has no loop of 32 bits", LOOPS[i].name);
            return -1;
        }
    }
    for (size_t t = 0; t < sizeof TYPES / sizeof *TYPES; t++) {
        PyArray_Descr *type = PyArray_DescrFromType(TYPES[t]);
        PyDataType_GetArrFuncs(type)->dotfunc = dot;
        Py_DECREF(type);
    }
    return 0;
}

/* `note()`: one has run over elsewhere. */
static PyObject *note(PyObject *module, PyObject *nothing)
{
    ran_over = 1;
    Py_RETURN_NONE;
}

/* `take()`: whether one has since this was called last. */
static PyObject *take(PyObject *module, PyObject *nothing)
{
    PyObject *taken = PyBool_FromLong(ran_over);
    ran_over = 0;
    return taken;
}

static PyMethodDef functions[] = {{"note", note, METH_NOARGS, NULL}, {"take", take, METH_NOARGS, NULL}, {NULL}};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "numpy._core._overflow", NULL, -1, functions};

PyMODINIT_FUNC PyInit_numpy___core___overflow(void)
{
    import_array();
    import_umath();
    PyObject *numpy = PyImport_ImportModule("numpy._core._multiarray_umath");
    if (numpy == NULL) return NULL;
    int failed = replace_loops(numpy);
    Py_DECREF(numpy);
    return failed ? NULL : PyModule_Create(&definition);
}
