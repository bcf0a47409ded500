"""Pools, by concurrent.futures: functions are called in address spaces of this process."""

import concurrent.futures
import os

import _wasmbox_scheduler as scheduler
from _wasmbox_address_spaces import inside
from _wasmbox_copies import copied
from _wasmbox_multiprocessing import RemoteTraceback, Workers

from . import TimeoutError

__all__ = ["Pool", "ThreadPool"]

RUN, CLOSE, TERMINATE = "RUN", "CLOSE", "TERMINATE"
# That a process is given, if nobody says how many tasks are one.
CHUNKS = 4


class AsyncResult:
    def __init__(self, futures, callback, error_callback, unpack):
        self._futures = futures
        self._unpack = unpack
        self._callbacks = callback, error_callback
        self._space = scheduler.stack[-1].space
        self._remaining = len(futures)
        if not futures:
            self._tell()
        for future in futures:
            future.add_done_callback(self._count)

    def _count(self, future):
        self._remaining -= 1
        if not self._remaining and any(self._callbacks):
            inside(self._space, self._tell)

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


class Pool:
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
        self._workers = Workers("ForkPoolWorker", initializer, initargs)
        return concurrent.futures.ThreadPoolExecutor(processes, "MainThread", self._workers.begin)

    def _submit(self, function, items, chunksize=1, kwargs={}):
        if self._state != RUN:
            raise ValueError("Pool not running")
        if chunksize is None:
            items = list(items)
            chunksize = -(-len(items) // (self._processes * CHUNKS)) or 1
        return [self._task(function, item, kwargs, number % chunksize == 0) for number, item in enumerate(items)]

    def _task(self, function, args, kwargs, first):
        """`first`: of those that one process is given together, with one copy of the function."""
        if first:
            self._function = copied(function)
        return self._executor.submit(self._workers.work, self._function, copied(tuple(args)), copied(kwargs))

    def apply(self, func, args=(), kwds={}):
        return self.apply_async(func, args, kwds).get()

    def apply_async(self, func, args=(), kwds={}, callback=None, error_callback=None):
        futures = self._submit(func, [args], 1, kwds)
        return AsyncResult(futures, callback, error_callback, lambda results: results[0])

    def map(self, func, iterable, chunksize=None):
        return self.map_async(func, iterable, chunksize).get()

    def map_async(self, func, iterable, chunksize=None, callback=None, error_callback=None):
        return self.starmap_async(func, ((each,) for each in iterable), chunksize, callback, error_callback)

    def starmap(self, func, iterable, chunksize=None):
        return self.starmap_async(func, iterable, chunksize).get()

    def starmap_async(self, func, iterable, chunksize=None, callback=None, error_callback=None):
        return AsyncResult(self._submit(func, iterable, chunksize), callback, error_callback, list)

    def imap(self, func, iterable, chunksize=1):
        return IMapIterator(self._submit(func, ((each,) for each in iterable), chunksize), True)

    def imap_unordered(self, func, iterable, chunksize=1):
        return IMapIterator(self._submit(func, ((each,) for each in iterable), chunksize), False)

    def close(self):
        if self._state == RUN:
            self._state = CLOSE

    def terminate(self):
        self._state = TERMINATE
        self._executor.shutdown(wait=False, cancel_futures=True)
        self._end_workers()

    def _end_workers(self):
        """Also those in the middle of something, as processes are ended."""
        idents = {each.ident for each in self._executor._threads}
        for thread in [each for each in scheduler.waiting if each.ident in idents]:
            scheduler.waiting.remove(thread)
            scheduler.end(thread)

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

    def _task(self, function, args, kwargs, first):
        return self._executor.submit(function, *args, **kwargs)

    def _end_workers(self):
        """Nothing ends threads."""
