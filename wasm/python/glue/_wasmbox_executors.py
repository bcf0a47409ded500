"""concurrent.futures: workers whose functions can leave the stack, and futures."""

import concurrent.futures as futures
import concurrent.futures.thread as pool
from concurrent.futures import _base as base
from contextvars import Context
from functools import partial

import _wasmbox_scheduler as scheduler
from _wasmbox_threads import without_own_frames


# Of workers that wait for something to do.
resting = set()


def worker(executor_reference, work_queue, initializer, initargs):
    """What a worker thread of a ThreadPoolExecutor runs."""
    if initializer is not None:
        try:
            initializer(*initargs)
        except (scheduler.Lost, KeyboardInterrupt):
            raise
        except BaseException:
            base.LOGGER.critical("Exception in initializer:", exc_info=True)
            executor = executor_reference()
            if executor is not None:
                executor._initializer_failed()
            return
    while True:
        if work_queue.empty():
            executor = executor_reference()
            if executor is not None:
                executor._idle_semaphore.release()
            del executor
        resting.add(scheduler.get_ident())
        item = work_queue.get()
        resting.discard(scheduler.get_ident())
        if item is not None:
            if item.future.set_running_or_notify_cancel():
                perform(item)
            del item
            continue
        executor = executor_reference()
        if pool._shutdown or executor is None or executor._shutdown:
            if executor is not None:
                executor._shutdown = True
            # For the next worker.
            work_queue.put(None)
            return
        del executor


def perform(item):
    try:
        result = call(item.fn, item.args, item.kwargs)
    except (scheduler.Lost, KeyboardInterrupt):
        raise
    except BaseException as error:
        without_own_frames(error)
        item.future.set_exception(error)
    else:
        item.future.set_result(result)


def call(function, args, kwargs):
    """A function, called by Python: below C code no thread can leave."""
    while isinstance(function, partial):
        function, args, kwargs = function.func, function.args + args, {**function.keywords, **kwargs}
    context = getattr(function, "__self__", None)
    if isinstance(context, Context) and args and function == context.run:
        return context.run(call_of(*args, **kwargs))
    return function(*args, **kwargs)


def call_of(function, *args, **kwargs):
    def call():
        return function(*args, **kwargs)

    return call


def result(self, timeout=None):
    if self._state not in FINISHED:
        scheduler.wait_until(lambda: self._state in FINISHED, timeout)
    return real_result(self, 0)


def exception(self, timeout=None):
    if self._state not in FINISHED:
        scheduler.wait_until(lambda: self._state in FINISHED, timeout)
    return real_exception(self, 0)


def done(self):
    if self._state not in FINISHED:
        scheduler.looked_in_vain()
    return self._state in FINISHED


FINISHED = (base.FINISHED, base.CANCELLED, base.CANCELLED_AND_NOTIFIED)
real_result, real_exception = base.Future.result, base.Future.exception


class ProcessFuture(base.Future):
    """Who waits for it is told where it was submitted."""

    def _invoke_callbacks(self):
        from _wasmbox_address_spaces import inside

        if self._done_callbacks:
            inside(self.space, super()._invoke_callbacks)


class ProcessPoolExecutor(futures.ThreadPoolExecutor):
    """Calls functions in address spaces of this process: there are no other processes."""

    def __init__(self, max_workers=None, mp_context=None, initializer=None, initargs=(), *, max_tasks_per_child=None):
        if max_tasks_per_child is not None and max_tasks_per_child <= 0:
            raise ValueError("max_tasks_per_child must be >= 1")
        if initializer is not None and not callable(initializer):
            raise TypeError("initializer must be a callable")
        super().__init__(max_workers, "ProcessPoolExecutor", self._begin)
        self._begun_with = initializer, initargs
        self._workers = None

    def _begin(self):
        self._workers.begin()

    def _break(self, status):
        self._broken = "A child process terminated abruptly, the process pool is not usable anymore"
        return self._error("A process in the process pool was terminated abruptly while the future was running or pending.")

    def _error(self, text):
        from concurrent.futures.process import BrokenProcessPool

        return BrokenProcessPool(text)

    def submit(self, fn, /, *args, **kwargs):
        if self._broken:
            raise self._error(self._broken)
        import multiprocessing.context  # or either of the two would miss the other
        from _wasmbox_copies import copied
        from _wasmbox_multiprocessing import Workers, _RemoteTraceback

        if self._workers is None:
            self._workers = Workers("ForkProcess", *self._begun_with)
            self._workers.remote_traceback, self._workers.broken = _RemoteTraceback, self._break
        future = super().submit(self._workers.work, *copied((fn, args, kwargs)))
        future.__class__, future.space = ProcessFuture, scheduler.stack[-1].space
        return future

    def map(self, fn, *iterables, timeout=None, chunksize=1):
        if chunksize < 1:
            raise ValueError("chunksize must be >= 1.")
        return super().map(fn, *iterables, timeout=timeout)


def install():
    pool._worker = worker
    base.Future.result, base.Future.exception, base.Future.done = result, exception, done
    ProcessFuture.__module__, ProcessFuture.__name__, ProcessFuture.__qualname__ = base.__name__, "Future", "Future"
    ProcessPoolExecutor.__module__ = "concurrent.futures.process"
    futures.ProcessPoolExecutor = ProcessPoolExecutor
