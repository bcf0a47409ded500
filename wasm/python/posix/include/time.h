/* What wasi-libc's header leaves out and zone.c has. */
#include_next <time.h>
#ifndef WASMBOX_TIME_H
#define WASMBOX_TIME_H

void tzset(void);

#endif
