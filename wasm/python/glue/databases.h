/* Locks of files (databases.c). */
#include <Python.h>

/* Non-zero: SQLite has no file system that locks. */
int databases_lock(void);
PyObject *databases_lock_file(PyObject *module, PyObject *args);
