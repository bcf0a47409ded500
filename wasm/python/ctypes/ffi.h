/* The interface that CPython's _ctypes is written against (libffi's), as far as it uses it: ffi.c says what is behind. */
#ifndef WASMBOX_FFI_H
#define WASMBOX_FFI_H
#include <stddef.h>

enum {
    FFI_TYPE_VOID, FFI_TYPE_INT, FFI_TYPE_FLOAT, FFI_TYPE_DOUBLE, FFI_TYPE_LONGDOUBLE, FFI_TYPE_UINT8, FFI_TYPE_SINT8,
    FFI_TYPE_UINT16, FFI_TYPE_SINT16, FFI_TYPE_UINT32, FFI_TYPE_SINT32, FFI_TYPE_UINT64, FFI_TYPE_SINT64, FFI_TYPE_STRUCT,
    FFI_TYPE_POINTER,
};

typedef struct _ffi_type {
    size_t size;
    unsigned short alignment;
    unsigned short type;
    struct _ffi_type **elements;
} ffi_type;

extern ffi_type ffi_type_void, ffi_type_uint8, ffi_type_sint8, ffi_type_uint16, ffi_type_sint16, ffi_type_uint32,
    ffi_type_sint32, ffi_type_uint64, ffi_type_sint64, ffi_type_float, ffi_type_double, ffi_type_longdouble,
    ffi_type_pointer;
#define ffi_type_uchar ffi_type_uint8
#define ffi_type_schar ffi_type_sint8
#define ffi_type_ushort ffi_type_uint16
#define ffi_type_sshort ffi_type_sint16
#define ffi_type_uint ffi_type_uint32
#define ffi_type_sint ffi_type_sint32
#define ffi_type_ulong ffi_type_uint32
#define ffi_type_slong ffi_type_sint32

typedef unsigned long ffi_arg;
typedef enum { FFI_OK, FFI_BAD_TYPEDEF, FFI_BAD_ABI } ffi_status;
typedef enum { FFI_DEFAULT_ABI = 1 } ffi_abi;

typedef struct {
    ffi_abi abi;
    unsigned nargs;
    ffi_type **arg_types;
    ffi_type *rtype;
} ffi_cif;

typedef struct ffi_closure {
    ffi_cif *cif;
    void (*run)(ffi_cif *, void *result, void **arguments, void *data);
    void *data;
    struct ffi_closure *next;
} ffi_closure;

ffi_status ffi_prep_cif(ffi_cif *cif, ffi_abi abi, unsigned count, ffi_type *result, ffi_type **arguments);
void ffi_call(ffi_cif *cif, void (*function)(void), void *result, void **arguments);
void *ffi_closure_alloc(size_t size, void **code);
void ffi_closure_free(void *closure);
ffi_status ffi_prep_closure_loc(ffi_closure *closure, ffi_cif *cif,
                                void (*run)(ffi_cif *, void *, void **, void *), void *data, void *code);
#define ffi_prep_closure(closure, cif, run, data) ffi_prep_closure_loc(closure, cif, run, data, closure)

#endif
