/* Threads that leave the C stack (stacks.c). */
#include <Python.h>
#include <stdbool.h>

/* Frames of C that fit the stack of a thread of the host's (executor: --stack-size); CPython's own limit for WASI was
 * measured on wasmtime. The first that do not, of some thirty ways to recur: 5,598 groups of exceptions within each other,
 * not optimised yet, and 2,548 sort keys that sort, each of which counts three times. A function with functools.cache
 * counts three times, too. */
#define C_RECURSION_LIMIT 4000
/* As many as CPython has elsewhere, on a stack of its own (executor: --wasm-stack-switching-stack-size). */
#define OWN_STACK_RECURSION_LIMIT 10000

/* Adds `Stack` and `leave` to a module. Non-zero with an exception set: it could not. */
int stacks_add(PyObject *module);

/* Lets other threads run, if there are any. False with an exception set: it shall be raised. */
bool stacks_give_way(void);
