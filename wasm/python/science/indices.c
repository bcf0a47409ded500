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
/* What of it hands on what it is given: masked arrays, and apply_along_axis. */
static const char *const WIDE[] = {"numpy.ma.core", "numpy.ma.extras", "numpy.lib._shape_base_impl"};

static int are_narrow(PyObject *globals)
{
    PyObject *module = globals ? PyDict_GetItemString(globals, "__name__") : NULL;
    const char *name = module && PyUnicode_Check(module) ? PyUnicode_AsUTF8(module) : NULL;
    if (name == NULL) {
        PyErr_Clear();
        return globals == NULL;
    }
    for (size_t i = 0; i < sizeof WIDE / sizeof *WIDE; i++) {
        if (strcmp(WIDE[i], name) == 0) return 0;
    }
    size_t length = strcspn(name, ".");
    for (size_t i = 0; i < sizeof NARROW / sizeof *NARROW; i++) {
        if (strlen(NARROW[i]) == length && strncmp(name, NARROW[i], length) == 0) return 1;
    }
    return 0;
}

/* Which parts of a result are indices. */
enum Parts { ALL, TUPLES /* and nothing that is none */, FIRST /* of a tuple, and all that is none */, REST };

static PyObject *widen_tuple(PyObject *tuple, enum Parts parts);

/* What is no array of numpy's but has one, as pandas's have. Takes the reference. */
static PyObject *widen_other(PyObject *value)
{
    PyObject *type = NULL;
    if (PyObject_GetOptionalAttrString(value, "dtype", &type) <= 0) {
        PyErr_Clear();
        return value;
    }
    if (PyArray_DescrCheck(type) && ((PyArray_Descr *)type)->type_num == NPY_INTP) {
        Py_SETREF(value, PyObject_CallMethod(value, "astype", "N", PyArray_DescrFromType(NPY_DEFAULT_INT)));
    }
    Py_DECREF(type);
    return value;
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
    } else {
        return widen_other(value);
    }
    Py_DECREF(value);
    return wide;
}

static PyObject *widen_tuple(PyObject *tuple, enum Parts parts)
{
    Py_ssize_t n = PyTuple_GET_SIZE(tuple);
    PyObject *wide = PyTuple_New(n);
    for (Py_ssize_t i = 0; wide && i < n; i++) {
        PyObject *part = Py_NewRef(PyTuple_GET_ITEM(tuple, i));
        if (parts == ALL || parts == TUPLES || (parts == FIRST) == (i == 0)) part = widen(part, ALL);
        if (part == NULL) Py_CLEAR(wide);
        else PyTuple_SET_ITEM(wide, i, part);
    }
    if (wide && !PyTuple_CheckExact(tuple)) {
        Py_SETREF(wide, PyObject_CallMethod((PyObject *)Py_TYPE(tuple), "_make", "(O)", wide));
    }
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

/* What stands in for the implementation of one of numpy's functions. */
typedef struct {
    PyObject_HEAD
    vectorcallfunc call;
    PyObject *narrow;
    enum Parts parts;
} Wide;

static PyObject *call_wide(PyObject *self, PyObject *const *arguments, size_t flags, PyObject *names)
{
    Wide *wide = (Wide *)self;
    Py_ssize_t n = PyVectorcall_NARGS(flags) + keywords_of(names);
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
} FUNCTIONS[] = {
    {"argmax", ALL},       {"argmin", ALL},     {"argpartition", ALL},  {"argsort", ALL},           {"argwhere", ALL},
    {"bincount", ALL},     {"digitize", ALL},   {"flatnonzero", ALL},   {"count_nonzero", ALL},     {"histogram", FIRST},
    {"intersect1d", REST}, {"lexsort", ALL},    {"nanargmax", ALL},     {"nanargmin", ALL},         {"nonzero", ALL},
    {"searchsorted", ALL}, {"unique", REST},    {"unique_all", REST},   {"unique_counts", REST},    {"unique_inverse", REST},
    {"unravel_index", ALL}, {"where", TUPLES},  {"ravel_multi_index", ALL},
};

static int replace_function(PyObject *numpy, const char *name, enum Parts parts)
{
    PyObject *function = PyObject_GetAttrString(numpy, name);
    PyObject *implementation = function ? PyObject_GetAttrString(function, "_implementation") : NULL;
    Wide *wide = implementation ? PyObject_New(Wide, &WideType) : NULL;
    if (wide == NULL) return -1;
    wide->call = call_wide;
    wide->narrow = implementation;
    wide->parts = parts;
    Dispatcher *dispatcher = (Dispatcher *)function;
    if (Py_TYPE(function)->tp_basicsize < (Py_ssize_t)sizeof *dispatcher || dispatcher->implementation != implementation) {
        PyErr_Format(PyExc_ImportError, "numpy's %s is otherwise than it was", name);
        return -1;
    }
    Py_SETREF(dispatcher->implementation, (PyObject *)wide);
    Py_DECREF(function);
    return 0;
}

/* Integers of 64 bits as indices. numpy would take their lower halves, which may be places that there are. */
static PyObject *narrow_array(PyArrayObject *wide)
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
    for (npy_intp i = 0; lost && !example; i++) example = from[i] == to[i] ? 0 : from[i];
    Py_DECREF(all);
    if (lost) {
        PyErr_Format(PyExc_IndexError, "index %lld is out of bounds", (long long)example);
        Py_CLEAR(narrow);
    }
    return narrow;
}

/* What stands in brackets, as numpy takes it. A new reference. */
static PyObject *narrow_index(PyObject *index)
{
    if (PyArray_Check(index)) {
        PyArrayObject *array = (PyArrayObject *)index;
        if (PyTypeNum_ISINTEGER(PyArray_TYPE(array)) && PyArray_ITEMSIZE(array) == 8) return narrow_array(array);
    } else if (PyTuple_CheckExact(index)) {
        Py_ssize_t n = PyTuple_GET_SIZE(index);
        PyObject *narrow = PyTuple_New(n);
        for (Py_ssize_t i = 0; narrow && i < n; i++) {
            PyObject *part = narrow_index(PyTuple_GET_ITEM(index, i));
            if (part == NULL) Py_CLEAR(narrow);
            else PyTuple_SET_ITEM(narrow, i, part);
        }
        return narrow;
    } else if (PyList_Check(index)) {
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(index); i++) {
            PyObject *number = PyList_GET_ITEM(index, i);
            int beyond = 0;
            if (PyLong_CheckExact(number)) PyLong_AsLongAndOverflow(number, &beyond);
            if (beyond) return PyErr_Format(PyExc_IndexError, "index %S is out of bounds", number);
        }
    }
    return Py_NewRef(index);
}

/* No method takes more; what numpy says of too many is the same of one that is too many. */
enum { MOST = 8 };

/* The method that stood there, called with `self`. One that takes `sorter` is given a narrow one, as it takes no other. */
static PyObject *call_method(PyObject *method, PyObject *self, PyObject *const *arguments, Py_ssize_t n, PyObject *names,
                             Py_ssize_t sorter, enum Parts parts)
{
    PyObject *all[MOST + 1] = {self};
    if (n + keywords_of(names) > MOST) {
        n = MOST;
        names = NULL;
    }
    Py_ssize_t count = n + keywords_of(names);
    memcpy(all + 1, arguments, (size_t)count * sizeof *all);
    for (Py_ssize_t i = n; i < count; i++) {
        if (sorter >= 0 && PyUnicode_EqualToUTF8(PyTuple_GET_ITEM(names, i - n), "sorter")) sorter = i;
    }
    PyObject *narrow = NULL;
    if (sorter >= 0 && sorter < count && PyArray_Check(arguments[sorter])) {
        PyArrayObject *given = (PyArrayObject *)arguments[sorter];
        if (PyArray_TYPE(given) == NPY_DEFAULT_INT) {
            /* One that does not fit is beyond any array, and refused by the method. */
            PyObject *most = PyLong_FromLong(NPY_MAX_INTP), *fitting = most ? PyArray_Clip(given, NULL, most, NULL) : NULL;
            narrow = fitting ? PyArray_CastToType((PyArrayObject *)fitting, PyArray_DescrFromType(NPY_INTP), 0) : NULL;
            Py_XDECREF(most);
            Py_XDECREF(fitting);
            if (narrow == NULL) return NULL;
            all[sorter + 1] = narrow;
        }
    }
    PyObject *result = for_caller(PyObject_Vectorcall(method, all, (size_t)n + 1, names), arguments, count, parts);
    Py_XDECREF(narrow);
    return result;
}

#define METHOD(NAME, SORTER)                                                                                  \
    static PyObject *narrow_##NAME;                                                                           \
    static PyObject *NAME(PyObject *self, PyObject *const *arguments, Py_ssize_t n, PyObject *names)          \
    {                                                                                                         \
        return call_method(narrow_##NAME, self, arguments, n, names, SORTER, ALL);                               \
    }

METHOD(argmax, -1)
METHOD(argmin, -1)
METHOD(argpartition, -1)
METHOD(argsort, -1)
METHOD(nonzero, -1)
METHOD(searchsorted, 2)

static PyObject *narrow_take;
static PyObject *take(PyObject *self, PyObject *const *arguments, Py_ssize_t n, PyObject *names)
{
    PyObject *all[MOST] = {NULL};
    Py_ssize_t count = n + keywords_of(names);
    if (n < 1 || count > MOST) return call_method(narrow_take, self, arguments, n, names, -1, TUPLES);
    memcpy(all, arguments, (size_t)count * sizeof *all);
    all[0] = narrow_index(arguments[0]);
    PyObject *result = all[0] ? call_method(narrow_take, self, all, n, names, -1, TUPLES) : NULL;
    Py_XDECREF(all[0]);
    return result;
}

#define ROW(NAME) {{#NAME, (PyCFunction)(void (*)(void))NAME, METH_FASTCALL | METH_KEYWORDS, NULL}, &narrow_##NAME}

static struct {
    PyMethodDef definition;
    PyObject **narrow;
} METHODS[] = {ROW(argmax), ROW(argmin), ROW(argpartition), ROW(argsort), ROW(nonzero), ROW(searchsorted), ROW(take)};

static int replace_method(PyMethodDef *definition, PyObject **narrow)
{
    PyObject *dict = PyArray_Type.tp_dict;
    *narrow = Py_XNewRef(PyDict_GetItemString(dict, definition->ml_name));
    if (*narrow == NULL || Py_TYPE(*narrow) != &PyMethodDescr_Type) {
        PyErr_Format(PyExc_ImportError, "numpy's arrays have no %s", definition->ml_name);
        return -1;
    }
    definition->ml_doc = ((PyMethodDescrObject *)*narrow)->d_method->ml_doc;
    PyObject *method = PyDescr_NewMethod(&PyArray_Type, definition);
    if (method == NULL) return -1;
    int failed = PyDict_SetItemString(dict, definition->ml_name, method);
    Py_DECREF(method);
    PyType_Modified(&PyArray_Type);
    return failed;
}

static binaryfunc subscript;
static objobjargproc assign_subscript;

static PyObject *subscript_narrow(PyObject *self, PyObject *index)
{
    PyObject *narrow = narrow_index(index);
    PyObject *result = narrow ? subscript(self, narrow) : NULL;
    Py_XDECREF(narrow);
    return result;
}

static int assign_subscript_narrow(PyObject *self, PyObject *index, PyObject *value)
{
    PyObject *narrow = narrow_index(index);
    int failed = narrow ? assign_subscript(self, narrow, value) : -1;
    Py_XDECREF(narrow);
    return failed;
}

static void replace_subscripts(void)
{
    PyMappingMethods *methods = PyArray_Type.tp_as_mapping;
    subscript = methods->mp_subscript;
    assign_subscript = methods->mp_ass_subscript;
    methods->mp_subscript = subscript_narrow;
    methods->mp_ass_subscript = assign_subscript_narrow;
}

/* Once, when all of numpy's functions are there. */
static PyObject *install(PyObject *module, PyObject *numpy)
{
    for (size_t i = 0; i < sizeof FUNCTIONS / sizeof *FUNCTIONS; i++) {
        if (replace_function(numpy, FUNCTIONS[i].name, FUNCTIONS[i].parts)) return NULL;
    }
    for (size_t i = 0; i < sizeof METHODS / sizeof *METHODS; i++) {
        if (replace_method(&METHODS[i].definition, METHODS[i].narrow)) return NULL;
    }
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

static PyMethodDef functions[] = {
    {"install", install, METH_O, NULL},
    {"widened", (PyCFunction)(void (*)(void))widened, METH_FASTCALL, NULL},
    {NULL},
};
static struct PyModuleDef indices = {PyModuleDef_HEAD_INIT, "numpy._core._indices", NULL, -1, functions};

PyMODINIT_FUNC PyInit_numpy___core___indices(void)
{
    import_array();
    replace_subscripts();
    PyObject *module = PyType_Ready(&WideType) ? NULL : PyModule_Create(&indices);
    if (module == NULL) return NULL;
    static const char *const NAMES[] = {"ALL", "TUPLES", "FIRST", "REST"};
    for (int parts = ALL; parts <= REST; parts++) {
        if (PyModule_AddIntConstant(module, NAMES[parts], parts)) return NULL;
    }
    return module;
}
