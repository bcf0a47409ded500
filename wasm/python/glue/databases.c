/* Two connections to one file of SQLite's lock each other out, as on other machines. Its file system "unix" keeps, for
 * each file, which of its own connections has what lock, and asks the system against other processes: those are programs
 * of the session with interpreters of their own (src/wasi/locks.ts). The default that it is built with, "unix-none",
 * would let one connection take another's journal for one that nobody has. */
#include <Python.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>

#include "databases.h"

/* What wasi-libc lacks, by the numbers that SQLite was compiled with. */
#define GET_LOCK 12
#define SET_LOCK 13
#define UNLOCKED 2
/* It is only asked what keeps one from a lock. */
#define PROBE 16

/* Gives an error number of WASI's; `result` gets the mode of what keeps one from the lock. */
__attribute__((import_module("posix"), import_name("fd_lock")))
int posix_fd_lock(int fd, int whole, int part, int mode, int64_t start, int64_t length, int *result);

/* The beginning of what sqlite3.h has by that name. */
typedef struct sqlite3_vfs sqlite3_vfs;
struct sqlite3_vfs {
    int version, file_size, max_path;
    sqlite3_vfs *next;
    const char *name;
    void *data;
    void (*before_sleep[9])(void);
    int (*sleep)(sqlite3_vfs *vfs, int microseconds);
};

sqlite3_vfs *sqlite3_vfs_find(const char *name);
int sqlite3_vfs_register(sqlite3_vfs *vfs, int makes_default);

/* sandbox.c */
void sandbox_interrupt(void);

int __real_fcntl(int fd, int command, int argument);

/* SQLite counts from the beginning of a file. */
static int lock_range(int fd, int command, struct flock *lock)
{
    int other, mode = command == GET_LOCK ? lock->l_type | PROBE : lock->l_type;
    int error = posix_fd_lock(fd, 0, 0, mode, lock->l_start, lock->l_len, &other);

    if (command == GET_LOCK && error == 0)
        lock->l_type = other;
    if (error == 0)
        return 0;
    errno = error;
    return -1;
}

int __wrap_fcntl(int fd, int command, ...)
{
    va_list rest;
    int result;

    va_start(rest, command);
    if (command == GET_LOCK || command == SET_LOCK)
        result = lock_range(fd, command, va_arg(rest, struct flock *));
    else
        result = __real_fcntl(fd, command, va_arg(rest, int));
    va_end(rest);
    return result;
}

/* lock(fd, whole, part, mode, start, length) -> the mode of what keeps one from it; 2: nothing does. With PROBE in the
 * mode it is only asked for. */
PyObject *databases_lock_file(PyObject *module, PyObject *args)
{
    int fd, whole, part, mode, other;
    long long start, length;

    if (!PyArg_ParseTuple(args, "iiiiLL:lock", &fd, &whole, &part, &mode, &start, &length))
        return NULL;
    int error = posix_fd_lock(fd, whole, part, mode, start, length, &other);
    if (error == 0 || error == EAGAIN)
        return PyLong_FromLong(other);
    errno = error;
    return PyErr_SetFromErrno(PyExc_OSError);
}

/* Who waits for a lock lets the other threads run: one of them may have it. */
static int sleep_meanwhile(sqlite3_vfs *vfs, int microseconds)
{
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *scheduler = PyImport_ImportModule("_wasmbox_scheduler");
    PyObject *waited = scheduler ? PyObject_CallMethod(scheduler, "doze", "d", microseconds / 1e6) : NULL;

    /* SQLite can't be told: it gives up soon, and the program is interrupted then. */
    if (waited == NULL && PyErr_ExceptionMatches(PyExc_KeyboardInterrupt))
        sandbox_interrupt();
    PyErr_Clear();
    Py_XDECREF(waited);
    Py_XDECREF(scheduler);
    PyGILState_Release(state);
    return microseconds;
}

int databases_lock(void)
{
    sqlite3_vfs *vfs = sqlite3_vfs_find("unix");

    if (vfs == NULL)
        return -1;
    vfs->sleep = sleep_meanwhile;
    return sqlite3_vfs_register(vfs, 1);
}
