"""What processes wait for each other by: as for threads."""

import threading

__all__ = ["Lock", "RLock", "Semaphore", "BoundedSemaphore", "Condition", "Event"]


def Lock(*, ctx=None):
    return ProcessLock()


def RLock(*, ctx=None):
    return ProcessRLock()


class ProcessLock:
    kind = staticmethod(threading.Lock)

    def __init__(self):
        self._lock = self.kind()

    def acquire(self, block=True, timeout=None):
        return self._lock.acquire(*waiting(block, timeout))

    def release(self):
        self._lock.release()

    def __enter__(self):
        return self._lock.__enter__()

    def __exit__(self, *error):
        self._lock.release()


class ProcessRLock(ProcessLock):
    kind = staticmethod(threading.RLock)


def waiting(block, timeout):
    """What locks of threads are told."""
    return (bool(block), -1 if timeout is None or not block else max(timeout, 0))


class Semaphore(threading.Semaphore):
    def __init__(self, value=1, *, ctx=None):
        super().__init__(value)

    def acquire(self, block=True, timeout=None):
        return threading.Semaphore.acquire(self, bool(block), timeout if block else None)

    def get_value(self):
        return self._value


class BoundedSemaphore(threading.BoundedSemaphore):
    def __init__(self, value=1, *, ctx=None):
        super().__init__(value)

    acquire = Semaphore.acquire
    get_value = Semaphore.get_value


class Condition(threading.Condition):
    def __init__(self, lock=None, *, ctx=None):
        super().__init__(getattr(lock, "_lock", lock))


class Event(threading.Event):
    def __init__(self, *, ctx=None):
        super().__init__()


class Barrier(threading.Barrier):
    def __init__(self, parties, action=None, timeout=None, *, ctx=None):
        super().__init__(parties, action, timeout)
