/* Two connections to one file of SQLite's lock each other out, as on other machines. Its file system "unix" keeps, for
 * each file, which of its own connections has what lock, and asks the system only against other processes: there are
 * none. The default that it is built with, "unix-none", would let one connection take another's journal for one that
 * nobody has. */
#include <fcntl.h>
#include <stdarg.h>

#include "databases.h"

/* What wasi-libc lacks, by the numbers that SQLite was compiled with. */
#define GET_LOCK 12
#define SET_LOCK 13
#define UNLOCKED 2

typedef struct sqlite3_vfs sqlite3_vfs;

sqlite3_vfs *sqlite3_vfs_find(const char *name);
int sqlite3_vfs_register(sqlite3_vfs *vfs, int makes_default);

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

int databases_lock(void)
{
    sqlite3_vfs *vfs = sqlite3_vfs_find("unix");

    return vfs == NULL || sqlite3_vfs_register(vfs, 1) != 0;
}
