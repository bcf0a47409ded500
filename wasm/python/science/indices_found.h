/* Indices that were found (indices.c): made wide for a program, and left alone for libraries. */

#pragma once

#include <Python.h>
#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>

/* What has compiled code that takes indices. */
static const char *const NARROW[] = {"numpy", "pandas", "scipy", "sklearn", "matplotlib", "mpl_toolkits", "contourpy", "fastparquet"};
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
