/* What Python's half of the glue makes ctypes.pythonapi's functions of (capsules.c). */
#include <Python.h>

/* Adds them to a module. Non-zero with an exception set: it could not. */
int capsules_add(PyObject *module);
