/* Two connections to one file of SQLite's lock each other out, as on other machines. Its file system "unix" keeps, for
 * each file, which of its own connections has what lock, and asks the system only against other processes: there are
 * none. The default that it is built with, "unix-none", would let one connection take another's journal for one that
 * nobody has. */
#include <Python.h>
#include <fcntl.h>
#include <stdarg.h>

#include "databases.h"

/* What wasi-libc lacks, by the numbers that SQLite was compiled with. */
#define GET_LOCK 12
#define SET_LOCK 13
#define UNLOCKED 2

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

int __wrap_fcntl(int fd, int command, ...)
{
    va_list rest;

    va_start(rest, command);
    if (command == GET_LOCK)
        va_arg(rest, struct flock *)->l_type = UNLOCKED;
    int result = command == GET_LOCK || command == SET_LOCK ? 0 : __real_fcntl(fd, command, va_arg(rest, int));
    va_end(rest);
    return result;
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
