/* What C++ would call at the end of a thread: the only one does not end before the interpreter does. */
int __cxa_thread_atexit(void (*destroy)(void *), void *object, void *library)
{
    (void)destroy, (void)object, (void)library;
    return 0;
}

/* Of numpy. Each module would ask by a table of its own, and which of them is asked is not known. */
int npy_clear_floatstatus_barrier(char *here);
int wrap_PyUFunc_getfperr(void)
{
    char here;
    return npy_clear_floatstatus_barrier(&here);
}
