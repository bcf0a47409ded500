/* Threads that leave the C stack (stacks.c). */
#include <Python.h>
#include <stdbool.h>

/* Adds `Stack` and `leave` to a module. Non-zero with an exception set: it could not. */
int stacks_add(PyObject *module);

/* Lets other threads run, if there are any. False with an exception set: it shall be raised. */
bool stacks_give_way(void);
