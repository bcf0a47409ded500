"""Managers: their objects are those of this process themselves."""

import queue
import threading

from . import pool, sharedctypes, synchronize

__all__ = ["BaseManager", "SyncManager", "BaseProxy", "Token", "SharedMemoryManager"]


class Namespace:
    def __init__(self, /, **values):
        self.__dict__.update(values)

    def __repr__(self):
        shown = ", ".join(f"{name}={value!r}" for name, value in sorted(self.__dict__.items()) if name[0] != "_")
        return f"Namespace({shown})"


class BaseProxy:
    pass


class Token:
    pass


class DictProxy(dict):
    """A class of its own: programs add attributes and look at types."""


class ListProxy(list):
    pass


class BaseManager:
    def __init__(self, address=None, authkey=None, serializer="pickle", ctx=None, *, shutdown_timeout=1.0):
        self.address = address

    @classmethod
    def register(cls, typeid, callable=None, proxytype=None, exposed=None, method_to_typeid=None, create_method=True):
        if create_method:
            setattr(cls, typeid, lambda self, /, *args, **kwargs: callable(*args, **kwargs))

    def start(self, initializer=None, initargs=()):
        if initializer is not None:
            initializer(*initargs)

    def connect(self):
        raise ConnectionRefusedError("there are no other processes: a manager is used where it is made")

    get_server = connect

    def shutdown(self):
        pass

    def join(self, timeout=None):
        pass

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        self.shutdown()


class SyncManager(BaseManager):
    dict = staticmethod(DictProxy)
    list = staticmethod(ListProxy)
    Namespace = staticmethod(Namespace)
    Queue = staticmethod(queue.Queue)
    JoinableQueue = staticmethod(queue.Queue)
    Lock = staticmethod(threading.Lock)
    RLock = staticmethod(threading.RLock)
    Semaphore = staticmethod(synchronize.Semaphore)
    BoundedSemaphore = staticmethod(synchronize.BoundedSemaphore)
    Condition = staticmethod(threading.Condition)
    Event = staticmethod(threading.Event)
    Barrier = staticmethod(threading.Barrier)
    Pool = staticmethod(pool.Pool)
    Value = staticmethod(sharedctypes.Value)
    Array = staticmethod(sharedctypes.RawArray)


class SharedMemoryManager(BaseManager):
    def SharedMemory(self, size):
        from .shared_memory import SharedMemory

        return SharedMemory(create=True, size=size)

    def ShareableList(self, sequence):
        from .shared_memory import ShareableList

        return ShareableList(sequence)
