/* Options of `python3` that CPython reads when it starts, for an interpreter that has started (options.c). */
#include <Python.h>

/* Adds `set_flags` to a module. Non-zero with an exception set: it could not. */
int options_add(PyObject *module);
