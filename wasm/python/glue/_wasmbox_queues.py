"""Queues that wait for what they want, not for a lock of somebody who is told to look: some turns fewer."""

import queue
from collections import deque
from types import GenericAlias

from _wasmbox_scheduler import looked_in_vain, wait_until


def put(self, item, block=True, timeout=None):
    def has_room():
        return self._qsize() < self.maxsize or getattr(self, "is_shutdown", False)

    if block and self.maxsize > 0 and not has_room():
        if timeout is not None and timeout < 0:
            raise ValueError("'timeout' must be a non-negative number")
        if not wait_until(has_room, timeout):
            raise queue.Full
    elif not block and self.maxsize > 0 and not has_room():
        looked_in_vain()
    return real_put(self, item, False)


def get(self, block=True, timeout=None):
    if block:
        if timeout is not None and timeout < 0:
            raise ValueError("'timeout' must be a non-negative number")
        if not self._qsize() and not self.is_shutdown:
            wait_until(lambda: self._qsize() or self.is_shutdown, timeout)
    elif not self._qsize():
        looked_in_vain()
    return real_get(self, False)


def join(self):
    wait_until(lambda: not self.unfinished_tasks)


class SimpleQueue:
    """queue.SimpleQueue."""

    def __init__(self):
        self._items = deque()

    def put(self, item, block=True, timeout=None):
        self._items.append(item)

    def get(self, block=True, timeout=None):
        if timeout is not None and timeout < 0 and block:
            raise ValueError("'timeout' must be a non-negative number")
        if not self._items and not block:
            looked_in_vain()
        if not self._items and not (block and wait_until(self.qsize, timeout)):
            raise queue.Empty
        return self._items.popleft()

    def put_nowait(self, item):
        self._items.append(item)

    def get_nowait(self):
        return self.get(False)

    def empty(self):
        return not self._items

    def qsize(self):
        return len(self._items)

    __class_getitem__ = classmethod(GenericAlias)


real_put, real_get = queue.Queue.put, queue.Queue.get


def install():
    queue.Queue.put, queue.Queue.get, queue.Queue.join = put, get, join
    SimpleQueue.__module__ = "_queue"
    queue.SimpleQueue = SimpleQueue
