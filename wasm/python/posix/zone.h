#ifndef WASMBOX_ZONE_H
#define WASMBOX_ZONE_H
#include <stddef.h>
#include <stdint.h>

struct posix_offset {
    int32_t seconds; /* east of Greenwich */
    int32_t is_dst;
    char name[16];
};

/* Sets the local time zone: `of` has one offset more than there are changes. -1: there is no memory. */
int posix_set_zone(size_t changes, const int64_t *at, const struct posix_offset *of);

#endif
