/* What wasi-libc's header leaves out and posix.c has. */
#include_next <signal.h>
#ifndef WASMBOX_SIGNAL_H
#define WASMBOX_SIGNAL_H
#include <sys/types.h>

int kill(pid_t pid, int number);

#endif
