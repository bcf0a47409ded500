/* An interpreter comes out of an image: what its command line says is put where CPython looks for it afterwards. */
#define Py_BUILD_CORE 1
#include <Python.h>

#include "internal/pycore_interp.h"
#include "options.h"

/* Places in sys.flags. */
enum { OPTIMIZE = 3, BYTES_WARNING = 9, DEV_MODE = 13 };

static int set_flag(Py_ssize_t place, PyObject *value)
{
    PyObject *flags = PySys_GetObject("flags");

    if (value == NULL || flags == NULL)
        return -1;
    Py_SETREF(PyTuple_GET_ITEM(flags, place), value);
    return 0;
}

static PyObject *set_flags(PyObject *module, PyObject *args)
{
    PyConfig *config = &PyInterpreterState_Get()->config;
    int optimize, bytes_warning, dev_mode;
    PyObject *builtins = PyEval_GetBuiltins();

    if (!PyArg_ParseTuple(args, "iip:set_flags", &optimize, &bytes_warning, &dev_mode))
        return NULL;
    config->optimization_level = optimize;
    config->bytes_warning = bytes_warning;
    config->dev_mode = dev_mode;
    if (set_flag(OPTIMIZE, PyLong_FromLong(optimize)) < 0 || set_flag(BYTES_WARNING, PyLong_FromLong(bytes_warning)) < 0
        || set_flag(DEV_MODE, PyBool_FromLong(dev_mode)) < 0
        || PyDict_SetItemString(builtins, "__debug__", optimize ? Py_False : Py_True) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"set_flags", set_flags, METH_VARARGS, "set_flags(optimize, bytes_warning, dev_mode): of the code that is compiled from now on."},
    {NULL, NULL, 0, NULL},
};

int options_add(PyObject *module) { return PyModule_AddFunctions(module, functions); }
