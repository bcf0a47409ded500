"""concurrent.futures: workers that leave the stack while they have nothing to do, and while what they run waits."""

import concurrent.futures as futures
import concurrent.futures.thread as pool
from concurrent.futures import _base as base
from functools import partial
import threading

import _wasmbox_scheduler as scheduler
from _wasmbox_threads import run_thread, without_own_frames


def worker(executor_reference, work_queue, initializer, initargs):
    """What a worker thread of a ThreadPoolExecutor runs."""
    scheduler.stack[-1].entry = scheduler.entry_code(initializer) if initializer is not None else None
    if initializer is not None:
        try:
            initializer(*initargs)
        except (scheduler.Suspended, KeyboardInterrupt):
            raise
        except BaseException:
            base.LOGGER.critical("Exception in initializer:", exc_info=True)
            executor = executor_reference()
            if executor is not None:
                executor._initializer_failed()
            return
    serve(executor_reference, work_queue)


def serve(executor_reference, work_queue):
    while True:
        if work_queue.empty():
            be_idle(executor_reference, work_queue)
        item = work_queue.get_nowait()
        if item is not None:
            if item.future.set_running_or_notify_cancel():
                perform(item, executor_reference, work_queue)
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


def be_idle(executor_reference, work_queue):
    executor = executor_reference()
    if executor is not None:
        executor._idle_semaphore.release()
    go_on_with(serve, executor_reference, work_queue)
    del executor
    scheduler.park(work_queue.qsize)


def perform(item, executor_reference, work_queue):
    go_on_with(perform_again, item, executor_reference, work_queue)
    scheduler.stack[-1].entry = scheduler.entry_code(item.fn, item.args)
    try:
        result = item.fn(*item.args, **item.kwargs)
    except (scheduler.Suspended, KeyboardInterrupt):
        raise
    except BaseException as error:
        without_own_frames(error)
        item.future.set_exception(error)
    else:
        item.future.set_result(result)


def perform_again(item, executor_reference, work_queue):
    perform(item, executor_reference, work_queue)
    serve(executor_reference, work_queue)


def go_on_with(function, *args):
    """What this thread does when it comes back."""
    scheduler.stack[-1].body = partial(run_thread, threading.current_thread(), partial(function, *args))


def result(self, timeout=None):
    if self._state not in FINISHED:
        scheduler.wait_until(self.done, timeout)
    return real_result(self, 0)


def exception(self, timeout=None):
    if self._state not in FINISHED:
        scheduler.wait_until(self.done, timeout)
    return real_exception(self, 0)


FINISHED = (base.FINISHED, base.CANCELLED, base.CANCELLED_AND_NOTIFIED)
real_result, real_exception = base.Future.result, base.Future.exception


class ProcessPoolExecutor(futures.ThreadPoolExecutor):
    """Calls functions in this process: there are no others."""

    def __init__(self, max_workers=None, mp_context=None, initializer=None, initargs=(), *, max_tasks_per_child=None):
        if max_tasks_per_child is not None and max_tasks_per_child <= 0:
            raise ValueError("max_tasks_per_child must be >= 1")
        super().__init__(max_workers, "ProcessPoolExecutor", initializer, initargs)

    def map(self, fn, *iterables, timeout=None, chunksize=1):
        if chunksize < 1:
            raise ValueError("chunksize must be >= 1.")
        return super().map(fn, *iterables, timeout=timeout)


def install():
    pool._worker = worker
    base.Future.result, base.Future.exception = result, exception
    scheduler.repeatable.update((result.__code__, exception.__code__))
    ProcessPoolExecutor.__module__ = "concurrent.futures.process"
    futures.ProcessPoolExecutor = ProcessPoolExecutor
