/* Compiling a program so that the value of its trailing expression is kept. */
#ifndef WASMBOX_PROGRAM_H
#define WASMBOX_PROGRAM_H

#include <Python.h>

/* The code object of `source` (str), with `await` allowed at top level. If its last statement is an expression, its
 * value is assigned to the global `result_name`, which should be no identifier that a program can spell. */
PyObject *program_compile(PyObject *source, PyObject *filename, PyObject *result_name);

#endif
