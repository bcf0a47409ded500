/* What the parts of the glue in C know of each other. */
#ifndef WASMBOX_PROGRAM_H
#define WASMBOX_PROGRAM_H

#include <Python.h>

/* The code object of `source` (str), with `await` allowed at top level. If its last statement is an expression, its
 * value is assigned to the global `result_name`, which should be no identifier that a program can spell. */
PyObject *program_compile(PyObject *source, PyObject *filename, PyObject *result_name);

/* For C code that runs long: -1 with an exception set if it shall give up. */
int sandbox_check_signals(void);

/* Makes the module `_wasmbox_kdf` (hashes.c). */
PyObject *kdf_create(void);

#endif
