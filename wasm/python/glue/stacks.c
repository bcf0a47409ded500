/* Threads that leave the C stack where they wait, and come back there.
 *
 * A function of Python that calls another one takes no frame of C: the evaluation loop goes on with the callee's. So a
 * thread is a chain of Python's frames, which lie in memory, over one call of that loop. To leave, this call is thrown
 * away by the host, and the frames stay. To come back, each of them is given to a loop again, the innermost first, with
 * what the one that it called came to. All of it is in memory: it goes on after a checkpoint, too.
 *
 * Where C code lies between two frames (a `key` of sorted()) leaving is refused, unless it is known (between.c). It is
 * thrown away with what it owns. */
#define Py_BUILD_CORE 1
#include "stacks.h"

#include "between.h"
#include "internal/pycore_ceval.h"
#include "internal/pycore_genobject.h"
#include "internal/pycore_obmalloc.h"
#include "internal/pycore_pystate.h"

#define EXPORT(name) __attribute__((export_name(#name)))
#define IMPORT(name) __attribute__((import_module("sandbox"), import_name(#name)))

/* Of the frames' memory: some 25 of them. CPython adds more where that is too little. */
#define FIRST_CHUNK_BYTES 4096

/* Calls sandbox_apart(stack). Non-zero: it was left by host_leave(). */
IMPORT(apart) int host_apart(void *stack);
/* Throws everything away up to the last host_apart(), which returns. */
IMPORT(leave) _Noreturn void host_leave(void);

enum state { NEW, EVALUATING, BETWEEN, AWAY, ENDED };

typedef struct Stack {
    PyObject_HEAD
    PyObject *body;
    enum state state;
    /* Those that are not in a loop, innermost first, up to `last`. */
    _PyInterpreterFrame *frames, *last;
    struct Contexts contexts;
    _PyStackChunk *chunk;
    PyObject **top, **limit;
    _PyErr_StackItem handled, *handling;
    PyObject *outcome;
    /* What it runs on top of. */
    struct Stack *below;
    _PyInterpreterFrame *caller;
} Stack;

static Stack *running;
/* give_way(): lets others run; called where a loop begins anew. Those who wait for that, and who lie on the stack. */
static PyObject *give_way, *waiting, *on_stack;

static PyObject *leave(PyObject *module, PyObject *unused)
{
    PyThreadState *tstate = PyThreadState_Get();
    Stack *stack = running;
    _PyInterpreterFrame *own = tstate->current_frame, *frame = own->previous, *above = own, *end;
    struct Between between[MAX_BETWEEN];
    int count = 0;
    PyObject *contexts[MAX_BETWEEN];
    int entered = 0;

    if (stack == NULL || stack->state != EVALUATING || tstate->c_tracefunc != NULL || tstate->c_profilefunc != NULL)
        Py_RETURN_FALSE;
    if (own->owner != FRAME_OWNED_BY_THREAD || frame->owner == FRAME_OWNED_BY_CSTACK)
        Py_RETURN_FALSE;
    end = stack->frames != NULL ? stack->frames : stack->caller;
    for (; frame != end; frame = frame->previous) {
        if (frame->owner != FRAME_OWNED_BY_CSTACK) {
            above = frame;
            continue;
        }
        if (frame->previous == end)
            break;
        if (count == MAX_BETWEEN || entered == MAX_BETWEEN - 1)
            Py_RETURN_FALSE;
        between[count] = (struct Between){.before = frame->previous, .above = above};
        if (!between_look(&between[count], give_way)) {
            if (PyErr_Occurred())
                return NULL;
            Py_RETURN_FALSE;
        }
        if (between[count].kind == CONTEXT)
            entered++;
        above = frame = between[count++].before;
    }
    if (stack->contexts.count + entered > MAX_BETWEEN)
        Py_RETURN_FALSE;
    /* From here on nothing can fail. */
    for (int i = 0; i < count; i++)
        between_bridge(&between[i]);
    above->previous = stack->frames;
    if (stack->frames == NULL)
        stack->last = above;
    /* What it ran on top of goes on without it: f_back would lead there. */
    stack->last->previous = NULL;
    stack->frames = own->previous;
    for (entered = 0; tstate->context != stack->contexts.entered[0]; entered++) {
        contexts[entered] = Py_NewRef(tstate->context);
        PyContext_Exit(contexts[entered]);
    }
    for (int i = 1; i < stack->contexts.count; i++)
        Py_DECREF(stack->contexts.entered[i]);
    stack->contexts.count = 1;
    while (entered > 0)
        stack->contexts.entered[stack->contexts.count++] = contexts[--entered];
    /* This function's own caller is done: of what it evaluates nothing is kept. */
    own->stacktop = _PyFrame_GetCode(own)->co_nlocalsplus;
    tstate->current_frame = own->previous;
    _PyEval_FrameClearAndPop(tstate, own);
    stack->chunk = tstate->datastack_chunk;
    stack->top = tstate->datastack_top;
    stack->limit = tstate->datastack_limit;
    stack->handling = tstate->exc_info;
    stack->state = AWAY;
    host_leave();
}

/* Called by the host, for host_apart(): runs a stack until it ends. */
EXPORT(sandbox_apart) void sandbox_apart(Stack *stack)
{
    PyThreadState *tstate = PyThreadState_Get();
    PyObject *result = NULL;
    bool yielded = false;

    if (stack->state == NEW) {
        stack->state = EVALUATING;
        result = PyObject_CallNoArgs(stack->body);
    } else {
        result = Py_NewRef(Py_True);
        stack->last->previous = stack->caller;
    }
    stack->state = BETWEEN;
    while (stack->frames != NULL) {
        _PyInterpreterFrame *frame = stack->frames, *outer = frame->previous;
        bool raises;

        stack->frames = frame == stack->last ? NULL : outer;
        /* Whatever this runs has this frame below it, and so can't leave. */
        tstate->current_frame = frame;
        raises = between_deliver(frame, result, yielded, &stack->contexts);
        tstate->current_frame = outer;
        if (raises && between_is_init_check(frame)) {
            _PyEval_FrameClearAndPop(tstate, frame);
            result = NULL;
            yielded = false;
            continue;
        }
        PyGenObject *generator = frame->owner == FRAME_OWNED_BY_GENERATOR ? _PyFrame_GetGenerator(frame) : NULL;
        stack->state = EVALUATING;
        result = _PyEval_EvalFrameDefault(tstate, frame, raises);
        stack->state = BETWEEN;
        yielded = generator != NULL && result != NULL && FRAME_STATE_SUSPENDED(generator->gi_frame_state);
    }
    stack->outcome = result;
    stack->chunk = tstate->datastack_chunk;
    stack->state = ENDED;
}

/* What of a thread's state is of what it has on the stack. */
struct Kept {
    _PyInterpreterFrame *frame;
    _PyStackChunk *chunk;
    PyObject **top, **limit;
    _PyErr_StackItem *handling;
    int c_recursion, py_recursion;
};

static struct Kept exchange(PyThreadState *tstate, Stack *stack)
{
    struct Kept kept = {
        tstate->current_frame,    tstate->datastack_chunk,      tstate->datastack_top,       tstate->datastack_limit,
        tstate->exc_info,         tstate->c_recursion_remaining, tstate->py_recursion_remaining,
    };
    tstate->datastack_chunk = stack->chunk;
    tstate->datastack_top = stack->top;
    tstate->datastack_limit = stack->limit;
    tstate->exc_info = stack->handling;
    return kept;
}

static void put_back(PyThreadState *tstate, struct Kept kept)
{
    tstate->current_frame = kept.frame;
    tstate->datastack_chunk = kept.chunk;
    tstate->datastack_top = kept.top;
    tstate->datastack_limit = kept.limit;
    tstate->exc_info = kept.handling;
    tstate->c_recursion_remaining = kept.c_recursion;
    tstate->py_recursion_remaining = kept.py_recursion;
}

static int make_chunk(Stack *stack)
{
    _PyStackChunk *chunk = _PyObject_VirtualAlloc(FIRST_CHUNK_BYTES);

    if (chunk == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    chunk->previous = NULL;
    chunk->size = FIRST_CHUNK_BYTES;
    chunk->top = 0;
    stack->chunk = chunk;
    /* CPython frees a chunk with the frame at its beginning, but for the first. */
    stack->top = &chunk->data[1];
    stack->limit = (PyObject **)((char *)chunk + FIRST_CHUNK_BYTES);
    stack->handling = &stack->handled;
    return 0;
}

static void free_chunks(Stack *stack)
{
    while (stack->chunk != NULL) {
        _PyStackChunk *chunk = stack->chunk;
        stack->chunk = chunk->previous;
        _PyObject_VirtualFree(chunk, chunk->size);
    }
}

static PyObject *stack_run(Stack *self, PyObject *unused)
{
    PyThreadState *tstate = PyThreadState_Get();
    int entered, left;

    if (self->state != NEW && self->state != AWAY) {
        PyErr_SetString(PyExc_RuntimeError, "this stack runs, or has ended");
        return NULL;
    }
    if (self->state == NEW && make_chunk(self) < 0)
        return NULL;
    for (entered = 0; entered < self->contexts.count; entered++) {
        if (PyContext_Enter(self->contexts.entered[entered]) == 0)
            continue;
        while (entered > 0)
            PyContext_Exit(self->contexts.entered[--entered]);
        return NULL;
    }
    Py_INCREF(self);
    struct Kept kept = exchange(tstate, self);
    self->caller = kept.frame;
    self->below = running;
    running = self;
    left = host_apart(self);
    running = self->below;
    put_back(tstate, kept);
    PyContext_Exit(self->contexts.entered[0]);
    if (left) {
        Py_DECREF(self);
        Py_RETURN_FALSE;
    }
    free_chunks(self);
    Py_CLEAR(self->body);
    PyObject *outcome = self->outcome;
    self->outcome = NULL;
    Py_DECREF(self);
    if (outcome == NULL)
        return NULL;
    Py_DECREF(outcome);
    Py_RETURN_TRUE;
}

/* Nothing of a thread that never comes back is run, not even its `finally`. */
static void drop_frames(Stack *self)
{
    PyThreadState *tstate = PyThreadState_Get();
    PyObject *raised = PyErr_GetRaisedException();
    struct Kept kept = exchange(tstate, self);

    while (self->frames != NULL) {
        _PyInterpreterFrame *frame = self->frames;
        self->frames = frame == self->last ? NULL : frame->previous;
        _PyEval_FrameClearAndPop(tstate, frame);
    }
    self->chunk = tstate->datastack_chunk;
    put_back(tstate, kept);
    PyErr_SetRaisedException(raised);
}

static void stack_dealloc(Stack *self)
{
    PyTypeObject *type = Py_TYPE(self);

    if (self->state == AWAY)
        drop_frames(self);
    free_chunks(self);
    while (self->contexts.count > 0)
        Py_DECREF(self->contexts.entered[--self->contexts.count]);
    Py_XDECREF(self->body);
    Py_XDECREF(self->handled.exc_value);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyObject *stack_new(PyTypeObject *type, PyObject *args, PyObject *named)
{
    PyObject *body, *context;
    Stack *self;

    if (!PyArg_ParseTuple(args, "OO!:Stack", &body, &PyContext_Type, &context))
        return NULL;
    self = (Stack *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    self->body = Py_NewRef(body);
    self->contexts.entered[0] = Py_NewRef(context);
    self->contexts.count = 1;
    return (PyObject *)self;
}

static PyMethodDef stack_methods[] = {
    {"run", (PyCFunction)stack_run, METH_NOARGS,
     "run() -> whether it ended; if not, it has left the stack, and run() goes on with it."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_new, stack_new},
    {Py_tp_dealloc, stack_dealloc},
    {Py_tp_methods, stack_methods},
    {Py_tp_doc, "Stack(body, context): a function that is called apart, and can leave the stack where it waits."},
    {0, NULL},
};

static PyType_Spec spec = {.name = "_wasmbox.Stack", .basicsize = sizeof(Stack), .slots = slots};

static PyObject *share_turns(PyObject *module, PyObject *args)
{
    PyObject *function, *those_waiting, *those_on_stack;

    if (!PyArg_ParseTuple(args, "O!O!O!:share_turns", &PyFunction_Type, &function, &PyList_Type, &those_waiting,
                          &PyList_Type, &those_on_stack))
        return NULL;
    Py_XSETREF(give_way, Py_NewRef(function));
    Py_XSETREF(waiting, Py_NewRef(those_waiting));
    Py_XSETREF(on_stack, Py_NewRef(those_on_stack));
    Py_RETURN_NONE;
}

bool stacks_give_way(void)
{
    if (give_way == NULL || (PyList_GET_SIZE(waiting) == 0 && PyList_GET_SIZE(on_stack) < 2))
        return true;
    PyObject *result = PyObject_CallNoArgs(give_way);
    Py_XDECREF(result);
    return result != NULL;
}

static PyMethodDef functions[] = {
    {"leave", leave, METH_NOARGS,
     "leave(): leaves the stack, and makes the calling function return True when it is run again. False: it can't."},
    {"share_turns", share_turns, METH_VARARGS,
     "share_turns(give_way, waiting, on_stack): has give_way() called now and then while a program computes and others "
     "wait, or lie below it."},
    {"find_depths_by", between_find_depths_by, METH_O, "find_depths_by(function(code, offset) -> (depth, argument) or None)."},
    {NULL, NULL, 0, NULL},
};

int stacks_add(PyObject *module)
{
    PyObject *type = PyType_FromSpec(&spec);
    int failed = type == NULL || PyModule_AddObjectRef(module, "Stack", type) < 0 || PyModule_AddFunctions(module, functions) < 0;

    Py_XDECREF(type);
    return failed;
}
