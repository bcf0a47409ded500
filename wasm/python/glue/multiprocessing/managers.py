"""Managers: their objects are those of this process themselves, and what they hold is copied on its way in and out."""

import queue
import threading

from _wasmbox_copies import copied

from . import pool, sharedctypes, synchronize

__all__ = ["BaseManager", "SyncManager", "BaseProxy", "Token", "SharedMemoryManager"]


class Namespace:
    def __init__(self, /, **values):
        self.__dict__.update(copied(values))

    def __setattr__(self, name, value):
        super().__setattr__(name, copied(value))

    def __getattribute__(self, name):
        value = super().__getattribute__(name)
        return value if name.startswith("_") else copied(value)

    def __repr__(self):
        shown = ", ".join(f"{name}={value!r}" for name, value in sorted(self.__dict__.items()) if name[0] != "_")
        return f"Namespace({shown})"


class BaseProxy:
    pass


class Token:
    pass


def copying(kind, *names):
    """Gives a class methods of the one that it stands on, whose arguments and results are copies."""

    def method_of(name):
        method = getattr(kind.__base__, name)

        def call(self, *args, **kwargs):
            return copied(method(self, *copied(args), **copied(kwargs)))

        call.__name__ = name
        return call

    for name in names:
        setattr(kind, name, method_of(name))


class DictProxy(dict):
    """A class of its own: programs add attributes and look at types."""

    def values(self):
        return copied(list(super().values()))

    def items(self):
        return copied(list(super().items()))


class ListProxy(list):
    def __iter__(self):
        return iter(copied(list(super().__iter__())))


class Queue(queue.Queue):
    def put(self, item, block=True, timeout=None):
        super().put(copied(item), block, timeout)


copying(DictProxy, "__init__", "__getitem__", "__setitem__", "copy", "get", "pop", "popitem", "setdefault", "update")
copying(ListProxy, "__init__", "__getitem__", "__setitem__", "append", "copy", "extend", "insert", "pop")


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
    Queue = JoinableQueue = staticmethod(Queue)
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
