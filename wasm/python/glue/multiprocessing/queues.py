"""Queues between processes. What is put is pickled, so that what is got is a copy, as elsewhere."""

import pickle
import queue

__all__ = ["Queue", "SimpleQueue", "JoinableQueue"]

Empty, Full = queue.Empty, queue.Full


class JoinableQueue(queue.Queue):
    def __init__(self, maxsize=0, *, ctx=None):
        super().__init__(max(maxsize, 0))

    def put(self, obj, block=True, timeout=None):
        super().put(pickle.dumps(obj), block, timeout)

    def get(self, block=True, timeout=None):
        return pickle.loads(super().get(block, timeout))

    def close(self):
        pass

    def join_thread(self):
        pass

    def cancel_join_thread(self):
        pass


class Queue(JoinableQueue):
    pass


class SimpleQueue(JoinableQueue):
    def __init__(self, *, ctx=None):
        super().__init__()
