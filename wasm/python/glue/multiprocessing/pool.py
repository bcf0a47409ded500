"""Pools, by concurrent.futures: functions are called in this process."""

import concurrent.futures
import itertools
import os
from functools import partial

from _wasmbox_multiprocessing import new_id, running

from . import TimeoutError, process

__all__ = ["Pool", "ThreadPool"]

RUN, CLOSE, TERMINATE = "RUN", "CLOSE", "TERMINATE"


class AsyncResult:
    def __init__(self, futures, callback, error_callback, unpack):
        self._futures = futures
        self._unpack = unpack
        self._callbacks = callback, error_callback
        self._remaining = len(futures)
        if not futures:
            self._tell()
        for future in futures:
            future.add_done_callback(self._count)

    def _count(self, future):
        self._remaining -= 1
        if not self._remaining:
            self._tell()

    def _tell(self):
        callback, error_callback = self._callbacks
        error = next((error for each in self._futures if (error := each.exception())), None)
        if error is None and callback is not None:
            callback(self.get())
        elif error is not None and error_callback is not None:
            error_callback(error)

    def ready(self):
        return not self._remaining

    def successful(self):
        if self._remaining:
            raise ValueError(f"{self!r} not ready")
        return not any(each.exception() for each in self._futures)

    def wait(self, timeout=None):
        concurrent.futures.wait(self._futures, timeout)

    def get(self, timeout=None):
        self.wait(timeout)
        if self._remaining:
            raise TimeoutError
        return self._unpack([each.result() for each in self._futures])


ApplyResult = MapResult = AsyncResult


class IMapIterator:
    def __init__(self, futures, in_order):
        self._futures = futures
        self._in_order = in_order

    def __iter__(self):
        return self

    def next(self, timeout=None):
        if not self._futures:
            raise StopIteration
        first = self._futures[:1] if self._in_order else self._futures
        done = concurrent.futures.wait(first, timeout, concurrent.futures.FIRST_COMPLETED).done
        if not done:
            raise TimeoutError
        future = next(each for each in self._futures if each in done)
        self._futures.remove(future)
        return future.result()

    __next__ = next


class WorkerProcess(process.BaseProcess):
    """What current_process() is in a pool."""

    def __init__(self, name):
        super().__init__(name=name, daemon=True)
        self._popen = self
        self.pid_ = new_id()

    @property
    def pid(self):
        return self.pid_

    ident = pid


def start_worker(names, initializer, initargs):
    running.set(WorkerProcess(f"ForkPoolWorker-{next(names)}"))
    if initializer is not None:
        initializer(*initargs)


class Pool:
    _names = itertools.count(1)

    def __init__(self, processes=None, initializer=None, initargs=(), maxtasksperchild=None, context=None):
        processes = os.cpu_count() or 1 if processes is None else processes
        if processes < 1:
            raise ValueError("Number of processes must be at least 1")
        if initializer is not None and not callable(initializer):
            raise TypeError("initializer must be a callable")
        self._processes = processes
        self._state = RUN
        self._executor = self._make_executor(processes, initializer, initargs)

    def _make_executor(self, processes, initializer, initargs):
        begin = partial(start_worker, self._names, initializer, initargs)
        return concurrent.futures.ThreadPoolExecutor(processes, "MainThread", begin)

    def _submit(self, function, items):
        if self._state != RUN:
            raise ValueError("Pool not running")
        return [self._executor.submit(function, *item) for item in items]

    def apply(self, func, args=(), kwds={}):
        return self.apply_async(func, args, kwds).get()

    def apply_async(self, func, args=(), kwds={}, callback=None, error_callback=None):
        futures = self._submit(partial(func, **kwds) if kwds else func, [args])
        return AsyncResult(futures, callback, error_callback, lambda results: results[0])

    def map(self, func, iterable, chunksize=None):
        return self.map_async(func, iterable, chunksize).get()

    def map_async(self, func, iterable, chunksize=None, callback=None, error_callback=None):
        return self.starmap_async(func, ((each,) for each in iterable), chunksize, callback, error_callback)

    def starmap(self, func, iterable, chunksize=None):
        return self.starmap_async(func, iterable, chunksize).get()

    def starmap_async(self, func, iterable, chunksize=None, callback=None, error_callback=None):
        return AsyncResult(self._submit(func, iterable), callback, error_callback, list)

    def imap(self, func, iterable, chunksize=1):
        return IMapIterator(self._submit(func, ((each,) for each in iterable)), True)

    def imap_unordered(self, func, iterable, chunksize=1):
        return IMapIterator(self._submit(func, ((each,) for each in iterable)), False)

    def close(self):
        if self._state == RUN:
            self._state = CLOSE

    def terminate(self):
        self._state = TERMINATE
        self._executor.shutdown(wait=False, cancel_futures=True)

    def join(self):
        if self._state == RUN:
            raise ValueError("Pool is still running")
        self._executor.shutdown()

    def __enter__(self):
        if self._state != RUN:
            raise ValueError("Pool not running")
        return self

    def __exit__(self, kind, error, traceback):
        self.terminate()

    def __repr__(self):
        return f"<{type(self).__module__}.{type(self).__qualname__} state={self._state} pool_size={self._processes}>"


class ThreadPool(Pool):
    def __init__(self, processes=None, initializer=None, initargs=()):
        super().__init__(processes, initializer, initargs)

    def _make_executor(self, processes, initializer, initargs):
        return concurrent.futures.ThreadPoolExecutor(processes, "ThreadPool", initializer, initargs)
