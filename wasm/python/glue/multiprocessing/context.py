"""multiprocessing without processes: what a process would run runs in this one, by the threads of this Python, and so
sees and changes the same variables."""

import os

from _wasmbox_multiprocessing import Popen, current_process

from . import process, reduction

__all__ = ()


class ProcessError(Exception):
    pass


class BufferTooShort(ProcessError):
    pass


class TimeoutError(ProcessError):
    pass


class AuthenticationError(ProcessError):
    pass


class Process(process.BaseProcess):
    _start_method = "fork"

    @staticmethod
    def _Popen(process_object):
        return Popen(process_object)


ForkProcess = SpawnProcess = ForkServerProcess = Process


class BaseContext:
    ProcessError = ProcessError
    BufferTooShort = BufferTooShort
    TimeoutError = TimeoutError
    AuthenticationError = AuthenticationError
    Process = Process
    reducer = reduction
    _name = "fork"

    current_process = staticmethod(current_process)
    parent_process = staticmethod(process.parent_process)
    active_children = staticmethod(process.active_children)

    def cpu_count(self):
        return os.cpu_count()

    def Manager(self):
        from .managers import SyncManager

        manager = SyncManager()
        manager.start()
        return manager

    def Pipe(self, duplex=True):
        from .pipe_here import Pipe

        return Pipe(duplex)

    def Lock(self):
        from .synchronize import Lock

        return Lock()

    def RLock(self):
        from .synchronize import RLock

        return RLock()

    def Condition(self, lock=None):
        from .synchronize import Condition

        return Condition(lock)

    def Semaphore(self, value=1):
        from .synchronize import Semaphore

        return Semaphore(value)

    def BoundedSemaphore(self, value=1):
        from .synchronize import BoundedSemaphore

        return BoundedSemaphore(value)

    def Event(self):
        from .synchronize import Event

        return Event()

    def Barrier(self, parties, action=None, timeout=None):
        from .synchronize import Barrier

        return Barrier(parties, action, timeout)

    def Queue(self, maxsize=0):
        from .queues import Queue

        return Queue(maxsize)

    def JoinableQueue(self, maxsize=0):
        from .queues import JoinableQueue

        return JoinableQueue(maxsize)

    def SimpleQueue(self):
        from .queues import SimpleQueue

        return SimpleQueue()

    def Pool(self, processes=None, initializer=None, initargs=(), maxtasksperchild=None):
        from .pool import Pool

        return Pool(processes, initializer, initargs, maxtasksperchild)

    def RawValue(self, typecode_or_type, *args):
        from .sharedctypes import RawValue

        return RawValue(typecode_or_type, *args)

    def RawArray(self, typecode_or_type, size_or_initializer):
        from .sharedctypes import RawArray

        return RawArray(typecode_or_type, size_or_initializer)

    def Value(self, typecode_or_type, *args, lock=True):
        from .sharedctypes import Value

        return Value(typecode_or_type, *args, lock=lock)

    def Array(self, typecode_or_type, size_or_initializer, *, lock=True):
        from .sharedctypes import Array

        return Array(typecode_or_type, size_or_initializer, lock=lock)

    def freeze_support(self):
        pass

    def get_logger(self):
        from .util import get_logger

        return get_logger()

    def log_to_stderr(self, level=None):
        from .util import log_to_stderr

        return log_to_stderr(level)

    def allow_connection_pickling(self):
        pass

    def set_executable(self, executable):
        pass

    def set_forkserver_preload(self, module_names):
        pass

    def get_context(self, method=None):
        if method not in (None, "fork", "spawn", "forkserver"):
            raise ValueError(f"cannot find context for {method!r}")
        return self

    def get_start_method(self, allow_none=False):
        return self._name

    def set_start_method(self, method, force=False):
        self._name = self.get_context(method)._name if method is None else method

    def get_all_start_methods(self):
        return ["fork", "spawn", "forkserver"]

    def _check_available(self):
        pass


class DefaultContext(BaseContext):
    Process = Process


_default_context = DefaultContext()
DefaultContext.__all__ = [name for name in dir(DefaultContext) if name[0] != "_"]


def _force_start_method(method):
    _default_context._name = method


def get_spawning_popen():
    return None


def assert_spawning(obj):
    raise RuntimeError(f"{type(obj).__name__} objects should only be shared between processes through inheritance")
