/* What is done to a heap that a base image is made of, so that sessions which start from it write to few of its pages:
 * each that one writes to is a copy of its own, which its checkpoints look at.
 *
 * Objects of the image become immortal (PEP 683): whoever only uses them does not write to their counts of references.
 * And what is free between them stays so: what a session makes is beside one another, on pages of its own. */
#define Py_BUILD_CORE 1
#include <Python.h>
#include <internal/pycore_global_objects.h>
#include <internal/pycore_interp.h>
#include <internal/pycore_object.h>
#include <internal/pycore_obmalloc.h>
#include <unistd.h>

#define EXPORT(name) __attribute__((export_name(#name)))

/* More than CPython keeps of those that are free (patches/free-ints.patch). */
#define FREE_INTS 200
/* Of one digit, and not among those that are there once. */
#define AN_INT 100000
/* What is left at the heap's end: a session's first arena, and some more. */
#define ROOM (1 << 19)
/* Where holes are as large as this, what a session makes is together anyway. */
#define LARGE_HOLE (1 << 16)
#define LARGEST_HOLE (1 << 20)
#define SMALLEST_HOLE 8

static int immortalize(PyObject *object, void *unused);

static void immortalize_all(PyObject *const *objects, size_t count)
{
    for (size_t index = 0; index < count; index++)
        if (objects[index] != NULL)
            immortalize(objects[index], NULL);
}

/* In this build the collector does not know code objects, as they are in no cycles. */
static void immortalize_parts_of_code(PyCodeObject *code)
{
    PyObject *parts[] = {code->co_consts, code->co_names, code->co_exceptiontable, code->co_localsplusnames,
                         code->co_localspluskinds, code->co_filename, code->co_name, code->co_qualname,
                         code->co_linetable};

    immortalize_all(parts, Py_ARRAY_LENGTH(parts));
}

/* Nor does it look at keys: most are strings. */
static void immortalize_keys(PyObject *dict)
{
    PyObject *key;
    Py_ssize_t at = 0;

    while (PyDict_Next(dict, &at, &key, NULL))
        immortalize(key, NULL);
}

/* A tracked one is visited by itself, whoever refers to it: this does not go deep. */
static int immortalize(PyObject *object, void *unused)
{
    if (_Py_IsImmortal(object))
        return 0;
    object->ob_refcnt = _Py_IMMORTAL_REFCNT;
    if (PyDict_Check(object))
        immortalize_keys(object);
    if (PyCode_Check(object))
        immortalize_parts_of_code((PyCodeObject *)object);
    else if (PyObject_IS_GC(object) && !_PyObject_GC_IS_TRACKED(object) && Py_TYPE(object)->tp_traverse != NULL)
        Py_TYPE(object)->tp_traverse(object, immortalize, NULL);
    return 0;
}

/* Frames end, and give back what they hold. */
static int visit_tracked(PyObject *object, void *unused)
{
    if (PyFrame_Check(object))
        return 1;
    immortalize(object, NULL);
    Py_TYPE(object)->tp_traverse(object, immortalize, NULL);
    return 1;
}

/* What is free below the heap's end, of that size or some larger one; NULL if nothing is. */
static void *hole(size_t size, char *end)
{
    char *block = malloc(size);

    if (block != NULL && block + size <= end)
        return block;
    free(block);
    return NULL;
}

/* Takes the small holes below the heap's end, for ever. */
static void fill_heap(void)
{
    char *end = sbrk(0);
    void **block, **large = NULL;

    for (size_t size = LARGEST_HOLE; size >= LARGE_HOLE; size -= 4096)
        while ((block = hole(size, end)) != NULL) {
            *block = large;
            large = block;
        }
    for (size_t size = LARGE_HOLE; size >= SMALLEST_HOLE; size -= 8)
        while (hole(size, end) != NULL)
            ;
    while ((block = large) != NULL) {
        large = *block;
        *block = NULL;
        free(block);
    }
    free(malloc(ROOM));
}

/* Takes what is free in pymalloc's pools that are in use, for ever: the next block of each size begins a pool. */
static void fill_pools(void)
{
    for (size_t size = ALIGNMENT; size <= SMALL_REQUEST_THRESHOLD; size += ALIGNMENT) {
        void *block;

        do
            block = PyObject_Malloc(size);
        while (block != NULL && POOL_ADDR(block)->ref.count > 1);
        PyObject_Free(block);
    }
}

EXPORT(sandbox_settle) void sandbox_settle(void)
{
    /* A collection gives back what is kept free of most types. */
    PyGC_Collect();
    for (int count = 0; count < FREE_INTS; count++)
        PyLong_FromLong(AN_INT);
    fill_pools();
    fill_heap();
    immortalize_keys(_Py_INTERP_CACHED_OBJECT(PyInterpreterState_Get(), interned_strings));
    PyUnstable_GC_VisitObjects(visit_tracked, NULL);
}
