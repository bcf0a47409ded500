"""A "process": a thread of this Python with a process's name, id and exit code."""

import contextvars
import os
import sys
import threading
import traceback
from functools import partial

import _wasmbox_scheduler as scheduler
from _wasmbox_threads import without_own_frames

from multiprocessing import process

TERMINATED, KILLED = -15, -9

running = contextvars.ContextVar("running process")
main_process_id = os.getpid()
real_getpid = os.getpid
last_id = main_process_id


def current_process():
    """The process that runs just now."""
    return running.get(None) or process._current_process


def getpid():
    here = running.get(None)
    return real_getpid() if here is None else here._popen.pid


process.current_process = current_process
os.getpid = getpid


def new_id():
    global last_id
    last_id += 1
    return last_id


class Popen:
    method = "fork"

    def __init__(self, process_object):
        self.returncode = None
        self.pid = self.sentinel = new_id()
        work = process_object.run, (), {}
        if type(process_object).run is process.BaseProcess.run and process_object._target:
            # Which it forgets when it has started.
            work = process_object._target, process_object._args, process_object._kwargs
        self._thread = scheduler.spawn(partial(self._run, process_object, *work), process_object.daemon, self._end)
        self._thread.name = process_object.name
        # Seen from inside, a process begins with its main thread.
        threading._active[self._thread.ident] = threading.main_thread()

    def _run(self, process_object, function, args, kwargs):
        running.set(process_object)
        code = 1
        try:
            function(*args, **kwargs)
            code = 0
        except (scheduler.Lost, KeyboardInterrupt):
            raise
        except SystemExit as error:
            code = exit_code(error.code)
        except BaseException as error:
            without_own_frames(error)
            sys.stderr.write(f"Process {process_object.name}:\n")
            traceback.print_exception(error)
        self.returncode = code

    def _end(self):
        threading._active.pop(self._thread.ident, None)
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
