/* Indices as programs see them. numpy's have the width of addresses, 32 bits here and 64 on other machines, where sums and
 * products of them have room. What compiled code asks of numpy has to have the narrow type, which it is compiled for; so
 * what a program itself asks is made wide, and what numpy, pandas and the like ask stays as it is. Where indices are taken,
 * wide ones are taken too (patches/numpy/integers.patch). */

#include <Python.h>
#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>
#include <stddef.h>

/* What has compiled code that takes indices. */
static const char *const NARROW[] = {"numpy", "pandas", "scipy", "matplotlib", "mpl_toolkits", "contourpy", "fastparquet"};
/* What of it hands on what it is given: masked arrays, matrices, apply_along_axis, and vectorize. */
static const char *const WIDE[] = {"numpy.ma.core", "numpy.ma.extras", "numpy.matrixlib.defmatrix", "numpy.lib._shape_base_impl",
                                   "numpy.lib._function_base_impl"};
static PyObject *name_of_modules;

static int is_narrow(const char *name)
{
    for (size_t i = 0; i < sizeof WIDE / sizeof *WIDE; i++) {
        if (strcmp(WIDE[i], name) == 0) return 0;
    }
    size_t length = strcspn(name, ".");
    for (size_t i = 0; i < sizeof NARROW / sizeof *NARROW; i++) {
        if (strlen(NARROW[i]) == length && strncmp(name, NARROW[i], length) == 0) return 1;
    }
    return 0;
}

static int are_narrow(PyObject *globals)
{
    /* Whoever asks asks again, mostly. */
    static PyObject *last;
    static int last_is_narrow;
    PyObject *module = globals ? PyDict_GetItemWithError(globals, name_of_modules) : NULL;
    if (module && module == last) return last_is_narrow;
    const char *name = module && PyUnicode_CheckExact(module) ? PyUnicode_AsUTF8(module) : NULL;
    if (name == NULL) {
        PyErr_Clear();
        return globals == NULL;
    }
    last_is_narrow = is_narrow(name);
    Py_XSETREF(last, Py_NewRef(module));
    return last_is_narrow;
}

/* An attribute that there may not be; the error of one that can't be told is none, but for what stops a program. A new reference,
 * or NULL. */
static PyObject *attribute(PyObject *value, const char *name)
{
    PyObject *found = NULL;
    if (PyObject_GetOptionalAttrString(value, name, &found) < 0 && PyErr_ExceptionMatches(PyExc_Exception)) PyErr_Clear();
    return found;
}

/* Which parts of a result are indices. */
enum Parts { ALL, TUPLES /* and nothing that is none */, FIRST /* of a tuple, and all that is none */, REST };

static PyObject *widen_tuple(PyObject *tuple, enum Parts parts);

/* What is no array of numpy's but has one, as pandas's have. Takes the reference. */
static PyObject *widen_other(PyObject *value)
{
    PyObject *type = attribute(value, "dtype");
    if (type == NULL) {
        if (PyErr_Occurred()) Py_CLEAR(value);
        return value;
    }
    if (PyArray_DescrCheck(type) && ((PyArray_Descr *)type)->type_num == NPY_INTP) {
        Py_SETREF(value, PyObject_CallMethod(value, "astype", "N", PyArray_DescrFromType(NPY_DEFAULT_INT)));
    }
    Py_DECREF(type);
    return value;
}

static PyObject *widen(PyObject *value, enum Parts parts);

/* Of a slice, its bounds. */
static PyObject *widen_slice(PySliceObject *slice)
{
    PyObject *start = widen(Py_NewRef(slice->start), ALL), *stop = start ? widen(Py_NewRef(slice->stop), ALL) : NULL;
    PyObject *wide = stop ? PySlice_New(start, stop, slice->step) : NULL;
    Py_XDECREF(start);
    Py_XDECREF(stop);
    return wide;
}

/* Of a table of indices by names, all. */
static PyObject *widen_values(PyObject *table)
{
    PyObject *items = PyDict_Items(table), *wide = items ? PyDict_New() : NULL;
    for (Py_ssize_t i = 0; wide && i < PyList_GET_SIZE(items); i++) {
        PyObject *item = PyList_GET_ITEM(items, i), *part = widen(Py_NewRef(PyTuple_GET_ITEM(item, 1)), ALL);
        if (part == NULL || PyDict_SetItem(wide, PyTuple_GET_ITEM(item, 0), part)) Py_CLEAR(wide);
        Py_XDECREF(part);
    }
    Py_XDECREF(items);
    return wide;
}

/* Takes the reference. */
static PyObject *widen(PyObject *value, enum Parts parts)
{
    PyObject *wide = NULL;
    if (PyTuple_Check(value)) {
        wide = widen_tuple(value, parts);
    } else if (parts == TUPLES || parts == REST) {
        return value;
    } else if (PyArray_Check(value)) {
        if (PyArray_TYPE((PyArrayObject *)value) != NPY_INTP) return value;
        PyArrayObject *array = (PyArrayObject *)value;
        wide = PyArray_CastToType(array, PyArray_DescrFromType(NPY_DEFAULT_INT), PyArray_ISFORTRAN(array));
    } else if (PyArray_IsScalar(value, Long)) {
        wide = PyArrayScalar_New(LongLong);
        if (wide) PyArrayScalar_ASSIGN(wide, LongLong, PyArrayScalar_VAL(value, Long));
    } else if (PySlice_Check(value)) {
        wide = widen_slice((PySliceObject *)value);
    } else if (PyDict_CheckExact(value)) {
        wide = widen_values(value);
    } else {
        return widen_other(value);
    }
    Py_DECREF(value);
    return wide;
}

/* One of a class of its own stays as it is, unless that is a named one's, as numpy's are. */
static PyObject *widen_tuple(PyObject *tuple, enum Parts parts)
{
    PyObject *make = PyTuple_CheckExact(tuple) ? NULL : attribute((PyObject *)Py_TYPE(tuple), "_make");
    if (make == NULL && !PyTuple_CheckExact(tuple)) return PyErr_Occurred() ? NULL : Py_NewRef(tuple);
    Py_ssize_t n = PyTuple_GET_SIZE(tuple);
    PyObject *wide = PyTuple_New(n);
    for (Py_ssize_t i = 0; wide && i < n; i++) {
        PyObject *part = Py_NewRef(PyTuple_GET_ITEM(tuple, i));
        if (parts == ALL || parts == TUPLES || (parts == FIRST) == (i == 0)) part = widen(part, ALL);
        if (part == NULL) Py_CLEAR(wide);
        else PyTuple_SET_ITEM(wide, i, part);
    }
    if (wide && make) Py_SETREF(wide, PyObject_CallOneArg(make, wide));
    Py_XDECREF(make);
    return wide;
}

/* What a call has given, for whoever made it: the Python code that runs now. An array that it has filled is left alone. */
static PyObject *for_caller(PyObject *result, PyObject *const *arguments, Py_ssize_t n, enum Parts parts)
{
    if (result == NULL || are_narrow(PyEval_GetGlobals())) return result;
    for (Py_ssize_t i = 0; i < n; i++) {
        if (arguments[i] == result) return result;
    }
    return widen(result, parts);
}

static Py_ssize_t keywords_of(PyObject *names) { return names ? PyTuple_GET_SIZE(names) : 0; }

/* Where a parameter is among the arguments, or -1. */
static Py_ssize_t place_of(const char *name, Py_ssize_t place, Py_ssize_t n, PyObject *names)
{
    if (place < n) return place;
    for (Py_ssize_t i = 0; i < keywords_of(names); i++) {
        if (PyUnicode_EqualToUTF8(PyTuple_GET_ITEM(names, i), name)) return n + i;
    }
    return -1;
}

static int is_wide(PyArrayObject *array) { return PyTypeNum_ISINTEGER(PyArray_TYPE(array)) && PyArray_ITEMSIZE(array) == 8; }

static int refuse(PyObject *error, npy_int64 index)
{
    PyErr_Format(error, "index %lld is out of bounds", (long long)index);
    return -1;
}

/* An error if integers of an array don't fit where numpy itself takes their lower halves, which may be places that there are. */
static int check_array(PyArrayObject *wide, PyObject *error)
{
    if (!is_wide(wide)) return 0;
    PyArrayObject *all = (PyArrayObject *)PyArray_FROM_OF((PyObject *)wide, NPY_ARRAY_CARRAY_RO | NPY_ARRAY_NOTSWAPPED);
    if (all == NULL) return -1;
    const npy_int64 *from = PyArray_DATA(all);
    npy_int64 lost = 0, example = 0;
    npy_intp n = PyArray_SIZE(all);
    for (npy_intp i = 0; i < n; i++) lost |= from[i] ^ (npy_intp)from[i];
    for (npy_intp i = 0; lost && !example; i++) example = from[i] == (npy_intp)from[i] ? 0 : from[i];
    Py_DECREF(all);
    return lost ? refuse(error, example) : 0;
}

static int check_places(PyObject *places, PyObject *error)
{
    int beyond = 0;
    if (PyLong_CheckExact(places)) PyLong_AsLongAndOverflow(places, &beyond);
    if (PyLong_CheckExact(places) && !beyond) return 0;
    PyObject *array = PyArray_FROM_O(places);
    int failed = array == NULL || check_array((PyArrayObject *)array, error);
    Py_XDECREF(array);
    return failed;
}

/* What some of the functions are given: coordinates, those of each axis for themselves. */
static int check_coordinates(PyObject *places)
{
    if (!PyTuple_Check(places)) return check_places(places, PyExc_ValueError);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(places); i++) {
        if (check_places(PyTuple_GET_ITEM(places, i), PyExc_ValueError)) return -1;
    }
    return 0;
}

/* What stands in for the implementation of one of numpy's functions. */
typedef struct {
    PyObject_HEAD
    vectorcallfunc call;
    PyObject *narrow;
    enum Parts parts;
    const char *given; /* what is indices of what it is given */
} Wide;

static PyObject *call_wide(PyObject *self, PyObject *const *arguments, size_t flags, PyObject *names)
{
    Wide *wide = (Wide *)self;
    Py_ssize_t n = PyVectorcall_NARGS(flags) + keywords_of(names);
    Py_ssize_t place = wide->given ? place_of(wide->given, 0, PyVectorcall_NARGS(flags), names) : -1;
    if (place >= 0 && check_coordinates(arguments[place])) return NULL;
    return for_caller(PyObject_Vectorcall(wide->narrow, arguments, flags, names), arguments, n, wide->parts);
}

static PyObject *attribute_of(PyObject *self, PyObject *name) { return PyObject_GetAttr(((Wide *)self)->narrow, name); }
static PyObject *text_of(PyObject *self) { return PyObject_Str(((Wide *)self)->narrow); }

static PyTypeObject WideType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "numpy._core._indices.Wide",
    .tp_basicsize = sizeof(Wide),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_vectorcall_offset = offsetof(Wide, call),
    .tp_call = PyVectorcall_Call,
    .tp_getattro = attribute_of,
    .tp_str = text_of,
    .tp_repr = text_of,
};

/* How an object begins that is one of numpy's functions (arrayfunction_override.c). */
typedef struct {
    PyObject_HEAD
    vectorcallfunc call;
    PyObject *dict, *relevant, *implementation;
} Dispatcher;

static const struct {
    const char *name;
    enum Parts parts;
    const char *given;
} FUNCTIONS[] = {
    {"argmax", ALL},       {"argmin", ALL},          {"argpartition", ALL}, {"argsort", ALL},     {"argwhere", ALL},
    {"bincount", ALL, "x"}, {"digitize", ALL},       {"flatnonzero", ALL},  {"count_nonzero", ALL}, {"intersect1d", REST},
    {"lexsort", ALL},      {"nanargmax", ALL},       {"nanargmin", ALL},    {"nonzero", ALL},     {"searchsorted", ALL},
    {"unique", REST},      {"unique_all", REST},     {"unique_counts", REST}, {"unique_inverse", REST}, {"where", TUPLES},
    {"unravel_index", ALL, "indices"}, {"ravel_multi_index", ALL, "multi_index"},
};

static int replace_function(PyObject *numpy, const char *name, enum Parts parts, const char *given)
{
    PyObject *function = PyObject_GetAttrString(numpy, name);
    PyObject *implementation = function ? PyObject_GetAttrString(function, "_implementation") : NULL;
    Wide *wide = implementation ? PyObject_New(Wide, &WideType) : NULL;
    if (wide == NULL) return -1;
    wide->call = call_wide;
    wide->narrow = implementation;
    wide->parts = parts;
    wide->given = given;
    Dispatcher *dispatcher = (Dispatcher *)function;
    if (Py_TYPE(function)->tp_basicsize < (Py_ssize_t)sizeof *dispatcher || dispatcher->implementation != implementation) {
        PyErr_Format(PyExc_ImportError, "numpy's %s is otherwise than it was", name);
        return -1;
    }
    Py_SETREF(dispatcher->implementation, (PyObject *)wide);
    Py_DECREF(function);
    return 0;
}

/* Integers of 64 bits as indices. One that does not fit is an error, or as large as can be. */
static PyObject *narrow_array(PyArrayObject *wide, int clipped)
{
    PyArrayObject *all = (PyArrayObject *)PyArray_FROM_OF((PyObject *)wide, NPY_ARRAY_CARRAY_RO | NPY_ARRAY_NOTSWAPPED);
    PyObject *narrow = all ? PyArray_SimpleNew(PyArray_NDIM(all), PyArray_DIMS(all), NPY_INTP) : NULL;
    if (narrow == NULL) {
        Py_XDECREF(all);
        return NULL;
    }
    const npy_int64 *from = PyArray_DATA(all);
    npy_intp *to = PyArray_DATA((PyArrayObject *)narrow);
    npy_int64 lost = 0, example = 0;
    npy_intp n = PyArray_SIZE(all);
    for (npy_intp i = 0; i < n; i++) {
        to[i] = (npy_intp)from[i];
        lost |= from[i] ^ to[i];
    }
    for (npy_intp i = 0; lost && i < n; i++) {
        if (from[i] == to[i]) continue;
        to[i] = NPY_MAX_INTP;
        if (!example) example = from[i];
    }
    Py_DECREF(all);
    if (lost && !clipped) {
        refuse(PyExc_IndexError, example);
        Py_CLEAR(narrow);
    }
    return narrow;
}

/* One of what stands in brackets, as numpy takes it. A new reference. */
static PyObject *narrow_part(PyObject *index)
{
    if (PyArray_Check(index)) {
        return is_wide((PyArrayObject *)index) ? narrow_array((PyArrayObject *)index, 0) : Py_NewRef(index);
    }
    if (index == Py_None || index == Py_Ellipsis || PySlice_Check(index) || PyUnicode_Check(index) || PyIndex_Check(index) ||
        PyArray_CheckScalar(index)) {
        return Py_NewRef(index);
    }
    /* A list of names of fields. */
    if (PyList_Check(index) && PyList_GET_SIZE(index) > 0 && PyUnicode_Check(PyList_GET_ITEM(index, 0))) return Py_NewRef(index);
    /* numpy makes an array of it, too; it knows by the object what is empty, and what it says of others. */
    PyObject *array = PyArray_FROM_O(index);
    if (array == NULL) return NULL;
    PyArrayObject *made = (PyArrayObject *)array;
    int integers = PyTypeNum_ISINTEGER(PyArray_TYPE(made)) || PyTypeNum_ISBOOL(PyArray_TYPE(made));
    if (!integers || PyArray_NDIM(made) == 0 || PyArray_SIZE(made) == 0) Py_SETREF(array, Py_NewRef(index));
    else if (is_wide(made)) Py_SETREF(array, narrow_array(made, 0));
    return array;
}

static int is_plain_part(PyObject *part) { return PyLong_CheckExact(part) || PySlice_Check(part); }

static int is_plain(PyObject *index)
{
    if (!PyTuple_CheckExact(index)) return is_plain_part(index);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(index); i++) {
        if (!is_plain_part(PyTuple_GET_ITEM(index, i))) return 0;
    }
    return 1;
}

/* What stands in brackets, as numpy takes it. A new reference; mostly of the same. */
static PyObject *narrow_index(PyObject *index)
{
    if (!PyTuple_CheckExact(index)) {
        if (!PyTuple_Check(index)) return narrow_part(index);
        PyObject *exact = PySequence_Tuple(index), *narrow = exact ? narrow_index(exact) : NULL;
        Py_XDECREF(exact);
        return narrow;
    }
    Py_ssize_t n = PyTuple_GET_SIZE(index);
    PyObject *narrow = NULL;
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *part = PyTuple_GET_ITEM(index, i);
        if (is_plain_part(part)) continue;
        PyObject *narrowed = narrow_part(part);
        if (narrowed && narrow == NULL && narrowed != part) {
            narrow = PyTuple_New(n);
            for (Py_ssize_t k = 0; narrow && k < n; k++) PyTuple_SET_ITEM(narrow, k, Py_NewRef(PyTuple_GET_ITEM(index, k)));
        }
        if (narrowed == NULL || (narrow == NULL && narrowed != part)) {
            Py_XDECREF(narrowed);
            Py_XDECREF(narrow);
            return NULL;
        }
        if (narrow) {
            PyTuple_SET_ITEM(narrow, i, narrowed);
            Py_DECREF(part);
        } else {
            Py_DECREF(narrowed);
        }
    }
    return narrow ? narrow : Py_NewRef(index);
}

/* No method takes more; what numpy says of too many is the same of one that is too many. */
enum { MOST = 8 };

/* The method that stood there, called with `self`. */
static PyObject *call_narrow(PyObject *method, PyObject *self, PyObject *const *arguments, Py_ssize_t n, PyObject *names)
{
    PyObject *all[MOST + 1] = {self};
    if (n + keywords_of(names) > MOST) {
        n = MOST;
        names = NULL;
    }
    memcpy(all + 1, arguments, (size_t)(n + keywords_of(names)) * sizeof *all);
    return PyObject_Vectorcall(method, all, (size_t)n + 1, names);
}

static PyObject *call_method(PyObject *method, PyObject *self, PyObject *const *arguments, Py_ssize_t n, PyObject *names)
{
    return for_caller(call_narrow(method, self, arguments, n, names), arguments, n + keywords_of(names), ALL);
}

/* The method, called with something else in one place. Takes the reference to that. */
static PyObject *call_with(PyObject *instead, Py_ssize_t place, PyObject *method, PyObject *self, PyObject *const *arguments,
                           Py_ssize_t n, PyObject *names)
{
    if (instead == NULL) return NULL;
    PyObject *all[MOST];
    memcpy(all, arguments, (size_t)(n + keywords_of(names)) * sizeof *all);
    all[place] = instead;
    PyObject *result = call_narrow(method, self, all, n, names);
    Py_DECREF(instead);
    return result;
}

/* argmax and argmin fill none but an array of indices: a wide one, as programs make it, is given what they return. */
static PyObject *call_filling(PyObject *method, PyObject *self, PyObject *const *arguments, Py_ssize_t n, PyObject *names)
{
    Py_ssize_t place = n + keywords_of(names) > MOST ? -1 : place_of("out", 1, n, names);
    if (place < 0 || !PyArray_Check(arguments[place]) ||
        PyArray_TYPE((PyArrayObject *)arguments[place]) != NPY_DEFAULT_INT) {
        return call_method(method, self, arguments, n, names);
    }
    PyArrayObject *out = (PyArrayObject *)arguments[place];
    PyObject *found = call_with(Py_NewRef(Py_None), place, method, self, arguments, n, names);
    if (found) Py_SETREF(found, PyArray_FROM_O(found));
    if (found == NULL) return NULL;
    int failed = -1;
    if (PyArray_SAMESHAPE(out, (PyArrayObject *)found)) {
        failed = PyArray_CopyInto(out, (PyArrayObject *)found);
    } else {
        const char *name = ((PyMethodDescrObject *)method)->d_method->ml_name;
        PyErr_Format(PyExc_ValueError, "output array does not match result of np.%s.", name);
    }
    Py_DECREF(found);
    return failed ? NULL : Py_NewRef(out);
}

/* What `sorter` of searchsorted may be, as it takes it: no wide one. What does not fit is beyond any array, and refused by it. */
static PyObject *narrow_sorter(PyObject *sorter)
{
    PyObject *array = PyArray_FROM_O(sorter);
    int type = array ? PyArray_TYPE((PyArrayObject *)array) : NPY_INTP;
    if (array == NULL || !PyTypeNum_ISINTEGER(type) || PyArray_CanCastSafely(type, NPY_INTP) ||
        !PyArray_CanCastSafely(type, NPY_DEFAULT_INT)) {
        return array;
    }
    Py_SETREF(array, PyArray_FROM_OTF(array, NPY_DEFAULT_INT, NPY_ARRAY_CARRAY_RO));
    if (array) Py_SETREF(array, narrow_array((PyArrayObject *)array, 1));
    return array;
}

#define METHOD(NAME, CALL)                                                                                    \
    static PyObject *narrow_##NAME;                                                                           \
    static PyObject *NAME(PyObject *self, PyObject *const *arguments, Py_ssize_t n, PyObject *names)          \
    {                                                                                                         \
        return CALL(narrow_##NAME, self, arguments, n, names);                                                \
    }

METHOD(argmax, call_filling)
METHOD(argmin, call_filling)
METHOD(argsort, call_method)
METHOD(nonzero, call_method)

static PyObject *narrow_searchsorted;
static PyObject *searchsorted(PyObject *self, PyObject *const *arguments, Py_ssize_t n, PyObject *names)
{
    Py_ssize_t count = n + keywords_of(names), place = count > MOST ? -1 : place_of("sorter", 2, n, names);
    if (place < 0 || arguments[place] == Py_None) return call_method(narrow_searchsorted, self, arguments, n, names);
    PyObject *sorter = narrow_sorter(arguments[place]);
    return for_caller(call_with(sorter, place, narrow_searchsorted, self, arguments, n, names), arguments, count, ALL);
}

/* What numpy makes narrow itself: nothing but a look whether it fits. */
#define CHECKED(NAME, CHECK, CALL)                                                                            \
    static PyObject *narrow_##NAME;                                                                           \
    static PyObject *NAME(PyObject *self, PyObject *const *arguments, Py_ssize_t n, PyObject *names)          \
    {                                                                                                         \
        return CHECK ? NULL : CALL(narrow_##NAME, self, arguments, n, names);                                 \
    }

static int check_argument(const char *name, Py_ssize_t place, PyObject *const *arguments, Py_ssize_t n, PyObject *names, PyObject *error)
{
    place = place_of(name, place, n, names);
    return place >= 0 && check_places(arguments[place], error);
}

CHECKED(argpartition, check_argument("kth", 0, arguments, n, names, PyExc_ValueError), call_method)
CHECKED(partition, check_argument("kth", 0, arguments, n, names, PyExc_ValueError), call_narrow)
CHECKED(put, check_argument("indices", 0, arguments, n, names, PyExc_IndexError), call_narrow)
CHECKED(repeat, check_argument("repeats", 0, arguments, n, names, PyExc_ValueError), call_narrow)
CHECKED(choose, check_array((PyArrayObject *)self, PyExc_ValueError), call_narrow)
CHECKED(reduceat, check_argument("indices", 1, arguments, n, names, PyExc_IndexError), call_narrow)

/* Of functions of arrays. Its indices are what stands in brackets. */
static PyObject *narrow_at;
static PyObject *at(PyObject *self, PyObject *const *arguments, Py_ssize_t n, PyObject *names)
{
    Py_ssize_t place = place_of("indices", 1, n, names);
    if (place >= 0) {
        PyObject *narrow = narrow_index(arguments[place]);
        if (narrow == NULL) return NULL;
        Py_DECREF(narrow);
    }
    return call_narrow(narrow_at, self, arguments, n, names);
}

/* A single number, too, is an array for it. */
static PyObject *narrow_places(PyObject *places)
{
    if (!PyLong_Check(places) && !PyArray_CheckScalar(places)) return narrow_part(places);
    PyObject *array = PyArray_FROM_O(places);
    if (array && is_wide((PyArrayObject *)array)) Py_SETREF(array, narrow_array((PyArrayObject *)array, 0));
    return array;
}

static PyObject *narrow_take;
static PyObject *take(PyObject *self, PyObject *const *arguments, Py_ssize_t n, PyObject *names)
{
    Py_ssize_t place = n + keywords_of(names) > MOST ? -1 : place_of("indices", 0, n, names);
    if (place < 0) return call_narrow(narrow_take, self, arguments, n, names);
    return call_with(narrow_places(arguments[place]), place, narrow_take, self, arguments, n, names);
}

#define ROW(NAME) {{#NAME, (PyCFunction)(void (*)(void))NAME, METH_FASTCALL | METH_KEYWORDS, NULL}, &narrow_##NAME}

static struct {
    PyMethodDef definition;
    PyObject **narrow;
} METHODS[] = {ROW(argmax),    ROW(argmin),  ROW(argpartition), ROW(argsort), ROW(choose), ROW(nonzero),
               ROW(partition), ROW(put),     ROW(repeat),       ROW(searchsorted), ROW(take)},
  METHODS_OF_FUNCTIONS[] = {ROW(at), ROW(reduceat)};

static int replace_method(PyTypeObject *type, PyMethodDef *definition, PyObject **narrow)
{
    *narrow = Py_XNewRef(PyDict_GetItemString(type->tp_dict, definition->ml_name));
    if (*narrow == NULL || Py_TYPE(*narrow) != &PyMethodDescr_Type) {
        PyErr_Format(PyExc_ImportError, "numpy's %s has no %s", type->tp_name, definition->ml_name);
        return -1;
    }
    definition->ml_doc = ((PyMethodDescrObject *)*narrow)->d_method->ml_doc;
    PyObject *method = PyDescr_NewMethod(type, definition);
    if (method == NULL) return -1;
    int failed = PyDict_SetItemString(type->tp_dict, definition->ml_name, method);
    Py_DECREF(method);
    PyType_Modified(type);
    return failed;
}

static binaryfunc subscript;
static objobjargproc assign_subscript;

/* A number that C has no room for is another error for numpy. */
static void say_beyond(PyObject *index)
{
    if (!PyErr_ExceptionMatches(PyExc_OverflowError)) return;
    PyObject *error = PyErr_GetRaisedException();
    Py_ssize_t n = PyTuple_Check(index) ? PyTuple_GET_SIZE(index) : 1;
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *part = PyTuple_Check(index) ? PyTuple_GET_ITEM(index, i) : index;
        if (!PyLong_Check(part) && !PyArray_IsScalar(part, Integer)) continue;
        PyObject *number = PyNumber_Index(part);
        int beyond = 0;
        if (number) PyLong_AsLongAndOverflow(number, &beyond);
        PyErr_Clear();
        if (beyond) Py_SETREF(error, PyObject_CallFunction(PyExc_IndexError, "N", PyUnicode_FromFormat("index %S is out of bounds", number)));
        Py_XDECREF(number);
        if (beyond) break;
    }
    if (error) PyErr_SetRaisedException(error);
}

static PyObject *subscript_with(binaryfunc method, PyObject *self, PyObject *index)
{
    PyObject *result = NULL;
    if (is_plain(index)) { /* what loops have */
        result = method(self, index);
    } else {
        PyObject *narrow = narrow_index(index);
        if (narrow) result = method(self, narrow);
        Py_XDECREF(narrow);
    }
    if (result == NULL) say_beyond(index);
    return result;
}

static int assign_with(objobjargproc method, PyObject *self, PyObject *index, PyObject *value)
{
    int failed = -1;
    if (is_plain(index)) {
        failed = method(self, index, value);
    } else {
        PyObject *narrow = narrow_index(index);
        if (narrow) failed = method(self, narrow, value);
        Py_XDECREF(narrow);
    }
    if (failed) say_beyond(index);
    return failed;
}

static PyObject *subscript_narrow(PyObject *self, PyObject *index) { return subscript_with(subscript, self, index); }
static int assign_subscript_narrow(PyObject *self, PyObject *index, PyObject *value)
{
    return assign_with(assign_subscript, self, index, value);
}

/* The same of `array.flat`. */
static binaryfunc subscript_flat;
static objobjargproc assign_flat;
static PyObject *subscript_flat_narrow(PyObject *self, PyObject *index) { return subscript_with(subscript_flat, self, index); }
static int assign_flat_narrow(PyObject *self, PyObject *index, PyObject *value)
{
    return assign_with(assign_flat, self, index, value);
}

/* What subclasses call, and what their own slots are made of. */
static int replace_wrapper(PyTypeObject *type, const char *name, void *was, void *instead)
{
    PyObject *wrapper = PyDict_GetItemString(type->tp_dict, name);
    if (wrapper == NULL || Py_TYPE(wrapper) != &PyWrapperDescr_Type || ((PyWrapperDescrObject *)wrapper)->d_wrapped != was) {
        PyErr_Format(PyExc_ImportError, "numpy's %s has no %s", type->tp_name, name);
        return -1;
    }
    ((PyWrapperDescrObject *)wrapper)->d_wrapped = instead;
    return 0;
}

static int replace_slots(PyTypeObject *type, binaryfunc *get, binaryfunc get_narrow, objobjargproc *set, objobjargproc set_narrow)
{
    PyMappingMethods *methods = type->tp_as_mapping;
    *get = methods->mp_subscript;
    *set = methods->mp_ass_subscript;
    methods->mp_subscript = get_narrow;
    methods->mp_ass_subscript = set_narrow;
    if (replace_wrapper(type, "__getitem__", (void *)*get, (void *)get_narrow)) return -1;
    if (replace_wrapper(type, "__setitem__", (void *)*set, (void *)set_narrow)) return -1;
    return replace_wrapper(type, "__delitem__", (void *)*set, (void *)set_narrow);
}

static int replace_subscripts(void)
{
    return replace_slots(&PyArray_Type, &subscript, subscript_narrow, &assign_subscript, assign_subscript_narrow) ||
           replace_slots(&PyArrayIter_Type, &subscript_flat, subscript_flat_narrow, &assign_flat, assign_flat_narrow);
}

/* Once, when all of numpy's functions are there. */
static PyObject *install(PyObject *module, PyObject *numpy)
{
    for (size_t i = 0; i < sizeof FUNCTIONS / sizeof *FUNCTIONS; i++) {
        if (replace_function(numpy, FUNCTIONS[i].name, FUNCTIONS[i].parts, FUNCTIONS[i].given)) return NULL;
    }
    PyObject *linalg = PyObject_GetAttrString(numpy, "linalg");
    if (linalg == NULL || replace_function(linalg, "matrix_rank", ALL, NULL)) return NULL;
    Py_DECREF(linalg);
    for (size_t i = 0; i < sizeof METHODS / sizeof *METHODS; i++) {
        if (replace_method(&PyArray_Type, &METHODS[i].definition, METHODS[i].narrow)) return NULL;
    }
    PyObject *add = PyObject_GetAttrString(numpy, "add");
    if (add == NULL) return NULL;
    for (size_t i = 0; i < sizeof METHODS_OF_FUNCTIONS / sizeof *METHODS_OF_FUNCTIONS; i++) {
        if (replace_method(Py_TYPE(add), &METHODS_OF_FUNCTIONS[i].definition, METHODS_OF_FUNCTIONS[i].narrow)) return NULL;
    }
    Py_DECREF(add);
    Py_RETURN_NONE;
}

/* `widened(value, globals, parts)`: as code with these variables sees it; with the number of which parts. */
static PyObject *widened(PyObject *module, PyObject *const *arguments, Py_ssize_t n)
{
    if (n != 3 || !PyDict_Check(arguments[1])) {
        PyErr_BadInternalCall();
        return NULL;
    }
    if (are_narrow(arguments[1])) return Py_NewRef(arguments[0]);
    return widen(Py_NewRef(arguments[0]), (enum Parts)PyLong_AsLong(arguments[2]));
}

/* What pandas takes for indices, as its compiled code does: what it is otherwise, but one that does not fit is an error. */
static PyObject *narrowed(PyObject *module, PyObject *value)
{
    PyObject *array = PyArray_FROM_O(value);
    if (array == NULL || PyArray_TYPE((PyArrayObject *)array) == NPY_INTP) return array;
    if (is_wide((PyArrayObject *)array)) Py_SETREF(array, narrow_array((PyArrayObject *)array, 0));
    else Py_SETREF(array, PyObject_CallMethod(array, "astype", "N", PyArray_DescrFromType(NPY_INTP)));
    return array;
}

static PyMethodDef functions[] = {
    {"install", install, METH_O, NULL},
    {"narrowed", narrowed, METH_O, NULL},
    {"widened", (PyCFunction)(void (*)(void))widened, METH_FASTCALL, NULL},
    {NULL},
};
static struct PyModuleDef indices = {PyModuleDef_HEAD_INIT, "numpy._core._indices", NULL, -1, functions};

PyMODINIT_FUNC PyInit_numpy___core___indices(void)
{
    import_array();
    name_of_modules = PyUnicode_InternFromString("__name__");
    if (name_of_modules == NULL || replace_subscripts()) return NULL;
    PyObject *module = PyType_Ready(&WideType) ? NULL : PyModule_Create(&indices);
    if (module == NULL || PyModule_AddObjectRef(module, "Wide", (PyObject *)&WideType)) return NULL;
    static const char *const NAMES[] = {"ALL", "TUPLES", "FIRST", "REST"};
    for (int parts = ALL; parts <= REST; parts++) {
        if (PyModule_AddIntConstant(module, NAMES[parts], parts)) return NULL;
    }
    return module;
}
