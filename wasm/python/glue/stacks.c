/* Threads that leave the C stack where they wait, and come back there.
 *
 * A function of Python that calls another one takes no frame of C: the evaluation loop goes on with the callee's. So a
 * thread is a chain of Python's frames, which lie in memory, over one call of that loop. To leave, this call is thrown
 * away by the host, and the frames stay. To come back, each of them is given to a loop again, the innermost first, with
 * what the one that it called came to. All of it is in memory: it goes on after a checkpoint, too.
 *
 * Where C code lies between two frames (a `key` of sorted()) leaving is refused. Some of it is known, and finished here
 * instead: `with` that calls __enter__, `for` that calls a generator or a function of iter(function, sentinel), next()
 * of a generator, contextvars.Context.run(), a method that is called with *arguments, and what gives others a turn in the
 * middle of a loop that computes. It is thrown away with what it owns: a `with` leaks its two bound methods. */
#define Py_BUILD_CORE 1
#include "stacks.h"

#include <stdbool.h>

#include "internal/pycore_ceval.h"
#include "internal/pycore_code.h"
#include "internal/pycore_frame.h"
#include "internal/pycore_genobject.h"
#include "internal/pycore_global_objects.h"
#include "internal/pycore_obmalloc.h"
#include "internal/pycore_object.h"
#include "internal/pycore_opcode_metadata.h"
#include "internal/pycore_pyerrors.h"
#include "internal/pycore_pystate.h"
#include "internal/pycore_runtime.h"
#include "opcode_ids.h"

#define EXPORT(name) __attribute__((export_name(#name)))
#define IMPORT(name) __attribute__((import_module("sandbox"), import_name(#name)))

/* Of the frames' memory: some 25 of them. CPython adds more where that is too little. */
#define FIRST_CHUNK_BYTES 4096
/* Pieces of C code between a thread's frames, and contexts that it has entered. */
#define MAX_BETWEEN 32

/* Calls sandbox_apart(stack). Non-zero: it was left by host_leave(). */
IMPORT(apart) int host_apart(void *stack);
/* Throws everything away up to the last host_apart(), which returns. */
IMPORT(leave) _Noreturn void host_leave(void);

/* iter(function, sentinel): Objects/iterobject.c. */
typedef struct {
    PyObject_HEAD
    PyObject *callable;
    PyObject *sentinel;
} CallIterator;

extern const struct _PyCode_DEF(8) _Py_InitCleanup;

enum state { NEW, EVALUATING, BETWEEN, AWAY, ENDED };

typedef struct Stack {
    PyObject_HEAD
    PyObject *body;
    enum state state;
    /* Those that are not in a loop, innermost first, up to `last`. */
    _PyInterpreterFrame *frames, *last;
    /* Entered since it began, the first one first: `contexts[0]` is its own. */
    PyObject *contexts[MAX_BETWEEN];
    int entered;
    _PyStackChunk *chunk;
    PyObject **top, **limit;
    _PyErr_StackItem handled, *handling;
    PyObject *outcome;
    /* What it runs on top of. */
    struct Stack *below;
    _PyInterpreterFrame *caller;
} Stack;

enum kind { NONE, WITH, GENERATOR, SENTINEL, NEXT, CONTEXT, METHOD, LOOP };

/* C code between a frame and that of the function that it calls. */
struct Between {
    _PyInterpreterFrame *before, *above;
    int depth, argument;
    enum kind kind;
};

static Stack *running;
/* depth_at(code, offset) -> what the evaluation stack holds there, and the instruction's argument. */
static PyObject *depth_at;
/* give_way(): lets others run; called where a loop begins anew. Those who wait for that, and who lie on the stack. */
static PyObject *give_way, *waiting, *on_stack;

static int opcode_of(const _PyInterpreterFrame *frame) { return _PyOpcode_Deopt[frame->instr_ptr->op.code]; }

static PyObject **operand(_PyInterpreterFrame *frame, int from_top)
{
    return &frame->localsplus[frame->stacktop - 1 - from_top];
}

/* The frame between a class that is called and its __init__. */
static bool is_init_check(const _PyInterpreterFrame *frame)
{
    return frame->f_executable == (PyObject *)&_Py_InitCleanup;
}

static bool is_generator_of(PyObject *object, const _PyInterpreterFrame *frame)
{
    return PyGen_CheckExact(object) && (_PyInterpreterFrame *)((PyGenObject *)object)->gi_iframe == frame;
}

static bool is_function_of(PyObject *callable, const _PyInterpreterFrame *frame)
{
    if (callable != NULL && PyMethod_Check(callable))
        callable = PyMethod_GET_FUNCTION(callable);
    return callable != NULL && callable == frame->f_funcobj;
}

static bool is_builtin(PyObject *callable, const char *name)
{
    return PyCFunction_CheckExact(callable) && strcmp(((PyCFunctionObject *)callable)->m_ml->ml_name, name) == 0;
}

/* What lies between, by what `values`, the top of the evaluation stack being the last, has in it. */
static enum kind kind_of(int opcode, int argument, PyObject **top, const _PyInterpreterFrame *above)
{
    PyObject *callable;

    /* Finalizers are called there, too, by the garbage collector. */
    if (opcode == JUMP_BACKWARD)
        return give_way != NULL && above->f_funcobj == give_way ? LOOP : NONE;
    if (opcode == BEFORE_WITH && above->owner == FRAME_OWNED_BY_THREAD)
        return is_function_of(_PyType_Lookup(Py_TYPE(*top), &_Py_ID(__enter__)), above) ? WITH : NONE;
    if (opcode == FOR_ITER && is_generator_of(*top, above))
        return GENERATOR;
    if (opcode == FOR_ITER && Py_IS_TYPE(*top, &PyCallIter_Type))
        return is_function_of(((CallIterator *)*top)->callable, above) ? SENTINEL : NONE;
    /* What is no tuple has been made one, and is gone. */
    if (opcode == CALL_FUNCTION_EX && !PyTuple_CheckExact(top[-(argument & 1)]))
        return NONE;
    if (opcode == CALL_FUNCTION_EX)
        return PyMethod_Check(top[-2 - (argument & 1)]) && is_function_of(top[-2 - (argument & 1)], above) ? METHOD : NONE;
    if (opcode != CALL || argument < 1 || argument > UINT8_MAX)
        return NONE;
    callable = top[-1 - argument];
    if (argument == 1 && is_builtin(callable, "next") && is_generator_of(*top, above))
        return NEXT;
    if (Py_IS_TYPE(callable, &PyMethodDescr_Type) && top[-argument] != NULL && PyContext_CheckExact(top[-argument]) &&
        strcmp(((PyMethodDescrObject *)callable)->d_method->ml_name, "run") == 0)
        return is_function_of(top[1 - argument], above) ? CONTEXT : NONE;
    return NONE;
}

static int operands_of(int opcode, int argument)
{
    if (opcode == JUMP_BACKWARD)
        return 0;
    return opcode == CALL ? argument + 2 : opcode == CALL_FUNCTION_EX ? 3 + (argument & 1) : 1;
}

/* Finds out what lies between. False: nothing that could be done here; an exception may be set. */
static bool look_between(struct Between *between)
{
    _PyInterpreterFrame *before = between->before;
    int opcode;
    PyObject *found;
    PyCodeObject *code;
    bool known;

    if (before->owner == FRAME_OWNED_BY_CSTACK)
        return false;
    opcode = opcode_of(before);
    if (opcode != BEFORE_WITH && opcode != FOR_ITER && opcode != CALL && opcode != CALL_FUNCTION_EX &&
        opcode != JUMP_BACKWARD)
        return false;
    code = _PyFrame_GetCode(before);
    found = PyObject_CallFunction(depth_at, "Oi", code, _PyInterpreterFrame_LASTI(before) * (int)sizeof(_Py_CODEUNIT));
    known = found != NULL && found != Py_None && PyArg_ParseTuple(found, "ii", &between->depth, &between->argument);
    Py_XDECREF(found);
    if (!known || between->depth < 0 || between->depth > code->co_stacksize)
        return false;
    if (between->depth < operands_of(opcode, between->argument))
        return false;
    between->kind = kind_of(opcode, between->argument,
                            &before->localsplus[code->co_nlocalsplus + between->depth - 1], between->above);
    return between->kind != NONE;
}

/* Links two frames past what lies between, so that the outer one can be given to a loop. */
static void bridge(const struct Between *between)
{
    _PyInterpreterFrame *before = between->before;

    before->stacktop = _PyFrame_GetCode(before)->co_nlocalsplus + between->depth;
    before->return_offset = 0;
    between->above->previous = before;
    if (between->kind == WITH)
        /* Which has given it away already. */
        Py_INCREF(*operand(before, 0));
    else if (between->kind == LOOP)
        /* It is done once more, with what extends its argument. */
        for (int argument = between->argument; argument > UINT8_MAX; argument >>= 8)
            before->instr_ptr--;
    else if (between->kind == GENERATOR)
        before->return_offset = 1 + INLINE_CACHE_ENTRIES_FOR_ITER + between->argument;
}

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
        if (!look_between(&between[count])) {
            if (PyErr_Occurred())
                return NULL;
            Py_RETURN_FALSE;
        }
        if (between[count].kind == CONTEXT)
            entered++;
        above = frame = between[count++].before;
    }
    if (stack->entered + entered > MAX_BETWEEN)
        Py_RETURN_FALSE;
    /* From here on nothing can fail. */
    for (int i = 0; i < count; i++)
        bridge(&between[i]);
    above->previous = stack->frames;
    if (stack->frames == NULL)
        stack->last = above;
    stack->frames = own->previous;
    for (entered = 0; tstate->context != stack->contexts[0]; entered++) {
        contexts[entered] = Py_NewRef(tstate->context);
        PyContext_Exit(contexts[entered]);
    }
    for (int i = 1; i < stack->entered; i++)
        Py_DECREF(stack->contexts[i]);
    stack->entered = 1;
    while (entered > 0)
        stack->contexts[stack->entered++] = contexts[--entered];
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

/* Whether an iterator of iter(function, sentinel) is at its end, which the function has come to; negative: an error. */
static int at_sentinel(CallIterator *iterator, PyObject *result)
{
    int ended;

    if (result == NULL) {
        if (!PyErr_ExceptionMatches(PyExc_StopIteration))
            return -1;
        PyErr_Clear();
        ended = 1;
    } else {
        ended = iterator->sentinel == NULL ? 1 : PyObject_RichCompareBool(iterator->sentinel, result, Py_EQ);
    }
    if (ended > 0) {
        Py_CLEAR(iterator->callable);
        Py_CLEAR(iterator->sentinel);
    }
    return ended;
}

/* For whoever called a function of `iter`: the argument of its instruction, with what extends it. */
static int full_argument(const _PyInterpreterFrame *frame)
{
    const _Py_CODEUNIT *at = frame->instr_ptr, *first = _PyCode_CODE(_PyFrame_GetCode((_PyInterpreterFrame *)frame));
    int argument = at->op.arg;

    for (int shift = 8; at > first && at[-1].op.code == EXTENDED_ARG; shift += 8)
        argument |= (--at)->op.arg << shift;
    return argument;
}

static void pop_operands(_PyInterpreterFrame *frame, int count)
{
    while (count-- > 0)
        Py_XDECREF(_PyFrame_StackPop(frame));
}

static void push(_PyInterpreterFrame *frame, PyObject *value, int instructions)
{
    _PyFrame_StackPush(frame, value);
    frame->instr_ptr += instructions;
}

/* Tells a frame what the function that it called has come to; takes the reference. True: it has to raise. */
static bool deliver(_PyInterpreterFrame *frame, PyObject *result, bool yielded)
{
    int opcode = opcode_of(frame), ended;
    PyObject *exit;

    /* A call by the loop itself says where it goes on; what sees to the result of __init__ begins with that. */
    if (frame->return_offset != 0 || is_init_check(frame)) {
        if (result != NULL)
            push(frame, result, yielded ? 1 + INLINE_CACHE_ENTRIES_SEND : frame->return_offset);
        return result == NULL;
    }
    switch (opcode) {
    case JUMP_BACKWARD:
    case EXTENDED_ARG:
        Py_XDECREF(result);
        return result == NULL;
    case BEFORE_WITH:
        exit = result ? _PyObject_LookupSpecial(*operand(frame, 0), &_Py_ID(__exit__)) : NULL;
        pop_operands(frame, 1);
        if (exit == NULL) {
            if (!PyErr_Occurred())
                PyErr_SetString(PyExc_TypeError, "the context manager has lost its __exit__ method");
            Py_XDECREF(result);
            return true;
        }
        push(frame, exit, 0);
        push(frame, result, 1);
        return false;
    case FOR_ITER:
        ended = at_sentinel((CallIterator *)*operand(frame, 0), result);
        if (ended < 0)
            Py_XDECREF(result);
        if (ended != 0) {
            if (ended < 0)
                return true;
            Py_XDECREF(result);
            frame->instr_ptr += 1 + INLINE_CACHE_ENTRIES_FOR_ITER + full_argument(frame) + 2;
            pop_operands(frame, 1);
            return false;
        }
        push(frame, result, 1 + INLINE_CACHE_ENTRIES_FOR_ITER);
        return false;
    case CALL_FUNCTION_EX:
        if (result == NULL)
            return true;
        pop_operands(frame, operands_of(opcode, frame->instr_ptr->op.arg));
        push(frame, result, 1);
        return false;
    default:
        break;
    }
    /* A call of next(), or of a context's run(). */
    int arguments = frame->instr_ptr->op.arg;
    bool is_next = is_builtin(*operand(frame, arguments + 1), "next");
    if (!is_next) {
        PyObject *context = *operand(frame, arguments);
        if (PyContext_Exit(context) < 0)
            Py_CLEAR(result);
        else if (running->entered > 1)
            Py_DECREF(running->contexts[--running->entered]);
    } else if (result != NULL && !yielded) {
        if (result == Py_None)
            PyErr_SetNone(PyExc_StopIteration);
        else
            _PyGen_SetStopIterationValue(result);
        Py_CLEAR(result);
    }
    if (result == NULL)
        return true;
    pop_operands(frame, operands_of(CALL, arguments));
    push(frame, result, 1 + INLINE_CACHE_ENTRIES_CALL);
    return false;
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
        raises = deliver(frame, result, yielded);
        tstate->current_frame = outer;
        if (raises && is_init_check(frame)) {
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
    for (entered = 0; entered < self->entered; entered++) {
        if (PyContext_Enter(self->contexts[entered]) == 0)
            continue;
        while (entered > 0)
            PyContext_Exit(self->contexts[--entered]);
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
    PyContext_Exit(self->contexts[0]);
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
    while (self->entered > 0)
        Py_DECREF(self->contexts[--self->entered]);
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
    self->contexts[0] = Py_NewRef(context);
    self->entered = 1;
    return (PyObject *)self;
}

static PyObject *find_depths_by(PyObject *module, PyObject *function)
{
    Py_XSETREF(depth_at, Py_NewRef(function));
    Py_RETURN_NONE;
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
    {"find_depths_by", find_depths_by, METH_O, "find_depths_by(function(code, offset) -> (depth, argument) or None)."},
    {NULL, NULL, 0, NULL},
};

int stacks_add(PyObject *module)
{
    PyObject *type = PyType_FromSpec(&spec);
    int failed = type == NULL || PyModule_AddObjectRef(module, "Stack", type) < 0 || PyModule_AddFunctions(module, functions) < 0;

    Py_XDECREF(type);
    return failed;
}
