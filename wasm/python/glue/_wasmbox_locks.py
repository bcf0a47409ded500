"""Locks for threads that run one after another. A lock that is free is taken without asking the scheduler."""

from _thread import TIMEOUT_MAX

import _wasmbox_scheduler as scheduler


def checked(blocking, timeout):
    """The time-out of a wait; 0: none is wanted."""
    if not blocking:
        if timeout != -1:
            raise ValueError("can't specify a timeout for a non-blocking call")
        return 0
    if timeout == -1:
        return None
    if timeout < 0:
        raise ValueError("timeout value must be a non-negative number")
    if timeout > TIMEOUT_MAX:
        raise OverflowError("timeout value is too large")
    return timeout


class Lock:
    __slots__ = ("_held", "__weakref__")

    def __init__(self):
        self._held = False

    def acquire(self, blocking=True, timeout=-1):
        if not self._held and timeout == -1:
            self._held = True
            return True
        seconds = checked(blocking, timeout)
        if self._held and (seconds == 0 or not scheduler.wait_until(self._free, seconds)):
            scheduler.looked_in_vain()
            return False
        self._held = True
        return True

    def __enter__(self):
        if self._held:
            return self.acquire()
        self._held = True
        return True

    def __exit__(self, kind, error, traceback):
        if not self._held:
            raise RuntimeError("release unlocked lock")
        self._held = False

    def release(self):
        if not self._held:
            raise RuntimeError("release unlocked lock")
        self._held = False

    def locked(self):
        return self._held

    def _free(self):
        return not self._held

    def _at_fork_reinit(self):
        self._held = False

    def __repr__(self):
        state = "locked" if self._held else "unlocked"
        return f"<{state} _thread.lock object at {id(self):#x}>"

    def __reduce__(self):
        raise TypeError("cannot pickle '_thread.lock' object")

    def __init_subclass__(cls):
        raise TypeError("type '_thread.lock' is not an acceptable base type")

    acquire_lock = acquire
    release_lock = release
    locked_lock = locked


class RLock:
    def __init__(self):
        self._owner = None
        self._count = 0

    def acquire(self, blocking=True, timeout=-1):
        me = scheduler.stack[-1].ident
        if self._count and self._owner != me or timeout != -1 or not blocking:
            seconds = checked(blocking, timeout)
            if self._count and self._owner != me:
                if seconds == 0 or not scheduler.wait_until(self._free, seconds):
                    scheduler.looked_in_vain()
                    return False
        self._owner = me
        self._count += 1
        return True

    def __enter__(self):
        me = scheduler.stack[-1].ident
        if self._owner == me or not self._count:
            self._owner = me
            self._count += 1
            return True
        return self.acquire()

    def release(self):
        if self._owner != scheduler.stack[-1].ident:
            raise RuntimeError("cannot release un-acquired lock")
        self._count -= 1
        if not self._count:
            self._owner = None

    def __exit__(self, kind, error, traceback):
        self.release()

    def _free(self):
        return not self._count

    def _is_owned(self):
        return self._owner == scheduler.stack[-1].ident

    def _recursion_count(self):
        return self._count if self._is_owned() else 0

    def _release_save(self):
        if not self._count:
            raise RuntimeError("cannot release un-acquired lock")
        state = self._count, self._owner
        self._count, self._owner = 0, None
        return state

    def _acquire_restore(self, state):
        if self._count:
            scheduler.wait_until(self._free)
        self._count, self._owner = state

    def _at_fork_reinit(self):
        self._count, self._owner = 0, None

    def __repr__(self):
        state = "locked" if self._count else "unlocked"
        return f"<{state} _thread.RLock object owner={self._owner or 0} count={self._count} at {id(self):#x}>"

    def __reduce__(self):
        raise TypeError("cannot pickle '_thread.RLock' object")


def install():
    for kind, name in ((Lock, "lock"), (RLock, "RLock")):
        kind.__module__, kind.__name__, kind.__qualname__ = "_thread", name, name
