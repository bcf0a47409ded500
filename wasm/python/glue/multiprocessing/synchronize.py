"""What processes wait for each other by: as for threads."""

import threading

__all__ = ["Lock", "RLock", "Semaphore", "BoundedSemaphore", "Condition", "Event"]


def Lock(*, ctx=None):
    return threading.Lock()


def RLock(*, ctx=None):
    return threading.RLock()


class Semaphore(threading.Semaphore):
    def __init__(self, value=1, *, ctx=None):
        super().__init__(value)

    def get_value(self):
        return self._value


class BoundedSemaphore(threading.BoundedSemaphore):
    def __init__(self, value=1, *, ctx=None):
        super().__init__(value)

    get_value = Semaphore.get_value


class Condition(threading.Condition):
    def __init__(self, lock=None, *, ctx=None):
        super().__init__(lock)


class Event(threading.Event):
    def __init__(self, *, ctx=None):
        super().__init__()


class Barrier(threading.Barrier):
    def __init__(self, parties, action=None, timeout=None, *, ctx=None):
        super().__init__(parties, action, timeout)
