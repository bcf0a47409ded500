/* The C half of the glue: one interpreter that stays alive between the host's calls, and the module `_wasmbox` that the
 * Python half (_wasmbox_glue.py) is written on.
 *
 * A stop asked for by the host becomes a KeyboardInterrupt only inside call_interruptible(): never in the glue itself,
 * whose state would suffer, and never in a later run. */
#include <Python.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "capsules.h"
#include "databases.h"
#include "errors.h"
#include "options.h"
#include "program.h"
#include "stacks.h"
#include "zone.h"

#define EXPORT(name) __attribute__((export_name(#name)))
#define IMPORT(name) __attribute__((import_module("sandbox"), import_name(#name)))

/* Checks of the evaluation loop between two questions to the host. */
#define POLL_INTERVAL 10000
#define POLLED_INTERRUPT 1
#define POLLED_SIGNAL 2
/* Of these, what one check for signals in C code counts: there is more work between two of those. */
#define SIGNAL_CHECK_COST 500

/* Held back from a program and given to the glue after it: an uncaught MemoryError can be told about, and the next
 * program, say a `del`, can be compiled. Two of pymalloc's arenas. */
#define RESERVE_BYTES (2 * 1024 * 1024 + 4096)

/* Frames of C that fit 3,600 KiB of V8's stack; CPython's own limit for WASI was measured on wasmtime. The first that do
 * not, of some thirty ways to recur: 5,598 groups of exceptions within each other, not optimised yet, and 2,548 sort keys
 * that sort, each of which counts three times. A function with functools.cache counts three times, too. Between requests,
 * that is: each tells how many there are where it runs. */
#define C_RECURSION_LIMIT 4000

/* A moment of the monotonic clock. */
#define LONG_AGO 1e-9
/* Polls between two turns of threads that compute: some five milliseconds. */
#define POLLS_PER_TURN 8
/* Checks until one that could not be given is tried again: most are not where a loop begins anew. */
#define TURN_RETRY 7

/* Bits of POLLED_INTERRUPT: the running program shall be interrupted now; and POLLED_SIGNAL: signals have come for it. */
IMPORT(poll) int host_poll(void);
/* Asks the host for an operation; `data` goes beside the request. The length of its answer; negative, minus one: of its
 * error message. */
IMPORT(host_call) int host_call(const char *operation, size_t operation_length, const char *request, size_t length,
                                const char *data, size_t size);
/* Copies the answer or error message of the last host_call to `target`. */
IMPORT(host_reply) void host_reply(char *target);
/* The length of the bytes beside that answer, and they themselves. */
IMPORT(host_reply_size) size_t host_reply_size(void);
IMPORT(host_reply_bytes) void host_reply_bytes(char *target);

PyObject *PyInit__ctypes(void);
/* Of modules that are linked with science's packages. */
__attribute__((weak)) void add_science(void);

int sandbox_clock = POLL_INTERVAL;

static int interruptible;
static int pending;
static int interrupts;
static int polls;
/* Raised by what was called in the middle of the evaluation loop. */
static PyObject *untold;
/* signal.setitimer's: when it rings, in seconds of the monotonic clock, and what for; 0: never. */
static double alarm_at, alarm_interval;
static PyObject *alarm_rings;
/* It rings for signals of others. */
static int signalled;
static void *reserve;
static PyObject *execute;
static PyObject *answer;

static int deliver_interrupt(void *unused)
{
    if (!pending)
        return 0;
    pending = 0;
    interrupts++;
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    return -1;
}

/* Called by the host from within an import, when it ends a wait early. */
EXPORT(sandbox_interrupt) void sandbox_interrupt(void)
{
    if (interruptible && !pending && Py_AddPendingCall(deliver_interrupt, NULL) == 0)
        pending = 1;
}

static double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + now.tv_nsec / 1e9;
}

static int ring_alarm(void *unused)
{
    PyObject *result;

    if (!interruptible || alarm_at == 0 || seconds_now() < alarm_at)
        return 0;
    alarm_at = alarm_interval > 0 ? seconds_now() + alarm_interval : 0;
    signalled = 0;
    result = PyObject_CallNoArgs(alarm_rings);
    Py_XDECREF(result);
    return result == NULL ? -1 : 0;
}

/* Called by the host where signals have come, until the program has taken them: they ring as the alarm does. */
EXPORT(sandbox_signalled) void sandbox_signalled(void)
{
    if (!interruptible || alarm_rings == NULL)
        return;
    /* Without a look at the clock, after which the host would call again. */
    alarm_at = LONG_AGO;
    signalled = 1;
    Py_AddPendingCall(ring_alarm, NULL);
}

static void poll(void)
{
    sandbox_clock = POLL_INTERVAL;
    if (!interruptible)
        return;
    int polled = host_poll();
    if (polled & POLLED_INTERRUPT)
        sandbox_interrupt();
    if (polled & POLLED_SIGNAL)
        sandbox_signalled();
    if (alarm_at != 0 && seconds_now() >= alarm_at)
        Py_AddPendingCall(ring_alarm, NULL);
}

static int raise_untold(void *unused)
{
    if (untold == NULL)
        return 0;
    PyErr_SetRaisedException(untold);
    untold = NULL;
    return -1;
}

/* Called by the evaluation loop (patches/eval-loop-poll.patch). */
void sandbox_poll_slow(void)
{
    poll();
    if (!interruptible || ++polls < POLLS_PER_TURN)
        return;
    polls = 0;
    if (stacks_give_way())
        return;
    Py_XSETREF(untold, PyErr_GetRaisedException());
    Py_AddPendingCall(raise_untold, NULL);
}

/* Called by C code that runs long and checks for signals now and then: regular expressions, big integers. -1 with an
 * exception set: it shall give up. */
int sandbox_check_signals(void)
{
    sandbox_clock -= SIGNAL_CHECK_COST;
    if (sandbox_clock < 0)
        poll();
    if (deliver_interrupt(NULL) < 0)
        return -1;
    return signalled ? ring_alarm(NULL) : 0;
}

/* KeyboardInterrupts that reached the program since sandbox_exec began. */
EXPORT(sandbox_interrupts) int sandbox_interrupts(void) { return interrupts; }

static PyObject *call_interruptible(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    PyThreadState *tstate = PyThreadState_Get();
    PyObject *result;

    if (count < 1 || interruptible) {
        PyErr_SetString(PyExc_RuntimeError, "call_interruptible(callable, *args) does not nest");
        return NULL;
    }
    interruptible = 1;
    result = PyObject_Vectorcall(args[0], args + 1, count - 1, NULL);
    interruptible = 0;
    /* What did not arrive in time is void. The pending calls themselves may stay in CPython's queue. */
    pending = 0;
    alarm_at = 0;
    Py_CLEAR(untold);
    free(reserve);
    reserve = NULL;
    /* A program's tracer must not run in the glue, nor in the next run. */
    if (tstate->c_tracefunc != NULL)
        PyEval_SetTrace(NULL, NULL);
    if (tstate->c_profilefunc != NULL)
        PyEval_SetProfile(NULL, NULL);
    return result;
}

static PyObject *compile_program(PyObject *module, PyObject *args)
{
    PyObject *source, *filename, *result_name;

    if (!PyArg_ParseTuple(args, "UUU:compile_program", &source, &filename, &result_name))
        return NULL;
    return program_compile(source, filename, result_name);
}

static PyObject *hold_reserve(PyObject *module, PyObject *unused)
{
    if (reserve == NULL)
        reserve = malloc(RESERVE_BYTES);
    Py_RETURN_NONE;
}

static PyObject *evaluate(PyObject *module, PyObject *args)
{
    PyObject *code, *globals;

    if (!PyArg_ParseTuple(args, "O!O!:evaluate", &PyCode_Type, &code, &PyDict_Type, &globals))
        return NULL;
    return PyEval_EvalCode(code, globals, globals);
}

static PyObject *call_host(PyObject *module, PyObject *args)
{
    const char *operation;
    Py_ssize_t operation_length;
    Py_buffer request, data = {NULL};
    PyObject *reply, *beside;
    int size;

    if (!PyArg_ParseTuple(args, "s#y*|y*:host_call", &operation, &operation_length, &request, &data))
        return NULL;
    size = host_call(operation, operation_length, request.buf, request.len, data.buf, data.len);
    PyBuffer_Release(&request);
    PyBuffer_Release(&data);
    reply = PyBytes_FromStringAndSize(NULL, size < 0 ? -(size + 1) : size);
    if (reply == NULL)
        return NULL;
    host_reply(PyBytes_AS_STRING(reply));
    if (size >= 0) {
        beside = PyBytes_FromStringAndSize(NULL, host_reply_size());
        if (beside == NULL) {
            Py_DECREF(reply);
            return NULL;
        }
        host_reply_bytes(PyBytes_AS_STRING(beside));
        return Py_BuildValue("NN", reply, beside);
    }
    /* A stop ended the wait: the program must see the interrupt, not an error that it might take for its own. */
    if (pending && Py_MakePendingCalls() < 0) {
        Py_DECREF(reply);
        return NULL;
    }
    PyObject *message = PyUnicode_DecodeUTF8(PyBytes_AS_STRING(reply), PyBytes_GET_SIZE(reply), "replace");
    Py_DECREF(reply);
    if (message != NULL)
        PyErr_SetObject(PyExc_OSError, message);
    Py_XDECREF(message);
    return NULL;
}

static PyObject *memory_bytes(PyObject *module, PyObject *unused)
{
    return PyLong_FromSize_t((size_t)__builtin_wasm_memory_size(0) * 65536);
}

static PyObject *descriptor_flags(PyObject *module, PyObject *args)
{
    int fd, flags = -1;

    if (!PyArg_ParseTuple(args, "i|i:descriptor_flags", &fd, &flags))
        return NULL;
    int result = flags < 0 ? fcntl(fd, F_GETFL) : fcntl(fd, F_SETFL, flags);
    return result < 0 ? PyErr_SetFromErrno(PyExc_OSError) : PyLong_FromLong(result);
}

static PyObject *set_zone(PyObject *module, PyObject *args)
{
    Py_buffer moments, offsets;
    int failed = 1;

    if (!PyArg_ParseTuple(args, "y*y*:set_zone", &moments, &offsets))
        return NULL;
    size_t count = moments.len / sizeof(int64_t);
    if (moments.len % sizeof(int64_t) || (size_t)offsets.len != (count + 1) * sizeof(struct posix_offset))
        PyErr_SetString(PyExc_ValueError, "set_zone(moments, offsets) takes one offset more than moments");
    else if (posix_set_zone(count, moments.buf, offsets.buf) < 0)
        PyErr_NoMemory();
    else
        failed = 0;
    PyBuffer_Release(&moments);
    PyBuffer_Release(&offsets);
    if (failed)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *set_alarm(PyObject *module, PyObject *args)
{
    double delay, interval, left = alarm_at != 0 ? alarm_at - seconds_now() : 0, before = alarm_interval;
    PyObject *rings;

    if (!PyArg_ParseTuple(args, "ddO:set_alarm", &delay, &interval, &rings))
        return NULL;
    alarm_at = delay > 0 ? seconds_now() + delay : 0;
    alarm_interval = interval;
    Py_XSETREF(alarm_rings, Py_NewRef(rings));
    return Py_BuildValue("dd", left > 0 ? left : 0, before);
}

/* For who waits outside of the evaluation loop. */
static PyObject *check_alarm(PyObject *module, PyObject *unused)
{
    if (ring_alarm(NULL) < 0)
        return NULL;
    return PyFloat_FromDouble(alarm_at);
}

static PyObject *turn_soon(PyObject *module, PyObject *unused)
{
    polls = POLLS_PER_TURN;
    sandbox_clock = TURN_RETRY;
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"call_interruptible", _PyCFunction_CAST(call_interruptible), METH_FASTCALL,
     "call_interruptible(callable, *args): calls it; only meanwhile a stop raises KeyboardInterrupt."},
    {"compile_program", compile_program, METH_VARARGS,
     "compile_program(source, filename, result_name): code that assigns a trailing expression to result_name."},
    {"evaluate", evaluate, METH_VARARGS, "evaluate(code, globals): runs code; of a coroutine's gives the coroutine."},
    {"descriptor_flags", descriptor_flags, METH_VARARGS,
     "descriptor_flags(fd[, flags]): as fcntl with F_GETFL, or F_SETFL where flags are given."},
    {"memory_bytes", memory_bytes, METH_NOARGS, "memory_bytes() -> what the heap has grown to."},
    {"set_alarm", set_alarm, METH_VARARGS,
     "set_alarm(delay, interval, rings) -> those before: has rings() called when the time has come; 0: never."},
    {"check_alarm", check_alarm, METH_NOARGS, "check_alarm() -> when it rings next, monotonic; 0: never. Rings if it is time."},
    {"turn_soon", turn_soon, METH_NOARGS, "turn_soon(): has give_way() called again soon (share_turns)."},
    {"lock", databases_lock_file, METH_VARARGS,
     "lock(fd, whole, part, mode, start, length) -> what keeps one from it: 0: shared, 1: exclusive, 2: nothing."},
    {"set_zone", set_zone, METH_VARARGS, "set_zone(moments, offsets): the local time zone (posix/zone.h)."},
    {"hold_reserve", hold_reserve, METH_NOARGS,
     "hold_reserve(): keeps some memory from the program until call_interruptible returns."},
    {"host_call", call_host, METH_VARARGS, "host_call(operation, request: bytes, data: bytes = b'') -> (answer, data). OSError if refused."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "_wasmbox", .m_size = -1, .m_methods = methods};

static PyObject *create_module(void)
{
    PyObject *module = PyModule_Create(&definition);

    if (module != NULL && (stacks_add(module) != 0 || capsules_add(module) != 0 || options_add(module) != 0))
        Py_CLEAR(module);
    return module;
}

static PyStatus initialize(void)
{
    PyPreConfig preconfig;
    PyConfig config;
    PyStatus status;

    PyPreConfig_InitIsolatedConfig(&preconfig);
    preconfig.utf8_mode = 1;
    status = Py_PreInitialize(&preconfig);
    if (PyStatus_Exception(status))
        return status;
    PyConfig_InitIsolatedConfig(&config);
    config.install_signal_handlers = 0;
    config.site_import = 0;
    config.write_bytecode = 0;
    config.pathconfig_warnings = 0;
    /* The seed would be frozen in the image anyway. */
    config.use_hash_seed = 1;
    config.hash_seed = 0;
    config.module_search_paths_set = 1;
    PyWideStringList_Append(&config.module_search_paths, L"/app");
    PyWideStringList_Append(&config.module_search_paths, L"/usr/lib/python313.zip");
    PyConfig_SetString(&config, &config.home, L"/usr");
    PyConfig_SetString(&config, &config.stdlib_dir, L"/usr/lib/python3.13");
    PyConfig_SetString(&config, &config.program_name, L"python");
    PyConfig_SetString(&config, &config.executable, L"/usr/bin/python3");
    PyConfig_SetString(&config, &config.stdio_encoding, L"utf-8");
    /* Nothing a program prints is lost: what UTF-8 can't say comes as \udc80. */
    PyConfig_SetString(&config, &config.stdio_errors, L"backslashreplace");
    status = Py_InitializeFromConfig(&config);
    PyConfig_Clear(&config);
    return status;
}

/* Boots the interpreter and imports the glue. Non-zero: it could not; stderr has why. */
EXPORT(sandbox_init) int sandbox_init(void)
{
    PyStatus status;
    PyObject *glue;

    PyImport_AppendInittab("_wasmbox", create_module);
    PyImport_AppendInittab("_wasmbox_kdf", kdf_create);
    PyImport_AppendInittab("_ctypes", PyInit__ctypes);
    if (add_science)
        add_science();
    status = initialize();
    if (PyStatus_Exception(status)) {
        fprintf(stderr, "%s: %s\n", status.func ? status.func : "init", status.err_msg ? status.err_msg : "failed");
        return 1;
    }
    PyThreadState_Get()->c_recursion_remaining -= Py_C_RECURSION_LIMIT - C_RECURSION_LIMIT;
    if (databases_lock() != 0)
        return 3;
    glue = errors_renumber() == 0 ? PyImport_ImportModule("_wasmbox_glue") : NULL;
    execute = glue ? PyObject_GetAttrString(glue, "execute") : NULL;
    if (execute == NULL) {
        PyErr_Print();
        return 2;
    }
    return 0;
}

/* Gives a request to the glue, which may have so many frames of C on the stack. 0: sandbox_result_ptr and _len have its answer; 1: the glue failed, and they have the
 * type of its exception; 2: it ran out of memory. */
EXPORT(sandbox_exec) int sandbox_exec(const char *request, size_t length, int c_frames)
{
    PyThreadState *tstate = PyThreadState_Get();
    PyObject *bytes, *raised;
    int outcome;

    interrupts = 0;
    /* Where the first look comes must not depend on what ran before, such as the making of the image. */
    sandbox_clock = POLL_INTERVAL;
    Py_CLEAR(answer);
    tstate->c_recursion_remaining = c_frames;
    bytes = PyBytes_FromStringAndSize(request, length);
    answer = bytes ? PyObject_CallOneArg(execute, bytes) : NULL;
    Py_XDECREF(bytes);
    tstate->c_recursion_remaining = C_RECURSION_LIMIT; /* no image is to tell where it was made */
    if (answer != NULL && PyBytes_CheckExact(answer))
        return 0;
    raised = PyErr_GetRaisedException();
    outcome = raised != NULL && PyErr_GivenExceptionMatches(raised, PyExc_MemoryError) ? 2 : 1;
    Py_XSETREF(answer, PyBytes_FromString(raised ? Py_TYPE(raised)->tp_name : "no answer"));
    Py_XDECREF(raised);
    PyErr_Clear();
    return outcome;
}

EXPORT(sandbox_result_ptr) const char *sandbox_result_ptr(void) { return answer ? PyBytes_AS_STRING(answer) : NULL; }

EXPORT(sandbox_result_len) size_t sandbox_result_len(void) { return answer ? (size_t)PyBytes_GET_SIZE(answer) : 0; }
