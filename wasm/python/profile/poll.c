/* What the patched evaluation loop calls, for a native CPython: nobody asks it to stop. */

#include <limits.h>

int sandbox_clock = INT_MAX;

void sandbox_poll_slow(void) { sandbox_clock = INT_MAX; }

int sandbox_check_signals(void) { return 0; }
