/* The local time zone. wasi-libc knows UTC alone; here it is what `posix_set_zone` was last given (time.tzset, in
 * _wasmbox_zone.py, which reads the zone's rules): moments at which the offset changes, and the offsets between them. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "zone.h"

static size_t count;
static int64_t *moments;
/* One more than there are moments: the first is in force before all of them. */
static struct posix_offset *offsets;
static const struct posix_offset utc[] = {{0, 0, "UTC"}};

int posix_set_zone(size_t changes, const int64_t *at, const struct posix_offset *of)
{
    int64_t *times = malloc((changes + 1) * sizeof *times);
    struct posix_offset *zones = malloc((changes + 1) * sizeof *zones);

    if (times == NULL || zones == NULL) {
        free(times);
        free(zones);
        return -1;
    }
    memcpy(times, at, changes * sizeof *times);
    memcpy(zones, of, (changes + 1) * sizeof *zones);
    free(moments);
    free(offsets);
    count = changes;
    moments = times;
    offsets = zones;
    return 0;
}

/* What is in force at a moment, which is given in UTC or, as mktime does, in local time. */
void __wrap___secs_to_zone(long long t, int local, int *isdst, int *offset, int *opposite, const char **name)
{
    const struct posix_offset *known = offsets ? offsets : utc;
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (moments[middle] + (local ? known[middle].seconds : 0) <= t)
            low = middle + 1;
        else
            high = middle;
    }
    const struct posix_offset *now = &known[low];
    *isdst = now->is_dst;
    *offset = now->seconds;
    *name = now->name;
    if (opposite == NULL)
        return;
    *opposite = now->seconds;
    if (low < count && known[low + 1].is_dst != now->is_dst)
        *opposite = known[low + 1].seconds;
    else if (low > 0 && known[low - 1].is_dst != now->is_dst)
        *opposite = known[low - 1].seconds;
}

const char *__wrap___tm_to_tzname(const struct tm *tm) { return tm->__tm_zone ? tm->__tm_zone : ""; }

/* The zone is set by then. */
void tzset(void) {}
