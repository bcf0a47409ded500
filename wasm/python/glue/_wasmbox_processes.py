"""Processes are commands of the session's shell: `subprocess` (_wasmbox_popen), `os.system` and `os.popen` go there. What
else `os` has for processes has nothing to work on, and says so."""

import errno
import os
import shutil
import subprocess

import _wasmbox_scheduler as scheduler
from _wasmbox_children import ask, running
from _wasmbox_popen import PIPE, Popen, known
from _wasmbox_shell import refusal, which

INSTEAD = "subprocess.run runs programs of the session's shell, as does execute_code(language=\"shell\")"
WNOHANG = 1


def system(command):
    return status_of(subprocess.call(os.fsdecode(command), shell=True))


def status_of(code):
    """As `wait` gives it."""
    return code << 8 if code >= 0 else -code


class Piped:
    """As os.popen returns it: a pipe whose closing waits for the process."""

    def __init__(self, stream, process):
        self._stream, self._process = stream, process

    def close(self):
        self._stream.close()
        code = self._process.wait()
        return None if code == 0 else code << 8 if code > 0 else -code

    def __enter__(self):
        return self

    def __exit__(self, *args):
        self.close()

    def __getattr__(self, name):
        return getattr(self._stream, name)

    def __iter__(self):
        return iter(self._stream)


def popen(cmd, mode="r", buffering=-1):
    if not isinstance(cmd, str):
        raise TypeError(f"invalid cmd type ({type(cmd)}, expected string)")
    if mode not in ("r", "w"):
        raise ValueError(f"invalid mode {mode!r}")
    if mode == "r":
        process = subprocess.Popen(cmd, shell=True, text=True, stdout=PIPE)
        return Piped(process.stdout, process)
    process = subprocess.Popen(cmd, shell=True, text=True, stdin=PIPE)
    return Piped(process.stdin, process)


def child_of(pid):
    process = known.get(pid)
    return process._child if process is not None else running.get(pid)


def kill(pid, signal, /):
    """os.kill, also for processes that the program has started, and for those of the shell."""
    child = child_of(pid)
    if child is None and pid > 0 and pid != os.getpid() and sent(pid, int(signal)):
        return None
    if child is None:
        return real_kill(own_id if pid == os.getpid() else pid, signal)
    if child.code is None:
        child.look()
    if child.code is not None:
        raise ProcessLookupError(errno.ESRCH, os.strerror(errno.ESRCH))
    child.signal(int(signal))


def become(pid, ppid):
    """This is a program of the shell, of that number."""
    os.getpid, os.getppid = (lambda: pid), (lambda: ppid)
    os.getpgrp = os.getpid


def sent(pid, signal):
    """Whether the shell has a process of that number, which gets a signal then."""
    try:
        return ask("signal", pid=pid, signal=signal)[0]["sent"]
    except OSError:
        return False


real_kill = os.kill
# By which the library knows itself.
own_id = os.getpid()


def setsid():
    """As for who leads a group already; programs give this to processes that they start."""
    raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))


def getpgid(pid, /):
    """Each process is a group of its own."""
    return pid or os.getpid()


def refuse_command(command, *args):
    raise refusal(command, INSTEAD)


def refuse_spawn(mode, file, *args):
    raise refusal(file, INSTEAD)


def missing(name):
    """os.__getattr__: programs ask hasattr(os, "fork"), and do without."""
    why = ""
    if name in ("fork", "forkpty"):
        why = ": no processes: this Python runs in WebAssembly and can't fork; threads run in it, one after another"
    raise AttributeError(f"module 'os' has no attribute {name!r}{why}")


def no_children():
    raise ChildProcessError(errno.ECHILD, "No child processes")


def waitpid(pid, options, /):
    if pid == -1 and not options & WNOHANG:
        return wait()
    child = child_of(pid)
    if child is None or child.reaped:
        no_children()

    def has_ended():
        return child.code is not None or child.look()

    if not has_ended() and options & WNOHANG:
        return 0, 0
    scheduler.wait_until(has_ended)
    child.reaped = True
    return pid, status_of(child.code)


def wait():
    """Of the first one that ends."""
    children = {**running, **{pid: process._child for pid, process in known.items()}}
    children = {pid: child for pid, child in children.items() if not child.reaped}
    if not children:
        no_children()
    scheduler.wait_until(lambda: any(child.code is not None or child.look() for child in children.values()))
    return waitpid(next(pid for pid, child in children.items() if child.code is not None), 0)


def waitstatus_to_exitcode(status):
    return -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def install():
    subprocess.Popen = Popen
    os.system, os.popen = system, popen
    shutil.which = which
    os.kill = os.killpg = kill
    os.setsid, os.getpgid, os.getpgrp = setsid, getpgid, os.getpid
    os.WIFEXITED = lambda status: status & 0x7F == 0
    os.WEXITSTATUS = lambda status: status >> 8 & 0xFF
    os.WTERMSIG = lambda status: status & 0x7F
    os.WIFSIGNALED = lambda status: status & 0x7F != 0
    os.waitstatus_to_exitcode = waitstatus_to_exitcode
    os.__getattr__ = missing
    os.wait, os.waitpid = wait, waitpid
    for name in ("execv", "execve", "posix_spawn", "posix_spawnp"):
        setattr(os, name, refuse_command)
    for letters in ("l", "le", "lp", "lpe", "v", "ve", "vp", "vpe"):
        setattr(os, "spawn" + letters, refuse_spawn)
    os.P_WAIT, os.P_NOWAIT, os.P_NOWAITO, os.WNOHANG = 0, 1, 1, 1
