/* Threads that leave the C stack (stacks.c). */
#include <Python.h>

/* Adds `Stack` and `leave` to a module. Non-zero with an exception set: it could not. */
int stacks_add(PyObject *module);
