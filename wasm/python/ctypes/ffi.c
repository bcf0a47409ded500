/* Calls by ctypes. WebAssembly can't load native code, and can't call a function whose type it was not compiled for: what
 * can be called is the callbacks that ctypes itself has made, and the five functions of _ctypes that ctypes is built on
 * (memmove, memset, cast, string_at, wstring_at), which take and return words. Anything else raises. */
#include <Python.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "ffi.h"

#define SCALAR(name, size, type) ffi_type ffi_type_##name = {size, size, type, NULL}
ffi_type ffi_type_void = {1, 1, FFI_TYPE_VOID, NULL};
SCALAR(uint8, 1, FFI_TYPE_UINT8);
SCALAR(sint8, 1, FFI_TYPE_SINT8);
SCALAR(uint16, 2, FFI_TYPE_UINT16);
SCALAR(sint16, 2, FFI_TYPE_SINT16);
SCALAR(uint32, 4, FFI_TYPE_UINT32);
SCALAR(sint32, 4, FFI_TYPE_SINT32);
SCALAR(uint64, 8, FFI_TYPE_UINT64);
SCALAR(sint64, 8, FFI_TYPE_SINT64);
SCALAR(float, 4, FFI_TYPE_FLOAT);
SCALAR(double, 8, FFI_TYPE_DOUBLE);
SCALAR(longdouble, 16, FFI_TYPE_LONGDOUBLE);
SCALAR(pointer, 4, FFI_TYPE_POINTER);

/* The functions that _ctypes exports are static there. Its addresses go through here (libpython.sh lets
 * PyLong_FromVoidPtr be this), and as it is initialised those of the five are the first. */
#define KNOWN_MAX 5
/* Of memmove, memset, string_at, cast, wstring_at: their order there. */
static const unsigned arity[KNOWN_MAX] = {3, 3, 2, 3, 2};
static uintptr_t known[KNOWN_MAX];
static size_t known_count;
static ffi_closure *closures;

PyObject *ctypes_address(void *address)
{
    if (known_count < KNOWN_MAX)
        known[known_count++] = (uintptr_t)address;
    return PyLong_FromVoidPtr(address);
}

ffi_status ffi_prep_cif(ffi_cif *cif, ffi_abi abi, unsigned count, ffi_type *result, ffi_type **arguments)
{
    *cif = (ffi_cif){.abi = abi, .nargs = count, .arg_types = arguments, .rtype = result};
    return FFI_OK;
}

static int is_word(const ffi_type *type)
{
    return type->size <= 4 && type->type != FFI_TYPE_FLOAT && type->type != FFI_TYPE_STRUCT;
}

static int word_of(const ffi_type *type, const void *value)
{
    switch (type->type) {
    case FFI_TYPE_UINT8: return *(const uint8_t *)value;
    case FFI_TYPE_SINT8: return *(const int8_t *)value;
    case FFI_TYPE_UINT16: return *(const uint16_t *)value;
    case FFI_TYPE_SINT16: return *(const int16_t *)value;
    default: return *(const int *)value;
    }
}

static int is_known(uintptr_t function, unsigned count)
{
    for (size_t i = 0; i < known_count; i++)
        if (known[i] == function)
            return arity[i] == count;
    return 0;
}

static void refuse(void *result)
{
    PyGILState_STATE state = PyGILState_Ensure();
    if (result != NULL)
        memset(result, 0, sizeof(ffi_arg));
    PyErr_SetString(PyExc_RuntimeError,
                    "native functions can't be called: this Python runs in WebAssembly, where ctypes has its types, its "
                    "own functions and callbacks");
    PyGILState_Release(state);
}

void ffi_call(ffi_cif *cif, void (*function)(void), void *result, void **arguments)
{
    uintptr_t address = (uintptr_t)function;
    int words[3];

    for (ffi_closure *closure = closures; closure != NULL; closure = closure->next)
        if (address == (uintptr_t)closure && closure->run != NULL) {
            if (closure->cif->nargs != cif->nargs)
                break;
            closure->run(closure->cif, result, arguments, closure->data);
            return;
        }
    if (!is_known(address, cif->nargs) || !is_word(cif->rtype)) {
        refuse(result);
        return;
    }
    for (unsigned i = 0; i < cif->nargs; i++) {
        if (!is_word(cif->arg_types[i])) {
            refuse(result);
            return;
        }
        words[i] = word_of(cif->arg_types[i], arguments[i]);
    }
    int said = cif->nargs == 2 ? ((int (*)(int, int))function)(words[0], words[1])
                               : ((int (*)(int, int, int))function)(words[0], words[1], words[2]);
    if (cif->rtype->type != FFI_TYPE_VOID)
        memcpy(result, &said, sizeof said);
}

/* The address of a closure stands for its code: nothing but ffi_call ever calls it. */
void *ffi_closure_alloc(size_t size, void **code)
{
    ffi_closure *closure = calloc(1, size);
    if (closure == NULL)
        return NULL;
    closure->next = closures;
    closures = closure;
    return *code = closure;
}

void ffi_closure_free(void *freed)
{
    for (ffi_closure **place = &closures; *place != NULL; place = &(*place)->next)
        if (*place == freed) {
            *place = (*place)->next;
            break;
        }
    free(freed);
}

ffi_status ffi_prep_closure_loc(ffi_closure *closure, ffi_cif *cif, void (*run)(ffi_cif *, void *, void **, void *),
                                void *data, void *code)
{
    closure->cif = cif;
    closure->run = run;
    closure->data = data;
    return FFI_OK;
}

/* Libraries. Without a name it is the program itself, which ctypes asks for as soon as it is imported. */

static const char *problem;

void *dlopen(const char *name, int mode)
{
    static char text[300];

    if (name == NULL)
        return &problem;
    snprintf(text, sizeof text,
             "%.100s: native libraries can't be loaded: this Python runs in WebAssembly. Pure Python packages work", name);
    problem = text;
    return NULL;
}

void *dlsym(void *handle, const char *name)
{
    static char text[200];

    snprintf(text, sizeof text, "%.100s: this Python, in WebAssembly, exports no functions to ctypes", name);
    problem = text;
    return NULL;
}

char *dlerror(void)
{
    const char *said = problem;
    problem = NULL;
    return (char *)said;
}

int dlclose(void *handle) { return 0; }
