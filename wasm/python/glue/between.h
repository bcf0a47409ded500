/* C code between two of Python's frames (between.c). */
#define Py_BUILD_CORE 1
#include <Python.h>
#include <stdbool.h>

#include "internal/pycore_frame.h"

/* Pieces of C code between a thread's frames, and contexts that it has entered. */
#define MAX_BETWEEN 32

enum kind { NONE, WITH, GENERATOR, SENTINEL, NEXT, CONTEXT, METHOD, LOOP };

/* C code between a frame and that of the function that it calls. */
struct Between {
    _PyInterpreterFrame *before, *above;
    int depth, argument;
    enum kind kind;
};

/* Those that a thread has entered since it began, the first one first: `entered[0]` is its own. */
struct Contexts {
    PyObject *entered[MAX_BETWEEN];
    int count;
};

/* The frame between a class that is called and its __init__. */
bool between_is_init_check(const _PyInterpreterFrame *frame);

/* Finds out what lies between. False: nothing that could be done here; an exception may be set. `give_way`: the function
 * that lets others run, which lies above a loop that it is called from. */
bool between_look(struct Between *between, PyObject *give_way);

/* Links two frames past what lies between, so that the outer one can be given to a loop. */
void between_bridge(const struct Between *between);

/* Tells a frame what the function that it called has come to; takes the reference. True: it has to raise. */
bool between_deliver(_PyInterpreterFrame *frame, PyObject *result, bool yielded, struct Contexts *contexts);

/* find_depths_by(function(code, offset) -> (depth, argument) or None), of a module. */
PyObject *between_find_depths_by(PyObject *module, PyObject *function);
