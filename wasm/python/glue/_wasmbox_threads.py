"""Threads: what `_thread`, `threading` and `time.sleep` are made of here (`_wasmbox_scheduler`)."""

import _thread
import sys
import threading
import time
from functools import partial

import _wasmbox_barrier
import _wasmbox_locks
import _wasmbox_queues
import _wasmbox_scheduler as scheduler
from _wasmbox_locks import Lock, RLock
from _wasmbox_scheduler import stack, wait_until


class ThreadHandle:
    """What threading.Thread knows of its thread."""

    def __init__(self):
        self.ident = 0
        self._done = False

    def is_done(self):
        return self._done

    def _set_done(self):
        if not self.ident:
            raise RuntimeError("thread not started")
        self._done = True

    def join(self, timeout=None):
        if not self.ident:
            raise RuntimeError("thread not started")
        if self.ident == stack[-1].ident and not self._done:
            raise RuntimeError("Cannot join current thread")
        wait_until(self.is_done, None if timeout is None or timeout < 0 else timeout)


def start_joinable_thread(function, handle=None, daemon=True):
    handle = ThreadHandle() if handle is None else handle
    if handle.ident:
        raise RuntimeError("thread already started")
    owner = getattr(function, "__self__", None)
    if isinstance(owner, threading.Thread) and function.__func__ is threading.Thread._bootstrap:
        handle.ident = start_thread(owner, handle, daemon).ident
    else:
        handle.ident = scheduler.spawn(partial(run_function, function), daemon, handle._set_done).ident
    return handle


def start_thread(owner, handle, daemon):
    """Starts a threading.Thread. Its own bootstrap would set up again what goes on."""

    def on_end():
        handle._set_done()
        threading._active.pop(owner._ident, None)

    if isinstance(owner._target, partial):
        # Which is C code, below which no thread can leave.
        owner._args = owner._target.args + owner._args
        owner._kwargs = {**owner._target.keywords, **owner._kwargs}
        owner._target = owner._target.func
    thread = scheduler.spawn(partial(run_thread, owner), daemon, on_end)
    thread.name = owner.name
    owner._ident = thread.ident
    threading._limbo.pop(owner, None)
    threading._active[thread.ident] = owner
    owner._started.set()
    return thread


def run_thread(owner):
    try:
        if threading._trace_hook:
            sys.settrace(threading._trace_hook)
        if threading._profile_hook:
            sys.setprofile(threading._profile_hook)
        owner.run()
    except (scheduler.Lost, KeyboardInterrupt):
        raise
    except BaseException as error:
        without_own_frames(error)
        owner._invoke_excepthook(owner)


def without_own_frames(error):
    """The traceback begins with the program's frames."""
    while error.__traceback__ and error.__traceback__.tb_frame.f_globals["__name__"].startswith("_wasmbox"):
        error.__traceback__ = error.__traceback__.tb_next


def unraisable_arguments():
    """The type of what sys.unraisablehook() gets, which has no name anywhere."""

    class Fails:
        def __del__(self):
            raise ValueError

    hook, seen = sys.unraisablehook, []
    sys.unraisablehook = seen.append
    try:
        Fails()
    finally:
        sys.unraisablehook = hook
    return type(seen[0])


UnraisableHookArgs = unraisable_arguments()


def run_function(function, args=(), kwargs={}):
    try:
        function(*args, **kwargs)
    except (scheduler.Lost, KeyboardInterrupt):
        raise
    except SystemExit:
        pass
    except BaseException as error:
        without_own_frames(error)
        message = f"Exception ignored in thread started by {function!r}"
        sys.unraisablehook(UnraisableHookArgs((type(error), error, error.__traceback__, message, None)))


def start_new_thread(function, args, kwargs={}):
    if not callable(function):
        raise TypeError("first arg must be callable")
    if not isinstance(args, tuple):
        raise TypeError("2nd arg must be a tuple")

    def on_end():
        # There is one if the thread asked for its threading.Thread.
        threading._active.pop(thread.ident, None)

    thread = scheduler.spawn(partial(run_function, function, args, kwargs), True, on_end)
    return thread.ident


class Local:
    """threading.local. The scheduler exchanges `__dict__` when another thread runs."""

    __slots__ = ("__dict__", "__weakref__")

    def __new__(cls, /, *args, **kwargs):
        if cls.__init__ is object.__init__ and (args or kwargs):
            raise TypeError("Initialization arguments are not supported")
        self = object.__new__(cls)
        scheduler.remember_local(self, (args, kwargs))
        return self

    def __setattr__(self, name, value):
        refuse_dict(self, name)
        object.__setattr__(self, name, value)

    def __delattr__(self, name):
        refuse_dict(self, name)
        object.__delattr__(self, name)


def refuse_dict(local, name):
    if name == "__dict__":
        raise AttributeError(f"{type(local).__name__!r} object attribute '__dict__' is read-only")


def sleep(seconds, /):
    if seconds < 0:
        raise ValueError("sleep length must be non-negative")
    if len(stack) > 1 or scheduler.waiting:
        wait_until(scheduler.never, float(seconds), alone=True)
        return
    end, answers = scheduler.monotonic() + seconds, scheduler.answers
    scheduler.rest(seconds)
    # What rang has ended that early; whatever its handler did, there may be threads now.
    while scheduler.answers != answers and (left := end - scheduler.monotonic()) > 0:
        answers = scheduler.answers
        wait_until(scheduler.never, left, alone=True)


def wait(self, timeout=None):
    return self._flag or wait_until(lambda: self._flag, timeout)


def acquire(self, blocking=True, timeout=None):
    if not blocking and timeout is not None:
        raise ValueError("can't specify timeout for non-blocking acquire")
    if blocking and self._value == 0:
        wait_until(lambda: self._value > 0, timeout)
    elif self._value == 0:
        scheduler.looked_in_vain()
    return real_acquire_semaphore(self, False)


def is_set(self):
    if not self._flag:
        scheduler.looked_in_vain()
    return self._flag


def is_alive(self):
    alive = real_is_alive(self)
    if alive:
        scheduler.looked_in_vain()
    return alive


def run_timer(self):
    """threading.Timer's: its time begins with its start, not when it comes to run."""
    self.finished.wait(max(stack[-1].born + self.interval - scheduler.monotonic(), 0))
    if not self.finished.is_set():
        self.function(*self.args, **self.kwargs)
    self.finished.set()


real_acquire_semaphore = threading.Semaphore.acquire
real_is_alive = threading.Thread.is_alive


def install():
    _wasmbox_locks.install()
    _wasmbox_queues.install()
    _wasmbox_barrier.install()
    Local.__module__, Local.__name__, Local.__qualname__ = "_thread", "_local", "_local"
    _thread.start_new_thread = _thread.start_new = start_new_thread
    _thread.start_joinable_thread = threading._start_joinable_thread = start_joinable_thread
    _thread._ThreadHandle = threading._ThreadHandle = ThreadHandle
    _thread.get_ident = threading.get_ident = scheduler.get_ident
    # No system knows threads by other numbers.
    _thread.get_native_id = threading.get_native_id = scheduler.get_ident
    threading.Thread.native_id = property(lambda thread: thread.ident)
    threading.__all__.append("get_native_id")
    _thread.allocate_lock = _thread.allocate = threading._allocate_lock = Lock
    _thread.lock = _thread.LockType = threading._LockType = threading.Lock = Lock
    _thread.RLock = threading._CRLock = RLock
    _thread._local = threading.local = Local
    _thread._count = lambda: len(scheduler.waiting) + len(stack) - 1
    threading._active_limbo_lock = RLock()
    threading._shutdown_locks_lock = Lock()
    time.sleep = sleep
    threading.Event.wait = wait
    threading.Event.is_set = threading.Event.isSet = is_set
    threading.Thread.is_alive = is_alive
    threading.Timer.run = run_timer
    threading.Semaphore.acquire = threading.Semaphore.__enter__ = acquire
