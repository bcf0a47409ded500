/* Indices as programs see them. numpy's have the width of addresses, 32 bits here and 64 on other machines, where sums and
 * products of them have room. What compiled code asks of numpy has to have the narrow type, which it is compiled for; so
 * what a program itself asks is made wide, and what numpy, pandas and the like ask stays as it is. Where indices are taken,
 * wide ones are taken too (patches/numpy/integers.patch). */

#include <Python.h>
#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>
#include <stddef.h>
#include "indices_given.h"
#include "indices_found.h"

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

static int check_argument(const char *name, Py_ssize_t place, PyObject *const *arguments, Py_ssize_t n, PyObject *names,
                          PyObject *error)
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
