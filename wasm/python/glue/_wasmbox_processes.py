"""Processes are commands of the session's shell: `subprocess` (_wasmbox_popen), `os.system` and `os.popen` go there. What
else `os` has for processes has nothing to work on, and says so."""

import errno
import os
import shlex
import shutil
import subprocess

from _wasmbox_popen import PIPE, Popen, known, limited
from _wasmbox_shell import environment, in_shell, refusal, which

INSTEAD = "subprocess.run runs programs of the session's shell, as does execute_code(language=\"shell\")"


def system(command):
    script = os.fsdecode(command)
    lines = [f"cd {shlex.quote(os.getcwd())}", *environment(None), script]
    code = in_shell("(\n" + "\n".join(lines) + "\n)", command)
    return code << 8 if code <= 128 or code >= 160 else code - 128


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


def kill(pid, signal, /):
    """os.kill, also for processes that have yet to run."""
    process = known.get(pid)
    if process is None:
        return real_kill(pid, signal)
    if process.returncode is not None:
        raise ProcessLookupError(errno.ESRCH, os.strerror(errno.ESRCH))
    if signal:
        process.send_signal(signal)


real_kill = os.kill


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


def no_children(*args):
    raise ChildProcessError(errno.ECHILD, "No child processes")


def waitstatus_to_exitcode(status):
    return -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def install():
    subprocess.Popen = Popen
    subprocess.run, subprocess.call = limited(subprocess.run), limited(subprocess.call)
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
    os.wait = os.waitpid = no_children
    for name in ("execv", "execve", "posix_spawn", "posix_spawnp"):
        setattr(os, name, refuse_command)
    for letters in ("l", "le", "lp", "lpe", "v", "ve", "vp", "vpe"):
        setattr(os, "spawn" + letters, refuse_spawn)
    os.P_WAIT, os.P_NOWAIT, os.P_NOWAITO, os.WNOHANG = 0, 1, 1, 1
