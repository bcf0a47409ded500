/* Errors of the system as programs know them: with Linux's numbers and words, not those of WASI, in what Python raises
 * (link.sh puts the functions below in the place of CPython's), in the module errno and in os.strerror. */
#define Py_BUILD_CORE 1
#include <Python.h>
#include <errno.h>

#include "errors.h"
#include "internal/pycore_interp.h"

/* What WASI can't say. */
#define NONE -1

/* Where names share a number, errno.errorcode has the last of them. */
static const struct {
    int here;
    int number;
    const char *name;
    const char *words;
} table[] = {
    {EPERM, 1, "EPERM", "Operation not permitted"},
    {ENOENT, 2, "ENOENT", "No such file or directory"},
    {ESRCH, 3, "ESRCH", "No such process"},
    {EINTR, 4, "EINTR", "Interrupted system call"},
    {EIO, 5, "EIO", "Input/output error"},
    {ENXIO, 6, "ENXIO", "No such device or address"},
    {E2BIG, 7, "E2BIG", "Argument list too long"},
    {ENOEXEC, 8, "ENOEXEC", "Exec format error"},
    {EBADF, 9, "EBADF", "Bad file descriptor"},
    {ECHILD, 10, "ECHILD", "No child processes"},
    {EWOULDBLOCK, 11, "EWOULDBLOCK", "Resource temporarily unavailable"},
    {EAGAIN, 11, "EAGAIN", "Resource temporarily unavailable"},
    {ENOMEM, 12, "ENOMEM", "Cannot allocate memory"},
    {EACCES, 13, "EACCES", "Permission denied"},
    {EFAULT, 14, "EFAULT", "Bad address"},
    {NONE, 15, "ENOTBLK", "Block device required"},
    {EBUSY, 16, "EBUSY", "Device or resource busy"},
    {EEXIST, 17, "EEXIST", "File exists"},
    {EXDEV, 18, "EXDEV", "Invalid cross-device link"},
    {ENODEV, 19, "ENODEV", "No such device"},
    {ENOTDIR, 20, "ENOTDIR", "Not a directory"},
    {EISDIR, 21, "EISDIR", "Is a directory"},
    {EINVAL, 22, "EINVAL", "Invalid argument"},
    {ENFILE, 23, "ENFILE", "Too many open files in system"},
    {EMFILE, 24, "EMFILE", "Too many open files"},
    {ENOTTY, 25, "ENOTTY", "Inappropriate ioctl for device"},
    {ETXTBSY, 26, "ETXTBSY", "Text file busy"},
    {EFBIG, 27, "EFBIG", "File too large"},
    {ENOSPC, 28, "ENOSPC", "No space left on device"},
    {ESPIPE, 29, "ESPIPE", "Illegal seek"},
    {EROFS, 30, "EROFS", "Read-only file system"},
    {EMLINK, 31, "EMLINK", "Too many links"},
    {EPIPE, 32, "EPIPE", "Broken pipe"},
    {EDOM, 33, "EDOM", "Numerical argument out of domain"},
    {ERANGE, 34, "ERANGE", "Numerical result out of range"},
    {EDEADLK, 35, "EDEADLK", "Resource deadlock avoided"},
    {NONE, 35, "EDEADLOCK", "Resource deadlock avoided"},
    {ENAMETOOLONG, 36, "ENAMETOOLONG", "File name too long"},
    {ENOLCK, 37, "ENOLCK", "No locks available"},
    {ENOSYS, 38, "ENOSYS", "Function not implemented"},
    {ENOTEMPTY, 39, "ENOTEMPTY", "Directory not empty"},
    {ELOOP, 40, "ELOOP", "Too many levels of symbolic links"},
    {ENOMSG, 42, "ENOMSG", "No message of desired type"},
    {EIDRM, 43, "EIDRM", "Identifier removed"},
    {NONE, 44, "ECHRNG", "Channel number out of range"},
    {NONE, 45, "EL2NSYNC", "Level 2 not synchronized"},
    {NONE, 46, "EL3HLT", "Level 3 halted"},
    {NONE, 47, "EL3RST", "Level 3 reset"},
    {NONE, 48, "ELNRNG", "Link number out of range"},
    {NONE, 49, "EUNATCH", "Protocol driver not attached"},
    {NONE, 50, "ENOCSI", "No CSI structure available"},
    {NONE, 51, "EL2HLT", "Level 2 halted"},
    {NONE, 52, "EBADE", "Invalid exchange"},
    {NONE, 53, "EBADR", "Invalid request descriptor"},
    {NONE, 54, "EXFULL", "Exchange full"},
    {NONE, 55, "ENOANO", "No anode"},
    {NONE, 56, "EBADRQC", "Invalid request code"},
    {NONE, 57, "EBADSLT", "Invalid slot"},
    {NONE, 59, "EBFONT", "Bad font file format"},
    {NONE, 60, "ENOSTR", "Device not a stream"},
    {NONE, 61, "ENODATA", "No data available"},
    {NONE, 62, "ETIME", "Timer expired"},
    {NONE, 63, "ENOSR", "Out of streams resources"},
    {NONE, 64, "ENONET", "Machine is not on the network"},
    {NONE, 65, "ENOPKG", "Package not installed"},
    {NONE, 66, "EREMOTE", "Object is remote"},
    {ENOLINK, 67, "ENOLINK", "Link has been severed"},
    {NONE, 68, "EADV", "Advertise error"},
    {NONE, 69, "ESRMNT", "Srmount error"},
    {NONE, 70, "ECOMM", "Communication error on send"},
    {EPROTO, 71, "EPROTO", "Protocol error"},
    {EMULTIHOP, 72, "EMULTIHOP", "Multihop attempted"},
    {NONE, 73, "EDOTDOT", "RFS specific error"},
    {EBADMSG, 74, "EBADMSG", "Bad message"},
    {EOVERFLOW, 75, "EOVERFLOW", "Value too large for defined data type"},
    {NONE, 76, "ENOTUNIQ", "Name not unique on network"},
    {NONE, 77, "EBADFD", "File descriptor in bad state"},
    {NONE, 78, "EREMCHG", "Remote address changed"},
    {NONE, 79, "ELIBACC", "Can not access a needed shared library"},
    {NONE, 80, "ELIBBAD", "Accessing a corrupted shared library"},
    {NONE, 81, "ELIBSCN", ".lib section in a.out corrupted"},
    {NONE, 82, "ELIBMAX", "Attempting to link in too many shared libraries"},
    {NONE, 83, "ELIBEXEC", "Cannot exec a shared library directly"},
    {EILSEQ, 84, "EILSEQ", "Invalid or incomplete multibyte or wide character"},
    {NONE, 85, "ERESTART", "Interrupted system call should be restarted"},
    {NONE, 86, "ESTRPIPE", "Streams pipe error"},
    {NONE, 87, "EUSERS", "Too many users"},
    {ENOTSOCK, 88, "ENOTSOCK", "Socket operation on non-socket"},
    {EDESTADDRREQ, 89, "EDESTADDRREQ", "Destination address required"},
    {EMSGSIZE, 90, "EMSGSIZE", "Message too long"},
    {EPROTOTYPE, 91, "EPROTOTYPE", "Protocol wrong type for socket"},
    {ENOPROTOOPT, 92, "ENOPROTOOPT", "Protocol not available"},
    {EPROTONOSUPPORT, 93, "EPROTONOSUPPORT", "Protocol not supported"},
    {NONE, 94, "ESOCKTNOSUPPORT", "Socket type not supported"},
    {EOPNOTSUPP, 95, "EOPNOTSUPP", "Operation not supported"},
    {ENOTSUP, 95, "ENOTSUP", "Operation not supported"},
    {NONE, 96, "EPFNOSUPPORT", "Protocol family not supported"},
    {EAFNOSUPPORT, 97, "EAFNOSUPPORT", "Address family not supported by protocol"},
    {EADDRINUSE, 98, "EADDRINUSE", "Address already in use"},
    {EADDRNOTAVAIL, 99, "EADDRNOTAVAIL", "Cannot assign requested address"},
    {ENETDOWN, 100, "ENETDOWN", "Network is down"},
    {ENETUNREACH, 101, "ENETUNREACH", "Network is unreachable"},
    {ENETRESET, 102, "ENETRESET", "Network dropped connection on reset"},
    {ECONNABORTED, 103, "ECONNABORTED", "Software caused connection abort"},
    {ECONNRESET, 104, "ECONNRESET", "Connection reset by peer"},
    {ENOBUFS, 105, "ENOBUFS", "No buffer space available"},
    {EISCONN, 106, "EISCONN", "Transport endpoint is already connected"},
    {ENOTCONN, 107, "ENOTCONN", "Transport endpoint is not connected"},
    {NONE, 108, "ESHUTDOWN", "Cannot send after transport endpoint shutdown"},
    {NONE, 109, "ETOOMANYREFS", "Too many references: cannot splice"},
    {ETIMEDOUT, 110, "ETIMEDOUT", "Connection timed out"},
    {ECONNREFUSED, 111, "ECONNREFUSED", "Connection refused"},
    {NONE, 112, "EHOSTDOWN", "Host is down"},
    {EHOSTUNREACH, 113, "EHOSTUNREACH", "No route to host"},
    {EALREADY, 114, "EALREADY", "Operation already in progress"},
    {EINPROGRESS, 115, "EINPROGRESS", "Operation now in progress"},
    {ESTALE, 116, "ESTALE", "Stale file handle"},
    {NONE, 117, "EUCLEAN", "Structure needs cleaning"},
    {NONE, 118, "ENOTNAM", "Not a XENIX named type file"},
    {NONE, 119, "ENAVAIL", "No XENIX semaphores available"},
    {NONE, 120, "EISNAM", "Is a named type file"},
    {NONE, 121, "EREMOTEIO", "Remote I/O error"},
    {EDQUOT, 122, "EDQUOT", "Disk quota exceeded"},
    {NONE, 123, "ENOMEDIUM", "No medium found"},
    {NONE, 124, "EMEDIUMTYPE", "Wrong medium type"},
    {ECANCELED, 125, "ECANCELED", "Operation canceled"},
    {NONE, 126, "ENOKEY", "Required key not available"},
    {NONE, 127, "EKEYEXPIRED", "Key has expired"},
    {NONE, 128, "EKEYREVOKED", "Key has been revoked"},
    {NONE, 129, "EKEYREJECTED", "Key was rejected by service"},
    {EOWNERDEAD, 130, "EOWNERDEAD", "Owner died"},
    {ENOTRECOVERABLE, 131, "ENOTRECOVERABLE", "State not recoverable"},
    {NONE, 132, "ERFKILL", "Operation not possible due to RF-kill"},
};

#define COUNT (sizeof table / sizeof *table)

/* The row of an error of this system: of that which Linux has for what WASI alone knows (ENOTCAPABLE), EPERM's. */
static size_t row_here(int error)
{
    size_t row = 0;

    while (row < COUNT && table[row].here != error)
        row++;
    return row < COUNT ? row : 0;
}

/* Static, or NULL: Linux has no such number. */
static const char *words_of(int number)
{
    for (size_t row = 0; row < COUNT; row++)
        if (table[row].number == number)
            return table[row].words;
    return NULL;
}

PyObject *__wrap_PyErr_SetFromErrnoWithFilenameObjects(PyObject *type, PyObject *path, PyObject *other)
{
    int error = errno;
    size_t row = row_here(error);
    int number = error ? table[row].number : 0;
    const char *words = error ? table[row].words : "Error";
    PyObject *raised;

    if (path == NULL)
        raised = PyObject_CallFunction(type, "is", number, words);
    else if (other == NULL)
        raised = PyObject_CallFunction(type, "isO", number, words, path);
    else
        raised = PyObject_CallFunction(type, "isOiO", number, words, path, 0, other);
    if (raised != NULL) {
        PyErr_SetObject((PyObject *)Py_TYPE(raised), raised);
        Py_DECREF(raised);
    }
    return NULL;
}

PyObject *__wrap_PyErr_SetFromErrnoWithFilenameObject(PyObject *type, PyObject *path)
{
    return __wrap_PyErr_SetFromErrnoWithFilenameObjects(type, path, NULL);
}

PyObject *__wrap_PyErr_SetFromErrnoWithFilename(PyObject *type, const char *path)
{
    int error = errno;
    PyObject *name = path ? PyUnicode_DecodeFSDefault(path) : NULL;

    if (path != NULL && name == NULL)
        return NULL;
    errno = error;
    __wrap_PyErr_SetFromErrnoWithFilenameObjects(type, name, NULL);
    Py_XDECREF(name);
    return NULL;
}

PyObject *__wrap_PyErr_SetFromErrno(PyObject *type)
{
    return __wrap_PyErr_SetFromErrnoWithFilenameObjects(type, NULL, NULL);
}

/* Asks whether what was raised is EINTR, by WASI's number, to try again. Nothing is interrupted so here, and on Linux
 * that number is EFBIG. */
int __wrap__PyIO_trap_eintr(void) { return 0; }

static PyObject *error_words(PyObject *module, PyObject *argument)
{
    int number = PyLong_AsInt(argument);

    if (number == -1 && PyErr_Occurred())
        return NULL;
    const char *words = words_of(number);
    if (words != NULL)
        return PyUnicode_FromString(words);
    return number ? PyUnicode_FromFormat("Unknown error %d", number) : PyUnicode_FromString("Success");
}

static PyMethodDef strerror_definition = {"strerror", error_words, METH_O, "Translate an error code to a message string."};

/* OSError chooses its subclass by these. */
static int renumber_classes(void)
{
    PyObject *classes = PyInterpreterState_Get()->exc_state.errnomap;
    PyObject *before = PyDict_Copy(classes), *key, *class;
    Py_ssize_t position = 0;
    int failed = before == NULL;

    if (!failed)
        PyDict_Clear(classes);
    while (!failed && PyDict_Next(before, &position, &key, &class)) {
        PyObject *number = PyLong_FromLong(table[row_here(PyLong_AsLong(key))].number);
        failed = number == NULL || PyDict_SetItem(classes, number, class) < 0;
        Py_XDECREF(number);
    }
    Py_XDECREF(before);
    /* ESHUTDOWN, which WASI has not: else CPython would do so itself. */
    if (!failed) {
        PyObject *number = PyLong_FromLong(108);
        failed = number == NULL || PyDict_SetItem(classes, number, PyExc_BrokenPipeError) < 0;
        Py_XDECREF(number);
    }
    return failed;
}

static int renumber_module(PyObject *module)
{
    PyObject *values = PyModule_GetDict(module), *names = PyDict_GetItemString(values, "errorcode");

    if (names == NULL)
        return -1;
    PyDict_Clear(names);
    for (size_t row = 0; row < COUNT; row++) {
        PyObject *number = PyLong_FromLong(table[row].number), *name = PyUnicode_InternFromString(table[row].name);
        int failed = number == NULL || name == NULL || PyDict_SetItem(values, name, number) < 0
                     || PyDict_SetItem(names, number, name) < 0;
        Py_XDECREF(number);
        Py_XDECREF(name);
        if (failed)
            return -1;
    }
    return PyDict_PopString(values, "ENOTCAPABLE", NULL) < 0 ? -1 : 0;
}

int errors_renumber(void)
{
    PyObject *module = PyImport_ImportModule("errno"), *posix = PyImport_ImportModule("posix");
    PyObject *name = PyUnicode_FromString("posix");
    PyObject *function = name ? PyCFunction_NewEx(&strerror_definition, NULL, name) : NULL;
    int failed = module == NULL || posix == NULL || function == NULL || renumber_classes() || renumber_module(module)
                 || PyObject_SetAttrString(posix, "strerror", function) < 0;

    Py_XDECREF(module);
    Py_XDECREF(posix);
    Py_XDECREF(name);
    Py_XDECREF(function);
    return failed ? -1 : 0;
}
