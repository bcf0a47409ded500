"""A "process": a thread of this Python with a process's name, id, exit code and address space."""

import itertools
import os
import sys
import threading
import traceback
from contextlib import nullcontext
from functools import partial

import _wasmbox_scheduler as scheduler
from _wasmbox_address_spaces import Image, learn, move
from _wasmbox_copies import copied
from _wasmbox_executors import call
from _wasmbox_threads import without_own_frames

from multiprocessing import process

TERMINATED, KILLED = -15, -9

main_process_id = os.getpid()
real_getpid, real_getppid = os.getpid, os.getppid
# Of a program of the shell: the numbers after its own are those of other programs.
last_id = main_process_id if main_process_id < 1000 else main_process_id * 1000


def current_process():
    """The process that runs just now."""
    space = scheduler.stack[-1].space
    return process._current_process if space is None else space.process


def getpid():
    space = scheduler.stack[-1].space
    return real_getpid() if space is None else space.process._popen.pid


class Parent(process._ParentProcess):
    """What parent_process() is in a process: it ends after that."""

    def __init__(self, child):
        super().__init__(child._parent_name, child._parent_pid, None)

    def is_alive(self):
        return True

    def join(self, timeout=None):
        scheduler.wait_until(lambda: False, timeout)


def parent_process():
    space = scheduler.stack[-1].space
    return None if space is None else Parent(space.process)


def getppid():
    space = scheduler.stack[-1].space
    return real_getppid() if space is None else space.process._parent_pid


process.current_process, process.parent_process = current_process, parent_process
os.getpid, os.getppid = getpid, getppid


real_exit = os._exit


class Exit(BaseException):
    """A process ends at once."""


def _exit(status):
    if scheduler.stack[-1].space is None:
        real_exit(status)
    raise Exit(status)


os._exit = _exit


def new_id():
    global last_id
    last_id += 1
    return last_id


class Popen:
    method = "fork"

    def __init__(self, process_object):
        self.returncode = None
        self.pid = self.sentinel = new_id()
        child = object.__new__(type(process_object))
        pipes = sys.modules.get("multiprocessing.pipe_here")
        with pipes.handing_over() if pipes else nullcontext([]) as self._connections:
            space, fields = Image(vars(process_object)).copy(child)
        vars(child).update(fields, _popen=self)
        work = child.run, (), {}
        if type(child).run is process.BaseProcess.run and child._target:
            work = child._target, child._args, child._kwargs
        self._thread = scheduler.spawn(partial(self._run, child, *work), child.daemon, self._end)
        self._thread.name = child.name
        self._thread.space = space
        # Seen from inside, a process begins with its main thread.
        threading._active[self._thread.ident] = threading.main_thread()

    def _run(self, child, function, args, kwargs):
        code = 1
        try:
            function(*args, **kwargs)
            code = 0
        except (scheduler.Lost, KeyboardInterrupt):
            raise
        except SystemExit as error:
            code = exit_code(error.code)
        except Exit as error:
            code = error.args[0]
        except BaseException as error:
            without_own_frames(error)
            sys.stderr.write(f"Process {child.name}:\n")
            traceback.print_exception(error)
        self.returncode = code

    def _end(self):
        threading._active.pop(self._thread.ident, None)
        for reference in self._connections:
            connection = reference()
            if connection is not None:
                connection.close()
        if self.returncode is None:
            self.returncode = 1

    def poll(self, flag=0):
        return self.returncode

    def wait(self, timeout=None):
        scheduler.wait_until(lambda: self.returncode is not None, timeout)
        return self.returncode

    def terminate(self):
        self._stop(TERMINATED)

    def kill(self):
        self._stop(KILLED)

    interrupt = terminate

    def _stop(self, code):
        if self.returncode is None and self._thread in scheduler.waiting:
            scheduler.waiting.remove(self._thread)
            self.returncode = code
            scheduler.end(self._thread)

    def close(self):
        pass


def exit_code(code):
    if code is None:
        return 0
    if isinstance(code, int):
        return code
    sys.stderr.write(f"{code}\n")
    return 1


class WorkerProcess(process.BaseProcess):
    """What current_process() is in a pool."""

    def __init__(self, name):
        super().__init__(name=name, daemon=True)
        self._popen = self
        self._worker_id = new_id()

    @property
    def pid(self):
        return self._worker_id

    ident = pid


class RemoteTraceback(Exception):
    """What an error looked like in the process that raised it."""

    def __init__(self, tb):
        self.tb = tb

    def __str__(self):
        return self.tb


class _RemoteTraceback(RemoteTraceback):
    """As concurrent.futures calls it."""


RemoteTraceback.__module__ = "multiprocessing.pool"
_RemoteTraceback.__module__ = "concurrent.futures.process"


class Workers:
    """The processes of a pool, each by the thread that calls its functions."""

    _numbers = itertools.count(1)
    remote_traceback = RemoteTraceback

    def __init__(self, name, initializer, initargs):
        self._name = name
        self._image = Image((initializer, initargs))
        self._owner = scheduler.stack[-1].space

    def begin(self):
        worker = WorkerProcess(f"{self._name}-{next(self._numbers)}")
        space, (initializer, initargs) = self._image.copy(worker)
        move(scheduler.stack[-1], space)
        if initializer is not None:
            initializer(*initargs)

    def work(self, function, args, kwargs):
        learn(scheduler.stack[-1].space, self._owner)
        try:
            return copied(call(function, args, kwargs))
        except Exception as error:
            without_own_frames(error)
            text = "".join(traceback.format_exception(error))
            error.__cause__ = self.remote_traceback(f'\n"""\n{text}"""')
            raise
        except Exit as end:
            raise self.broken(end.args[0]) from None

    def broken(self, status):
        """The error of a process that has ended in the middle."""
        return RuntimeError(f"a process of the pool has ended by os._exit({status}): what it worked on is lost")
