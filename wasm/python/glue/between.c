/* C code between two of Python's frames, where a thread leaves the stack: what is known of it is thrown away there, and
 * finished here when the thread has come back, by what it has left on the evaluation stack of the frame before it.
 *
 * `with` that calls __enter__, `for` that calls a generator or a function of iter(function, sentinel), next() of a
 * generator, contextvars.Context.run(), a method that is called with *arguments, and what gives others a turn in the middle
 * of a loop that computes. What it owns is thrown away, too: a `with` leaks its two bound methods. */
#include "between.h"

#include "internal/pycore_code.h"
#include "internal/pycore_genobject.h"
#include "internal/pycore_global_objects.h"
#include "internal/pycore_object.h"
#include "internal/pycore_opcode_metadata.h"
#include "internal/pycore_pyerrors.h"
#include "internal/pycore_runtime.h"
#include "opcode_ids.h"

/* iter(function, sentinel): Objects/iterobject.c. */
typedef struct {
    PyObject_HEAD
    PyObject *callable;
    PyObject *sentinel;
} CallIterator;

extern const struct _PyCode_DEF(8) _Py_InitCleanup;

/* depth_at(code, offset) -> what the evaluation stack holds there, and the instruction's argument. */
static PyObject *depth_at;

static int opcode_of(const _PyInterpreterFrame *frame) { return _PyOpcode_Deopt[frame->instr_ptr->op.code]; }

static PyObject **operand(_PyInterpreterFrame *frame, int from_top)
{
    return &frame->localsplus[frame->stacktop - 1 - from_top];
}

bool between_is_init_check(const _PyInterpreterFrame *frame)
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
static enum kind kind_of(int opcode, int argument, PyObject **top, const _PyInterpreterFrame *above,
                         PyObject *give_way)
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

bool between_look(struct Between *between, PyObject *give_way)
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
                            &before->localsplus[code->co_nlocalsplus + between->depth - 1], between->above, give_way);
    return between->kind != NONE;
}

void between_bridge(const struct Between *between)
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

bool between_deliver(_PyInterpreterFrame *frame, PyObject *result, bool yielded, struct Contexts *contexts)
{
    int opcode = opcode_of(frame), ended;
    PyObject *exit;

    /* A call by the loop itself says where it goes on; what sees to the result of __init__ begins with that. */
    if (frame->return_offset != 0 || between_is_init_check(frame)) {
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
        else if (contexts->count > 1)
            Py_DECREF(contexts->entered[--contexts->count]);
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

PyObject *between_find_depths_by(PyObject *module, PyObject *function)
{
    Py_XSETREF(depth_at, Py_NewRef(function));
    Py_RETURN_NONE;
}
