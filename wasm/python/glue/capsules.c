/* Capsules for ctypes.pythonapi, which can't call functions of C (_wasmbox_capsules.py). */
#include <Python.h>
#include <string.h>

#include "capsules.h"

static const char *name_in(PyObject *name) { return name == Py_None ? NULL : PyBytes_AsString(name); }

/* Names and destructors belong to whoever makes a capsule; these are kept for ever. */
static PyObject *capsule_new(PyObject *module, PyObject *args)
{
    size_t pointer;
    PyObject *name;

    if (!PyArg_ParseTuple(args, "kO:capsule_new", &pointer, &name))
        return NULL;
    const char *given = name_in(name);
    if (given == NULL && name != Py_None)
        return NULL;
    return PyCapsule_New((void *)pointer, given ? strdup(given) : NULL, NULL);
}

static PyObject *capsule_pointer(PyObject *module, PyObject *args)
{
    PyObject *capsule, *name;

    if (!PyArg_ParseTuple(args, "OO:capsule_pointer", &capsule, &name))
        return NULL;
    void *pointer = PyCapsule_GetPointer(capsule, name_in(name));
    return pointer == NULL ? NULL : PyLong_FromVoidPtr(pointer);
}

static PyObject *capsule_name(PyObject *module, PyObject *capsule)
{
    const char *name = PyCapsule_GetName(capsule);

    if (name == NULL && PyErr_Occurred())
        return NULL;
    return name ? PyBytes_FromString(name) : Py_NewRef(Py_None);
}

static PyObject *capsule_context(PyObject *module, PyObject *args)
{
    PyObject *capsule;
    size_t context = 0;

    if (!PyArg_ParseTuple(args, "O|k:capsule_context", &capsule, &context))
        return NULL;
    if (PyTuple_GET_SIZE(args) > 1 && PyCapsule_SetContext(capsule, (void *)context) < 0)
        return NULL;
    return PyLong_FromVoidPtr(PyCapsule_GetContext(capsule));
}

static PyMethodDef functions[] = {
    {"capsule_new", capsule_new, METH_VARARGS, "capsule_new(pointer, name: bytes | None)."},
    {"capsule_pointer", capsule_pointer, METH_VARARGS, "capsule_pointer(capsule, name: bytes | None)."},
    {"capsule_name", capsule_name, METH_O, "capsule_name(capsule) -> bytes | None."},
    {"capsule_context", capsule_context, METH_VARARGS, "capsule_context(capsule[, context]): the context, after it was set."},
    {NULL, NULL, 0, NULL},
};

int capsules_add(PyObject *module) { return PyModule_AddFunctions(module, functions); }
