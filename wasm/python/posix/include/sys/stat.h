/* What wasi-libc's header leaves out and posix.c has. */
#include_next <sys/stat.h>
#ifndef WASMBOX_SYS_STAT_H
#define WASMBOX_SYS_STAT_H

mode_t umask(mode_t mask);
int lchmod(const char *path, mode_t mode);

#endif
