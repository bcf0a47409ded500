/* No file has the empty path (path_resolution(7)): wasi-libc takes it for the working directory. link.sh puts these in the
 * place of its own. */
#include <errno.h>
#include <stddef.h>

int __real___wasilibc_find_relpath(const char *path, const char **prefix, char **relative, size_t length);
int __real___wasilibc_find_relpath_alloc(const char *path, const char **prefix, char **relative, size_t *length, int can_realloc);
int __real_chdir(const char *path);

static int none(void)
{
    errno = ENOENT;
    return -1;
}

int __wrap___wasilibc_find_relpath(const char *path, const char **prefix, char **relative, size_t length)
{
    return *path ? __real___wasilibc_find_relpath(path, prefix, relative, length) : none();
}

int __wrap___wasilibc_find_relpath_alloc(const char *path, const char **prefix, char **relative, size_t *length, int can_realloc)
{
    return *path ? __real___wasilibc_find_relpath_alloc(path, prefix, relative, length, can_realloc) : none();
}

int __wrap_chdir(const char *path) { return *path ? __real_chdir(path) : none(); }
