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


class RemoteError(Exception):
    """What is asked of an object that does not show it."""


class BaseProxy:
    """Stands for an object of a manager's: whoever calls its methods gives copies and gets copies."""

    # It goes to other processes as it is.
    _is_shared = True
    _exposed_ = None

    def __init__(self, target, typeid, results=None, registry=None):
        self._target, self._id, self._results, self._registry = target, typeid, results or {}, registry

    def _callmethod(self, methodname, args=(), kwds={}):
        if self._exposed_ is not None and methodname not in self._exposed_:
            raise RemoteError(f"method {methodname!r} of {type(self._target)!r} object is not in exposed={self._exposed_!r}")
        result = getattr(self._target, methodname)(*copied(tuple(args)), **copied(dict(kwds)))
        typeid = self._results.get(methodname)
        return copied(result) if typeid is None else self._registry[typeid](result)

    def _getvalue(self):
        return copied(self._target)

    def __repr__(self):
        return f"<{type(self).__name__} object, typeid {self._id!r} at {id(self):#x}>"

    def __str__(self):
        return repr(self._target)


def MakeProxyType(name, exposed):
    def method_of(name):
        def call(self, /, *args, **kwds):
            return self._callmethod(name, args, kwds)

        call.__name__ = name
        return call

    methods = {each: method_of(each) for each in exposed}
    return type(name, (BaseProxy,), {"__module__": __name__, "_exposed_": tuple(exposed), **methods})


class IteratorProxy(BaseProxy):
    _exposed_ = "__next__", "send", "throw", "close"

    def __iter__(self):
        return self

    def __next__(self, *args):
        return self._callmethod("__next__", args)

    def send(self, *args):
        return self._callmethod("send", args)

    def throw(self, *args):
        return self._callmethod("throw", args)

    def close(self, *args):
        return self._callmethod("close", args)


def public_methods(target):
    return [name for name in dir(target) if name[0] != "_" and callable(getattr(target, name))]


def proxied(registry, typeid, target, proxytype, exposed, results):
    if proxytype is None:
        exposed = exposed or getattr(target, "_exposed_", None) or public_methods(target)
        proxytype = MakeProxyType(f"AutoProxy[{typeid}]", exposed)
    proxy = proxytype(target, typeid, results, registry)
    if exposed is not None:
        proxy._exposed_ = tuple(exposed)
    return proxy


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
    _registry = {"Iterator": lambda target: IteratorProxy(target, "Iterator")}

    def __init__(self, address=None, authkey=None, serializer="pickle", ctx=None, *, shutdown_timeout=1.0):
        self.address = address

    @classmethod
    def register(cls, typeid, callable=None, proxytype=None, exposed=None, method_to_typeid=None, create_method=True):
        if "_registry" not in vars(cls):
            cls._registry = dict(cls._registry)
        exposed = exposed or getattr(proxytype, "_exposed_", None)
        results = method_to_typeid or getattr(proxytype, "_method_to_typeid_", None) or {}

        def proxy(target):
            return proxied(cls._registry, typeid, target, proxytype, exposed, results)

        def make(self, /, *args, **kwds):
            if callable is None:
                raise ValueError("Only callables can be registered here: there are no other processes that have one")
            if proxytype is not None and not issubclass(proxytype, BaseProxy):
                return proxytype(*args, **kwds)
            return proxy(callable(*copied(args), **copied(kwds)))

        cls._registry[typeid] = proxy
        if create_method:
            make.__name__ = typeid
            setattr(cls, typeid, make)

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
