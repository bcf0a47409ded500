"""What `signal` lacks on this platform, and can have."""

import errno
import os
import signal

import _wasmbox_scheduler as scheduler
from _wasmbox_ends import ends

set_real_wakeup = signal.set_wakeup_fd
wakeup = -1


def valid_signals():
    """The signals that are known here."""
    return set(signal.Signals)


def siginterrupt(signalnum, flag, /):
    """Nothing to change: no system call is interrupted here."""


def set_wakeup_fd(fd, /, *, warn_on_full_buffer=True):
    """Sets the fd to be written to (with the signal number) when a signal comes in."""
    # Who waits is woken by handlers themselves, which run before anything else does.
    global wakeup
    if fd not in ends:
        set_real_wakeup(fd, warn_on_full_buffer=warn_on_full_buffer)
    before, wakeup = wakeup, fd
    return before


def pthread_kill(thread_id, signalnum, /):
    """Send a signal to a thread. Handlers run in the main one, as elsewhere."""
    if all(each.ident != thread_id for each in (*scheduler.stack, *scheduler.waiting)):
        raise ProcessLookupError(errno.ESRCH, os.strerror(errno.ESRCH))
    os.kill(os.getpid(), signalnum)


def install():
    signal.pthread_kill = pthread_kill
    signal.set_wakeup_fd = set_wakeup_fd
    signal.valid_signals = valid_signals
    signal.siginterrupt = siginterrupt
