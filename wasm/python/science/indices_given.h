/* Indices that are given (indices.c): made narrow where numpy takes them, or looked at where it makes them narrow itself. */

#pragma once

#include <Python.h>
#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>

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
        if (beyond) {
            PyObject *said = PyUnicode_FromFormat("index %S is out of bounds", number);
            Py_SETREF(error, PyObject_CallFunction(PyExc_IndexError, "N", said));
        }
        Py_XDECREF(number);
        if (beyond) break;
    }
    if (error) PyErr_SetRaisedException(error);
}
